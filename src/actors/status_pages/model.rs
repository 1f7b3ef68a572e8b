//! Pages with their monitors and incidents.

use std::{borrow::Cow, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Logo, StatusPageError};
use crate::{
    actors::{
        hosts::HostsView,
        networks::Networks,
        page_access::PageAccess,
        patch::patched,
        text_enum::text_enums,
        unlocking::{Locked, Password},
    },
    fault::Issue,
    ids::{IncidentId, MonitorId, OrganizationId, StatusPageId},
    locale::{Language, Texts},
};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "StatusPageFields")]
pub struct PageFields {
    /// The name, 1 to 120 characters.
    pub name: String,
    /// The name in the URL, 1 to 100 of `a-z`, `0-9` and `-`; unique. A new page without one gets one that is made of its name.
    pub slug: String,
    /// At most 500 characters.
    pub description: Option<String>,
    /// An https URL.
    pub logo_url: Option<String>,
    /// An https URL.
    pub favicon_url: Option<String>,
    /// The website's https URL.
    pub website_url: Option<String>,
    /// The https URL of your support.
    pub support_url: Option<String>,
    /// The theme; the reader's system by default.
    pub theme: Option<Theme>,
    /// The language of the page, its feeds and its emails; the reader's by default.
    pub language: Option<Language>,
    /// Whether a monitor that goes down opens an incident, and closes it when it is up again.
    pub automatic_incidents: bool,
    /// Whether only members of the organization see it, signed in.
    pub members_only: bool,
    /// IP addresses and networks that see it, such as `203.0.113.0/24`; everyone by default. At most 100.
    pub allowed_ips: Networks,
    /// What visitors have to enter first, 4 to 128 characters. It is never shown again.
    #[serde(skip_serializing)]
    pub password: Option<Password>,
}

impl PageFields {
    /// The texts of the page for readers of a language, unless the page has one of its own.
    pub fn texts(&self, readers: Language) -> Texts {
        self.language.unwrap_or(readers).texts()
    }

    /// Who sees the page beside the members of its organization.
    pub const fn access(&self, has_password: bool) -> PageAccess<'_> {
        PageAccess {
            members_only: self.members_only,
            allowed_ips: &self.allowed_ips,
            has_password,
        }
    }

    /// Where a page is: at the root of its own host, or below `{base_url}`, where members are signed in.
    pub fn url(
        &self,
        hosts: &HostsView,
        base: &str,
        (id, owner): (&StatusPageId, &OrganizationId),
    ) -> String {
        let host = hosts.subject_host(id.as_str());
        match host.filter(|host| host.organization == *owner && !self.members_only) {
            Some(host) => hosts.url(host),
            None => format!("{base}/status/{}", self.slug),
        }
    }

    /// Reads the fields of a new page. An unknown field, or one of another type, is an issue.
    pub fn read(fields: &Map<String, Value>) -> Result<Self, Vec<Issue>> {
        let mut fields = fields.clone();
        let password = fields.remove("password").map(serde_json::from_value);
        let password = password.transpose().map_err(|_| {
            let message = "`password` is a text of 4 to 128 characters";
            vec![Issue::new("invalid_type", "password", message)]
        })?;
        let mut read: Self = patched(("status page", &Self::default()), &fields, "")?;
        read.password = password.flatten();
        Ok(read)
    }
}

/// The theme of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "StatusPageTheme")]
pub enum Theme {
    /// As the reader's system.
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

#[derive(Debug, Clone, PartialEq)]
pub struct StatusPage {
    pub id: StatusPageId,
    pub organization: OrganizationId,
    pub fields: PageFields,
    /// In their order.
    pub monitors: Vec<PageMonitor>,
    /// Incidents and maintenance, newest first.
    pub incidents: Vec<Incident>,
    /// The logo that was uploaded.
    pub logo: Option<Arc<Logo>>,
    /// In PHC form.
    pub password_hash: Option<String>,
    /// Unix milliseconds, as `updated_ms`.
    pub created_ms: i64,
    pub updated_ms: i64,
}

impl StatusPage {
    /// Who sees it beside the members of its organization.
    pub fn access(&self) -> PageAccess<'_> {
        self.fields.access(self.password_hash.is_some())
    }

    pub(super) fn locked(&self) -> Option<Locked<'_>> {
        Locked::by_hash(self.id.as_str(), self.password_hash.as_deref())
    }

    pub(super) fn incident(&mut self, id: IncidentId) -> Result<&mut Incident, StatusPageError> {
        let found = self.incidents.iter_mut().find(|one| one.id == id);
        found.ok_or(StatusPageError::NoIncident(id))
    }
}

/// A monitor on a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageMonitor {
    /// The id on the page.
    pub id: String,
    pub monitor: MonitorId,
    pub fields: PageMonitorFields,
}

/// Settings of a monitor on a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "StatusPageMonitorFields")]
pub struct PageMonitorFields {
    /// The name on the page, at most 120 characters; the monitor's name by default.
    pub display_name: Option<String>,
    /// Hides the target; true unless you publish it.
    pub hide_url: bool,
    /// Hides percentages.
    pub hide_uptime_percentage: bool,
    /// Hides response times.
    pub hide_latency: bool,
    /// The position, 0 to 100,000.
    pub order: u32,
    /// The heading above it, at most 120 characters.
    pub group: Option<String>,
    /// Whether it opens and closes incidents by itself; the page's setting by default.
    pub automatic_incidents: Option<bool>,
}

impl Default for PageMonitorFields {
    fn default() -> Self {
        Self {
            display_name: None,
            hide_url: true,
            hide_uptime_percentage: false,
            hide_latency: false,
            order: 0,
            group: None,
            automatic_incidents: None,
        }
    }
}

/// An incident or maintenance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Incident {
    pub id: IncidentId,
    pub kind: IncidentKind,
    pub title: String,
    pub status: IncidentStatus,
    pub severity: Severity,
    /// Unix milliseconds, as `updated_ms`.
    pub created_ms: i64,
    /// Unix milliseconds.
    pub resolved_ms: Option<i64>,
    /// The start of maintenance, Unix milliseconds.
    pub starts_ms: Option<i64>,
    /// The end of maintenance, Unix milliseconds.
    pub ends_ms: Option<i64>,
    /// Newest first.
    pub updates: Vec<Update>,
    pub affected: Vec<AffectedMonitor>,
    /// In Markdown.
    #[serde(default)]
    pub postmortem: Option<Postmortem>,
    /// Whether maintenance begins and ends by the clock.
    #[serde(default)]
    pub automatic: bool,
    /// How long automatic maintenance is verified after its end, milliseconds.
    #[serde(default)]
    pub verify_ms: i64,
    /// The id on the page of the monitor that opened it.
    #[serde(default)]
    pub cause: Option<String>,
}

impl Incident {
    /// With its first update.
    pub(super) fn new(
        kind: IncidentKind,
        (title, message): (String, String),
        severity: Severity,
        now_ms: i64,
    ) -> Self {
        let status = match kind {
            IncidentKind::Incident => IncidentStatus::Investigating,
            IncidentKind::Maintenance => IncidentStatus::Scheduled,
        };
        Self {
            id: IncidentId::new(),
            kind,
            title,
            status,
            severity,
            created_ms: now_ms,
            resolved_ms: None,
            starts_ms: None,
            ends_ms: None,
            updates: vec![Update::new(status, message, now_ms)],
            affected: Vec::new(),
            postmortem: None,
            automatic: false,
            verify_ms: 0,
            cause: None,
        }
    }

    /// Whether it is maintenance in progress.
    pub fn is_in_progress(&self) -> bool {
        matches!(
            self.status,
            IncidentStatus::InProgress | IncidentStatus::Verifying
        )
    }

    /// The time of the last update or postmortem, Unix milliseconds.
    pub fn changed_ms(&self) -> i64 {
        let updated = self.updates.first().map(|update| update.created_ms);
        let learned = self.postmortem.as_ref().map(|text| text.created_ms);
        self.created_ms
            .max(updated.max(learned).unwrap_or_default())
    }

    /// Bytes of all updates and the postmortem.
    pub(super) fn weight(&self) -> usize {
        let updates: usize = self.updates.iter().map(|update| update.message.len()).sum();
        updates
            + self
                .postmortem
                .as_ref()
                .map_or(0, |text| text.message.len())
    }

    /// Adds an update with a new status.
    pub(super) fn add_update(&mut self, status: IncidentStatus, message: String, now_ms: i64) {
        self.status = status;
        self.updates.insert(0, Update::new(status, message, now_ms));
        self.resolved_ms = self.is_over().then_some(now_ms);
    }

    pub fn is_over(&self) -> bool {
        matches!(
            self.status,
            IncidentStatus::Resolved | IncidentStatus::Completed
        )
    }
}

/// Incident or maintenance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum IncidentKind {
    /// Something that happened.
    Incident,
    /// Something that is planned.
    Maintenance,
}

/// The status of an incident or of maintenance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum IncidentStatus {
    /// The cause is not known yet.
    Investigating,
    /// The cause is known.
    Identified,
    /// A fix was applied.
    Monitoring,
    /// It is over.
    Resolved,
    /// Maintenance is planned.
    Scheduled,
    /// Maintenance is in progress.
    InProgress,
    /// The result of maintenance is being verified.
    Verifying,
    /// Maintenance is over.
    Completed,
}

text_enums!(Severity, IncidentStatus);

impl IncidentStatus {
    /// The progress of maintenance.
    pub(super) const fn step(self) -> u8 {
        match self {
            Self::InProgress => 1,
            Self::Verifying => 2,
            Self::Completed | Self::Resolved => 3,
            Self::Scheduled | Self::Investigating | Self::Identified | Self::Monitoring => 0,
        }
    }

    /// What people read: `In progress`.
    pub fn label(self, texts: Texts) -> Cow<'static, str> {
        match self {
            Self::Investigating => texts.incident_investigating(),
            Self::Identified => texts.incident_identified(),
            Self::Monitoring => texts.incident_monitoring(),
            Self::Resolved => texts.incident_resolved(),
            Self::Scheduled => texts.maintenance_scheduled(),
            Self::InProgress => texts.maintenance_in_progress(),
            Self::Verifying => texts.maintenance_verifying(),
            Self::Completed => texts.maintenance_completed(),
        }
    }

    /// Whether it is a status of this kind.
    pub const fn applies_to(self, kind: IncidentKind) -> bool {
        let planned = matches!(
            self,
            Self::Scheduled | Self::InProgress | Self::Verifying | Self::Completed
        );
        planned == matches!(kind, IncidentKind::Maintenance)
    }
}

/// The severity of an incident.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "IncidentSeverity")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Severity {
    /// Few users are affected.
    #[default]
    Minor,
    /// Many users are affected.
    Major,
    /// Nothing works.
    Critical,
}

impl Severity {
    /// What people read: `Minor`.
    pub fn label(self, texts: Texts) -> Cow<'static, str> {
        match self {
            Self::Minor => texts.severity_minor(),
            Self::Major => texts.severity_major(),
            Self::Critical => texts.severity_critical(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Update {
    pub id: String,
    pub status: IncidentStatus,
    /// In Markdown.
    pub message: String,
    /// Unix milliseconds.
    pub created_ms: i64,
}

impl Update {
    pub(super) fn new(status: IncidentStatus, message: String, now_ms: i64) -> Self {
        Self {
            id: uuid::Uuid::now_v7().to_string(),
            status,
            message,
            created_ms: now_ms,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Postmortem {
    /// In Markdown.
    pub message: String,
    /// Unix milliseconds.
    pub created_ms: i64,
}

/// An incident or maintenance that is over, as it was told elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastIncident {
    /// 1 to 200 characters.
    pub title: String,
    pub severity: Severity,
    /// Status, message and Unix milliseconds of each update, oldest first. The last one ends it.
    pub updates: Vec<(IncidentStatus, String, i64)>,
    pub affected: Vec<AffectedMonitor>,
    /// Start and end of maintenance, Unix milliseconds.
    pub planned: Option<(i64, i64)>,
    /// The postmortem and when it was written, Unix milliseconds.
    pub postmortem: Option<(String, i64)>,
}

/// A monitor that is affected by an incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "AffectedMonitorInput")]
pub struct AffectedMonitor {
    /// The monitor's id on the page.
    pub status_page_monitor_id: String,
    /// How it is affected.
    pub impact: Impact,
}

/// How a monitor is affected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "IncidentImpact")]
pub enum Impact {
    /// Degraded performance.
    Degraded,
    /// An outage.
    Down,
}

/// A new incident, or new maintenance if `planned` is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewIncident {
    /// 1 to 200 characters.
    pub title: String,
    pub severity: Severity,
    /// The first update, 1 to 5,000 characters of Markdown.
    pub message: String,
    pub affected: Vec<AffectedMonitor>,
    /// Start and end of maintenance, Unix milliseconds.
    pub planned: Option<(i64, i64)>,
    /// Whether maintenance begins and ends by the clock.
    pub automatic: bool,
    /// How long automatic maintenance is verified after its end, milliseconds.
    pub verify_ms: i64,
}
