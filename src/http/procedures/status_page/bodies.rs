//! What `/statusPage/*` is asked with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    actors::status_pages::{
        AffectedMonitor, IncidentStatus, PageFields, PageMonitorFields, Severity,
    },
    fault::Issue,
    http::procedures::fields::{Fields, Patch, require_change},
};

#[derive(Debug, Deserialize, JsonSchema)]
pub struct SlugBody {
    /// The page's name in addresses.
    pub slug: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusPageIdBody {
    pub status_page_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "StatusPageCreate")]
#[schemars(extend("required" = ["name"]))]
#[serde(rename_all = "camelCase")]
pub struct CreateBody {
    /// The owner; by default the key's organization, or the session's active one.
    pub organization_id: Option<String>,
    #[serde(flatten)]
    pub fields: Fields<PageFields>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "StatusPageUpdate")]
#[schemars(extend("minProperties" = 2))]
#[serde(rename_all = "camelCase")]
pub struct UpdateBody {
    pub status_page_id: String,
    /// What changes. What is not named stays, null clears.
    #[serde(flatten)]
    pub fields: Patch<PageFields>,
}

impl UpdateBody {
    pub(super) fn check(&self, issues: &mut Vec<Issue>) {
        require_change(issues, !self.fields.0.is_empty(), "at least one field");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "StatusPageLogo")]
#[serde(rename_all = "camelCase")]
pub struct LogoBody {
    pub status_page_id: String,
    /// A PNG, JPEG, WebP or GIF image of at most 128 KiB, in base64; null removes the logo.
    pub data: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "StatusPageTransfer")]
#[serde(rename_all = "camelCase")]
pub struct TransferBody {
    pub status_page_id: String,
    /// The new owner, in which the caller may make pages.
    pub target_organization_id: String,
    /// Whether its monitors go with it; true by default.
    pub include_monitors: Option<bool>,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MonitorBody {
    pub status_page_id: String,
    /// The monitor's id.
    pub uptime_schedule_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("minProperties" = 2))]
#[serde(rename_all = "camelCase")]
pub struct SettingsBody {
    /// The monitor's id on its page.
    pub monitor_id: String,
    /// What changes. What is not named stays, null clears.
    #[serde(flatten)]
    pub fields: Patch<PageMonitorFields>,
}

impl SettingsBody {
    pub(super) fn check(&self, issues: &mut Vec<Issue>) {
        require_change(issues, !self.fields.0.is_empty(), "at least one field");
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("dependentRequired" = { "startsAt": ["endsAt"], "endsAt": ["startsAt"] }))]
#[serde(rename_all = "camelCase")]
pub struct IncidentBody {
    pub status_page_id: String,
    /// What it is about, 1 to 200 characters.
    pub title: String,
    /// The severity. Default: `minor`.
    #[serde(default)]
    pub severity: Severity,
    /// The first thing that is said, 1 to 5,000 characters of Markdown.
    pub message: String,
    /// What is affected.
    #[serde(default)]
    pub affected_monitors: Vec<AffectedMonitor>,
    /// When maintenance begins, such as `2026-12-31T22:00:00Z`; with `endsAt` it is maintenance.
    pub starts_at: Option<String>,
    /// When maintenance ends.
    pub ends_at: Option<String>,
    /// Whether maintenance begins and ends by the clock; false by default.
    pub automatic: Option<bool>,
    /// For how many minutes after its end maintenance that goes by the clock is `verifying`, 0 (default) to 1,440.
    pub verify_minutes: Option<u32>,
}

impl IncidentBody {
    pub(super) fn check(&self, issues: &mut Vec<Issue>) {
        if self.starts_at.is_some() != self.ends_at.is_some() {
            let message = "maintenance has both `startsAt` and `endsAt`";
            issues.push(Issue::new("missing", "endsAt", message));
        }
        if self.starts_at.is_none()
            && (self.automatic == Some(true) || self.verify_minutes.is_some())
        {
            let message = "only maintenance goes by the clock: it has `startsAt` and `endsAt`";
            issues.push(Issue::new("invalid", "automatic", message));
        }
        for (field, text) in [("startsAt", &self.starts_at), ("endsAt", &self.ends_at)] {
            if text.as_deref().is_some_and(|text| moment(text).is_none()) {
                let message = format!("`{field}` is a time such as 2026-12-31T22:00:00Z");
                issues.push(Issue::new("invalid", field, message));
            }
        }
    }
}

pub(super) fn moment(text: &str) -> Option<i64> {
    let read = chrono::DateTime::parse_from_rfc3339(text).ok()?;
    Some(read.timestamp_millis())
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PastIncidentBody {
    pub status_page_id: String,
    /// What it was about, 1 to 200 characters.
    pub title: String,
    /// How bad it was; `minor` by default.
    #[serde(default)]
    pub severity: Severity,
    /// The updates, oldest first. The last one is `resolved`, or `completed` for maintenance.
    #[schemars(length(min = 1, max = 200))]
    pub updates: Vec<PastUpdateBody>,
    /// What was affected.
    #[serde(default)]
    pub affected_monitors: Vec<AffectedMonitor>,
    /// When maintenance began, such as `2026-12-31T22:00:00Z`; with `endsAt` it was maintenance.
    pub starts_at: Option<String>,
    /// When maintenance ended.
    pub ends_at: Option<String>,
    /// The postmortem, 1 to 20,000 characters of Markdown.
    pub postmortem: Option<String>,
}

/// An update of an incident.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "PastIncidentUpdate")]
#[serde(rename_all = "camelCase")]
pub struct PastUpdateBody {
    pub status: IncidentStatus,
    /// 1 to 5,000 characters of Markdown.
    pub message: String,
    /// When, such as `2026-12-31T22:00:00Z`.
    pub created_at: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IncidentUpdateBody {
    pub incident_id: String,
    /// Its status: `investigating`, `identified`, `monitoring` or `resolved`; maintenance: `scheduled`, `in_progress`,
    /// `verifying` or `completed`.
    pub status: IncidentStatus,
    /// What is said, 1 to 5,000 characters of Markdown.
    pub message: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IncidentIdBody {
    pub incident_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostmortemBody {
    /// The incident's id; it is over.
    pub incident_id: String,
    /// The postmortem, 1 to 20,000 characters of Markdown; null removes it.
    pub message: Option<String>,
}
