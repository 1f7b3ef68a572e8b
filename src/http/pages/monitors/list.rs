//! All monitors with their state.

use futures_util::future::try_join_all;

use super::{address, draw_state, mean, monitor_name};
use crate::{
    actors::monitors::State,
    http::{
        pages::prelude::*,
        procedures::{
            uptime,
            uptime_wire::{HistoryOut, ScheduleOut, WholeOut},
        },
    },
    pages::{
        number,
        part::{empty, time},
        time::{ago, moment},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page_route("/console/monitors", |route| route.to(show))]
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let all = uptime::ListBody::default();
    let monitors = context.ask(&uptime::LIST_SCHEDULES, all).await?;
    let past = async |monitor: &ScheduleOut| {
        let body = uptime::HistoryBody {
            schedule_id: monitor.id.clone(),
            days: 30,
        };
        context.ask(&uptime::GET_SCHEDULE_HISTORY, body).await
    };
    let pasts = try_join_all(monitors.iter().map(past)).await?;
    let date_format = context.date_format().await?;
    let can_write = context.can(Permission::MonitorWrite);
    let down = monitors
        .iter()
        .filter(|monitor| monitor.state == State::Down && !monitor.is_paused)
        .count();
    let main = html! {
        div.title-row {
            h1 { "Monitors" }
            @if !monitors.is_empty() {
                @if down > 0 { span.state.bad { (down) " down" } } @else { span.state.good { "nothing is down" } }
            }
            @if can_write && !monitors.is_empty() { div.actions { a.button.first href="/console/monitors/new" { "Watch something" } } }
        }
        section #monitors.panel data-live="30" {
            @if monitors.is_empty() {
                (empty("Nothing is watched yet", &html! {
                    @if can_write {
                        p { "A monitor asks a website, server, name or certificate again and again, and tells when it is down; or it waits for signs of life." }
                        a.button.first href="/console/monitors/new" { "Watch something" }
                    } @else { p { "Members of the organization can make monitors." } }
                }))
            } @else { (table(&monitors, &pasts, &date_format, context.shared().clock.now_ms())) }
        }
    };
    Ok(context.show(NavItem::Monitors, "Monitors", &main))
}

fn table(
    monitors: &[ScheduleOut],
    pasts: &[HistoryOut],
    date_format: &DateFormat,
    now_ms: i64,
) -> Markup {
    let none = || number::NONE.to_owned();
    html! {
        table.table.sites {
            caption.hide { "Monitors, newest first" }
            thead { tr {
                th scope="col" { "Monitor" }
                th scope="col" { "Now" }
                th.num scope="col" { "Up, 30 days" }
                th.num scope="col" { "Answers in" }
                th scope="col" { "Checked" }
            } }
            tbody { @for (monitor, past) in monitors.iter().zip(pasts) { tr {
                td {
                    a.name href=(WholeOut::path(&[&monitor.id])) { (monitor_name(monitor)) }
                    span.dim { (monitor.fields.kind.as_str()) @if let Some(url) = address(monitor) { " · " (url) } @if let Some(group) = &monitor.fields.group { " · " (group) } }
                }
                td { (draw_state(monitor)) }
                td.num data-label="Up" { (mean(past, |day| day.uptime_percentage).map_or_else(none, number::percent)) }
                td.num data-label="Answers in" { (mean(past, |day| day.avg_response_time).map_or_else(none, number::millis)) }
                td data-label="Checked" { @match monitor.last_checked_at.as_deref().and_then(moment) {
                    Some(at) => (time(at, &ago(at, now_ms), date_format)),
                    None => span.dim { "never" },
                } }
            } } }
        }
    }
}
