//! The numbers of the days, and how one of them went.

use maud::{Markup, html};
use serde::Deserialize;

use super::notes::Note;
use crate::{
    http::pages::{asked::Answers, site::days::Asked},
    pages::{
        chart::{Line, Step},
        number,
        part::{change, notice},
        view::View,
    },
};

/// A number of the dashboard.
struct Metric {
    /// Its name in addresses and answers.
    name: &'static str,
    title: &'static str,
    written: fn(f64) -> String,
    /// The same where there is little room.
    brief: fn(f64) -> String,
    more_is_good: bool,
    whole: bool,
    of: fn(&Row) -> f64,
}

fn count(number: f64) -> String {
    number::full(number.max(0.0) as u64)
}

fn brief(number: f64) -> String {
    number::short(number.max(0.0) as u64)
}

const fn counted(name: &'static str, title: &'static str, of: fn(&Row) -> f64) -> Metric {
    Metric {
        name,
        title,
        written: count,
        brief,
        more_is_good: true,
        whole: true,
        of,
    }
}

const METRICS: [Metric; 6] = [
    counted("visitors", "Visitors", |row| row.visitors),
    counted("pageviews", "Views", |row| row.pageviews),
    counted("sessions", "Visits", |row| row.sessions),
    Metric {
        written: number::decimal,
        brief: number::decimal,
        whole: false,
        ..counted("pages_per_session", "Views a visit", |row| {
            row.pages_per_session
        })
    },
    Metric {
        written: number::percent,
        brief: number::percent,
        more_is_good: false,
        whole: false,
        ..counted("bounce_rate", "Bounces", |row| row.bounce_rate)
    },
    Metric {
        written: number::duration,
        brief: number::duration,
        whole: false,
        ..counted("median_session_duration", "Median visit", |row| {
            row.median_session_duration
        })
    },
];

/// A step of `events_by_date`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Row {
    date: String,
    pageviews: f64,
    visitors: f64,
    sessions: f64,
    bounce_rate: f64,
    median_session_duration: f64,
    pages_per_session: f64,
}

/// A row of `period_comparison`.
#[derive(Deserialize)]
struct Compared {
    metric: String,
    current: f64,
    change_percentage: Option<f64>,
}

/// The numbers, each a way to its chart.
pub(super) fn headline(asked: &Asked, answers: &Answers, path: &str) -> Markup {
    let rows: Vec<Compared> = match answers.rows("period_comparison") {
        Ok(rows) => rows,
        Err(said) => return notice("warn", &html! { (said) }),
    };
    let chosen = chosen(&asked.view);
    html! {
        ul.headline {
            @for metric in &METRICS {
                @let row = rows.iter().find(|row| row.metric == metric.name);
                @let view = View { metric: metric.name.to_owned(), ..asked.view.clone() };
                li {
                    a href=(view.address(path)) aria-current=[(metric.name == chosen.name).then_some("true")] {
                        span.what { (metric.title) }
                        @if let Some(row) = row {
                            strong title=((metric.written)(row.current)) { ((metric.brief)(row.current)) }
                            (change(row.change_percentage, metric.more_is_good))
                        } @else {
                            strong { (number::NONE) }
                        }
                    }
                }
            }
        }
    }
}

fn chosen(view: &View) -> &'static Metric {
    let found = METRICS.iter().find(|metric| metric.name == view.metric);
    found.unwrap_or(&METRICS[0])
}

/// How the chosen number went, with its table.
pub(super) fn draw(asked: &Asked, answers: &Answers, notes: &[Note]) -> Markup {
    let metric = chosen(&asked.view);
    let (now, before): (Vec<Row>, Vec<Row>) = match (answers.rows("now"), answers.rows("before")) {
        (Ok(now), Ok(before)) => (now, before),
        (Err(said), _) | (_, Err(said)) => return notice("warn", &html! { (said) }),
    };
    // What is yet to come has an earlier number, too.
    let count = now
        .len()
        .max(if asked.goes_on() { 0 } else { before.len() });
    let step = |(place, row): (usize, &Row)| Step {
        name: name(&row.date),
        word: word(&row.date),
        value: Some((metric.of)(row)),
        before: before.get(place).map(metric.of),
    };
    let steps: Vec<Step> = now.iter().take(count).enumerate().map(step).collect();
    let marks: Vec<f64> = notes
        .iter()
        .filter_map(|note| asked.place(note.at_ms))
        .collect();
    let line = Line {
        title: metric.title,
        steps: &steps,
        goes_on: asked.goes_on(),
        whole: metric.whole,
        marks: &marks,
        written: &|number| (metric.brief)(number),
    };
    html! {
        (line.draw())
        p.legend {
            span.key.present { (asked.spoken()) }
            span.key.past { (asked.compared()) }
        }
        (table(&now, metric, &steps))
    }
}

/// Rows that have all numbers; more of them have the one that the chart shows, or the page would be too long.
const MOST_WHOLE: usize = 200;

fn table(rows: &[Row], chosen: &Metric, steps: &[Step]) -> Markup {
    let shown = |metric: &&Metric| rows.len() <= MOST_WHOLE || metric.name == chosen.name;
    let metrics: Vec<&Metric> = METRICS.iter().filter(shown).collect();
    html! {
        details.behind {
            summary { "As a table" }
            div.scroll { table.table {
                thead { tr {
                    th scope="col" { "Time" }
                    @for metric in &metrics { th.num scope="col" { (metric.title) } }
                    th.num scope="col" { (chosen.title) " before" }
                } }
                tbody { @for (row, step) in rows.iter().zip(steps).rev() { tr {
                    th scope="row" { (step.name) }
                    @for metric in &metrics { td.num { ((metric.written)((metric.of)(row))) } }
                    td.num { (step.before.map_or_else(|| number::NONE.to_owned(), chosen.written)) }
                } } }
            } }
        }
    }
}

/// A step's label of the wire, in full: `Wed, Oct 14` or `Wed, Oct 14, 13:00`.
fn name(label: &str) -> String {
    let (day, rest) = label.split_at_checked(10).unwrap_or((label, ""));
    let Ok(day) = day.parse::<chrono::NaiveDate>() else {
        return label.to_owned();
    };
    let day = day.format("%a, %b %-d");
    match rest.get(1..6) {
        // Where a zone repeats an hour, its offset tells which.
        Some(hour) => format!("{day}, {hour}{}", rest.get(9..).unwrap_or_default()),
        None => day.to_string(),
    }
}

/// The same below the axis: `Oct 14` or `13:00`.
fn word(label: &str) -> String {
    if let Some(hour) = label.get(11..16) {
        return hour.to_owned();
    }
    let day = label.parse::<chrono::NaiveDate>();
    day.map_or_else(|_| label.to_owned(), |day| day.format("%b %-d").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_called_by_their_day_and_hour() {
        assert_eq!(name("2026-10-14"), "Wed, Oct 14");
        assert_eq!(name("2026-10-14 13:00:00"), "Wed, Oct 14, 13:00");
        assert_eq!(
            name("2026-10-25 02:00:00+02:00"),
            "Sun, Oct 25, 02:00+02:00"
        );
        assert_eq!(name("é nonsense"), "é nonsense");
        assert_eq!(
            (word("2026-10-04"), word("2026-10-14 13:00:00")),
            ("Oct 4".into(), "13:00".into())
        );
        assert_eq!(word("nonsense"), "nonsense");
    }
}
