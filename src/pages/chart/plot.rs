//! The axes, the rules and the hover areas of charts over time.
//!
//! The drawing stretches with the page and its words do not: lines are in one SVG without proportions, words in others that are placed
//! by percent. Without the script, every step has a bar over its whole height whose title is its numbers.

use chrono::NaiveDate;
use maud::{Markup, html};

use super::table::{Column, steps_below};
use crate::locale::Texts;

/// The drawing's own units, however wide it is shown.
pub(super) const WIDTH: f64 = 1_000.0;
pub(super) const HEIGHT: f64 = 100.0;
/// Steps that have a title of their own; beyond them the card and the table have the numbers.
const MAX_HITS: usize = 100;
/// Words below the axis.
const MAX_WORDS: usize = 7;
/// What the card of a selected range says.
const ZOOM_HINT: &str = "Release or press Enter to zoom in.";

/// The days of a chart that can be zoomed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Zoom {
    /// The day of the first step.
    pub first: NaiveDate,
    /// Steps a day: 1 or 24.
    pub per_day: u8,
}

/// A chart without what is drawn in it.
pub(super) struct Plot<'a> {
    pub(super) title: &'a str,
    /// The steps, oldest first.
    pub(super) steps: &'a [Step],
    /// Numbers of the axis, the largest last.
    pub(super) ticks: &'a [f64],
    /// How a number is written.
    pub(super) written: &'a dyn Fn(f64) -> String,
    pub(super) zoom: Option<Zoom>,
    /// The names of the series with their labels.
    pub(super) legend: &'a [(&'a str, &'a str)],
    /// The columns of the table.
    pub(super) columns: &'a [&'a Column],
    /// The language of its words.
    pub(super) texts: Texts,
}

impl Plot<'_> {
    /// The chart around its drawing; `describe` gives the text of a step.
    pub(super) fn draw(&self, drawn: &Markup, describe: impl Fn(usize, &Step) -> String) -> Markup {
        let count = self.steps.len();
        let top = self.ticks.last().copied().unwrap_or(1.0);
        let zoom = |zoom: &Zoom| zoom.first.to_string();
        // The script puts names of steps where the percent signs are.
        let span = self.zoom.map(|_| self.texts.span("%", "%"));
        let hint = self.zoom.map(|_| self.texts.label(ZOOM_HINT));
        html! {
            figure.chart {
                div.plot role="img" aria-label=(self.name()) data-zoom=[self.zoom.as_ref().map(zoom)] data-per-day=[self.zoom.map(|zoom| zoom.per_day)]
                    data-span=[span] data-hint=[hint] {
                    svg.axis.y aria-hidden="true" {
                        @for tick in self.ticks { text x="100%" y=(percent(1.0 - tick / top)) { ((self.written)(*tick)) } }
                    }
                    svg.lines viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) preserveAspectRatio="none" {
                        @for tick in self.ticks { path.rule d=(format!("M0 {0:.1}H{WIDTH}", down(*tick, top))) {} }
                        (drawn)
                        @for (place, step) in self.steps.iter().enumerate().take_while(|_| count <= MAX_HITS) {
                            @let (left, width) = bar(place, count);
                            rect.hit x=(left) y="0" width=(width) height=(HEIGHT) { title { (describe(place, step)) } }
                        }
                    }
                    svg.axis.x aria-hidden="true" {
                        @for (place, word) in words(self.steps) { text x=(percent(place)) y="1.35em" { (word) } }
                    }
                }
                @if !self.legend.is_empty() {
                    ul.legend { @for (series, label) in self.legend { li.key.(series) data-series=(series) { (label) } } }
                }
                (steps_below(self.texts, self.steps.iter().map(|step| step.name.as_str()), self.columns))
            }
        }
    }

    /// The accessible name: what it shows, and from when to when.
    fn name(&self) -> String {
        match self.steps {
            [] => format!(
                "{}, {}",
                self.title,
                self.texts.noun("No data for this period")
            ),
            [only] => format!("{}, {}", self.title, only.name),
            [first, .., last] => {
                format!(
                    "{}, {}",
                    self.title,
                    self.texts.span(&first.name, &last.name)
                )
            }
        }
    }
}

/// Some of the words below the axis, with their places as shares of the width. A step without a word has none there.
fn words(steps: &[Step]) -> Vec<(f64, &str)> {
    let count = steps.len();
    let named = |(_, step): &(usize, &Step)| !step.word.is_empty();
    let named: Vec<(usize, &Step)> = steps.iter().enumerate().filter(named).collect();
    let every = named.len().div_ceil(MAX_WORDS).max(1);
    let some = named.into_iter().step_by(every);
    let mut words: Vec<(f64, &str)> = some
        .map(|(place, step)| (across(place, count) / WIDTH, step.word.as_str()))
        .collect();
    // Steps of less than a minute have the same word, which is said once.
    words.dedup_by_key(|(_, word)| *word);
    words
}

/// The middle of a step.
pub(super) fn across(place: usize, count: usize) -> f64 {
    WIDTH * (place as f64 + 0.5) / count.max(1) as f64
}

/// How far below the top a number is.
pub(super) fn down(value: f64, top: f64) -> f64 {
    HEIGHT - HEIGHT * value / top
}

/// Where a step begins, and how wide it is.
fn bar(place: usize, count: usize) -> (String, String) {
    let width = WIDTH / count.max(1) as f64;
    (
        format!("{:.1}", width * place as f64),
        format!("{width:.1}"),
    )
}

fn percent(share: f64) -> String {
    format!("{:.2}%", share * 100.0)
}

/// A step of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its label in full.
    pub name: String,
    /// Its label below the axis.
    pub word: String,
    /// The number, if it is known: where none is, the line has a gap.
    pub value: Option<f64>,
    /// The number of the step at the same place of the earlier period.
    pub before: Option<f64>,
}

impl Step {
    /// A day with its number, without an earlier one.
    pub fn of_day(texts: Texts, day: NaiveDate, value: Option<f64>) -> Self {
        Self {
            name: texts.weekday(day),
            word: texts.day_of_year(day),
            value,
            before: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_steps_that_have_a_word_are_called_where_they_are() {
        let hour = |hour: u32| Step {
            word: match hour % 24 {
                0 => format!("day {}", hour / 24),
                _ => String::new(),
            },
            name: String::new(),
            value: None,
            before: None,
        };
        let hours: Vec<Step> = (0..72).map(hour).collect();
        let called: Vec<(String, &str)> = words(&hours)
            .into_iter()
            .map(|(place, word)| (percent(place), word))
            .collect();
        let whole = [("0.69%", "day 0"), ("34.03%", "day 1"), ("67.36%", "day 2")];
        assert_eq!(called, whole.map(|(place, word)| (place.to_owned(), word)));
    }
}
