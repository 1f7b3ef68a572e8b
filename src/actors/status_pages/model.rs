//! A page, what is on it, and what is said about it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::StatusPageError;
use crate::{
    actors::patch::patched,
    fault::Issue,
    ids::{IncidentId, MonitorId, OrganizationId, StatusPageId},
};

/// What people say of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "StatusPageFields")]
pub struct PageFields {
    /// What people call it, 1 to 120 characters.
    pub name: String,
    /// What it is called in its address, 1 to 100 of `a-z`, `0-9` and `-`; unique.
    pub slug: String,
    /// At most 500 characters.
    pub description: Option<String>,
    /// A picture, by its https address.
    pub logo_url: Option<String>,
    /// A small picture, by its https address.
    pub favicon_url: Option<String>,
    /// Whose page it is: an https address.
    pub website_url: Option<String>,
    /// Where there is help: an https address.
    pub support_url: Option<String>,
    /// What it looks like; as the reader's system by default.
    pub theme: Option<Theme>,
    /// Whether a monitor on it that goes down opens an incident, and closes it when it is up again.
    pub automatic_incidents: bool,
}

impl PageFields {
    /// Reads what is said of a new page.
    ///
    /// # Errors
    /// A field is unknown or of another type; the issue names its place.
    pub fn read(said: &Map<String, Value>) -> Result<Self, Vec<Issue>> {
        patched(("status page", &Self::default()), said, "")
    }
}

/// What a page looks like.
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
    /// The monitors on it, in their order.
    pub monitors: Vec<Listed>,
    /// Incidents and maintenance, newest first.
    pub incidents: Vec<Incident>,
    /// When it was made, Unix milliseconds.
    pub created_ms: i64,
    /// When it was last changed, Unix milliseconds.
    pub updated_ms: i64,
}

impl StatusPage {
    pub(super) fn incident(&mut self, id: IncidentId) -> Result<&mut Incident, StatusPageError> {
        let found = self.incidents.iter_mut().find(|one| one.id == id);
        found.ok_or(StatusPageError::NoIncident(id))
    }
}

/// A monitor on a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    /// Its id there.
    pub id: String,
    pub monitor: MonitorId,
    pub fields: ListedFields,
}

/// How a monitor is shown on a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "StatusPageMonitorFields")]
pub struct ListedFields {
    /// What it is called there, at most 120 characters; the monitor's name by default.
    pub display_name: Option<String>,
    /// Does not show what is checked.
    pub hide_url: bool,
    /// Does not show percentages.
    pub hide_uptime_percentage: bool,
    /// Does not show response times.
    pub hide_latency: bool,
    /// Its place, 0 to 100,000.
    pub order: u32,
    /// The heading that it stands under, at most 120 characters.
    pub group: Option<String>,
    /// Whether it opens and closes incidents by itself; as the page says by default.
    pub automatic_incidents: Option<bool>,
}

/// An incident, or maintenance that is planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Incident {
    pub id: IncidentId,
    pub kind: IncidentKind,
    pub title: String,
    pub status: IncidentStatus,
    pub severity: Severity,
    /// When it was made, Unix milliseconds.
    pub created_ms: i64,
    /// When it was over, Unix milliseconds.
    pub resolved_ms: Option<i64>,
    /// When maintenance begins, Unix milliseconds.
    pub starts_ms: Option<i64>,
    /// When maintenance ends, Unix milliseconds.
    pub ends_ms: Option<i64>,
    /// What was said, newest first.
    pub updates: Vec<Update>,
    pub affected: Vec<Affected>,
    /// What was learned of it, in Markdown.
    #[serde(default)]
    pub postmortem: Option<Postmortem>,
    /// Whether maintenance begins and ends by the clock.
    #[serde(default)]
    pub automatic: bool,
    /// How long it is looked after the end whether maintenance went well, milliseconds; only by the clock.
    #[serde(default)]
    pub verify_ms: i64,
    /// The monitor that opened it by going down, by its id on the page.
    #[serde(default)]
    pub cause: Option<String>,
}

impl Incident {
    /// Whether it is maintenance that has begun and is not over.
    pub fn goes_on(&self) -> bool {
        matches!(
            self.status,
            IncidentStatus::InProgress | IncidentStatus::Verifying
        )
    }

    /// When something was said of it last, Unix milliseconds.
    pub fn changed_ms(&self) -> i64 {
        let said = self.updates.first().map(|said| said.created_ms);
        let learned = self.postmortem.as_ref().map(|text| text.created_ms);
        self.created_ms.max(said.max(learned).unwrap_or_default())
    }

    /// Bytes of what is said about it.
    pub(super) fn weight(&self) -> usize {
        let said: usize = self.updates.iter().map(|said| said.message.len()).sum();
        said + self
            .postmortem
            .as_ref()
            .map_or(0, |text| text.message.len())
    }

    /// Says how it stands from now on.
    pub(super) fn say(&mut self, status: IncidentStatus, message: String, now_ms: i64) {
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

/// How an incident stands, or maintenance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum IncidentStatus {
    /// Nobody knows yet what it is.
    Investigating,
    /// It is known what it is.
    Identified,
    /// Something was done about it.
    Monitoring,
    /// It is over.
    Resolved,
    /// Maintenance is planned.
    Scheduled,
    /// Maintenance goes on.
    InProgress,
    /// It is looked whether maintenance went well.
    Verifying,
    /// Maintenance is over.
    Completed,
}

impl IncidentStatus {
    /// The status as it is written on the wire.
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    /// How far maintenance is.
    pub(super) const fn step(self) -> u8 {
        match self {
            Self::InProgress => 1,
            Self::Verifying => 2,
            Self::Completed | Self::Resolved => 3,
            Self::Scheduled | Self::Investigating | Self::Identified | Self::Monitoring => 0,
        }
    }

    /// Whether it is one of this kind's.
    pub const fn is_of(self, kind: IncidentKind) -> bool {
        let planned = matches!(
            self,
            Self::Scheduled | Self::InProgress | Self::Verifying | Self::Completed
        );
        planned == matches!(kind, IncidentKind::Maintenance)
    }
}

/// How bad an incident is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "IncidentSeverity")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Severity {
    /// Hardly anybody sees it.
    #[default]
    Minor,
    /// Many see it.
    Major,
    /// Nothing works.
    Critical,
}

impl Severity {
    /// The severity as it is written on the wire.
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// What was said at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Update {
    pub id: String,
    pub status: IncidentStatus,
    /// In Markdown.
    pub message: String,
    /// When, Unix milliseconds.
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

/// What was learned of an incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Postmortem {
    /// In Markdown.
    pub message: String,
    /// When it was written, Unix milliseconds.
    pub created_ms: i64,
}

/// What is affected by an incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "AffectedMonitorInput")]
pub struct Affected {
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
    /// It works badly.
    Degraded,
    /// It does not work.
    Down,
}

/// A new incident, or new maintenance where there are times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewIncident {
    /// What it is about, 1 to 200 characters.
    pub title: String,
    pub severity: Severity,
    /// The first thing that is said, 1 to 5,000 characters of Markdown.
    pub message: String,
    pub affected: Vec<Affected>,
    /// From when to when, Unix milliseconds; for maintenance.
    pub planned: Option<(i64, i64)>,
    /// Whether maintenance begins and ends by the clock.
    pub automatic: bool,
    /// How long it is looked after the end whether maintenance went well, milliseconds; only by the clock.
    pub verify_ms: i64,
}
