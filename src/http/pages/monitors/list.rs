//! All monitors as they stand.

use actix_web::HttpResponse;
use futures_util::future::try_join_all;
use maud::{Markup, html};
use serde_json::json;

use super::{History, Monitor, path};
use crate::{
    access::Permission,
    fault::Fault,
    http::{
        pages::{context::PageContext, page},
        routes::Route,
    },
    pages::{
        frame::Place,
        number,
        part::{empty, time},
        time::{DateFormat, ago, moment},
    },
};

pub(super) fn routes() -> Vec<Route> {
    vec![page("/console/monitors", |route| route.to(show))]
}

async fn show(context: PageContext) -> Result<HttpResponse, Fault> {
    let monitors: Vec<Monitor> = context.ask("uptime", "listSchedules", json!({})).await?;
    let past = async |monitor: &Monitor| -> Result<History, Fault> {
        let input = json!({ "scheduleId": monitor.id, "days": 30 });
        context.ask("uptime", "getScheduleHistory", input).await
    };
    let pasts = try_join_all(monitors.iter().map(past)).await?;
    let date_format = context.date_format().await?;
    let may = context.may(Permission::MonitorWrite);
    let down = monitors
        .iter()
        .filter(|monitor| monitor.state == "down" && !monitor.is_paused)
        .count();
    let main = html! {
        div.title-row {
            h1 { "Monitors" }
            @if !monitors.is_empty() {
                @if down > 0 { span.state.bad { (down) " down" } } @else { span.state.good { "nothing is down" } }
            }
            @if may && !monitors.is_empty() { div.actions { a.button.first href="/console/monitors/new" { "Watch something" } } }
        }
        section #monitors.panel data-live="30" {
            @if monitors.is_empty() {
                (empty("Nothing is watched yet", &html! {
                    @if may {
                        p { "A monitor asks a website, server, name or certificate again and again, and tells when it is down; or it waits for signs of life." }
                        a.button.first href="/console/monitors/new" { "Watch something" }
                    } @else { p { "Members of the organization can make monitors." } }
                }))
            } @else { (table(&monitors, &pasts, &date_format, context.shared().clock.now_ms())) }
        }
    };
    Ok(context.show(Place::Monitors, "Monitors", &main))
}

fn table(monitors: &[Monitor], pasts: &[History], date_format: &DateFormat, now_ms: i64) -> Markup {
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
                    a.name href=(path(&monitor.id)) { (monitor.name()) }
                    span.dim { (monitor.kind) @if let Some(url) = monitor.address() { " · " (url) } @if let Some(group) = &monitor.group { " · " (group) } }
                }
                td { (monitor.stands()) }
                td.num data-label="Up" { (past.mean(|day| day.uptime_percentage).map_or_else(none, number::percent)) }
                td.num data-label="Answers in" { (past.mean(|day| day.avg_response_time).map_or_else(none, number::millis)) }
                td data-label="Checked" { @match monitor.last_checked_at.as_deref().and_then(moment) {
                    Some(at) => (time(at, &ago(at, now_ms), date_format)),
                    None => span.dim { "never" },
                } }
            } } }
        }
    }
}
