//! What the world is answered.

use schemars::JsonSchema;
use serde::Serialize;

use super::wire::IncidentOut;
use crate::{
    actors::status_pages::{
        Day, Freshness, MonitorSnapshot, MonitorStatus, Overall, PageMonitorFields, Snapshot, Theme,
    },
    clock::iso_ms,
    http::Shared,
    locale::Language,
};

/// What the world sees of a page.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PublicStatusPage")]
#[serde(rename_all = "camelCase")]
pub struct PublicOut {
    pub organization: OwnerOut,
    pub status_page: FaceOut,
    pub overall_status: Overall,
    pub monitors: Vec<SeenOut>,
    /// Newest first, at most 50.
    pub incidents: Vec<IncidentOut>,
}

/// Whose page it is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PublicStatusPageOwner")]
pub struct OwnerOut {
    pub name: String,
    pub slug: String,
    pub logo: Option<String>,
}

/// What a page says of itself.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PublicStatusPageFields")]
#[serde(rename_all = "camelCase")]
pub struct FaceOut {
    pub name: String,
    pub description: Option<String>,
    pub logo_url: Option<String>,
    pub favicon_url: Option<String>,
    pub website_url: Option<String>,
    pub support_url: Option<String>,
    pub theme: Option<Theme>,
    /// The language of the page; null = the reader's.
    pub language: Option<Language>,
}

/// A monitor as the world sees it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PublicStatusPageMonitor")]
#[serde(rename_all = "camelCase")]
pub struct SeenOut {
    pub id: String,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    pub group: Option<String>,
    pub current_status: MonitorStatus,
    pub freshness: Freshness,
    /// Whether planned maintenance that goes on affects it.
    pub in_maintenance: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uptime_percentage: Option<f64>,
    /// The last 90 days, oldest first.
    pub daily_data: Vec<DayOut>,
    pub last_checked_at: Option<String>,
}

/// A day (UTC) of a monitor.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PublicStatusPageDay")]
pub struct DayOut {
    pub date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uptime_percentage: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_checks: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub successful_checks: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub downtime_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avg_response_time: Option<f64>,
    /// Milliseconds that 95 of a hundred good checks did not exceed, within one percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p95_response_time: Option<u32>,
}

/// Incidents that the world sees.
const MAX_INCIDENTS: usize = 50;

impl PublicOut {
    pub(super) fn new(shared: &Shared, seen: &Snapshot) -> Self {
        let page = &seen.page;
        let organizations = shared.organizations.view();
        let owner = organizations.organization(page.organization.as_str());
        let fields = &page.fields;
        let incidents = page.incidents.iter().take(MAX_INCIDENTS);
        Self {
            organization: OwnerOut {
                name: owner.map_or_else(String::new, |owner| owner.name.clone()),
                slug: owner.map_or_else(String::new, |owner| owner.slug.clone()),
                logo: owner.and_then(|owner| owner.logo.clone()),
            },
            status_page: FaceOut {
                name: fields.name.clone(),
                description: fields.description.clone(),
                logo_url: match &page.logo {
                    Some(_) => Some(format!("{}/logo", shared.status_page_url(page))),
                    None => fields.logo_url.clone(),
                },
                favicon_url: fields.favicon_url.clone(),
                website_url: fields.website_url.clone(),
                support_url: fields.support_url.clone(),
                theme: fields.theme,
                language: fields.language,
            },
            overall_status: seen.overall,
            monitors: seen.monitors.iter().map(SeenOut::new).collect(),
            incidents: incidents
                .map(|one| IncidentOut::new(shared, page, one))
                .collect(),
        }
    }
}

impl SeenOut {
    fn new(seen: &MonitorSnapshot) -> Self {
        let hides = &seen.listed.fields;
        let day = |day: &Day| DayOut::new(day, hides);
        let domain = (!hides.hide_url && !seen.url.is_empty()).then(|| seen.url.clone());
        Self {
            id: seen.listed.id.clone(),
            name: seen.name.clone(),
            domain,
            group: hides.group.clone(),
            current_status: seen.status,
            freshness: seen.freshness,
            in_maintenance: seen.in_maintenance,
            uptime_percentage: seen.uptime(90).filter(|_| !hides.hide_uptime_percentage),
            daily_data: seen.days.iter().map(day).collect(),
            last_checked_at: seen.checked_ms.map(iso_ms),
        }
    }
}

impl DayOut {
    fn new(day: &Day, hides: &PageMonitorFields) -> Self {
        let known = &day.known;
        let total = known.ups + known.downs;
        let any = total > 0 || known.up_ms + known.down_ms > 0;
        let shows = any && !hides.hide_uptime_percentage;
        let mean = day.response().filter(|_| !hides.hide_latency);
        Self {
            date: iso_ms(day.at_ms).chars().take(10).collect(),
            uptime_percentage: known.uptime().filter(|_| shows),
            total_checks: any.then_some(total),
            successful_checks: any.then_some(known.ups),
            downtime_seconds: any.then_some(known.down_ms as f64 / 1_000.0),
            avg_response_time: mean.map(|mean| (mean * 100.0).round() / 100.0),
            p95_response_time: known.p95_ms.filter(|_| !hides.hide_latency),
        }
    }
}
