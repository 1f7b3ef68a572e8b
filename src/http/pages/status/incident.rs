//! One incident: what was said of it, saying more, what was learned.

use actix_web::{HttpResponse, web};
use maud::{Markup, html};
use serde_json::Map;

use super::{
    incidents::{
        STAGES, STANDINGS, at, begins, ends, is_over, is_planned, listed, nature, status_mark,
        status_word,
    },
    path,
    report::{message, wants_preview},
    said,
};
use crate::{
    access::Permission,
    actors::status_pages::Impact,
    fault::{Fault, Kind},
    http::{
        pages::{
            answer,
            context::{PageContext, told},
            form::FormData,
            page, sent,
        },
        procedures::status_page::{
            bodies::{IncidentIdBody, PostmortemBody},
            incidents,
            wire::IncidentOut,
        },
        routes::Route,
    },
    pages::{
        frame::Place,
        part::{Field, Form, choice, confirm, notice, panel},
        problem::Problems,
        time::DateFormat,
    },
};

pub(super) fn routes() -> Vec<Route> {
    let own = "/console/status-page/{page}/incident/{incident}";
    vec![
        page(own, |route| route.to(show)),
        sent(own, |route| route.to(say)),
        sent(
            "/console/status-page/{page}/incident/{incident}/learned",
            |route| route.to(learn),
        ),
        sent(
            "/console/status-page/{page}/incident/{incident}/delete",
            |route| route.to(delete),
        ),
    ]
}

/// A page's id and an incident's.
type Ids = web::Path<(String, String)>;

fn own(ids: &(String, String)) -> String {
    format!("{}/incident/{}", path(&ids.0), ids.1)
}

async fn found(context: &PageContext, ids: &(String, String)) -> Result<IncidentOut, Fault> {
    let all = listed(context, &ids.0).await?;
    let one = all.into_iter().find(|one| one.id == ids.1);
    one.ok_or_else(|| Fault::not_found("Incident", &ids.1))
}

async fn show(context: PageContext, ids: Ids) -> Result<HttpResponse, Fault> {
    let incident = found(&context, &ids).await?;
    let main = draw(
        &context,
        &ids,
        &incident,
        &FormData::default(),
        &Problems::NONE,
    )
    .await?;
    Ok(context.show(Place::StatusPages, &incident.title, &main))
}

async fn draw(
    context: &PageContext,
    ids: &(String, String),
    incident: &IncidentOut,
    sent: &FormData,
    problems: &Problems,
) -> Result<Markup, Fault> {
    let page = super::found(context, &ids.0).await?.page;
    let date_format = context.date_format().await?;
    let may = context.may(Permission::StatusPageWrite);
    let own = own(ids);
    Ok(html! {
        div.title-row {
            h1 { (incident.title) }
            (status_mark(incident))
            a href=(path(&page.id)) { (page.fields.name) }
        }
        @if context.parameter("done") == "1" { (notice("good", &html! { "It is told." })) }
        @for said in problems.above(&["message", "status", "learned"]) { (notice("bad", &html! { (said) })) }
        div.grid {
            (panel("What was said", &timeline(incident, &date_format)))
            div {
                (panel("Facts", &facts(incident, &date_format)))
                @if may { (panel("Say more", &saying(incident, &own, sent, problems))) }
            }
        }
        @if may && is_over(incident) { (panel("What was learned", &learned(incident, &own, sent, problems))) }
        @else if let Some(text) = &incident.postmortem { (panel("What was learned", &said(text))) }
        @if may {
            (panel("Delete", &confirm("Delete this incident…", "It is gone from the page as if it had never been; who was told of it stays told.", &format!("{own}/delete"), "Delete it", &html! {})))
        }
    })
}

fn timeline(incident: &IncidentOut, date_format: &DateFormat) -> Markup {
    html! {
        ol.told { @for one in &incident.updates { li {
            p { strong { (status_word(one.status)) } " " span.dim { (at(Some(&one.created_at), date_format)) } }
            (said(&one.message))
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
        @if !before.is_empty() { (said(before)) }
        (form.around(&field.value(text).optional().lines(8, problems)))
    }
}

async fn say(context: PageContext, ids: Ids, sent: FormData) -> Result<HttpResponse, Fault> {
    if wants_preview(&sent) {
        let incident = found(&context, &ids).await?;
        let main = draw(&context, &ids, &incident, &sent, &Problems::NONE).await?;
        return Ok(context.show(Place::StatusPages, &incident.title, &main));
    }
    let input = [
        ("incidentId", ids.1.as_str()),
        ("status", sent.text("status")),
        ("message", sent.text("message")),
    ];
    let input = Map::from_iter(input.map(|(name, value)| (name.to_owned(), value.into())));
    let outcome = context.submit(&incidents::UPDATE_INCIDENT, input).await;
    done(&context, &ids, &sent, outcome).await
}

async fn learn(context: PageContext, ids: Ids, sent: FormData) -> Result<HttpResponse, Fault> {
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
    ids: &(String, String),
    sent: &FormData,
    outcome: Result<O, Fault>,
) -> Result<HttpResponse, Fault> {
    match outcome {
        Ok(_) => Ok(answer::see(&format!("{}?done=1", own(ids)))),
        Err(fault) => {
            let (refused, problems) = told(fault)?;
            let incident = found(context, ids).await?;
            let main = draw(context, ids, &incident, sent, &problems).await?;
            Ok(context.again(refused, Place::StatusPages, &incident.title, &main))
        }
    }
}

async fn delete(context: PageContext, ids: Ids) -> Result<HttpResponse, Fault> {
    let incident_id = ids.1.clone();
    context
        .ask(&incidents::DELETE_INCIDENT, IncidentIdBody { incident_id })
        .await?;
    Ok(answer::see(&path(&ids.0)))
}
