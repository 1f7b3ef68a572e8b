//! The newest checks of monitors as bars and as a line of response times, and the tables of both.

use super::draw_ms;
use crate::{
    actors::monitors::Outcome,
    http::{
        pages::prelude::*,
        procedures::uptime_summary::{RecentCheckOut, SummaryOut},
    },
    pages::{
        chart::{Spark, describe_values, table_below},
        number,
        time::moment,
        uptime::{Bar, bars},
    },
};

/// Changes of a monitor in the table of a list.
const MAX_CHANGES: usize = 5;

/// Bars of the newest checks; `name` tells those of several monitors apart.
pub(super) fn draw_bars(
    name: Option<&str>,
    checks: &[RecentCheckOut],
    date_format: &DateFormat,
) -> Markup {
    let texts = date_format.texts;
    let bar = |check: &RecentCheckOut| {
        let (class, word) = outcome_label(check.outcome);
        Bar {
            class,
            card: html! { (write_time(check, date_format)) " · " (texts.label(word)) @if let Some(ms) = check.response_time { " · " (write_ms(texts, ms)) } },
        }
    };
    let count = |outcome| checks.iter().filter(|one| one.outcome == outcome).count() as u64;
    let (down, degraded) = (count(Outcome::Down), count(Outcome::Degraded));
    let label = texts.last_checks(checks.len() as u64, down, degraded);
    let label: Vec<&str> = name.into_iter().chain([&*label]).collect();
    let label = texts.list(&label);
    let all: Vec<Bar> = checks.iter().map(bar).collect();
    html! { @if all.is_empty() { span.dim { (number::NONE) } } @else { (bars(&all, &label)) } }
}

/// The response times of the newest checks, with their mean.
pub(super) fn draw_times(name: &str, summary: &SummaryOut, date_format: &DateFormat) -> Markup {
    let texts = date_format.texts;
    let time = |check: &RecentCheckOut| {
        let ms = check.response_time?;
        let written = write_ms(texts, ms);
        let step = format!("{}: {written}", write_time(check, date_format));
        Some((u64::from(ms), (step, written)))
    };
    let (values, (steps, written)): (Vec<u64>, (Vec<String>, Vec<String>)) =
        summary.checks.iter().filter_map(time).unzip();
    let label = format!(
        "Response times of {name}, last {} checks: {}",
        values.len(),
        describe_values(texts, &values, &written)
    );
    let spark = Spark {
        label: &label,
        values: &values,
        steps: &steps,
    };
    html! {
        div.times {
            @if values.len() > 1 { (spark.draw()) }
            span { (draw_ms(summary.avg_response_time)) }
        }
    }
}

/// Every check of a monitor as a table below its bars, newest first.
pub(super) fn draw_table(checks: &[RecentCheckOut], date_format: &DateFormat) -> Markup {
    let texts = date_format.texts;
    table_below(
        texts,
        &html! {
            table.table {
                thead { tr {
                    th scope="col" { (texts.label("Time")) }
                    th scope="col" { (texts.label("Status")) }
                    th.num scope="col" { (texts.label("Response time")) }
                } }
                tbody { @for check in checks.iter().rev() { tr {
                    th scope="row" { (write_time(check, date_format)) }
                    td { (texts.label(outcome_label(check.outcome).1)) }
                    td.num { (check.response_time.map_or_else(|| number::NONE.to_owned(), |ms| write_ms(texts, ms))) }
                } } }
            }
        },
    )
}

/// The checks of the monitors of a list as one table below it, with a row for each monitor. Cells of every check would be too many
/// to read, and most are like the one before, so a row counts them, and says when the outcome was another one.
pub(super) fn draw_table_of_many(
    monitors: &[(&str, &[RecentCheckOut])],
    date_format: &DateFormat,
) -> Markup {
    if monitors.iter().all(|(_, checks)| checks.is_empty()) {
        return html! {};
    }
    table_below(
        date_format.texts,
        &html! {
            table.table {
                caption.hide { "Last 50 checks" }
                thead { tr {
                    th scope="col" { "Monitor" }
                    th scope="col" { "Checks" }
                    th scope="col" { "Status changes" }
                    th.num scope="col" { "Lowest response time" }
                    th.num scope="col" { "Highest response time" }
                    th.num scope="col" { "Last response time" }
                } }
                tbody { @for (name, checks) in monitors { @if !checks.is_empty() { tr {
                    th scope="row" { (name) }
                    (draw_cells(checks, date_format))
                } } } }
            }
        },
    )
}

fn draw_cells(checks: &[RecentCheckOut], date_format: &DateFormat) -> Markup {
    let mut times = checks.iter().filter_map(|check| check.response_time);
    let ends = [times.clone().min(), times.clone().max(), times.next_back()];
    let changes: Vec<&[RecentCheckOut]> = checks
        .chunk_by(|one, next| one.outcome == next.outcome)
        .collect();
    let earlier = changes.len().saturating_sub(MAX_CHANGES);
    html! {
        td { (count_outcomes(checks)) }
        td {
            @for change in changes.iter().rev().take(MAX_CHANGES) { @if let [first, ..] = change {
                div { (write_time(first, date_format)) ": " (outcome_label(first.outcome).1) }
            } }
            @if earlier > 0 { div { (earlier) " earlier" } }
        }
        @for end in ends { td.num { (draw_ms(end.map(f64::from))) } }
    }
}

/// How many checks ended how: `48 up, 2 down`.
fn count_outcomes(checks: &[RecentCheckOut]) -> String {
    let count = |outcome| {
        let count = checks.iter().filter(|one| one.outcome == outcome).count();
        let label = outcome_label(outcome).1.to_lowercase();
        (count > 0).then(|| format!("{count} {label}"))
    };
    let counts: Vec<String> = OUTCOMES.into_iter().filter_map(count).collect();
    counts.join(", ")
}

const OUTCOMES: [Outcome; 5] = [
    Outcome::Up,
    Outcome::Degraded,
    Outcome::Pending,
    Outcome::Down,
    Outcome::Maintenance,
];

const fn outcome_label(outcome: Outcome) -> (&'static str, &'static str) {
    match outcome {
        Outcome::Up => ("up", "Up"),
        Outcome::Degraded => ("degraded", "Degraded"),
        Outcome::Pending => ("pending", "Pending"),
        Outcome::Down => ("down", "Down"),
        Outcome::Maintenance => ("maintenance", "Maintenance"),
    }
}

fn write_time(check: &RecentCheckOut, date_format: &DateFormat) -> String {
    let at = moment(&check.at).map(|at| date_format.moment(at));
    at.unwrap_or_default()
}

fn write_ms(texts: Texts, ms: u32) -> String {
    texts.number(&number::millis(ms.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::Language;

    /// A check of every minute from 12:00 on.
    fn checks(outcomes: &[Outcome]) -> Vec<RecentCheckOut> {
        let check = |(minute, outcome): (u32, &Outcome)| RecentCheckOut {
            at: format!("2026-10-14T12:{minute:02}:00.000Z"),
            outcome: *outcome,
            response_time: (*outcome == Outcome::Up).then_some(80 + minute),
        };
        (0..).zip(outcomes).map(check).collect()
    }

    #[test]
    fn a_list_has_one_table_that_says_when_checks_changed() {
        use Outcome::{Down, Up};
        let (shop, steady) = (checks(&[Up, Up, Down, Down, Up]), checks(&[Up, Up]));
        let all: [(&str, &[RecentCheckOut]); 3] =
            [("<Shop>", &shop), ("Blog", &steady), ("New", &[])];
        let drawn = draw_table_of_many(&all, &DateFormat::default()).into_string();
        assert_eq!(drawn.matches("<details").count(), 1, "{drawn}");
        let shop = "&lt;Shop&gt;</th><td>3 up, 2 down</td><td><div>Oct 14, 2026, 12:04: Up</div>\
                    <div>Oct 14, 2026, 12:02: Down</div><div>Oct 14, 2026, 12:00: Up</div></td>\
                    <td class=\"num\">80\u{202f}ms</td><td class=\"num\">84\u{202f}ms</td><td class=\"num\">84\u{202f}ms</td>";
        assert!(drawn.contains(shop), "{drawn}");
        assert!(drawn.contains(">Blog</th><td>2 up</td>"), "{drawn}");
        assert!(!drawn.contains(">New<"), "nothing is drawn of it: {drawn}");
        let none: [(&str, &[RecentCheckOut]); 1] = [("New", &[])];
        let none = draw_table_of_many(&none, &DateFormat::default());
        assert_eq!(none.into_string(), "");
    }

    #[test]
    fn a_row_stays_short_however_often_checks_change() {
        let outcomes: Vec<Outcome> = [Outcome::Up, Outcome::Down].repeat(25);
        let drawn = draw_cells(&checks(&outcomes), &DateFormat::default()).into_string();
        assert_eq!(drawn.matches("<div>Oct 14").count(), MAX_CHANGES, "{drawn}");
        assert!(drawn.contains("<div>45 earlier</div>"), "{drawn}");
        assert!(drawn.len() < 600, "{}: {drawn}", drawn.len());
    }

    #[test]
    fn a_table_of_one_monitor_has_every_check_in_the_language_of_the_reader() {
        let date_format = DateFormat {
            texts: Language::De.texts(),
            ..DateFormat::default()
        };
        let drawn = draw_table(&checks(&[Outcome::Up, Outcome::Pending]), &date_format);
        let drawn = drawn.into_string();
        let (newest, oldest) = drawn.split_once(">Ausstehend<").unwrap();
        assert!(!newest.contains("Erreichbar"), "newest first: {drawn}");
        assert!(oldest.contains(">Erreichbar<"), "{drawn}");
        assert_eq!(drawn.matches("<tr>").count(), 3, "{drawn}");
    }
}
