//! Statuspage: answers of its API, or of a page's own (`/api/v2/summary.json`), in one object: `page`, `components`,
//! `incidents`, `scheduled_maintenances` and `subscribers`.
//!
//! The status of a component is set from outside, as that of a push monitor is. So a component becomes a paused one.

use std::collections::HashMap;

use serde_json::Value;

use crate::{
    actors::{
        monitors::{Granularity, Kind, MonitorFields},
        status_pages::{Impact, IncidentStatus, PageFields, PageMonitorFields, Severity},
    },
    importers::{
        Definition, ImportError, IncidentDefinition, MonitorDefinition, PageDefinition, Plan,
        Source, source::check_count, text::one_line,
    },
};

pub(super) fn read(source: &Source<'_>) -> Result<Plan, ImportError> {
    let json = source.json()?;
    if !json["page"].is_object() {
        let message = "The file has no `page` of Statuspage. Put the answers of its API into one object: page, components, incidents, subscribers";
        return Err(ImportError::new(message));
    }
    let list = |name: &str| json[name].as_array().map_or(&[][..], Vec::as_slice);
    let lists = ["components", "incidents", "scheduled_maintenances"].map(list);
    check_count(lists.iter().map(|list| list.len()).sum())?;
    let mut plan = Plan::default();
    let page = read_page(&json["page"], lists[0], &mut plan);
    let slug = page.fields.slug.clone();
    plan.push("page", Definition::Page(Box::new(page)));
    for (path, incidents) in [
        ("incidents", lists[1]),
        ("scheduled_maintenances", lists[2]),
    ] {
        for (at, incident) in incidents.iter().enumerate() {
            let at = format!("{path}[{at}]");
            let title = text(incident, "name").unwrap_or_default();
            match read_incident(incident, &slug, title.clone()) {
                Ok(incident) => plan.push(at, Definition::Incident(Box::new(incident))),
                Err(reason) => plan.omit(at, format!("incident {title}"), reason),
            }
        }
    }
    let subscribers = list("subscribers").len();
    if subscribers > 0 {
        let reason = "Subscribers confirm their address themselves. Send them the link of the page";
        plan.omit("subscribers", format!("{subscribers} subscribers"), reason);
    }
    Ok(plan)
}

fn text(value: &Value, name: &str) -> Option<String> {
    let text = value[name].as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn read_page(page: &Value, components: &[Value], plan: &mut Plan) -> PageDefinition {
    let title = text(page, "name").unwrap_or_default();
    let is_group = |one: &&Value| one["group"] == Value::Bool(true);
    let groups: HashMap<&str, String> = components
        .iter()
        .filter(is_group)
        .filter_map(|group| {
            Some((
                group["id"].as_str()?,
                one_line(group["name"].as_str()?, 100),
            ))
        })
        .collect();
    let mut monitors = Vec::new();
    let mut ordered: Vec<(usize, &Value)> = components.iter().enumerate().collect();
    ordered.sort_by_key(|(_, one)| one["position"].as_i64());
    for (at, one) in ordered {
        let Some(key) = one["id"].as_str() else {
            continue;
        };
        if is_group(&one) {
            continue;
        }
        let group = one["group_id"].as_str().and_then(|id| groups.get(id));
        let fields = MonitorFields {
            kind: Kind::Push,
            name: Some(one_line(&text(one, "name").unwrap_or_default(), 255)),
            group: group.cloned(),
            granularity: Some(Granularity::Day),
            ..MonitorFields::default()
        };
        let monitor = MonitorDefinition {
            key: key.to_owned(),
            fields,
            is_paused: true,
        };
        let at = format!("components[{at}]");
        plan.push(at, Definition::Monitor(Box::new(monitor)));
        let fields = PageMonitorFields {
            group: group.cloned(),
            order: monitors.len() as u32,
            ..PageMonitorFields::default()
        };
        monitors.push((key.to_owned(), fields));
    }
    if !monitors.is_empty() {
        let reason = "They are paused push monitors. Resume them and send heartbeats, or put other monitors in their place";
        plan.omit("components", "checks of components", reason);
    }
    let address = ["url", "domain", "subdomain"]
        .iter()
        .find_map(|field| text(page, field));
    let fields = PageFields {
        slug: slug(&address.unwrap_or_else(|| title.clone())),
        name: one_line(&title, 120),
        description: text(page, "page_description"),
        support_url: text(page, "support_url").filter(|url| url.starts_with("https://")),
        ..PageFields::default()
    };
    PageDefinition { fields, monitors }
}

/// The first part of the host, or the name, of `a-z`, `0-9` and `-`.
fn slug(address: &str) -> String {
    let host = address.split("://").last().unwrap_or_default();
    let first = host
        .split(['.', '/'])
        .find(|part| !["status", "www", ""].contains(part));
    let letters = first.unwrap_or("status-page").to_lowercase();
    let letters = letters.chars().map(|letter| match letter {
        'a'..='z' | '0'..='9' => letter,
        _ => '-',
    });
    let slug: String = letters.take(100).collect();
    slug.trim_matches('-').to_owned()
}

fn moment(value: &Value, name: &str) -> Option<i64> {
    let read = chrono::DateTime::parse_from_rfc3339(value[name].as_str()?).ok()?;
    Some(read.timestamp_millis())
}

fn read_incident(
    incident: &Value,
    page: &str,
    title: String,
) -> Result<IncidentDefinition, String> {
    let planned = moment(incident, "scheduled_for").zip(moment(incident, "scheduled_until"));
    let mut updates = Vec::new();
    let mut postmortem = text(incident, "postmortem_body");
    for update in incident["incident_updates"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let status = update["status"].as_str().unwrap_or_default();
        let message = text(update, "body");
        if status == "postmortem" {
            postmortem = message.or(postmortem);
            continue;
        }
        let status: IncidentStatus = status
            .parse()
            .map_err(|_| format!("Its status is `{status}`"))?;
        let at_ms = moment(update, "display_at").or_else(|| moment(update, "created_at"));
        let at_ms = at_ms.ok_or("An update has no time")?;
        // A status may change without a word.
        let message = message.unwrap_or_else(|| "—".to_owned());
        updates.push((status, message, at_ms));
    }
    updates.sort_by_key(|(.., at_ms)| *at_ms);
    let last = updates.last().map(|(status, ..)| *status);
    let is_over = matches!(
        last,
        Some(IncidentStatus::Resolved | IncidentStatus::Completed)
    );
    if !is_over {
        return Err("It isn't over. Report it here, so subscribers get it".to_owned());
    }
    let affected = incident["components"].as_array().into_iter().flatten();
    let affected = affected.filter_map(|one| one["id"].as_str());
    let severity = match incident["impact"].as_str() {
        Some("critical") => Severity::Critical,
        Some("major") => Severity::Major,
        _ => Severity::Minor,
    };
    let impact = if severity == Severity::Minor {
        Impact::Degraded
    } else {
        Impact::Down
    };
    Ok(IncidentDefinition {
        page: page.to_owned(),
        title: one_line(&title, 200),
        severity,
        updates,
        affected: affected.map(|key| (key.to_owned(), impact)).collect(),
        planned,
        postmortem,
    })
}
