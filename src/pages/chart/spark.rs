//! A line without axes, as tall as a line of text.

use std::fmt::Write as _;

use maud::{Markup, html};

const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 32.0;
/// Room for the line's own width.
const EDGE: f64 = 2.0;

/// Numbers in a row, from zero to their largest, with a card at the cursor.
#[derive(Debug, Clone, Copy)]
pub struct Spark<'a> {
    /// The accessible name: what is counted, of what, in which period, and between which numbers.
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

/// The least and the largest number, for the name of a chart: `2 to 30`.
pub fn describe_range(values: &[u64], write: impl Fn(u64) -> String) -> String {
    let ends = [values.iter().min(), values.iter().max()];
    let [least, most] = ends.map(|end| write(end.copied().unwrap_or(0)));
    if least == most {
        return most;
    }
    format!("{least} to {most}")
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
    fn a_range_names_both_ends_unless_they_are_the_same() {
        let describe = |values: &[u64]| describe_range(values, |number| number.to_string());
        assert_eq!(describe(&[3, 0, 12]), "0 to 12");
        assert_eq!(describe(&[3, 3]), "3");
        assert_eq!(describe(&[]), "0");
    }
}
