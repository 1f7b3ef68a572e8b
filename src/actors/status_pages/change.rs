//! Applies changes to a page. Pure, except for new ids.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    Incident, IncidentKind, IncidentStatus, Logo, NewIncident, PageMonitor, PageMonitorFields,
    PastIncident, Postmortem, StatusPage, StatusPageError, past, rules,
};
use crate::{
    actors::{change::Change as FieldChange, patch::patched},
    fault::Issue,
    ids::{IncidentId, MonitorId, OrganizationId},
};

const MAX_MONITORS: usize = 200;

#[derive(Debug, Clone)]
pub enum Change {
    /// Fields by their names on the wire, and the hash of the password; absent fields stay.
    Fields(Map<String, Value>, FieldChange<String>),
    /// Sets or removes the logo.
    Logo(Option<Logo>),
    AddMonitor(MonitorId),
    RemoveMonitor(MonitorId),
    /// Settings of a monitor: its id on the page, and fields by their names on the wire.
    MonitorSettings(String, Map<String, Value>),
    /// The new organization, and whether the page keeps its monitors.
    Transfer(OrganizationId, bool),
    CreateIncident(NewIncident),
    /// Adds an incident that is over, of which nobody is told.
    AddPastIncident(PastIncident),
    /// Adds an update with a new status.
    UpdateIncident(IncidentId, IncidentStatus, String),
    /// Sets or removes a postmortem.
    Postmortem(IncidentId, Option<String>),
    DeleteIncident(IncidentId),
}

pub(super) fn apply(
    before: &StatusPage,
    change: Change,
    now_ms: i64,
) -> Result<StatusPage, StatusPageError> {
    let mut page = StatusPage {
        updated_ms: now_ms,
        ..before.clone()
    };
    match change {
        Change::Fields(patch, password) => {
            let fields = patched(("status page", &page.fields), &patch, "");
            let fields = fields.and_then(rules::check_page);
            page.fields = fields?;
            page.password_hash = password.apply(before.password_hash.as_ref());
        }
        Change::Logo(logo) => page.logo = logo.map(Arc::new),
        Change::AddMonitor(monitor) => add_monitor(&mut page, monitor)?,
        Change::RemoveMonitor(monitor) => remove_monitor(&mut page, &monitor)?,
        Change::MonitorSettings(id, patch) => {
            let one = page.monitors.iter_mut().find(|one| one.id == id);
            let one = one.ok_or(StatusPageError::NoMonitor(id))?;
            let fields = patched(("monitor of a status page", &one.fields), &patch, "");
            let fields = fields.and_then(rules::check_listed);
            one.fields = fields?;
            page.monitors.sort_by_key(|one| one.fields.order);
        }
        Change::Transfer(to, with_monitors) => {
            if page.organization == to {
                let message = "The status page is already in this organization";
                return Err(StatusPageError::refused(message));
            }
            page.organization = to;
            if !with_monitors {
                page.monitors.clear();
                for one in &mut page.incidents {
                    one.affected.clear();
                }
            }
        }
        Change::CreateIncident(new) => open_incident(&mut page, new, now_ms)?,
        Change::AddPastIncident(told) => past::add(&mut page, told, now_ms)?,
        Change::UpdateIncident(id, status, message) => {
            add_update(&mut page, id, (status, message), now_ms)?;
        }
        Change::Postmortem(id, text) => set_postmortem(&mut page, id, text, now_ms)?,
        Change::DeleteIncident(id) => {
            let count = page.incidents.len();
            page.incidents.retain(|one| one.id != id);
            if page.incidents.len() == count {
                return Err(StatusPageError::NoIncident(id));
            }
        }
    }
    Ok(page)
}

fn add_monitor(page: &mut StatusPage, monitor: MonitorId) -> Result<(), StatusPageError> {
    if page.monitors.iter().any(|one| one.monitor == monitor) {
        return Err(StatusPageError::refused(
            "This monitor is already on the page",
        ));
    }
    if page.monitors.len() >= MAX_MONITORS {
        return Err(StatusPageError::refused("A page has at most 200 monitors"));
    }
    let last = page.monitors.iter().map(|one| one.fields.order).max();
    page.monitors.push(PageMonitor {
        id: uuid::Uuid::now_v7().to_string(),
        monitor,
        fields: PageMonitorFields {
            order: last.map_or(0, |last| last.saturating_add(1).min(100_000)),
            ..PageMonitorFields::default()
        },
    });
    Ok(())
}

fn remove_monitor(page: &mut StatusPage, monitor: &MonitorId) -> Result<(), StatusPageError> {
    let mut all = page.monitors.iter();
    let Some(at) = all.position(|one| one.monitor == *monitor) else {
        return Err(StatusPageError::refused("This monitor is not on the page"));
    };
    let gone = page.monitors.remove(at).id;
    for one in &mut page.incidents {
        one.affected
            .retain(|hit| hit.status_page_monitor_id != gone);
    }
    Ok(())
}

fn open_incident(
    page: &mut StatusPage,
    new: NewIncident,
    now_ms: i64,
) -> Result<(), StatusPageError> {
    let new = rules::check_incident(new)?;
    rules::require_known(page, &new.affected)?;
    let kind = match new.planned {
        Some(_) => IncidentKind::Maintenance,
        None => IncidentKind::Incident,
    };
    let texts = (new.title.trim().to_owned(), new.message);
    let incident = Incident {
        starts_ms: new.planned.map(|(start, _)| start),
        ends_ms: new.planned.map(|(_, end)| end),
        affected: new.affected,
        automatic: new.automatic && new.planned.is_some(),
        verify_ms: new.verify_ms,
        ..Incident::new(kind, texts, new.severity, now_ms)
    };
    page.incidents.insert(0, incident);
    drop_oldest(page)
}

fn set_postmortem(
    page: &mut StatusPage,
    id: IncidentId,
    text: Option<String>,
    now_ms: i64,
) -> Result<(), StatusPageError> {
    let text = text.map(|text| rules::check_message(text, rules::MAX_POSTMORTEM));
    let text = text.transpose();
    let text = text?;
    let one = page.incident(id)?;
    if !one.is_over() {
        let message = "Resolve the incident before you add a postmortem";
        return Err(StatusPageError::refused(message));
    }
    one.postmortem = text.map(|message| Postmortem {
        message,
        created_ms: now_ms,
    });
    drop_oldest(page)
}

/// Drops the oldest incidents that are over until the page is within its limits.
pub(super) fn drop_oldest(page: &mut StatusPage) -> Result<(), StatusPageError> {
    while rules::is_full(page) {
        let Some(oldest) = page.incidents.iter().rposition(Incident::is_over) else {
            return Err(StatusPageError::refused(
                "A page has at most 500 incidents and 4 MiB of text that are not over",
            ));
        };
        page.incidents.remove(oldest);
    }
    Ok(())
}

fn add_update(
    page: &mut StatusPage,
    id: IncidentId,
    (status, message): (IncidentStatus, String),
    now_ms: i64,
) -> Result<(), StatusPageError> {
    let message = rules::check_message(message, rules::MAX_MESSAGE)?;
    let one = page.incident(id)?;
    if !status.applies_to(one.kind) {
        let message = format!("`{}` doesn't apply to this kind", status.as_str());
        let issue = Issue::new("invalid_value", "status", message);
        return Err(vec![issue].into());
    }
    if one.updates.len() >= rules::MAX_UPDATES {
        return Err(StatusPageError::refused(
            "An incident has at most 200 updates",
        ));
    }
    one.add_update(status, message, now_ms);
    drop_oldest(page)
}
