//! The headline numbers, and the chart of one of them.

use serde::Deserialize;

use super::{
    annotations::Annotation,
    labels::{day, name, word},
};
use crate::{
    analytics::run::Answers,
    http::pages::{prelude::*, site::period::PeriodQuery},
    pages::{
        chart::{
            Column, Line, LineOptions, MAX_WHOLE, Mark, Spark, Step, describe_values, steps_below,
        },
        number,
        part::{compared, notice},
        view::View,
    },
};

/// A number of the dashboard.
struct Metric {
    /// Its name in addresses and answers.
    name: &'static str,
    title: &'static str,
    written: fn(Texts, f64) -> String,
    /// The same where there is little room.
    brief: fn(Texts, f64) -> String,
    more_is_good: bool,
    whole: bool,
    value: fn(&Row) -> f64,
}

fn count(texts: Texts, number: f64) -> String {
    texts.count(number.max(0.0) as u64)
}

fn brief(texts: Texts, number: f64) -> String {
    texts.number(&number::short(number.max(0.0) as u64))
}

fn decimal(texts: Texts, number: f64) -> String {
    texts.number(&number::decimal(number))
}

fn percent(texts: Texts, share: f64) -> String {
    texts.number(&number::percent(share))
}

const fn count_metric(name: &'static str, title: &'static str, value: fn(&Row) -> f64) -> Metric {
    Metric {
        name,
        title,
        written: count,
        brief,
        more_is_good: true,
        whole: true,
        value,
    }
}

const METRICS: [Metric; 6] = [
    count_metric("visitors", "Visitors", |row| row.visitors),
    count_metric("pageviews", "Pageviews", |row| row.pageviews),
    count_metric("sessions", "Sessions", |row| row.sessions),
    Metric {
        written: decimal,
        brief: decimal,
        whole: false,
        ..count_metric("pages_per_session", "Pageviews per session", |row| {
            row.pages_per_session
        })
    },
    Metric {
        written: percent,
        brief: percent,
        more_is_good: false,
        whole: false,
        ..count_metric("bounce_rate", "Bounce rate", |row| row.bounce_rate)
    },
    Metric {
        written: Texts::duration,
        brief: Texts::duration,
        whole: false,
        ..count_metric(
            "median_session_duration",
            "Median session duration",
            |row| row.median_session_duration,
        )
    },
];

impl Metric {
    /// The number of a step, if there is one: without a session there is no bounce rate and no duration.
    fn at(&self, row: &Row) -> Option<f64> {
        (self.whole || row.sessions > 0.0).then(|| (self.value)(row))
    }

    fn write(&self, texts: Texts, number: Option<f64>) -> String {
        number.map_or_else(
            || number::NONE.to_owned(),
            |number| (self.written)(texts, number),
        )
    }
}

/// A step of `events_by_date`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Row {
    date: String,
    /// Of an hour that a zone repeats.
    offset: String,
    pageviews: f64,
    visitors: f64,
    sessions: f64,
    bounce_rate: f64,
    median_session_duration: f64,
    pages_per_session: f64,
}

/// A row of `period_comparison`.
#[derive(Deserialize)]
struct ComparisonRow {
    metric: String,
    current: f64,
    previous: f64,
}

/// The numbers, each with a link to its chart.
pub(super) fn headline(period: &PeriodQuery, answers: &Answers, path: &str) -> Markup {
    let rows: Vec<ComparisonRow> = match answers.rows("period_comparison") {
        Ok(rows) => rows,
        Err(message) => return notice("warn", &html! { (message) }),
    };
    let nobody = |row: &ComparisonRow| row.metric == "sessions" && row.current == 0.0;
    let nobody = rows.iter().any(nobody);
    let (chosen, texts) = (find_metric(&period.view), period.texts());
    html! {
        ul.headline {
            @for metric in &METRICS {
                // Numbers per session are unknown without a session.
                @let row = rows.iter().find(|row| row.metric == metric.name).filter(|_| metric.whole || !nobody);
                @let view = View { metric: metric.name.to_owned(), ..period.view.clone() };
                li {
                    a href=(view.address(path)) aria-current=[(metric.name == chosen.name).then_some("true")] {
                        span.what { (texts.label(metric.title)) }
                        @if let Some(row) = row {
                            strong title=((metric.written)(texts, row.current)) { ((metric.brief)(texts, row.current)) }
                            @if period.is_compared() { (compared(texts, row.current, row.previous, metric.more_is_good)) }
                        } @else {
                            strong { (number::NONE) }
                        }
                    }
                }
            }
        }
    }
}

fn find_metric(view: &View) -> &'static Metric {
    let found = METRICS.iter().find(|metric| metric.name == view.metric);
    found.unwrap_or(&METRICS[0])
}

/// The chosen number with its change, and its trend in a line without axes with its table.
pub(in crate::http::pages) fn draw_figure(period: &PeriodQuery, answers: &Answers) -> Markup {
    let (metric, texts) = (find_metric(&period.view), period.texts());
    let asked = (answers.rows("period_comparison"), answers.rows("now"));
    let (rows, series): (Vec<ComparisonRow>, Vec<Row>) = match asked {
        (Ok(rows), Ok(series)) => (rows, series),
        (Err(message), _) | (_, Err(message)) => return notice("warn", &html! { (message) }),
    };
    let row = rows.iter().find(|row| row.metric == metric.name);
    let has_sessions = series.iter().any(|row| row.sessions > 0.0);
    let row = row.filter(|_| metric.whole || has_sessions);
    html! {
        @match row {
            Some(row) => p.big {
                ((metric.written)(texts, row.current)) " "
                @if period.is_compared() { (compared(texts, row.current, row.previous, metric.more_is_good)) }
            },
            None => p.big { (number::NONE) },
        }
        (draw_spark(period, metric, &series))
        p.dim.small { (period.describe()) @if period.is_compared() { ", " (texts.label("compared with")) " " (period.describe_comparison()) } }
        (draw_spark_table(period, metric, &series))
    }
}

/// The labels of the steps, and their numbers as text.
fn write_steps(
    period: &PeriodQuery,
    metric: &Metric,
    series: &[Row],
) -> (Vec<String>, Vec<String>) {
    let step = |row: &Row| {
        let label = name(&row.date, &row.offset, &period.date_format);
        (label, metric.write(period.texts(), metric.at(row)))
    };
    series.iter().map(step).unzip()
}

fn draw_spark(period: &PeriodQuery, metric: &Metric, series: &[Row]) -> Markup {
    let texts = period.texts();
    let (labels, written) = write_steps(period, metric, series);
    let values = series
        .iter()
        .map(|row| metric.at(row).unwrap_or(0.0) as u64);
    let values: Vec<u64> = values.collect();
    let steps = labels.iter().zip(&written);
    let steps: Vec<String> = steps
        .map(|(label, text)| format!("{label}: {text}"))
        .collect();
    let described = describe_values(texts, &values, &written);
    let title = texts.label(metric.title);
    let spark = Spark {
        label: &format!("{title}, {}: {described}", period.describe()),
        values: &values,
        steps: &steps,
    };
    spark.draw()
}

fn draw_spark_table(period: &PeriodQuery, metric: &Metric, series: &[Row]) -> Markup {
    let texts = period.texts();
    let (labels, written) = write_steps(period, metric, series);
    let column = Column::new(texts.label(metric.title), written);
    html! { @if !labels.is_empty() { (steps_below(texts, labels.iter().map(String::as_str), &[&column])) } }
}

/// The chart of the chosen number, with its table.
pub(in crate::http::pages) fn draw(
    period: &PeriodQuery,
    answers: &Answers,
    notes: &[Annotation],
) -> Markup {
    let (metric, texts) = (find_metric(&period.view), period.texts());
    let before = if period.is_compared() {
        answers.rows("before")
    } else {
        Ok(Vec::new())
    };
    let (now, before): (Vec<Row>, Vec<Row>) = match (answers.rows("now"), before) {
        (Ok(now), Ok(before)) => (now, before),
        (Err(message), _) | (_, Err(message)) => return notice("warn", &html! { (message) }),
    };
    // Steps of the future have an earlier number, too.
    let count = now
        .len()
        .max(if period.is_ongoing() { 0 } else { before.len() });
    let date_format = &period.date_format;
    let ends = [now.first(), now.last()].map(|row| row.and_then(|row| day(&row.date)));
    let step = |(place, row): (usize, &Row)| Step {
        name: name(&row.date, &row.offset, date_format),
        word: if ends[0] == ends[1] {
            word(&row.date, date_format)
        } else if place > 0 && day(&now[place - 1].date) == day(&row.date) {
            // Hours of several days: each day has a label at its beginning.
            String::new()
        } else {
            let day = day(&row.date).map(|day| texts.day_of_year(day));
            day.unwrap_or_else(|| row.date.clone())
        },
        value: metric.at(row),
        before: before.get(place).and_then(|row| metric.at(row)),
    };
    let steps: Vec<Step> = now.iter().take(count).enumerate().map(step).collect();
    let mark = |note: &Annotation| {
        Some(Mark {
            step: period.step_of(note.at_ms)?,
            text: note.text.clone(),
        })
    };
    let marks: Vec<Mark> = notes.iter().filter_map(mark).collect();
    let line = Line {
        title: texts.label(metric.title),
        steps: &steps,
        goes_on: period.is_ongoing(),
        whole: metric.whole,
        reach: 0.0,
        marks: &marks,
        written: &|number| (metric.brief)(texts, number),
    };
    line.draw_with(&LineOptions {
        legend: Some([period.describe(), period.describe_comparison()]),
        columns: other_columns(texts, &now[..steps.len()], metric),
        zoom: Some(period.zoom()),
        earlier: period.comparison_label(),
        texts,
    })
}

/// The numbers that the chart does not show, unless the page would be too long.
fn other_columns(texts: Texts, rows: &[Row], chosen: &Metric) -> Vec<Column> {
    let others = METRICS.iter().filter(|metric| metric.name != chosen.name);
    let others = others.filter(|_| rows.len() <= MAX_WHOLE);
    let column = |metric: &Metric| {
        let cells = rows.iter().map(|row| metric.write(texts, metric.at(row)));
        Column::new(texts.label(metric.title), cells)
    };
    others.map(column).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{analytics::run::QueryResult, pages::time::DateFormat};

    /// A chart with one session at the named hour.
    fn draw_chart(query: &str, labels: &[&str], visited: &str) -> String {
        let period = PeriodQuery::read(query, &[], DateFormat::default(), 1_791_979_200_000);
        let row = |label: &&str| json!({ "date": label, "sessions": u8::from(*label == visited), "bounce_rate": 0 });
        let rows: Vec<_> = labels.iter().map(row).collect();
        let result = |label: &str, rows| QueryResult {
            label: label.to_owned(),
            rows: Ok(rows),
            ignored_filters: Vec::new(),
        };
        let answers = Answers::from_iter([result("now", rows), result("before", Vec::new())]);
        draw(&period, &answers, &[]).into_string()
    }

    #[test]
    fn hours_of_several_days_are_called_by_their_day_where_it_begins() {
        let hours = [
            "2026-10-13 00:00:00",
            "2026-10-13 12:00:00",
            "2026-10-14 00:00:00",
            "2026-10-14 12:00:00",
        ];
        let axis = |drawn: &str| drawn.split("axis x").nth(1).unwrap().to_owned();
        let below = axis(&draw_chart("", &hours, ""));
        let below = below.split("</svg>").next().unwrap();
        assert_eq!(below.matches("<text").count(), 2, "{below}");
        assert!(
            below.contains(">Oct 13<") && below.contains(">Oct 14<"),
            "{below}"
        );
        let below = axis(&draw_chart("", &hours[2..], ""));
        assert!(
            below.contains(">00:00<") && below.contains(">12:00<"),
            "{below}"
        );
    }

    #[test]
    fn without_a_session_nothing_is_said_of_sessions() {
        let days = ["2026-10-13", "2026-10-14"];
        let shown = draw_chart("metric=bounce_rate", &days, days[1]);
        assert!(shown.contains("<title>Tue, Oct 13: –</title>"), "{shown}");
        assert!(shown.contains("<title>Wed, Oct 14: 0%</title>"), "{shown}");
    }
}
