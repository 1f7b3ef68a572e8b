//! All monitors with their newest checks and their uptime.

use super::{
    address, draw_ms, draw_status, draw_uptime, kind_label, monitor_name,
    pick::{MonitorFilter, draw_buttons, outcome},
};
use crate::{
    actors::monitors::{Outcome, State},
    http::{
        pages::prelude::*,
        procedures::{
            uptime::{self, ListBody},
            uptime_summary::{RecentCheckOut, SummaryOut},
            uptime_wire::{ScheduleOut, WholeOut},
        },
    },
    pages::{
        chart::{Spark, describe_range},
        number,
        part::{empty, notice, time},
        time::{ago, moment},
        uptime::{Bar, bars},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/console/monitors", |route| route.to(show))]
}

/// What the rows are drawn with.
struct List<'a> {
    summaries: &'a [SummaryOut],
    date_format: &'a DateFormat,
    now_ms: i64,
    can_write: bool,
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let all = context
        .ask(&uptime::LIST_SCHEDULES, ListBody::default())
        .await?;
    let summaries = context
        .ask(&uptime::LIST_SUMMARIES, ListBody::default())
        .await?;
    let can_write = context.can(Permission::MonitorWrite);
    let filter = MonitorFilter::new(|name| context.parameter(name));
    let shown: Vec<&ScheduleOut> = all.iter().filter(|one| filter.matches(one)).collect();
    let is_down = |one: &&ScheduleOut| one.state == State::Down && !one.is_paused;
    let down = all.iter().filter(is_down).count();
    let date_format = context.date_format().await?;
    let list = List {
        summaries: &summaries,
        date_format: &date_format,
        now_ms: context.shared().clock.now_ms(),
        can_write,
    };
    let create = html! { @if can_write { a.button.first href="/console/monitors/new" { "Create monitor" } } };
    let main = html! {
        div.title-row {
            h1 { "Monitors" }
            @if !all.is_empty() {
                @if down > 0 { span.state.bad { (down) " down" } } @else { span.state.good { "None down" } }
                div.actions { a href="/console/probes" { "Probes" } " " (create) }
            }
        }
        @if let Some((kind, text)) = outcome(&context) { (notice(kind, &html! { (text) })) }
        @if all.is_empty() {
            section.panel { (empty("No monitors yet", &html! {
                p { "A monitor checks a website, port, DNS record or certificate on a schedule. Or it waits for heartbeats of your jobs." }
                @if can_write { (create) } @else { p { "Members of your organization can create monitors." } }
            })) }
        } @else {
            (filter.draw(&all))
            @if can_write && !shown.is_empty() { (draw_buttons(&filter)) }
            section #monitors.panel.monitors data-live="30" {
                @if shown.is_empty() { (empty("No monitors match these filters", &html! { a href="/console/monitors" { "Clear filters" } })) }
                @else { (list.draw(&shown)) }
            }
        }
    };
    Ok(context.show(NavItem::Monitors, "Monitors", &main))
}

impl List<'_> {
    fn draw(&self, shown: &[&ScheduleOut]) -> Markup {
        html! {
            table.table.sites {
                caption.hide { "Monitors, newest first" }
                thead { tr {
                    th scope="col" { "Monitor" }
                    th scope="col" { "Status" }
                    th scope="col" { "Last 50 checks" }
                    th.num scope="col" { "Response time" }
                    th.num scope="col" { "Uptime (24 h)" }
                    th.num scope="col" { "Uptime (30 days)" }
                } }
                tbody { @for monitor in shown { tr { (self.row(monitor)) } } }
            }
        }
    }

    fn row(&self, monitor: &ScheduleOut) -> Markup {
        let mut summaries = self.summaries.iter();
        let summary = summaries.find(|one| one.schedule_id == monitor.id);
        let id = format!("pick-{}", monitor.id);
        let name = monitor_name(monitor);
        html! {
            td { div.pick {
                @if self.can_write {
                    label for=(id) { span.hide { "Select " (name) } input id=(id) type="checkbox" name="monitor" value=(monitor.id) form="many"; }
                }
                div {
                    a.name href=(WholeOut::path(&[&monitor.id])) { (name) }
                    span.dim { (kind_label(monitor.fields.kind)) @if let Some(url) = address(monitor) { " · " (url) } @if let Some(group) = &monitor.fields.group { " · " (group) } }
                }
            } }
            td {
                (draw_status(monitor))
                @if let Some(at) = monitor.last_checked_at.as_deref().and_then(moment) { span.dim { (time(at, &ago(at, self.now_ms), self.date_format)) } }
            }
            @if let Some(summary) = summary {
                td.wide { (draw_checks(Some(name), &summary.checks, self.date_format)) }
                td.num.wide data-label="Response time" { (draw_times(name, summary, self.date_format)) }
                td.num data-label="24 h" { (draw_uptime(Texts::ENGLISH, &summary.last_day, 1)) }
                td.num data-label="30 days" { (draw_uptime(Texts::ENGLISH, &summary.last_month, 30)) }
            } @else { td {} td {} td {} td {} }
        }
    }
}

/// Bars of the newest checks; `name` tells those of several monitors apart.
pub(super) fn draw_checks(
    name: Option<&str>,
    checks: &[RecentCheckOut],
    date_format: &DateFormat,
) -> Markup {
    let texts = date_format.texts;
    let bar = |check: &RecentCheckOut| {
        let (class, word) = outcome_label(check.outcome);
        let at = moment(&check.at).map(|at| date_format.moment(at));
        Bar {
            class,
            card: html! { (at.unwrap_or_default()) " · " (texts.label(word)) @if let Some(ms) = check.response_time { " · " (texts.number(&number::millis(ms.into()))) } },
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

const fn outcome_label(outcome: Outcome) -> (&'static str, &'static str) {
    match outcome {
        Outcome::Up => ("up", "Up"),
        Outcome::Degraded => ("degraded", "Degraded"),
        Outcome::Pending => ("pending", "Pending"),
        Outcome::Down => ("down", "Down"),
        Outcome::Maintenance => ("maintenance", "Maintenance"),
    }
}

/// The response times of the newest checks, with their mean.
fn draw_times(name: &str, summary: &SummaryOut, date_format: &DateFormat) -> Markup {
    let write = |ms: u64| number::millis(ms as f64);
    let time = |check: &RecentCheckOut| {
        let ms = u64::from(check.response_time?);
        let at = moment(&check.at).map(|at| date_format.moment(at));
        Some((ms, format!("{}: {}", at.unwrap_or_default(), write(ms))))
    };
    let (values, steps): (Vec<u64>, Vec<String>) = summary.checks.iter().filter_map(time).unzip();
    let range = describe_range(&values, write);
    let label = format!(
        "Response times of {name}, last {} checks: {range}",
        values.len()
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
