//! What `/statusPage/*` answers to members.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    actors::status_pages::{
        Impact, Incident, IncidentKind, IncidentStatus, PageFields, PageMonitor, PageMonitorFields,
        Severity, StatusPage,
    },
    clock::iso_ms,
    http::Shared,
};

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StatusPage")]
#[serde(rename_all = "camelCase")]
pub struct PageOut {
    pub id: String,
    pub organization_id: String,
    #[serde(flatten)]
    pub fields: PageFields,
    /// Whether a logo was uploaded, which is shown in place of `logoUrl`.
    pub has_logo: bool,
    /// Whether visitors have to enter a password.
    pub has_password: bool,
    pub monitor_count: usize,
    pub created_at: String,
    pub updated_at: String,
}

impl PageOut {
    pub(super) fn new(page: &StatusPage) -> Self {
        Self {
            id: page.id.to_string(),
            organization_id: page.organization.to_string(),
            fields: page.fields.clone(),
            has_logo: page.logo.is_some(),
            has_password: page.access().has_password,
            monitor_count: page.monitors.len(),
            created_at: iso_ms(page.created_ms),
            updated_at: iso_ms(page.updated_ms),
        }
    }
}

impl PageOut {
    /// Whether not everyone sees it.
    pub(in crate::http) fn is_private(&self) -> bool {
        !self.fields.access(self.has_password).is_public()
    }
}

/// A page with its monitors.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StatusPageWithMonitors")]
pub struct WholePageOut {
    #[serde(flatten)]
    pub page: PageOut,
    pub monitors: Vec<ListedOut>,
}

impl WholePageOut {
    pub(super) fn new(shared: &Shared, page: &StatusPage) -> Self {
        let monitors = page.monitors.iter();
        Self {
            page: PageOut::new(page),
            monitors: monitors
                .map(|one| ListedOut::new(shared, page, one))
                .collect(),
        }
    }
}

/// A monitor on a page.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StatusPageMonitor")]
#[serde(rename_all = "camelCase")]
pub struct ListedOut {
    pub id: String,
    pub status_page_id: String,
    pub uptime_schedule_id: String,
    #[serde(flatten)]
    pub fields: PageMonitorFields,
    /// The monitor; null when it is not there any more.
    pub uptime_schedule: Option<MonitorOut>,
}

/// A monitor, in short.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StatusPageSchedule")]
#[serde(rename_all = "camelCase")]
pub struct MonitorOut {
    pub id: String,
    pub name: Option<String>,
    pub url: String,
    pub is_paused: bool,
}

impl ListedOut {
    pub(super) fn new(shared: &Shared, page: &StatusPage, one: &PageMonitor) -> Self {
        let monitors = shared.monitors.view();
        let monitor = monitors.by_id(one.monitor.as_str());
        let own = monitor.filter(|own| own.spec().organization == page.organization);
        Self {
            id: one.id.clone(),
            status_page_id: page.id.to_string(),
            uptime_schedule_id: one.monitor.to_string(),
            fields: one.fields.clone(),
            uptime_schedule: own.map(|own| MonitorOut {
                id: own.spec().id.to_string(),
                name: own.spec().fields.name.clone(),
                url: own.spec().url.clone(),
                is_paused: own.spec().is_paused,
            }),
        }
    }
}

/// A page's name in addresses.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StatusPageSlug")]
#[serde(rename_all = "camelCase")]
pub struct SlugOut {
    pub slug: String,
    pub updated_at: String,
}

impl SlugOut {
    pub(super) fn new(page: &StatusPage) -> Self {
        Self {
            slug: page.fields.slug.clone(),
            updated_at: iso_ms(page.updated_ms),
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IncidentDeleted")]
pub struct DeletedOut {
    pub deleted: bool,
}

impl DeletedOut {
    pub(super) const YES: Self = Self { deleted: true };
}

/// An incident, or maintenance that is planned.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Incident")]
#[serde(rename_all = "camelCase")]
pub struct IncidentOut {
    pub id: String,
    pub status_page_id: String,
    pub kind: IncidentKind,
    pub title: String,
    pub status: IncidentStatus,
    pub severity: Severity,
    pub created_at: String,
    pub resolved_at: Option<String>,
    /// When maintenance begins.
    pub starts_at: Option<String>,
    /// When maintenance ends.
    pub ends_at: Option<String>,
    /// Its updates, newest first.
    pub updates: Vec<UpdateOut>,
    pub affected_monitors: Vec<AffectedOut>,
    /// The postmortem, in Markdown.
    pub postmortem: Option<String>,
    /// When that was written.
    pub postmortem_at: Option<String>,
    /// Whether the clock moves it (maintenance), or a monitor opened it and will close it.
    pub automatic: bool,
}

/// An update of an incident.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IncidentUpdate")]
#[serde(rename_all = "camelCase")]
pub struct UpdateOut {
    pub id: String,
    pub status: IncidentStatus,
    pub message: String,
    pub created_at: String,
}

/// A monitor that is affected.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AffectedMonitor")]
#[serde(rename_all = "camelCase")]
pub struct AffectedOut {
    pub status_page_monitor_id: String,
    pub monitor_name: String,
    pub impact: Impact,
}

impl IncidentOut {
    pub(super) fn new(shared: &Shared, page: &StatusPage, one: &Incident) -> Self {
        let names = shared.status_pages.view().names(page);
        let name = |id: &str| {
            let found = names.iter().find(|(own, _)| own == id)?;
            Some(found.1.clone())
        };
        let affected = one.affected.iter().map(|hit| AffectedOut {
            status_page_monitor_id: hit.status_page_monitor_id.clone(),
            monitor_name: name(&hit.status_page_monitor_id).unwrap_or_default(),
            impact: hit.impact,
        });
        let updates = one.updates.iter().map(|said| UpdateOut {
            id: said.id.clone(),
            status: said.status,
            message: said.message.clone(),
            created_at: iso_ms(said.created_ms),
        });
        let learned = one.postmortem.as_ref();
        Self {
            id: one.id.to_string(),
            status_page_id: page.id.to_string(),
            kind: one.kind,
            title: one.title.clone(),
            status: one.status,
            severity: one.severity,
            created_at: iso_ms(one.created_ms),
            resolved_at: one.resolved_ms.map(iso_ms),
            starts_at: one.starts_ms.map(iso_ms),
            ends_at: one.ends_ms.map(iso_ms),
            updates: updates.collect(),
            affected_monitors: affected.collect(),
            postmortem: learned.map(|text| text.message.clone()),
            postmortem_at: learned.map(|text| iso_ms(text.created_ms)),
            automatic: one.automatic || one.cause.is_some(),
        }
    }
}
