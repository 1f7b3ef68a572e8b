//! All monitors with their newest checks and their uptime.

use super::{
    address, checks, draw_status, draw_uptime, kind_label, monitor_name,
    pick::{MonitorFilter, draw_buttons, outcome},
};
use crate::{
    actors::monitors::State,
    http::{
        pages::prelude::*,
        procedures::{
            uptime::{self, ListBody},
            uptime_summary::{RecentCheckOut, SummaryOut},
            uptime_wire::{ScheduleOut, WholeOut},
        },
    },
    pages::{
        part::{empty, notice, time},
        time::{ago, moment},
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
                div.actions { (create) }
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
            (self.draw_check_table(shown))
        }
    }

    /// What the bars and lines of all rows show.
    fn draw_check_table(&self, shown: &[&ScheduleOut]) -> Markup {
        let known = shown.iter().filter_map(|monitor| {
            let summary = self.find_summary(monitor)?;
            Some((monitor_name(monitor), summary.checks.as_slice()))
        });
        let known: Vec<(&str, &[RecentCheckOut])> = known.collect();
        checks::draw_table_of_many(&known, self.date_format)
    }

    fn find_summary(&self, monitor: &ScheduleOut) -> Option<&SummaryOut> {
        let mut summaries = self.summaries.iter();
        summaries.find(|one| one.schedule_id == monitor.id)
    }

    fn row(&self, monitor: &ScheduleOut) -> Markup {
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
            @if let Some(summary) = self.find_summary(monitor) {
                td.wide { (checks::draw_bars(Some(name), &summary.checks, self.date_format)) }
                td.num.wide data-label="Response time" { (checks::draw_times(name, summary, self.date_format)) }
                td.num data-label="24 h" { (draw_uptime(Texts::ENGLISH, &summary.last_day, 1)) }
                td.num data-label="30 days" { (draw_uptime(Texts::ENGLISH, &summary.last_month, 30)) }
            } @else { td {} td {} td {} td {} }
        }
    }
}
