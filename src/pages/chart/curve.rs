//! Lines of a chart as SVG paths.

use std::fmt::Write as _;

use super::plot::{HEIGHT, across, down};

/// A line through the steps that have a number, broken where one has none.
pub(super) fn path(values: &[Option<f64>], top: f64) -> String {
    begin(values, values.len(), top)
}

/// The same where the values are the first ones of `count` steps.
pub(super) fn begin(values: &[Option<f64>], count: usize, top: f64) -> String {
    let write = |run: &Run| self::write_run(run, count, top);
    runs(values).iter().map(write).collect()
}

/// Steps that have a number and no neighbours with one: a line from a point to itself is a dot.
pub(super) fn dots(values: &[Option<f64>], top: f64) -> String {
    let alone = runs(values).into_iter().filter(|run| run.len() == 1);
    alone
        .map(|run| write_run(&run, values.len(), top) + "h0")
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

fn write_run(run: &Run, count: usize, top: f64) -> String {
    let mut text = String::new();
    for (nth, (place, value)) in run.iter().enumerate() {
        let letter = if nth == 0 { 'M' } else { 'L' };
        let (across, down) = (across(*place, count), down(*value, top));
        // Writing to a string cannot fail.
        let _ = write!(text, "{letter}{across:.1} {down:.1}");
    }
    text
}

/// The area below the line.
pub(super) fn area(values: &[Option<f64>], top: f64) -> String {
    let count = values.len();
    let area = |run: &Run| {
        let place = |at: Option<&(usize, f64)>| at.map_or(0.0, |(place, _)| across(*place, count));
        let (first, last) = (place(run.first()), place(run.last()));
        let line = write_run(run, count, top);
        format!("{line}L{last:.1} {HEIGHT}L{first:.1} {HEIGHT}Z")
    };
    runs(values).iter().map(area).collect()
}

/// The line to the last step.
pub(super) fn tail(values: &[Option<f64>], top: f64) -> String {
    let from = values.len() - 2;
    let mut ends = vec![None; from];
    ends.extend_from_slice(&values[from..]);
    begin(&ends, values.len(), top)
}
