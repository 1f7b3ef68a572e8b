//! One incident: its timeline, the form of an update, and the postmortem.

use serde_json::{Map, Value, json};

use super::{
    draw_markdown,
    incidents::{
        STAGES, STANDINGS, at, begins, ends, is_over, is_planned, load_incidents, nature,
        status_mark,
    },
    report::{message, wants_preview},
};
use crate::{
    actors::status_pages::Impact,
    fault::Kind,
    http::{
        pages::{prelude::*, resource::submit_change},
        procedures::status_page::{
            bodies::PostmortemBody,
            incidents,
            wire::{IncidentOut, PageOut, WholePageOut},
        },
    },
    locale::Texts,
    pages::part::{Field, Form, choice, panel},
};

pub(super) fn routes() -> Vec<Route> {
    let mut routes = resource::routes::<Incident>();
    let path = "/console/status-page/{page}/incident/{incident}/learned";
    routes.push(form_route(path, |route| route.to(learn)));
    routes
}

/// An incident on its page.
pub(in crate::http::pages) struct Incident {
    page: PageOut,
    incident: IncidentOut,
}

impl Resource for Incident {
    const PATH: &'static str = "/console/status-page/{page}/incident/{incident}";
    const LIST: &'static str = "/console/status-page/{page}";
    const NAV_ITEM: NavItem = NavItem::StatusPages;
    const ID: &'static str = "incidentId";
    const WRITE: Option<Permission> = Some(Permission::StatusPageWrite);
    const DONE: &'static str = "Published.";
    const UPDATE: Option<Procedure> = Some(incidents::UPDATE_INCIDENT.erase());
    const DELETE: Option<Action> = Some((
        "/console/status-page/{page}/incident/{incident}/delete",
        incidents::DELETE_INCIDENT.erase(),
    ));

    async fn load(context: &PageContext, key: &Key) -> Result<Self, Fault> {
        let all = load_incidents(context, key.parent()).await?;
        let one = all.into_iter().find(|one| one.id == key.id());
        Ok(Self {
            incident: one.ok_or_else(|| Fault::not_found("Incident", key.id()))?,
            page: super::load_page(context, key.parent()).await?.page,
        })
    }

    fn title(&self) -> &str {
        &self.incident.title
    }

    fn read(&self, _: &Inputs<'_>, sent: &FormData) -> Result<Map<String, Value>, Fault> {
        let fields = ["status", "message"].map(|name| (name.to_owned(), json!(sent.text(name))));
        Ok(Map::from_iter(fields))
    }

    async fn change(&self, edit: &Edit<'_>) -> Result<Reply, Fault> {
        if wants_preview(edit.sent) {
            return Ok(Reply::Preview(html! {}));
        }
        submit_change(self, edit).await
    }

    fn head(&self, _: &Page<'_>) -> Markup {
        html! {
            div.title-row {
                h1 { (self.incident.title) }
                (status_mark(&self.incident))
                a href=(WholePageOut::path(&[&self.page.id])) { (self.page.fields.name) }
            }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let incident = &self.incident;
        Ok(html! {
            div.grid {
                (panel("Timeline", &timeline(incident, page.date_format)))
                div {
                    (panel("Details", &facts(incident, page.date_format)))
                    @if page.can_change { (panel("Post update", &draw_update_form(incident, page.path, page.sent, page.problems))) }
                }
            }
            @if page.can_change && is_over(incident) { (panel("Postmortem", &draw_postmortem(incident, page.path, page.sent, page.problems))) }
            @else if let Some(text) = &incident.postmortem { (panel("Postmortem", &draw_markdown(text))) }
            (page.deletion("Delete incident…", "It is removed from the page. Messages that were sent stay sent."))
        })
    }
}

fn timeline(incident: &IncidentOut, date_format: &DateFormat) -> Markup {
    html! {
        ol.told { @for one in &incident.updates { li {
            p { strong { (one.status.label(Texts::ENGLISH)) } " " span.dim { (at(Some(&one.created_at), date_format)) } }
            (draw_markdown(&one.message))
        } } }
    }
}

fn facts(incident: &IncidentOut, date_format: &DateFormat) -> Markup {
    html! {
        dl.facts {
            dt { "Type" } dd { (nature(incident)) }
            dt { "Started" } dd { (at(Some(begins(incident)), date_format)) }
            dt { "Ended" } dd { (at(ends(incident), date_format)) }
            @for one in &incident.affected_monitors {
                dt { "Affected" } dd { (one.monitor_name) ": " @if one.impact == Impact::Down { "Outage" } @else { "Degraded" } }
            }
            @if incident.automatic { dt { "Managed" } dd { "Automatically" } }
        }
    }
}

/// The form for another update.
fn draw_update_form(
    incident: &IncidentOut,
    own: &str,
    sent: &FormData,
    problems: &Problems,
) -> Markup {
    let among = if is_planned(incident) {
        STAGES
    } else {
        STANDINGS
    };
    let form = Form {
        action: own,
        send: "Publish",
        problems: &Problems::NONE,
        fields: &["message", "status"],
    };
    let status = sent.some("status").unwrap_or(incident.status.as_str());
    form.around(&html! {
        (choice("status", "Status", &among, status))
        (message(sent, problems))
    })
}

fn draw_postmortem(
    incident: &IncidentOut,
    own: &str,
    sent: &FormData,
    problems: &Problems,
) -> Markup {
    let action = format!("{own}/learned");
    let form = Form {
        action: &action,
        send: "Save",
        problems: &Problems::NONE,
        fields: &["learned"],
    };
    let before = incident.postmortem.as_deref().unwrap_or_default();
    let text = sent.some("learned").unwrap_or(before);
    let field = Field::text("learned", "Message")
        .hint("Markdown. What happened, why, and what you change. Leave empty to hide it.");
    html! {
        @if !before.is_empty() { (draw_markdown(before)) }
        (form.around(&field.value(text).optional().lines(8, problems)))
    }
}

async fn learn(form: Submission) -> Result<HttpResponse, Fault> {
    let input = PostmortemBody {
        incident_id: form.key.id().to_owned(),
        message: form.sent.some("learned").map(str::to_owned),
    };
    let outcome = form.context.ask(&incidents::SET_POSTMORTEM, input).await;
    let outcome = outcome.map_err(about_learned);
    form.finish_change::<Incident>(outcome).await
}

/// Another form of the page has a field of the procedure's name.
fn about_learned(mut fault: Fault) -> Fault {
    if let Kind::Invalid { issues } = &mut fault.kind {
        let own = issues.iter_mut().filter(|issue| issue.field == "message");
        own.for_each(|issue| "learned".clone_into(&mut issue.field));
    }
    fault
}
