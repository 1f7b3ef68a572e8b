//! Numbers of a report by day.

use std::collections::BTreeMap;

use serde_json::Value;

use super::cell::text;
use crate::{
    analytics::run::Answers,
    http::pages::{
        prelude::*,
        site::{
            day_chart::{DayChart, fill_days},
            period::PeriodQuery,
        },
    },
    pages::{number, part::notice},
};

/// Charts of a trend with several series.
const MAX_SERIES: usize = 3;

/// A number by day.
#[derive(Debug)]
pub(super) struct Trend {
    pub(super) title: &'static str,
    /// The query type, a series.
    pub(super) kind: &'static str,
    /// The column of the number.
    pub(super) value: &'static str,
    /// The column that separates series, each of which has a chart.
    pub(super) by: Option<&'static str>,
    written: fn(f64) -> String,
    is_whole: bool,
}

const fn trend(
    title: &'static str,
    kind: &'static str,
    value: &'static str,
    written: fn(f64) -> String,
) -> Trend {
    Trend {
        title,
        kind,
        value,
        by: None,
        written,
        is_whole: false,
    }
}

/// Of whole numbers.
pub(super) const fn count(title: &'static str, kind: &'static str, value: &'static str) -> Trend {
    let written = |count: f64| number::short(count.max(0.0) as u64);
    Trend {
        is_whole: true,
        ..trend(title, kind, value, written)
    }
}

/// Of seconds.
pub(super) const fn duration(
    title: &'static str,
    kind: &'static str,
    value: &'static str,
) -> Trend {
    trend(title, kind, value, number::duration)
}

/// Of shares in percent.
pub(super) const fn share(title: &'static str, kind: &'static str, value: &'static str) -> Trend {
    trend(title, kind, value, number::percent)
}

/// Of amounts of money, a chart for each currency.
pub(super) const fn amounts(
    title: &'static str,
    kind: &'static str,
    value: &'static str,
    by: &'static str,
) -> Trend {
    Trend {
        by: Some(by),
        ..trend(title, kind, value, number::decimal)
    }
}

impl Trend {
    /// The panels of the trend; none without numbers.
    pub(super) fn draw(&self, answers: &Answers, period: &PeriodQuery) -> Markup {
        let rows = match answers.rows::<Value>(self.kind) {
            Ok(rows) => rows,
            Err(message) => return notice("warn", &html! { (message) }),
        };
        let all = self.split(&rows);
        html! {
            @for (name, numbers) in all.iter().take(MAX_SERIES) {
                @let title = if name.is_empty() { self.title.to_owned() } else { format!("{} ({name})", self.title) };
                @let days = fill_days(period, numbers, self.by.map(|_| 0.0));
                section.panel aria-label=(title) {
                    h2 { (title) }
                    (DayChart { title: &title, days: &days, period, is_whole: self.is_whole, written: &self.written, others: &[] }.draw())
                }
            }
        }
    }

    /// The series by their names, largest first. A series of zeros is none.
    fn split<'a>(&self, rows: &'a [Value]) -> Vec<(String, BTreeMap<&'a str, f64>)> {
        let mut all: BTreeMap<String, BTreeMap<&str, f64>> = BTreeMap::new();
        for row in rows {
            let name = self.by.map_or_else(String::new, |by| text(&row[by]));
            let numbers = all.entry(name).or_default();
            if let (Some(date), Some(value)) = (row["date"].as_str(), row[self.value].as_f64()) {
                numbers.insert(date, value);
            }
        }
        let size =
            |numbers: &BTreeMap<&str, f64>| numbers.values().map(|one| one.abs()).sum::<f64>();
        let mut all: Vec<_> = all
            .into_iter()
            .filter(|(_, numbers)| size(numbers) > 0.0)
            .collect();
        all.sort_by(|(_, one), (_, other)| size(other).total_cmp(&size(one)));
        all
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn series_are_split_by_currency_and_the_largest_is_first() {
        let rows = [
            json!({ "date": "2026-10-13", "currency": "EUR", "net_revenue": 3.0 }),
            json!({ "date": "2026-10-13", "currency": "USD", "net_revenue": -9.0 }),
            json!({ "date": "2026-10-14", "currency": "EUR", "net_revenue": 4.0 }),
            json!({ "date": "2026-10-14", "currency": "", "net_revenue": 0.0 }),
        ];
        let all = amounts("Net revenue", "x", "net_revenue", "currency");
        let split = all.split(&rows);
        let names: Vec<&str> = split.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["USD", "EUR"]);
        assert!((split[1].1["2026-10-14"] - 4.0).abs() < f64::EPSILON);
    }
}
