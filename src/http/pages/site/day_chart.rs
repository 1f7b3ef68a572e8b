//! Numbers by day as a chart with its table.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::period::PeriodQuery;
use crate::{
    http::pages::prelude::*,
    pages::{
        chart::{Line, Step},
        number::NONE,
    },
};

/// A number by day.
pub(super) struct DayChart<'a> {
    /// Its name, such as `Sessions`.
    pub(super) title: &'a str,
    /// The days with their numbers, oldest first; `None` is a gap.
    pub(super) days: &'a [(NaiveDate, Option<f64>)],
    /// Whether the last day is not over.
    pub(super) is_ongoing: bool,
    /// Whether all numbers are whole.
    pub(super) is_whole: bool,
    pub(super) written: &'a dyn Fn(f64) -> String,
    /// Further columns of the table: their headings, and a value for every day.
    pub(super) others: &'a [(&'a str, Vec<String>)],
}

impl DayChart<'_> {
    /// The chart and its table. A single day has no chart.
    pub(super) fn draw(&self) -> Markup {
        let step = |(day, value): &(NaiveDate, Option<f64>)| Step {
            name: day.format("%a, %b %-d").to_string(),
            word: day.format("%b %-d").to_string(),
            value: *value,
            before: None,
        };
        let steps: Vec<Step> = self.days.iter().map(step).collect();
        let line = Line {
            title: self.title,
            steps: &steps,
            goes_on: self.is_ongoing,
            whole: self.is_whole,
            reach: 0.0,
            marks: &[],
            written: self.written,
        };
        html! {
            @if steps.len() > 1 { (line.draw()) }
            details.behind {
                summary { "View as table" }
                div.scroll { table.table {
                    thead { tr {
                        th scope="col" { "Day" }
                        @for (heading, _) in self.others { th.num scope="col" { (heading) } }
                        th.num scope="col" { (self.title) }
                    } }
                    tbody { @for (place, step) in steps.iter().enumerate().rev() { tr {
                        th scope="row" { (step.name) }
                        @for (_, values) in self.others { td.num { (values.get(place).map_or(NONE, String::as_str)) } }
                        td.num { (step.value.map_or_else(|| NONE.to_owned(), self.written)) }
                    } } }
                } }
            }
        }
    }
}

/// The days of the range up to today, oldest first.
pub(super) fn days(period: &PeriodQuery) -> impl Iterator<Item = NaiveDate> {
    let today = period.date_format.local(period.now_ms).date_naive();
    let last = period.range.last.min(today);
    let first = period.range.first;
    first.iter_days().take_while(move |day| *day <= last)
}

/// The days of the range up to today with their numbers, by the date that queries write.
pub(super) fn fill_days(
    period: &PeriodQuery,
    numbers: &BTreeMap<&str, f64>,
    none: Option<f64>,
) -> Vec<(NaiveDate, Option<f64>)> {
    let number = |day: NaiveDate| numbers.get(day.to_string().as_str()).copied().or(none);
    days(period).map(|day| (day, number(day))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::time::DateFormat;

    #[test]
    fn days_end_today_and_days_without_numbers_are_filled() {
        // 2026-10-14T12:00:00Z.
        let now = 1_791_979_200_000;
        let period = |query: &str| PeriodQuery::read(query, &[], DateFormat::default(), now);
        let month = period("from=2026-10-12&to=2026-10-31");
        let numbers = BTreeMap::from([("2026-10-13", 4.0)]);
        let filled = fill_days(&month, &numbers, Some(0.0));
        let values: Vec<Option<f64>> = filled.iter().map(|(_, value)| *value).collect();
        assert_eq!(values, [Some(0.0), Some(4.0), Some(0.0)]);
        let chart = DayChart {
            title: "Errors <b>",
            days: &filled,
            is_ongoing: true,
            is_whole: true,
            written: &|number| format!("{number}"),
            others: &[],
        };
        let drawn = chart.draw().into_string();
        assert!(
            drawn.contains("Errors &lt;b&gt;") && drawn.contains("Tue, Oct 13"),
            "{drawn}"
        );
        assert_eq!(fill_days(&period("preset=today"), &numbers, None).len(), 1);
    }
}
