//! A line without axes, as tall as a line of text.

use std::fmt::Write as _;

use maud::{Markup, html};

use crate::{locale::Texts, pages::number::NONE};

const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 32.0;
/// Room for the line's own width.
const EDGE: f64 = 2.0;
/// Numbers that the name of a chart has in full. More are too many to listen to.
const MAX_NAMED: usize = 14;

/// Numbers in a row, from zero to their largest, with a card at the cursor.
#[derive(Debug, Clone, Copy)]
pub struct Spark<'a> {
    /// The accessible name: what is counted, of what, in which period, and what [`describe_values`] says.
    pub label: &'a str,
    pub values: &'a [u64],
    /// The labels of the steps with their numbers, such as `Oct 14: 12 pageviews`.
    pub steps: &'a [String],
}

impl Spark<'_> {
    /// The line.
    pub fn draw(&self) -> Markup {
        let count = self.values.len();
        let line = path(self.values);
        let area = format!(
            "{line}L{:.1} {HEIGHT}L{:.1} {HEIGHT}Z",
            at(count.saturating_sub(1), count),
            at(0, count)
        );
        let steps = (!self.steps.is_empty()).then(|| self.steps.join("\n"));
        html! {
            svg.spark viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) preserveAspectRatio="none" role="img" aria-label=(self.label) data-steps=[steps] {
                @if count > 0 {
                    path.area d=(area) {}
                    path.line d=(line) {}
                }
            }
        }
    }
}

/// Numbers for the name of a chart, oldest first: `2, 0, 30`. Of many it has what the picture shows at first sight, such as
/// `first 2, last 30, lowest 0, highest 31`. `written` has the numbers as text.
pub fn describe_values(texts: Texts, values: &[u64], written: &[String]) -> String {
    let count = values.len().min(written.len());
    if count == 0 {
        return NONE.to_owned();
    }
    if count <= MAX_NAMED {
        return texts.list(written);
    }
    let lowest = (0..count).min_by_key(|place| values[*place]);
    let highest = (0..count).max_by_key(|place| values[*place]);
    let named = [
        ("first", Some(0)),
        ("last", Some(count - 1)),
        ("lowest", lowest),
        ("highest", highest),
    ];
    let name = |(label, place): (&str, Option<usize>)| {
        let text = written.get(place?)?;
        Some(format!("{} {text}", texts.label(label)))
    };
    let parts: Vec<String> = named.into_iter().filter_map(name).collect();
    texts.list(&parts)
}

/// The horizontal place of one of so many.
fn at(place: usize, count: usize) -> f64 {
    let steps = count.saturating_sub(1).max(1) as f64;
    EDGE + (WIDTH - 2.0 * EDGE) * place as f64 / steps
}

fn path(values: &[u64]) -> String {
    let largest = values.iter().copied().max().unwrap_or(0).max(1) as f64;
    let mut text = String::new();
    for (place, value) in values.iter().enumerate() {
        let letter = if place == 0 { 'M' } else { 'L' };
        let down = HEIGHT - EDGE - (HEIGHT - 2.0 * EDGE) * (*value as f64) / largest;
        // Writing to a string cannot fail.
        let _ = write!(text, "{letter}{:.1} {down:.1}", at(place, values.len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_touches_the_top_and_nothing_the_bottom() {
        assert_eq!(path(&[0, 5, 10]), "M2.0 30.0L60.0 16.0L118.0 2.0");
        assert_eq!(path(&[0, 0]), "M2.0 30.0L118.0 30.0", "no division by zero");
        assert_eq!(path(&[7]), "M2.0 2.0");
        let steps = ["a: 1".to_owned(), "b: 2".to_owned()];
        let spark = Spark {
            label: "2 days <b>",
            values: &[1, 2],
            steps: &steps,
        };
        let drawn = spark.draw().into_string();
        assert!(drawn.contains("aria-label=\"2 days &lt;b&gt;\""), "{drawn}");
        assert!(drawn.contains("data-steps=\"a: 1\nb: 2\""), "{drawn}");
        let empty = Spark {
            label: "nothing",
            values: &[],
            steps: &[],
        };
        let empty = empty.draw().into_string();
        assert!(empty.ends_with("></svg>"), "{empty}");
    }

    #[test]
    fn a_name_has_few_numbers_in_full_and_of_many_what_the_picture_shows() {
        let describe = |texts, values: &[u64]| {
            let written: Vec<String> = values.iter().map(|value| format!("{value} ms")).collect();
            describe_values(texts, values, &written)
        };
        assert_eq!(describe(Texts::ENGLISH, &[3, 0, 12]), "3 ms, 0 ms, 12 ms");
        assert_eq!(describe(Texts::ENGLISH, &[]), NONE);
        let mut many = [5_u64; 15];
        (many[0], many[7], many[9], many[14]) = (4, 90, 1, 6);
        assert_eq!(
            describe(Texts::ENGLISH, &many),
            "first 4 ms, last 6 ms, lowest 1 ms, highest 90 ms"
        );
        let german = describe(crate::locale::Language::De.texts(), &many);
        assert!(german.contains("niedrigster Wert 1 ms"), "{german}");
    }
}
