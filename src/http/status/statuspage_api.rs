//! Documents in the shape of Statuspage's API v2, which many programs read.

use serde_json::{Value, json};

use crate::{
    actors::status_pages::{
        Incident, IncidentKind, IncidentStatus, MonitorSnapshot, MonitorStatus, Overall, Snapshot,
        StatusPage,
    },
    clock::iso_ms,
    http::page_cache::ApiDocument,
};

/// Incidents of a list, as many as Statuspage gives.
const MAX: usize = 50;

impl ApiDocument {
    pub(super) fn answer(self, home: &str, seen: &Snapshot) -> Value {
        let all = |kind: IncidentKind, wanted: fn(&Incident) -> bool| {
            let all = seen.page.incidents.iter();
            let own = all.filter(|one| one.kind == kind && wanted(one)).take(MAX);
            own.map(|one| incident(home, &seen.page, one))
                .collect::<Vec<_>>()
        };
        let incidents = |wanted| all(IncidentKind::Incident, wanted);
        let planned = |wanted| all(IncidentKind::Maintenance, wanted);
        let is_open = |one: &Incident| !one.is_over();
        let mut made = json!({ "page": page(home, &seen.page) });
        if matches!(self, Self::Summary | Self::Status) {
            made["status"] = indicator(seen);
        }
        match self {
            Self::Summary => {
                made["components"] = components(seen).into();
                made["incidents"] = incidents(is_open).into();
                made["scheduled_maintenances"] = planned(is_open).into();
            }
            Self::Status => {}
            Self::Components => made["components"] = components(seen).into(),
            Self::Incidents => made["incidents"] = incidents(|_| true).into(),
            Self::Unresolved => made["incidents"] = incidents(is_open).into(),
            Self::Maintenances => made["scheduled_maintenances"] = planned(|_| true).into(),
            Self::Upcoming => {
                let upcoming = |one: &Incident| one.status == IncidentStatus::Scheduled;
                made["scheduled_maintenances"] = planned(upcoming).into();
            }
            Self::Active => {
                made["scheduled_maintenances"] = planned(Incident::is_in_progress).into();
            }
        }
        made
    }
}

fn page(home: &str, page: &StatusPage) -> Value {
    json!({
        "id": page.id,
        "name": page.fields.name,
        "url": home,
        "time_zone": "Etc/UTC",
        "updated_at": iso_ms(page.updated_ms),
    })
}

/// The overall status in Statuspage's words.
fn indicator(seen: &Snapshot) -> Value {
    let (indicator, description) = match seen.overall {
        Overall::Operational => ("none", "All Systems Operational"),
        Overall::Degraded => ("minor", "Partially Degraded Service"),
        Overall::Outage => ("critical", "Major Service Outage"),
        Overall::Maintenance => ("maintenance", "Service Under Maintenance"),
        Overall::Unknown => ("none", "Status Unknown"),
    };
    json!({ "indicator": indicator, "description": description })
}

/// The words of components, the better the later.
const WORDS: [&str; 4] = [
    "major_outage",
    "degraded_performance",
    "under_maintenance",
    "operational",
];

/// An unknown status is not shown as trouble: Statuspage has no word for it.
const fn word(one: &MonitorSnapshot) -> &'static str {
    match one.status {
        _ if one.in_maintenance => WORDS[2],
        MonitorStatus::Up | MonitorStatus::Unknown => WORDS[3],
        MonitorStatus::Degraded => WORDS[1],
        MonitorStatus::Down => WORDS[0],
    }
}

/// Monitors and their groups; a group comes before its first monitor, with the status of its worst.
fn components(seen: &Snapshot) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for one in &seen.monitors {
        let group = one.listed.fields.group.as_deref();
        let group = group.map(|name| (group_id(&seen.page, name), name));
        if let Some((id, name)) = &group
            && !all.iter().any(|known| known["id"] == **id)
        {
            let own = seen.monitors.iter();
            let own: Vec<&MonitorSnapshot> = own
                .filter(|one| one.listed.fields.group.as_deref() == Some(*name))
                .collect();
            let worst = WORDS
                .iter()
                .find(|worst| own.iter().any(|one| word(one) == **worst));
            let members: Vec<&str> = own.iter().map(|one| one.listed.id.as_str()).collect();
            let checked = own.iter().filter_map(|one| one.checked_ms).max();
            let said = (id.as_str(), *name, *worst.unwrap_or(&WORDS[3]));
            let mut made = component(&seen.page, said, checked, all.len() + 1);
            made["group"] = json!(true);
            made["components"] = json!(members);
            all.push(made);
        }
        let said = (one.listed.id.as_str(), one.name.as_str(), word(one));
        let mut made = component(&seen.page, said, one.checked_ms, all.len() + 1);
        made["group_id"] = json!(group.map(|(id, _)| id));
        all.push(made);
    }
    all
}

/// A group has no id but its name.
fn group_id(page: &StatusPage, name: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher
        .update(page.id.as_str().as_bytes())
        .update(&[0])
        .update(name.as_bytes());
    hasher.finalize().to_hex()[..32].to_owned()
}

fn component(
    page: &StatusPage,
    (id, name, status): (&str, &str, &str),
    checked_ms: Option<i64>,
    position: usize,
) -> Value {
    json!({
        "id": id,
        "name": name,
        "status": status,
        "created_at": iso_ms(page.created_ms),
        "updated_at": iso_ms(checked_ms.unwrap_or(page.updated_ms)),
        "position": position,
        "description": null,
        "showcase": true,
        "start_date": null,
        "group_id": null,
        "group": false,
        "page_id": page.id,
        "only_show_if_degraded": false,
    })
}

fn incident(home: &str, page: &StatusPage, one: &Incident) -> Value {
    let updates = one.updates.iter().map(|said| {
        json!({
            "id": said.id,
            "status": said.status,
            "body": said.message,
            "incident_id": one.id,
            "created_at": iso_ms(said.created_ms),
            "updated_at": iso_ms(said.created_ms),
            "display_at": iso_ms(said.created_ms),
        })
    });
    let mut said = one.updates.iter().rev();
    let watched = said.find(|said| said.status == IncidentStatus::Monitoring);
    let mut made = json!({
        "id": one.id,
        "name": one.title,
        "status": one.status,
        "impact": one.severity,
        "shortlink": format!("{home}#{}", one.id),
        "created_at": iso_ms(one.created_ms),
        "updated_at": iso_ms(one.changed_ms()),
        "monitoring_at": watched.map(|said| iso_ms(said.created_ms)),
        "resolved_at": one.resolved_ms.map(iso_ms),
        "started_at": iso_ms(one.starts_ms.unwrap_or(one.created_ms)),
        "page_id": page.id,
        "incident_updates": updates.collect::<Vec<_>>(),
    });
    if let Some(learned) = &one.postmortem {
        made["postmortem_body"] = json!(learned.message);
        made["postmortem_published_at"] = json!(iso_ms(learned.created_ms));
    }
    if let (Some(starts), Some(ends)) = (one.starts_ms, one.ends_ms) {
        made["impact"] = json!("maintenance");
        made["scheduled_for"] = json!(iso_ms(starts));
        made["scheduled_until"] = json!(iso_ms(ends));
    }
    made
}
