//! The Core Web Vitals: a card each, with its ratings and its 75th percentile by day.

use std::collections::BTreeMap;

use serde_json::Value;

use super::cell::{TableContext, vital, write_vital};
use crate::{
    analytics::run::Answers,
    http::pages::{
        prelude::*,
        site::day_chart::{DayChart, fill_days},
    },
    pages::{number, part::split_bar},
};

/// A vital: its name, what it measures, and the column of its 75th percentile.
const CARDS: [(&str, &str, &str); 3] = [
    ("LCP", "Largest Contentful Paint", "p75_lcp"),
    ("INP", "Interaction to Next Paint", "p75_inp"),
    ("CLS", "Cumulative Layout Shift", "p75_cls"),
];

/// Classes and columns of ratings with their labels.
const RATINGS: [(&str, &str, &str); 3] = [
    ("good", "good", "Good"),
    ("warn", "needs_improvement", "Needs improvement"),
    ("bad", "poor", "Poor"),
];

pub(super) fn draw(rows: &[Value], answers: &Answers, at: &TableContext<'_>) -> Markup {
    let overview = answers.rows::<Value>("vitals_overview").unwrap_or_default();
    let series = answers
        .rows::<Value>("web_vitals_time_series")
        .unwrap_or_default();
    html! {
        div.grid.cards {
            @for (name, title, column) in CARDS {
                section aria-label=(title) {
                    h3 { (name) " " span.dim { (title) } }
                    @match find(rows, name) {
                        None => p.dim { "No data for this period" },
                        Some(ratings) => {
                            @if let Some(p75) = find(&overview, name).and_then(|row| row["p75"].as_f64()) {
                                p.big { (vital(name, p75)) " " span.dim.small { "p75" } }
                            }
                            (split_bar(&shares(ratings)))
                            (draw_trend(name, column, &series, at))
                        },
                    }
                }
            }
        }
    }
}

fn find<'a>(rows: &'a [Value], name: &str) -> Option<&'a Value> {
    rows.iter().find(|row| row["metric_name"] == name)
}

/// The shares of a vital's ratings: class, label, percent.
fn shares(ratings: &Value) -> Vec<(&'static str, String, f64)> {
    let all = ratings["samples"].as_f64().unwrap_or(0.0).max(1.0);
    let share = |(class, column, label): (&'static str, &str, &str)| {
        let share = 100.0 * ratings[column].as_f64().unwrap_or(0.0) / all;
        (class, format!("{label} {}", number::percent(share)), share)
    };
    RATINGS.map(share).into()
}

fn draw_trend(name: &str, column: &str, series: &[Value], at: &TableContext<'_>) -> Markup {
    let number = |row: &'_ Value| row[column].as_f64();
    let numbers: BTreeMap<&str, f64> = series
        .iter()
        .filter_map(|row| Some((row["date"].as_str()?, number(row)?)))
        .collect();
    let chart = DayChart {
        title: &format!("{name}, p75"),
        days: &fill_days(at.period, &numbers, None),
        period: at.period,
        is_whole: false,
        written: &|number| write_vital(name, number),
        others: &[],
    };
    chart.draw()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ratings_are_shares_of_all_samples() {
        let shares = shares(&json!({ "samples": 4, "good": 3, "needs_improvement": 1, "poor": 0 }));
        let numbers: Vec<f64> = shares.iter().map(|(.., share)| *share).collect();
        assert_eq!(numbers, [75.0, 25.0, 0.0]);
        assert!(shares[1].1.starts_with("Needs improvement 25"));
    }
}
