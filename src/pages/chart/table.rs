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

/// The numbers of small charts that are the rows of a list, such as sparklines: one table for all of them.
#[derive(Debug, Clone, Copy)]
pub struct SeriesTable<'a> {
    /// Its name, such as `Pageviews per day`.
    pub caption: &'a str,
    /// The heading of what the charts are about, such as `Website`.
    pub heading: &'a str,
    /// The labels of the steps, oldest first.
    pub steps: &'a [String],
    /// The name of each chart with its number of every step.
    pub rows: &'a [(String, Vec<String>)],
}

impl SeriesTable<'_> {
    /// The table, which opens below the list; nothing without a chart.
    pub fn draw_below(&self, texts: Texts) -> Markup {
        if self.rows.is_empty() {
            return html! {};
        }
        table_below(
            texts,
            &html! {
                table.table.steps {
                    caption.hide { (self.caption) }
                    thead { tr {
                        th scope="col" { (self.heading) }
                        @for step in self.steps { th.num scope="col" { (step) } }
                    } }
                    tbody { @for (name, cells) in self.rows { tr {
                        th scope="row" { (name) }
                        @for cell in cells { td { (cell) } }
                    } } }
                }
            },
        )
    }
}

/// A table of steps that opens below their chart: newest first, although `names` and columns are oldest first. Cells have no class,
/// because they are many.
pub fn steps_below<'a>(
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
        let drawn = steps_below(Texts::ENGLISH, ["a", "b"].into_iter(), &[&shown, &hidden]);
        let drawn = drawn.into_string();
        let (first, last) = drawn.split_once(">a</th>").unwrap();
        assert!(
            first.contains(">b</th><td>&lt;2&gt;</td><td></td>"),
            "{drawn}"
        );
        assert!(last.contains("<td>1</td><td>5</td>"), "{drawn}");
        assert_eq!(drawn.matches("data-series").count(), 1, "{drawn}");
    }

    #[test]
    fn charts_of_a_list_share_one_table_with_a_row_each() {
        let steps = ["Oct 13".to_owned(), "Oct 14".to_owned()];
        let row =
            |name: &str, cells: [&str; 2]| (name.to_owned(), cells.map(str::to_owned).to_vec());
        let rows = [row("<Shop>", ["1", "2"]), row("Blog", ["3", "4"])];
        let table = SeriesTable {
            caption: "Pageviews per day",
            heading: "Website",
            steps: &steps,
            rows: &rows,
        };
        let drawn = table.draw_below(Texts::ENGLISH).into_string();
        assert_eq!(drawn.matches("<details").count(), 1, "{drawn}");
        for row in [
            ">Oct 13</th><th class=\"num\" scope=\"col\">Oct 14</th>",
            ">&lt;Shop&gt;</th><td>1</td><td>2</td>",
            ">Blog</th><td>3</td><td>4</td>",
        ] {
            assert!(drawn.contains(row), "{row}: {drawn}");
        }
        let empty = SeriesTable { rows: &[], ..table };
        assert_eq!(empty.draw_below(Texts::ENGLISH).into_string(), "");
    }
}
