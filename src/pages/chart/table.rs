//! The table of a chart, from which its script reads what is at the cursor.

use maud::{Markup, html};

use crate::locale::Texts;

/// A column of numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Column {
    pub heading: String,
    /// The series that it belongs to, such as `current`, if it is in the card at the cursor.
    pub series: Option<&'static str>,
    /// Its values as text, oldest first.
    pub cells: Vec<String>,
}

impl Column {
    pub fn new(heading: &str, cells: impl IntoIterator<Item = String>) -> Self {
        Self {
            heading: heading.to_owned(),
            series: None,
            cells: cells.into_iter().collect(),
        }
    }

    pub(super) fn of(self, series: &'static str) -> Self {
        Self {
            series: Some(series),
            ..self
        }
    }
}

/// A table that opens below what it is about.
pub fn table_below(texts: Texts, table: &Markup) -> Markup {
    html! { details.behind { summary { (texts.label("View as table")) } div.scroll { (table) } } }
}

/// Rows by step, newest first, although `names` and columns are oldest first. Cells have no class, because they are many.
pub(super) fn draw<'a>(
    texts: Texts,
    names: impl Iterator<Item = &'a str>,
    columns: &[&Column],
) -> Markup {
    let names: Vec<&str> = names.collect();
    table_below(
        texts,
        &html! {
            table.table.steps {
                thead { tr {
                    th scope="col" { (texts.label("Time")) }
                    @for column in columns { th.num scope="col" data-series=[column.series] { (column.heading) } }
                } }
                tbody { @for (place, name) in names.iter().enumerate().rev() { tr {
                    th scope="row" { (name) }
                    @for column in columns { td { (column.cells.get(place).map_or("", String::as_str)) } }
                } } }
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_newest_first_and_columns_of_the_card_are_named() {
        let shown = Column::new("Visitors", ["1".to_owned(), "<2>".to_owned()]).of("current");
        let hidden = Column::new("Pageviews", ["5".to_owned()]);
        let drawn = draw(Texts::ENGLISH, ["a", "b"].into_iter(), &[&shown, &hidden]).into_string();
        let (first, last) = drawn.split_once(">a</th>").unwrap();
        assert!(
            first.contains(">b</th><td>&lt;2&gt;</td><td></td>"),
            "{drawn}"
        );
        assert!(last.contains("<td>1</td><td>5</td>"), "{drawn}");
        assert_eq!(drawn.matches("data-series").count(), 1, "{drawn}");
    }
}
