//! Incidents and maintenance.

use std::sync::Arc;

use super::{
    GROUP,
    bodies::{
        IncidentBody, IncidentIdBody, IncidentUpdateBody, PastIncidentBody, PostmortemBody,
        StatusPageIdBody, moment,
    },
    change, find, owned,
    wire::{DeletedOut, IncidentOut},
};
use crate::{
    access::Permission,
    actors::status_pages::{Change, NewIncident, PastIncident, StatusPage},
    fault::{Fault, Issue},
    http::procedures::Call,
    ids::IncidentId,
};

procedures! { GROUP;
    CREATE_INCIDENT = "createIncident", changes(StatusPageWrite), create_incident(IncidentBody, check) -> IncidentOut:
        "Report an incident, or schedule maintenance (`startsAt`, `endsAt`)";
    ADD_PAST_INCIDENT = "addPastIncident", changes(StatusPageWrite), add_past_incident(PastIncidentBody) -> IncidentOut:
        "Add an incident or maintenance that is over, without notifications";
    UPDATE_INCIDENT = "updateIncident", changes(StatusPageWrite), update_incident(IncidentUpdateBody) -> IncidentOut:
        "Post an update of an incident, with its new status";
    SET_POSTMORTEM = "setPostmortem", changes(StatusPageWrite), set_postmortem(PostmortemBody) -> IncidentOut:
        "Set or remove the postmortem of a resolved incident";
    DELETE_INCIDENT = "deleteIncident", changes(StatusPageWrite), delete_incident(IncidentIdBody) -> DeletedOut:
        "Delete an incident";
    LIST_INCIDENTS = "listIncidents", reads(StatusPageRead), list_incidents(StatusPageIdBody) -> Vec<IncidentOut>:
        "List incidents, newest first";
}

pub(super) async fn create_incident(call: Call, body: IncidentBody) -> Result<IncidentOut, Fault> {
    let page = find(&call, Permission::StatusPageWrite, &body.status_page_id)?;
    let time = |text: &Option<String>| text.as_deref().and_then(moment);
    let planned = time(&body.starts_at).zip(time(&body.ends_at));
    let new = NewIncident {
        title: body.title,
        severity: body.severity,
        message: body.message,
        affected: body.affected_monitors,
        planned,
        automatic: body.automatic.unwrap_or_default(),
        verify_ms: i64::from(body.verify_minutes.unwrap_or_default()) * 60_000,
    };
    let changed = change(&call, &page, Change::CreateIncident(new)).await?;
    let first = changed.incidents.first();
    let first = first.ok_or_else(|| Fault::not_found("Incident", ""))?;
    Ok(IncidentOut::new(&call.shared, &changed, first))
}

pub(super) async fn add_past_incident(
    call: Call,
    body: PastIncidentBody,
) -> Result<IncidentOut, Fault> {
    let page = find(&call, Permission::StatusPageWrite, &body.status_page_id)?;
    let time = |field: &str, text: &str| {
        moment(text).ok_or_else(|| {
            let message = format!("`{field}` is a time such as 2026-12-31T22:00:00Z");
            Fault::issues(message.clone(), vec![Issue::new("invalid", field, message)])
        })
    };
    let mut updates = Vec::with_capacity(body.updates.len());
    for (at, update) in body.updates.into_iter().enumerate() {
        let at_ms = time(&format!("updates.{at}.createdAt"), &update.created_at)?;
        updates.push((update.status, update.message, at_ms));
    }
    let planned = match (&body.starts_at, &body.ends_at) {
        (Some(start), Some(end)) => Some((time("startsAt", start)?, time("endsAt", end)?)),
        (None, None) => None,
        _ => {
            let message = "maintenance has both `startsAt` and `endsAt`";
            let issue = Issue::new("missing", "endsAt", message);
            return Err(Fault::issues(message, vec![issue]));
        }
    };
    let title = body.title.trim().to_owned();
    let first_ms = updates.first().map(|(.., at_ms)| *at_ms);
    let last_ms = updates.last().map_or(0, |(.., at_ms)| *at_ms);
    let told = PastIncident {
        title: body.title,
        severity: body.severity,
        updates,
        affected: body.affected_monitors,
        planned,
        postmortem: body.postmortem.map(|text| (text, last_ms)),
    };
    let changed = change(&call, &page, Change::AddPastIncident(told)).await?;
    let mut all = changed.incidents.iter();
    let one = all.find(|one| one.title == title && Some(one.created_ms) == first_ms);
    let one = one.ok_or_else(|| Fault::not_found("Incident", ""))?;
    Ok(IncidentOut::new(&call.shared, &changed, one))
}

pub(super) async fn update_incident(
    call: Call,
    body: IncidentUpdateBody,
) -> Result<IncidentOut, Fault> {
    let id = IncidentId::from(body.incident_id);
    let page = with_incident(&call, &id)?;
    let said = Change::UpdateIncident(id.clone(), body.status, body.message);
    let changed = change(&call, &page, said).await?;
    let one = changed.incidents.iter().find(|one| one.id == id);
    let one = one.ok_or_else(|| Fault::not_found("Incident", id))?;
    Ok(IncidentOut::new(&call.shared, &changed, one))
}

pub(super) async fn set_postmortem(call: Call, body: PostmortemBody) -> Result<IncidentOut, Fault> {
    let id = IncidentId::from(body.incident_id);
    let page = with_incident(&call, &id)?;
    let changed = change(&call, &page, Change::Postmortem(id.clone(), body.message)).await?;
    let one = changed.incidents.iter().find(|one| one.id == id);
    let one = one.ok_or_else(|| Fault::not_found("Incident", id))?;
    Ok(IncidentOut::new(&call.shared, &changed, one))
}

pub(super) async fn delete_incident(call: Call, body: IncidentIdBody) -> Result<DeletedOut, Fault> {
    let id = IncidentId::from(body.incident_id);
    let page = with_incident(&call, &id)?;
    change(&call, &page, Change::DeleteIncident(id)).await?;
    Ok(DeletedOut::YES)
}

pub(super) async fn list_incidents(
    call: Call,
    body: StatusPageIdBody,
) -> Result<Vec<IncidentOut>, Fault> {
    let page = find(&call, Permission::StatusPageRead, &body.status_page_id)?;
    let all = page.incidents.iter();
    Ok(all
        .map(|one| IncidentOut::new(&call.shared, &page, one))
        .collect())
}

fn with_incident(call: &Call, id: &IncidentId) -> Result<Arc<StatusPage>, Fault> {
    let found = call.shared.status_pages.view().with_incident(id).cloned();
    let thing = ("Incident", id.as_str());
    owned(call, Permission::StatusPageWrite, thing, found)
}
