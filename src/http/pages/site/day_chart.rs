//! Numbers by day as a chart with its table.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::period::PeriodQuery;
use crate::{
    http::pages::prelude::*,
    pages::chart::{Column, Line, LineOptions, Step},
};

/// A number by day.
pub(in crate::http::pages) struct DayChart<'a> {
    /// Its name, such as `Sessions`.
    pub(in crate::http::pages) title: &'a str,
    /// The days with their numbers, oldest first; `None` is a gap.
    pub(in crate::http::pages) days: &'a [(NaiveDate, Option<f64>)],
    /// The range, which a drag over the chart narrows.
    pub(in crate::http::pages) period: &'a PeriodQuery,
    /// Whether all numbers are whole.
    pub(in crate::http::pages) is_whole: bool,
    pub(in crate::http::pages) written: &'a dyn Fn(f64) -> String,
    /// Further columns of the table: their headings, and a value for every day.
    pub(in crate::http::pages) others: &'a [(&'a str, Vec<String>)],
}

impl DayChart<'_> {
    /// The chart with its table.
    pub(in crate::http::pages) fn draw(&self) -> Markup {
        let days = self.days.iter();
        let steps: Vec<Step> = days
            .map(|(day, value)| Step::of_day(self.period.texts(), *day, *value))
            .collect();
        let line = Line {
            title: self.title,
            steps: &steps,
            goes_on: self.period.is_ongoing(),
            whole: self.is_whole,
            reach: 0.0,
            marks: &[],
            written: self.written,
        };
        let others = self.others.iter();
        line.draw_with(&LineOptions {
            columns: others
                .map(|(heading, cells)| Column::new(heading, cells.iter().cloned()))
                .collect(),
            zoom: Some(self.period.zoom()),
            texts: self.period.texts(),
            ..LineOptions::default()
        })
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
pub(in crate::http::pages) fn fill_days(
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
            period: &month,
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
