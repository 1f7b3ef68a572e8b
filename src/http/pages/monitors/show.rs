//! One monitor: its overview, its settings, and the form of a new one.

use serde_json::{Map, Value};

use super::{draw_status, fields, monitor_name, overview, suggest};
use crate::{
    actors::monitors::Kind,
    http::{
        pages::{prelude::*, resource::id_input},
        procedures::{bodies::OrganizationBody, probes, uptime, uptime_wire::WholeOut},
    },
    pages::{
        frame::Choice,
        part::{button, panel},
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

    fn changed_path(key: &Key) -> String {
        format!("{}?tab=settings&done=1", key.fill(Self::PATH))
    }

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
        let probes = context
            .ask(&probes::LIST, OrganizationBody::default())
            .await?;
        let probes = probes.into_iter().map(|probe| Choice {
            id: probe.id,
            name: probe.fields.name,
        });
        let choices = Choices::default().with("websiteId", context.websites());
        Ok(choices.with("places", probes.collect()))
    }

    fn head(&self, page: &Page<'_>) -> Markup {
        let monitor = &self.schedule;
        let is_settings = shows_settings(page);
        let tab = |path: &str, label: &str, is_here: bool| {
            html! { a href=(path) aria-current=[is_here.then_some("page")] { (label) } }
        };
        html! {
            div.title-row {
                h1 { (monitor_name(monitor)) }
                (draw_status(monitor))
                @if page.can_change { div.actions {
                    @if monitor.fields.kind != Kind::Push { (button(&page.below("check"), "Check now")) }
                    @if monitor.is_paused { (button(&page.below("resume"), "Resume")) }
                    @else { (button(&page.below("pause"), "Pause")) }
                } }
            }
            @if page.can_change {
                nav.tabs.monitor-tabs aria-label="Monitor" {
                    (tab(page.path, "Overview", !is_settings))
                    (tab(&format!("{}?tab=settings", page.path), "Settings", is_settings))
                }
            }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        if !shows_settings(page) {
            return overview::draw(self, page).await;
        }
        Ok(html! {
            (page.settings())
            (page.deletion("Delete monitor…", "Checks stop. Recorded checks are kept."))
        })
    }
}

/// Whether the page shows its form, as it does after a form with problems.
fn shows_settings(page: &Page<'_>) -> bool {
    let is_sent = page.context.request.path() == page.path && !page.problems.is_empty();
    page.can_change && (is_sent || page.context.parameter("tab") == "settings")
}

pub(super) struct NewMonitor;

impl Creation for NewMonitor {
    type Resource = WholeOut;
    const PATH: &'static str = "/console/monitors/new";
    const TITLE: &'static str = "Create monitor";
    const SEND: &'static str = "Create monitor";
    const FORM: &'static [Section] = fields::NEW;
    const CREATE: Procedure = uptime::CREATE_SCHEDULE.erase();

    async fn draw(draft: &Draft<'_>, problems: &Problems) -> Result<Markup, Fault> {
        let form = Self::draw_form(draft, problems).await?;
        let suggest = suggest::draw_form("", &Problems::NONE);
        Ok(html! {
            div.title-row { h1 { (Self::TITLE) } }
            (panel("Suggest monitors", &suggest))
            section.panel { (form) }
        })
    }

    async fn read(draft: &Draft<'_>) -> Result<Map<String, Value>, Fault> {
        let inputs = Inputs {
            kind: draft.sent.some("kind").unwrap_or("http"),
            ..draft.inputs
        };
        fields::read(&inputs, draft.sent)
    }
}
