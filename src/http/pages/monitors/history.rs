//! Uptime of a monitor day by day, and the changes of its status.

use super::{draw_ms, draw_uptime, state_label};
use crate::{
    http::{
        pages::prelude::*,
        procedures::{
            uptime_summary::UptimeOut,
            uptime_wire::{DayOut, HistoryOut},
        },
    },
    pages::{
        chart::table_below,
        number,
        part::{empty, time},
        problem::capitalize,
        time::moment,
        uptime::{self, Bar, bars},
    },
};

/// Days of the bars.
pub(super) const DAYS: u32 = 90;

/// The uptime of some days.
fn sum(days: &[DayOut]) -> UptimeOut {
    let total = |of: fn(&DayOut) -> f64| days.iter().map(of).sum::<f64>();
    let (up, down) = (
        total(|day| day.uptime_seconds),
        total(|day| day.downtime_seconds),
    );
    let (good, bad) = (
        total(|day| day.successful_checks.into()),
        total(|day| day.failed_checks.into()),
    );
    let share = |part: f64, rest: f64| (part + rest > 0.0).then(|| 100.0 * (part / (part + rest)));
    UptimeOut {
        // A single check has no time yet.
        uptime_percentage: share(up, down).or_else(|| share(good, bad)),
        known_seconds: up + down,
    }
}

/// Uptimes of several spans, and a bar of every day.
pub(super) fn draw_uptimes(last_day: &UptimeOut, history: &HistoryOut) -> Markup {
    let days = &history.days;
    if days.iter().all(|day| day.uptime_percentage.is_none()) {
        return empty(
            "No data yet",
            &html! { "Uptime appears after the first check." },
        );
    }
    let last = |count: usize| sum(&days[days.len().saturating_sub(count)..]);
    let figure = |label: &str, known: &UptimeOut, span: u16| html! { div { dt { (label) } dd { (draw_uptime(Texts::ENGLISH, known, span)) } } };
    html! {
        dl.figures {
            (figure("24 hours", last_day, 1))
            @for count in [7_u16, 30, 90] { (figure(&format!("{count} days"), &last(count.into()), count)) }
        }
        (draw_days(days))
    }
}

fn draw_days(days: &[DayOut]) -> Markup {
    let all: Vec<Bar> = days.iter().map(bar).collect();
    let bad = days.iter().filter(|day| day.downtime_seconds > 0.0).count();
    let label = format!("Last {} days, {bad} with downtime", days.len());
    let known = |day: &&DayOut| day.uptime_percentage.is_some();
    html! {
        (bars(&all, &label))
        p.ends { span { (days.len()) " days ago" } span { "Today" } }
        (table_below(Texts::ENGLISH, &html! { table.table {
            thead { tr { th scope="col" { "Day (UTC)" } th.num scope="col" { "Uptime" } th.num scope="col" { "Downtime" } th.num scope="col" { "Response time" } } }
            tbody { @for day in days.iter().rev().filter(known) { tr {
                td { (day.date) }
                td.num { (day.uptime_percentage.map_or_else(|| number::NONE.to_owned(), uptime::percent)) }
                td.num { (downtime(day).unwrap_or_else(|| number::NONE.to_owned())) }
                td.num { (draw_ms(day.avg_response_time)) }
            } } }
        } }))
    }
}

fn downtime(day: &DayOut) -> Option<String> {
    (day.downtime_seconds > 0.0).then(|| number::duration(day.downtime_seconds))
}

fn bar(day: &DayOut) -> Bar {
    Bar {
        class: uptime::class(day.uptime_percentage),
        card: html! {
            (day.date)
            @match day.uptime_percentage {
                Some(percent) => { " · " (uptime::percent(percent)) " uptime" },
                None => " · no data",
            }
            @if let Some(down) = downtime(day) { " · down for " (down) }
        },
    }
}

/// The changes of status with their reasons.
pub(super) fn draw_changes(history: &HistoryOut, date_format: &DateFormat) -> Markup {
    html! {
        @if history.changes.is_empty() { p.dim { "No changes yet." } }
        @else {
            div.scroll { table.table.report {
                thead { tr { th scope="col" { "Time" } th scope="col" { "From" } th scope="col" { "To" } th scope="col" { "Reason" } } }
                tbody { @for change in &history.changes { tr {
                    td { @if let Some(at) = moment(&change.at) { (time(at, &date_format.moment(at), date_format)) } }
                    td data-label="From" { (state_label(change.from)) }
                    td data-label="To" { (state_label(change.to)) }
                    td data-label="Reason" { (capitalize(change.error.as_deref().unwrap_or_default())) }
                } } }
            } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(up: f64, down: f64, checks: (u32, u32)) -> DayOut {
        DayOut {
            date: "2026-10-14".to_owned(),
            uptime_percentage: None,
            successful_checks: checks.0,
            failed_checks: checks.1,
            downtime_seconds: down,
            uptime_seconds: up,
            avg_response_time: None,
        }
    }

    #[test]
    fn an_uptime_is_of_the_known_time_and_not_a_mean_of_days() {
        let days = [day(86_400.0, 0.0, (1_440, 0)), day(0.0, 60.0, (0, 2))];
        let known = sum(&days);
        assert!((known.uptime_percentage.unwrap() - 99.930_6).abs() < 0.001);
        assert!((known.known_seconds - 86_460.0).abs() < 0.1);
        let first = sum(&[day(0.0, 0.0, (1, 0))]);
        assert_eq!(first.uptime_percentage, Some(100.0));
        assert_eq!(sum(&[]).uptime_percentage, None);
        for ms in 1..2_000 {
            let seconds = f64::from(ms) / 1_000.0;
            assert_eq!(
                sum(&[day(seconds, 0.0, (1, 0))]).uptime_percentage,
                Some(100.0)
            );
        }
    }

    #[test]
    fn minutes_of_data_are_said_to_be_minutes() {
        let known = sum(&[day(60.0, 360.0, (1, 6))]);
        let drawn = draw_uptime(Texts::ENGLISH, &known, 30).into_string();
        assert!(drawn.contains("14.29%"), "{drawn}");
        assert!(drawn.contains("over 7"), "{drawn}");
        let whole = sum(&[day(29.5 * 86_400.0, 0.0, (1, 0))]);
        let drawn = draw_uptime(Texts::ENGLISH, &whole, 30).into_string();
        assert_eq!(drawn, "100%");
    }
}
