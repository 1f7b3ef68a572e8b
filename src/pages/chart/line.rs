//! A line over time with its axes, the line of an earlier period behind it, marks, and the numbers of every step.
//!
//! The drawing stretches with the page and its words do not: lines are in one SVG without proportions, words in others that are placed
//! by percent. Every step has a bar over its whole height that says its numbers when it is pointed at.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::scale::ticks;
use crate::pages::number::NONE;

pub(super) const WIDTH: f64 = 1_000.0;
pub(super) const HEIGHT: f64 = 100.0;
/// Steps that are wide enough to be pointed at; beyond them the table has the numbers.
pub(super) const MOST_HITS: usize = 400;
/// Words below the axis.
const MOST_WORDS: usize = 7;

/// A step of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What it is called, in full.
    pub name: String,
    /// What it is called below the axis.
    pub word: String,
    /// The number, if it is known: where none is, the line has a gap.
    pub value: Option<f64>,
    /// The number of the step at the same place of the earlier period.
    pub before: Option<f64>,
}

/// A line over time.
pub struct Line<'a> {
    /// What it shows, such as `Visitors`.
    pub title: &'a str,
    /// The steps, oldest first.
    pub steps: &'a [Step],
    /// Whether the last step is not over.
    pub goes_on: bool,
    /// Whether all numbers are whole.
    pub whole: bool,
    /// Where something happened, as shares of the width.
    pub marks: &'a [f64],
    /// How a number is written.
    pub written: &'a dyn Fn(f64) -> String,
}

impl Line<'_> {
    /// The chart.
    pub fn draw(&self) -> Markup {
        let values = self.steps.iter().flat_map(|step| [step.value, step.before]);
        let ticks = ticks(values.flatten().fold(0.0, f64::max), self.whole);
        let top = ticks.last().copied().unwrap_or(1.0);
        let now: Vec<Option<f64>> = self.steps.iter().map(|step| step.value).collect();
        let before: Vec<Option<f64>> = self.steps.iter().map(|step| step.before).collect();
        let done = now.len() - usize::from(self.goes_on && now.len() > 1);
        html! {
            div.plot role="img" aria-label=(format!("{} over time, as in the table below", self.title)) {
                svg.axis.y aria-hidden="true" {
                    @for tick in &ticks { text x="100%" y=(percent(1.0 - tick / top)) { ((self.written)(*tick)) } }
                }
                svg.lines viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) preserveAspectRatio="none" {
                    @for tick in &ticks { path.rule d=(format!("M0 {0:.1}H{WIDTH}", down(*tick, top))) {} }
                    path.before d=(path(&before, top)) {}
                    path.area d=(area(&now, top)) {}
                    path.line d=(through(&now[..done], now.len(), top)) {}
                    path.dot d=(dots(&now, top)) {}
                    @if done < now.len() { path.line.open d=(tail(&now, top)) {} }
                    @for share in self.marks { path.mark d=(format!("M{:.1} 0V{HEIGHT}", share * WIDTH)) {} }
                    @for (place, step) in self.steps.iter().enumerate().take_while(|_| self.steps.len() <= MOST_HITS) {
                        @let (left, width) = bar(place, self.steps.len());
                        rect.hit x=(left) y="0" width=(width) height=(HEIGHT) { title { (self.told(step)) } }
                    }
                }
                svg.axis.x aria-hidden="true" {
                    @for (place, word) in words(self.steps) { text x=(percent(place)) y="1em" { (word) } }
                }
            }
        }
    }

    fn told(&self, step: &Step) -> String {
        let now = step
            .value
            .map_or(NONE.to_owned(), |now| (self.written)(now));
        let mut told = format!("{}: {now}", step.name);
        if let Some(before) = step.before {
            // Writing to a string cannot fail.
            let _ = write!(told, " (before: {})", (self.written)(before));
        }
        told
    }
}

/// Some of the words below the axis, with their places as shares of the width.
pub(super) fn words(steps: &[Step]) -> Vec<(f64, &str)> {
    let count = steps.len();
    let every = count.div_ceil(MOST_WORDS).max(1);
    let steps = steps.iter().enumerate().step_by(every);
    steps
        .map(|(place, step)| (across(place, count) / WIDTH, step.word.as_str()))
        .collect()
}

/// The middle of a step.
fn across(place: usize, count: usize) -> f64 {
    WIDTH * (place as f64 + 0.5) / count.max(1) as f64
}

pub(super) fn down(value: f64, top: f64) -> f64 {
    HEIGHT - HEIGHT * value / top
}

pub(super) fn bar(place: usize, count: usize) -> (String, String) {
    let width = WIDTH / count.max(1) as f64;
    (
        format!("{:.1}", width * place as f64),
        format!("{width:.1}"),
    )
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.2}%", share * 100.0)
}

/// A line through the steps that have a number, broken where one has none.
fn path(values: &[Option<f64>], top: f64) -> String {
    through(values, values.len(), top)
}

fn through(values: &[Option<f64>], count: usize, top: f64) -> String {
    let drawn = |run: &Run| self::drawn(run, count, top);
    runs(values).iter().map(drawn).collect()
}

/// Steps that have a number and no neighbours with one: a line from a point to itself is a dot.
fn dots(values: &[Option<f64>], top: f64) -> String {
    let alone = runs(values).into_iter().filter(|run| run.len() == 1);
    alone
        .map(|run| drawn(&run, values.len(), top) + "h0")
        .collect()
}

/// Places and numbers of steps that follow each other.
type Run = Vec<(usize, f64)>;

/// Steps that have a number, apart where one has none.
fn runs(values: &[Option<f64>]) -> Vec<Run> {
    let known = values.iter().enumerate();
    let known = known.map(|(place, value)| Some((place, (*value)?)));
    let known: Vec<Option<(usize, f64)>> = known.collect();
    let runs = known.split(Option::is_none);
    let runs = runs.map(|run| run.iter().copied().flatten().collect::<Run>());
    runs.filter(|run| !run.is_empty()).collect()
}

fn drawn(run: &Run, count: usize, top: f64) -> String {
    let mut text = String::new();
    for (nth, (place, value)) in run.iter().enumerate() {
        let letter = if nth == 0 { 'M' } else { 'L' };
        let (across, down) = (across(*place, count), down(*value, top));
        // Writing to a string cannot fail.
        let _ = write!(text, "{letter}{across:.1} {down:.1}");
    }
    text
}

fn area(values: &[Option<f64>], top: f64) -> String {
    let count = values.len();
    let area = |run: &Run| {
        let place = |at: Option<&(usize, f64)>| at.map_or(0.0, |(place, _)| across(*place, count));
        let (first, last) = (place(run.first()), place(run.last()));
        let line = drawn(run, count, top);
        format!("{line}L{last:.1} {HEIGHT}L{first:.1} {HEIGHT}Z")
    };
    runs(values).iter().map(area).collect()
}

/// The way to the last step.
fn tail(values: &[Option<f64>], top: f64) -> String {
    let from = values.len() - 2;
    let mut ends = vec![None; from];
    ends.extend_from_slice(&values[from..]);
    through(&ends, values.len(), top)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(value: f64, before: Option<f64>) -> Step {
        Step {
            name: format!("<day {value}>"),
            word: format!("{value}"),
            value: Some(value),
            before,
        }
    }

    fn line(steps: &[Step], goes_on: bool) -> String {
        let written = |value: f64| format!("{value}");
        let line = Line {
            title: "Visitors",
            steps,
            goes_on,
            whole: true,
            marks: &[0.5],
            written: &written,
        };
        line.draw().into_string()
    }

    #[test]
    fn every_step_says_its_numbers_and_is_escaped() {
        let drawn = line(&[step(0.0, Some(2.0)), step(4.0, None)], false);
        assert!(
            drawn.contains("<title>&lt;day 0&gt;: 0 (before: 2)</title>"),
            "{drawn}"
        );
        assert!(drawn.contains("<title>&lt;day 4&gt;: 4</title>"), "{drawn}");
        assert!(drawn.contains("d=\"M250.0 100.0L750.0 0.0\""), "{drawn}");
        assert!(
            drawn.contains("class=\"mark\" d=\"M500.0 0V100\""),
            "{drawn}"
        );
        assert!(!drawn.contains("style="), "{drawn}");
    }

    #[test]
    fn a_step_that_goes_on_is_drawn_apart() {
        let drawn = line(&[step(1.0, None), step(2.0, None), step(1.0, None)], true);
        assert!(
            drawn.contains("class=\"line\" d=\"M166.7 50.0L500.0 0.0\""),
            "{drawn}"
        );
        assert!(
            drawn.contains("class=\"line open\" d=\"M500.0 0.0L833.3 50.0\""),
            "{drawn}"
        );
        let alone = line(&[step(1.0, None)], true);
        assert!(!alone.contains("line open"), "{alone}");
        assert!(
            line(&[], true).contains("<svg"),
            "nothing is drawn, and nothing breaks"
        );
    }

    #[test]
    fn a_step_of_which_nothing_is_known_is_a_gap_and_no_zero() {
        let gap = Step {
            value: None,
            ..step(0.0, None)
        };
        let steps = [step(2.0, None), step(2.0, None), gap, step(1.0, None)];
        let drawn = line(&steps, false);
        let way = "class=\"line\" d=\"M125.0 0.0L375.0 0.0M875.0 50.0\"";
        assert!(drawn.contains(way), "{drawn}");
        let dot = "class=\"dot\" d=\"M875.0 50.0h0\"";
        assert!(drawn.contains(dot), "{drawn}");
        let area = "class=\"area\" d=\"M125.0 0.0L375.0 0.0L375.0 100L125.0 100ZM875.0 50.0L875.0 100L875.0 100Z\"";
        assert!(drawn.contains(area), "{drawn}");
        assert!(drawn.contains("<title>&lt;day 0&gt;: –</title>"), "{drawn}");
    }

    #[test]
    fn few_words_stand_below_the_axis() {
        let steps: Vec<Step> = (0..90).map(|day| step(f64::from(day), None)).collect();
        let drawn = line(&steps, false);
        let below = drawn.split("axis x").nth(1).unwrap();
        assert_eq!(below.matches("<text").count(), 7, "{below}");
        assert_eq!(drawn.matches("class=\"hit\"").count(), 90);
        let hours: Vec<Step> = (0..720).map(|hour| step(f64::from(hour), None)).collect();
        assert!(!line(&hours, false).contains("class=\"hit\""));
    }
}
