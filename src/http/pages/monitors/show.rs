//! One monitor: its state, its history, its settings, and the form of a new one.

use serde_json::{Map, Value};

use super::{address, draw_state, fields, monitor_name, past};
use crate::{
    actors::monitors::Kind,
    http::{
        pages::{daily::Daily, prelude::*, resource::id_input},
        procedures::{
            uptime::{self, HistoryBody},
            uptime_wire::{CheckOut, ScheduleOut, WholeOut},
        },
    },
    pages::{
        part::{button, copyable, panel, time},
        time::{ago, moment},
    },
};

impl Resource for WholeOut {
    const PATH: &'static str = "/console/monitor/{monitor}";
    const LIST: &'static str = "/console/monitors";
    const NAV_ITEM: NavItem = NavItem::Monitors;
    const ID: &'static str = "scheduleId";
    const WRITE: Option<Permission> = Some(Permission::MonitorWrite);
    const FORM: &'static [Section] = fields::FORM;
    const UPDATE: Option<Procedure> = Some(uptime::UPDATE_SCHEDULE.erase());
    const ACTIONS: &'static [Action] = &[
        (
            "/console/monitor/{monitor}/check",
            uptime::MANUAL_CHECK.erase(),
        ),
        (
            "/console/monitor/{monitor}/pause",
            uptime::PAUSE_SCHEDULE.erase(),
        ),
        (
            "/console/monitor/{monitor}/resume",
            uptime::RESUME_SCHEDULE.erase(),
        ),
    ];
    const DELETE: Option<Action> = Some((
        "/console/monitor/{monitor}/delete",
        uptime::DELETE_SCHEDULE.erase(),
    ));

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        let input = id_input::<Self>(key);
        context.submit(&uptime::GET_SCHEDULE, input).await
    }

    fn title(&self) -> &str {
        monitor_name(&self.schedule)
    }

    fn kind(&self) -> &'static str {
        self.schedule.fields.kind.as_str()
    }

    fn fill(&self, inputs: &Inputs<'_>) -> Result<FormData, Fault> {
        fields::fill(&self.schedule.fields, inputs)
    }

    fn read(&self, inputs: &Inputs<'_>, sent: &FormData) -> Result<Map<String, Value>, Fault> {
        fields::read(inputs, sent)
    }

    async fn choices(context: &PageContext) -> Result<Choices, Fault> {
        Ok(Choices::default().with("websiteId", context.websites()))
    }

    fn head(&self, page: &Page<'_>) -> Markup {
        let monitor = &self.schedule;
        html! {
            div.title-row {
                h1 { (monitor_name(monitor)) }
                (draw_state(monitor))
                div.actions {
                    (Daily::from_query(page.context, page.date_format).tabs(page.path))
                    @if page.can_change {
                        @if monitor.fields.kind != Kind::Push { (button(&page.below("check"), "Check now")) }
                        @if monitor.is_paused { (button(&page.below("resume"), "Go on")) }
                        @else { (button(&page.below("pause"), "Pause")) }
                    }
                }
            }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let (context, date_format) = (page.context, page.date_format);
        let monitor = &self.schedule;
        let daily = Daily::from_query(context, date_format);
        let body = HistoryBody {
            schedule_id: monitor.id.clone(),
            days: daily.count,
        };
        let history = context.ask(&uptime::GET_SCHEDULE_HISTORY, body).await?;
        let times = past::times(context, &monitor.id, &daily, date_format).await;
        Ok(html! {
            div.grid {
                (panel("Now", &now(monitor, self.last_check.as_ref(), date_format, page.now_ms)))
                @if let Some(check) = &self.last_check { (panel("Where the last check spent its time", &past::phases(check))) }
            }
            (panel("Uptime", &past::uptime(&history, &daily)))
            (panel("Response times (median)", &times))
            (panel("Changes", &past::changes(&history, date_format)))
            @if page.can_change {
                div.grid {
                    (page.settings())
                    (page.deletion("Delete this monitor…", "It is not checked any more; its checks stay."))
                }
            }
        })
    }
}

pub(super) struct NewMonitor;

impl Creation for NewMonitor {
    type Resource = WholeOut;
    const PATH: &'static str = "/console/monitors/new";
    const TITLE: &'static str = "Watch something";
    const SEND: &'static str = "Watch it";
    const FORM: &'static [Section] = fields::NEW;
    const CREATE: Procedure = uptime::CREATE_SCHEDULE.erase();

    async fn read(draft: &Draft<'_>) -> Result<Map<String, Value>, Fault> {
        let inputs = Inputs {
            kind: draft.sent.some("kind").unwrap_or("http"),
            ..draft.inputs
        };
        fields::read(&inputs, draft.sent)
    }
}

fn now(
    monitor: &ScheduleOut,
    last: Option<&CheckOut>,
    date_format: &DateFormat,
    now_ms: i64,
) -> Markup {
    let kind = monitor.fields.kind.as_str();
    html! {
        dl.facts {
            dt { "Stands" } dd { (draw_state(monitor)) }
            @if let Some(at) = monitor.since.as_deref().and_then(moment) { dt { "Since" } dd { (time(at, &date_format.moment(at), date_format)) " (" (ago(at, now_ms)) ")" } }
            dt { "Watches" } dd { @match address(monitor) { Some(url) => { @if !url.starts_with(&format!("{kind}:")) { (kind) " " } (url) }, None => (kind) } }
            @if let Some(at) = monitor.last_checked_at.as_deref().and_then(moment) { dt { "Checked" } dd { (time(at, &ago(at, now_ms), date_format)) } }
            @if let Some(last) = last {
                @if last.http_code > 0 { dt { "Status" } dd { (last.http_code) } }
                @if let Some(address) = &last.address { dt { "Reached at" } dd { (address) } }
                @if let Some(at) = last.ssl_expiry.as_deref().and_then(moment) {
                    dt { "Certificate until" }
                    dd { (time(at, &date_format.date(at), date_format)) @if last.ssl_valid == Some(false) { " " span.state.bad { "not to be trusted" } } }
                }
                @if let Some(error) = &last.error { dt { "Error" } dd { (error) } }
            }
        }
        @if let Some(url) = &monitor.push_url {
            p { "The program calls this address when it is well; with " code { "/start" } " and " code { "/fail" } " behind it, when it begins and when it fails:" }
            (copyable("Address to call", url))
        }
    }
}
