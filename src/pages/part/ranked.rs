//! A list of things by a number, longest bar first.

use maud::{Markup, html};

use super::meter;
use crate::{locale::Texts, pages::number};

/// A row of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankedRow {
    pub name: String,
    /// The address of a click, and its tooltip.
    pub link: Option<(String, String)>,
    /// Its numbers, the one that rows are measured by first.
    pub numbers: Vec<u64>,
}

/// The rows under the headings of their names and numbers.
pub fn ranked_list(texts: Texts, what: &str, headings: &[&str], rows: &[RankedRow]) -> Markup {
    let headings =
        html! { @for heading in headings { th.num scope="col" { (texts.label(heading)) } } };
    let rows: Vec<(Option<Markup>, RankedRow)> =
        rows.iter().map(|row| (None, row.clone())).collect();
    ranked_table(texts, what, &headings, &rows)
}

/// The same with cells as headings of the numbers, and rows that may have a picture.
pub fn ranked_table(
    texts: Texts,
    what: &str,
    headings: &Markup,
    rows: &[(Option<Markup>, RankedRow)],
) -> Markup {
    let first = |row: &RankedRow| row.numbers.first().copied().unwrap_or(0);
    let largest = rows
        .iter()
        .map(|(_, row)| first(row))
        .max()
        .unwrap_or(0)
        .max(1);
    html! {
        table.table.list {
            thead { tr { th scope="col" { (texts.label(what)) } (headings) } }
            tbody { @for (picture, row) in rows { tr {
                td {
                    (meter(100.0 * first(row) as f64 / largest as f64))
                    span.word {
                        @if let Some(picture) = picture { span aria-hidden="true" { (picture) "\u{a0}" } }
                        @match &row.link {
                            Some((address, does)) => a href=(address) title=(does) { (row.name) },
                            None => (row.name),
                        }
                    }
                }
                @for number in &row.numbers { td.num title=(texts.count(*number)) { (texts.number(&number::short(*number))) } }
            } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_measured_by_the_largest() {
        let row = |name: &str, numbers: &[u64]| RankedRow {
            name: name.to_owned(),
            link: None,
            numbers: numbers.to_vec(),
        };
        let rows = [row("<b>", &[20_000, 5]), row("b", &[5_000, 1])];
        let drawn =
            ranked_list(Texts::ENGLISH, "Pages", &["Views", "Visitors"], &rows).into_string();
        assert!(
            drawn.contains("width=\"100.0%\"") && drawn.contains("width=\"25.0%\""),
            "{drawn}"
        );
        assert!(
            drawn.contains("&lt;b&gt;") && drawn.contains("title=\"20,000\">20.0k"),
            "{drawn}"
        );
        assert!(
            ranked_list(Texts::ENGLISH, "Pages", &[], &[])
                .into_string()
                .contains("<tbody></tbody>")
        );
    }
}
