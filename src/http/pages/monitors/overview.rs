//! The overview of a monitor: its status, response times, uptime and changes. It refreshes by itself.

use super::{
    address, draw_status, history,
    response::{self, Span},
    timing,
};
use crate::{
    actors::monitors::Kind,
    http::{
        pages::prelude::*,
        procedures::{
            uptime::{self, HistoryBody},
            uptime_wire::{ScheduleOut, WholeOut},
        },
    },
    pages::{
        part::{copyable, panel, time},
        problem::capitalize,
        time::{ago, moment},
    },
};

pub(super) async fn draw(whole: &WholeOut, page: &Page<'_>) -> Result<Markup, Fault> {
    let (context, date_format) = (page.context, page.date_format);
    let monitor = &whole.schedule;
    let body = HistoryBody {
        schedule_id: monitor.id.clone(),
        days: history::DAYS,
    };
    let past = context.ask(&uptime::GET_SCHEDULE_HISTORY, body).await?;
    let is_checked = monitor.fields.kind != Kind::Push;
    let span = Span::from_query(context);
    let times = response::draw(context, monitor, span, date_format).await;
    let phases = timing::draw_days(context, &monitor.id, date_format).await;
    Ok(html! {
        div #overview data-live="30" {
            div.grid {
                (panel("Status", &status(whole, date_format, page.now_ms)))
                @if let Some(check) = whole.last_check.as_ref().filter(|_| is_checked) { (timing::draw_check(check)) }
                @if let Some(url) = &monitor.push_url { (panel("Heartbeat URL", &heartbeat(url))) }
            }
            section.panel {
                div.panel-head { h2 { "Response time" } (span.tabs(page.path)) }
                (times)
            }
            (panel("Uptime", &history::draw_uptimes(&whole.last_day, &past)))
            @if is_checked { (phases) }
            (panel("Status changes", &history::draw_changes(&past, date_format)))
        }
    })
}

fn heartbeat(url: &str) -> Markup {
    html! {
        p { "Call this URL when your job succeeds. Append " code { "/start" } " when it begins and " code { "/fail" } " when it fails." }
        (copyable("Heartbeat URL", &format!("curl -fsS {url}")))
    }
}

fn target(monitor: &ScheduleOut) -> Markup {
    let kind = monitor.fields.kind;
    // Most schemes say what it is.
    let shows_kind = |url: &str| !url.starts_with(kind.as_str());
    html! {
        @match address(monitor) {
            Some(url) => { @if shows_kind(url) { (super::kind_label(kind)) " " } (url) },
            None => (super::kind_label(kind)),
        }
    }
}

fn status(whole: &WholeOut, date_format: &DateFormat, now_ms: i64) -> Markup {
    let monitor = &whole.schedule;
    html! {
        dl.facts {
            dt { "Status" } dd { (draw_status(monitor)) }
            @if let Some(at) = monitor.since.as_deref().and_then(moment) { dt { "Since" } dd { (time(at, &date_format.moment(at), date_format)) " (" (ago(at, now_ms)) ")" } }
            dt { "Target" } dd { (target(monitor)) }
            @if let Some(at) = monitor.last_checked_at.as_deref().and_then(moment) { dt { "Last check" } dd { (time(at, &ago(at, now_ms), date_format)) } }
            @if let Some(last) = &whole.last_check {
                @if last.http_code > 0 { dt { "Status code" } dd { (last.http_code) } }
                @if last.total > 0 { dt { "Response time" } dd { (super::draw_ms(Some(last.total as f64 / 1_000.0))) } }
                @if let Some(address) = &last.address { dt { "IP address" } dd { (address) } }
                @if let Some(at) = last.ssl_expiry.as_deref().and_then(moment) {
                    dt { "Certificate expires" }
                    dd { (time(at, &date_format.date(at), date_format)) @if last.ssl_valid == Some(false) { " " span.state.bad { "Not trusted" } } }
                }
                @if let Some(error) = &last.error { dt { "Error" } dd { (capitalize(error)) } }
            }
        }
    }
}
