//! One incident: what was said of it, saying more, what was learned.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde_json::json;

use super::{
    draw_markdown,
    incidents::{
        STAGES, STANDINGS, at, begins, ends, is_over, is_planned, load_incidents, nature,
        status_mark, status_word,
    },
    path,
    report::{message, wants_preview},
};
use crate::{
    access::Permission,
    actors::status_pages::Impact,
    fault::{Fault, Kind},
    http::{
        pages::{
            context::PageContext,
            form::FormData,
            page,
            resource::{self, Page, Resource, delete, named, show},
            sent,
        },
        procedures::status_page::{
            bodies::PostmortemBody,
            incidents,
            wire::{IncidentOut, PageOut},
        },
        routes::Route,
    },
    pages::{
        frame::Place,
        part::{Field, Form, choice, panel},
        problem::Problems,
        time::DateFormat,
    },
};

pub(super) fn routes() -> Vec<Route> {
    let own = "/console/status-page/{page}/incident/{incident}";
    vec![
        page(own, |route| route.to(show::<Incident>)),
        sent(own, |route| route.to(say)),
        sent(
            "/console/status-page/{page}/incident/{incident}/learned",
            |route| route.to(learn),
        ),
        sent(
            "/console/status-page/{page}/incident/{incident}/delete",
            |route| {
                route.to(|context, key| {
                    delete::<Incident, _, _>(context, key, &incidents::DELETE_INCIDENT)
                })
            },
        ),
    ]
}

/// A page's id and an incident's.
type Ids = (String, String);

/// An incident on its page.
struct Incident {
    page: PageOut,
    incident: IncidentOut,
}

impl Resource for Incident {
    type Key = Ids;
    const PLACE: Place = Place::StatusPages;
    const ID: &'static str = "incidentId";
    const WRITE: Permission = Permission::StatusPageWrite;
    const OTHERS: &'static [&'static str] = &["message", "status", "learned"];
    const DONE: &'static str = "It is told.";

    fn path(ids: &Ids) -> String {
        format!("{}/incident/{}", path(&ids.0), ids.1)
    }

    fn list(ids: &Ids) -> String {
        path(&ids.0)
    }

    async fn load(context: &PageContext, ids: &Ids) -> Result<Self, Fault> {
        let all = load_incidents(context, &ids.0).await?;
        let one = all.into_iter().find(|one| one.id == ids.1);
        Ok(Self {
            incident: one.ok_or_else(|| Fault::not_found("Incident", &ids.1))?,
            page: super::load_page(context, &ids.0).await?.page,
        })
    }

    fn title(&self) -> &str {
        &self.incident.title
    }

    fn head(&self, _: &Page<'_>) -> Markup {
        html! {
            div.title-row {
                h1 { (self.incident.title) }
                (status_mark(&self.incident))
                a href=(path(&self.page.id)) { (self.page.fields.name) }
            }
        }
    }

    async fn main(&self, page: &Page<'_>) -> Result<Markup, Fault> {
        let incident = &self.incident;
        Ok(html! {
            div.grid {
                (panel("What was said", &timeline(incident, page.date_format)))
                div {
                    (panel("Facts", &facts(incident, page.date_format)))
                    @if page.may { (panel("Say more", &saying(incident, page.path, page.sent, page.problems))) }
                }
            }
            @if page.may && is_over(incident) { (panel("What was learned", &learned(incident, page.path, page.sent, page.problems))) }
            @else if let Some(text) = &incident.postmortem { (panel("What was learned", &draw_markdown(text))) }
            (page.deletion("Delete this incident…", "It is gone from the page as if it had never been; who was told of it stays told."))
        })
    }
}

fn timeline(incident: &IncidentOut, date_format: &DateFormat) -> Markup {
    html! {
        ol.told { @for one in &incident.updates { li {
            p { strong { (status_word(one.status)) } " " span.dim { (at(Some(&one.created_at), date_format)) } }
            (draw_markdown(&one.message))
        } } }
    }
}

fn facts(incident: &IncidentOut, date_format: &DateFormat) -> Markup {
    html! {
        dl.facts {
            dt { "Is" } dd { (nature(incident)) }
            dt { "From" } dd { (at(Some(begins(incident)), date_format)) }
            dt { "Until" } dd { (at(ends(incident), date_format)) }
            @for one in &incident.affected_monitors {
                dt { (one.monitor_name) } dd { @if one.impact == Impact::Down { "does not work" } @else { "works badly" } }
            }
            @if incident.automatic { dt { "Goes" } dd { "by itself" } }
        }
    }
}

/// The form for another update.
fn saying(incident: &IncidentOut, own: &str, sent: &FormData, problems: &Problems) -> Markup {
    let among = if is_planned(incident) {
        STAGES
    } else {
        STANDINGS
    };
    let form = Form {
        action: own,
        send: "Tell everybody",
        problems: &Problems::NONE,
        fields: &["message", "status"],
    };
    let status = sent.some("status").unwrap_or(incident.status.as_str());
    form.around(&html! {
        (choice("status", "It stands", &among, status))
        (message(sent, problems))
    })
}

fn learned(incident: &IncidentOut, own: &str, sent: &FormData, problems: &Problems) -> Markup {
    let action = format!("{own}/learned");
    let form = Form {
        action: &action,
        send: "Save",
        problems: &Problems::NONE,
        fields: &["learned"],
    };
    let before = incident.postmortem.as_deref().unwrap_or_default();
    let text = sent.some("learned").unwrap_or(before);
    let field = Field::text("learned", "For readers, in Markdown").hint("What happened, why, and what is done so that it does not come again. Empty: nothing is shown.");
    html! {
        @if !before.is_empty() { (draw_markdown(before)) }
        (form.around(&field.value(text).optional().lines(8, problems)))
    }
}

async fn say(
    context: PageContext,
    ids: web::Path<Ids>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    if wants_preview(&sent) {
        let incident = Incident::load(&context, &ids).await?;
        return resource::draw::<Incident>(&context, &ids, &incident, Some(&sent), None).await;
    }
    let mut input = named::<Incident>(&ids);
    for name in ["status", "message"] {
        input.insert(name.to_owned(), json!(sent.text(name)));
    }
    let outcome = context.submit(&incidents::UPDATE_INCIDENT, input).await;
    done(&context, &ids, &sent, outcome).await
}

async fn learn(
    context: PageContext,
    ids: web::Path<Ids>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let input = PostmortemBody {
        incident_id: ids.1.clone(),
        message: sent.some("learned").map(str::to_owned),
    };
    let outcome = context.ask(&incidents::SET_POSTMORTEM, input).await;
    let outcome = outcome.map_err(about_learned);
    done(&context, &ids, &sent, outcome).await
}

/// Another form of the page has a field of the procedure's name.
fn about_learned(mut fault: Fault) -> Fault {
    if let Kind::Invalid { issues } = &mut fault.kind {
        let own = issues.iter_mut().filter(|issue| issue.field == "message");
        own.for_each(|issue| "learned".clone_into(&mut issue.field));
    }
    fault
}

async fn done<O>(
    context: &PageContext,
    ids: &Ids,
    sent: &FormData,
    outcome: Result<O, Fault>,
) -> Result<HttpResponse, Fault> {
    let path = format!("{}?done=1", Incident::path(ids));
    resource::done::<Incident, O>(context, ids, outcome, Some(sent), &path).await
}
