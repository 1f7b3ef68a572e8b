//! Automatic notes: what happened to a website's flags and monitors, what status pages reported, and when it was
//! deployed. They are made when a chart is shown, for callers who may see their subjects, and are stored nowhere.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Call, websites};
use crate::{
    access::Permission,
    actors::{
        definitions::{AnnotationFields, AnnotationType, ChartContext, begins, ends},
        flags::{ChangeKind, Scope},
        monitors::State,
        status_pages::{IncidentKind, PageMonitor},
        websites::Website,
    },
    analytics::run,
    clock::iso_ms,
    fault::Fault,
    http::v1,
};

/// Flags that are looked at, the last changed first.
const MAX_FLAGS: usize = 20;
/// Changes of a monitor that are looked at.
const MAX_CHANGES: u64 = 200;
/// Deploys that are shown.
const MAX_DEPLOYS: u64 = 100;

pub(super) struct AutomaticAnnotation {
    /// Says what it is made of.
    pub(super) id: String,
    /// When it was, Unix milliseconds.
    pub(super) at_ms: i64,
    pub(super) fields: AnnotationFields,
}

/// What happened in the range of a chart, earliest first.
pub(super) async fn find_automatic(
    call: &Call,
    website_id: &str,
    chart: &ChartContext,
) -> Result<Vec<AutomaticAnnotation>, Fault> {
    let range = &chart.date_range;
    let (Some(from), Some(to)) = (begins(&range.start_date), ends(&range.end_date)) else {
        return Ok(Vec::new());
    };
    let (website, _) = websites::find(call, Permission::WebsiteRead, website_id)?;
    let may = |permission| websites::find(call, permission, website_id).is_ok();
    let mut found = Vec::new();
    if may(Permission::FlagRead) {
        found.extend(flags(call, &website, chart, (from, to)).await?);
    }
    if may(Permission::MonitorRead) {
        found.extend(outages(call, &website, chart, (from, to)).await?);
    }
    if may(Permission::StatusPageRead) {
        found.extend(incidents(call, &website, chart, (from, to)));
    }
    found.extend(deploys(call, website_id, chart, (from, to)).await?);
    found.sort_by(|a, b| (a.at_ms, &a.id).cmp(&(b.at_ms, &b.id)));
    Ok(found)
}

fn note(
    chart: &ChartContext,
    (from_ms, to_ms): (i64, Option<i64>),
    text: &str,
    (tag, color): (&str, &str),
) -> AnnotationFields {
    AnnotationFields {
        chart_type: "metrics".to_owned(),
        chart_context: chart.clone(),
        annotation_type: match to_ms {
            Some(_) => AnnotationType::Range,
            None => AnnotationType::Line,
        },
        x_value: iso_ms(from_ms),
        x_end_value: to_ms.map(iso_ms),
        y_value: None,
        text: text.chars().take(500).collect(),
        tags: Some(vec!["automatic".to_owned(), tag.to_owned()]),
        color: color.to_owned(),
        is_public: false,
    }
}

async fn flags(
    call: &Call,
    website: &Website,
    chart: &ChartContext,
    (from, to): (i64, i64),
) -> Result<Vec<AutomaticAnnotation>, Fault> {
    let view = call.shared.flags.view();
    let scope = Scope {
        organization: website.organization.clone(),
        website: Some(website.id.clone()),
    };
    let mut flags = view.list(&scope, None).await?;
    flags.retain(|flag| flag.updated_ms >= from && flag.created_ms < to);
    flags.sort_by_key(|flag| -flag.updated_ms);
    let mut found = Vec::new();
    for flag in flags.iter().take(MAX_FLAGS) {
        let changes = view.changes(flag).await?;
        for change in changes {
            if !(from..to).contains(&change.at_ms) {
                continue;
            }
            let what = match change.kind {
                ChangeKind::Created => "made",
                ChangeKind::Updated => "changed",
                ChangeKind::StatusChanged => "switched",
                ChangeKind::Archived => "deleted",
                ChangeKind::Restored => "made again",
            };
            let text = format!("Flag {} was {what}", flag.fields.key);
            let like = ("flag", "#8B5CF6");
            found.push(AutomaticAnnotation {
                id: format!("auto:flag:{}", change.id),
                at_ms: change.at_ms,
                fields: note(chart, (change.at_ms, None), &text, like),
            });
        }
    }
    Ok(found)
}

/// Times in which a monitor of the website was down; what goes on ends with the chart.
async fn outages(
    call: &Call,
    website: &Website,
    chart: &ChartContext,
    (from, to): (i64, i64),
) -> Result<Vec<AutomaticAnnotation>, Fault> {
    let view = call.shared.monitors.view();
    let own = view.by_organization(&website.organization);
    let own = own
        .iter()
        .filter(|one| one.spec().website.as_ref() == Some(&website.id));
    let now_ms = call.shared.clock.now_ms();
    let mut found = Vec::new();
    for one in own {
        let spec = one.spec();
        let changes = view.changes(&spec.id, MAX_CHANGES).await?;
        // Newest first: the change after this one is before it in the list.
        let mut over = now_ms;
        for change in changes {
            let (began, ended) = (change.at_ms, over);
            over = change.at_ms;
            if change.to != State::Down || began >= to || ended <= from {
                continue;
            }
            let text = format!("{} was down", spec.label());
            found.push(AutomaticAnnotation {
                id: format!("auto:monitor:{}:{began}", spec.id),
                at_ms: began,
                fields: note(chart, (began, Some(ended)), &text, ("incident", "#EF4444")),
            });
        }
    }
    Ok(found)
}

/// Incidents and maintenance of status pages that concern a monitor of the website; what names no monitor concerns all of its
/// page. What goes on ends with the chart.
fn incidents(
    call: &Call,
    website: &Website,
    chart: &ChartContext,
    (from, to): (i64, i64),
) -> Vec<AutomaticAnnotation> {
    let monitors = call.shared.monitors.view();
    let watches = |listed: &&PageMonitor| {
        let monitor = monitors.by_id(listed.monitor.as_str());
        monitor.is_some_and(|one| one.spec().website.as_ref() == Some(&website.id))
    };
    let now_ms = call.shared.clock.now_ms();
    let pages = call
        .shared
        .status_pages
        .view()
        .by_organization(&website.organization);
    let mut found = Vec::new();
    for page in &pages {
        let own = page.monitors.iter().filter(watches);
        let own: Vec<&str> = own.map(|listed| listed.id.as_str()).collect();
        for incident in &page.incidents {
            let mut affected = incident.affected.iter();
            let concerned = incident.affected.is_empty() && !own.is_empty()
                || affected.any(|one| own.contains(&one.status_page_monitor_id.as_str()));
            let began = incident.starts_ms.unwrap_or(incident.created_ms);
            let planned = incident.ends_ms.unwrap_or(began).max(now_ms);
            let ended = incident.resolved_ms.unwrap_or(planned).max(began);
            if !concerned || began >= to || ended <= from {
                continue;
            }
            let (kind, color) = match incident.kind {
                IncidentKind::Incident => ("incident", "#EF4444"),
                IncidentKind::Maintenance => ("maintenance", "#F59E0B"),
            };
            found.push(AutomaticAnnotation {
                id: format!("auto:incident:{}", incident.id),
                at_ms: began,
                fields: note(chart, (began, Some(ended)), &incident.title, (kind, color)),
            });
        }
    }
    found
}

/// The query type of custom events one by one.
const DEPLOYS: &str = "custom_events_recent";

/// A custom event named `deploy` or `$deploy`.
#[derive(Deserialize)]
struct Deploy {
    timestamp: String,
    properties: Value,
}

/// Custom events named `deploy` or `$deploy`, with their property `version`.
async fn deploys(
    call: &Call,
    website_id: &str,
    chart: &ChartContext,
    (from, to): (i64, i64),
) -> Result<Vec<AutomaticAnnotation>, Fault> {
    let target = v1::website(&call.shared, &call.caller, website_id)?;
    let body = json!({
        "parameters": [DEPLOYS],
        "startDate": iso_ms(from), "endDate": iso_ms(to - 1), "limit": MAX_DEPLOYS,
        "filters": [{ "field": "event_name", "op": "in", "value": ["deploy", "$deploy"] }],
    });
    let asked = run::Call {
        body: &body,
        timezone: Some("UTC"),
        now_ms: call.shared.clock.now_ms(),
    };
    let answers = run::execute(&call.shared.events, &target, asked).await?;
    let rows: Vec<Deploy> = answers.rows(DEPLOYS).unwrap_or_default();
    let found = rows.iter().enumerate().filter_map(|(place, row)| {
        let at_ms = begins(&row.timestamp)?;
        let text = match &row.properties["version"] {
            Value::String(version) => format!("Deploy {version}"),
            Value::Number(version) => format!("Deploy {version}"),
            _ => "Deploy".to_owned(),
        };
        Some(AutomaticAnnotation {
            id: format!("auto:deploy:{at_ms}:{place}"),
            at_ms,
            fields: note(chart, (at_ms, None), &text, ("deploy", "#10B981")),
        })
    });
    Ok(found.collect())
}
