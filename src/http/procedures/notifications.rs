//! Which mails the people of an organization get, as they are written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    actors::organizations::{AiAgents, Billing, Mode, Notifications, TrackingHealth, Uptime},
    fault::{Fault, Issue},
};

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct NotificationsChange {
    pub ai_agents: AiAgentsChange,
    pub billing: BillingChange,
    pub tracking_health: TrackingHealthChange,
    pub uptime: UptimeChange,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AiAgentsChange {
    /// A report about AI agents every week.
    pub weekly_digest: Option<bool>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BillingChange {
    /// A word before a quota is used up.
    pub usage_warnings: Option<bool>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrackingHealthChange {
    /// `off`, `critical_only` or `warnings_and_critical`.
    pub mode: Option<String>,
    /// Minutes between two mails about the same, 15 to 10,080.
    pub cooldown_minutes: Option<u32>,
    /// Origins without notifications, at most 100.
    pub ignored_origins: Option<Vec<String>>,
    /// Reasons without notifications, at most 100.
    pub ignored_reasons: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UptimeChange {
    /// A mail when a monitor goes down.
    pub down_emails: Option<bool>,
    /// A mail when it is up again.
    pub recovery_emails: Option<bool>,
}

/// Which mails the people of an organization get.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EmailNotificationSettings")]
pub struct NotificationsOut {
    pub ai_agents: AiAgentsOut,
    pub billing: BillingOut,
    pub tracking_health: TrackingHealthOut,
    pub uptime: UptimeOut,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AiAgentsOut {
    pub weekly_digest: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BillingOut {
    pub usage_warnings: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrackingHealthOut {
    pub mode: &'static str,
    pub cooldown_minutes: u32,
    pub ignored_origins: Vec<String>,
    pub ignored_reasons: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UptimeOut {
    pub down_emails: bool,
    pub recovery_emails: bool,
}

impl From<Notifications> for NotificationsOut {
    fn from(from: Notifications) -> Self {
        let health = from.tracking_health;
        Self {
            ai_agents: AiAgentsOut {
                weekly_digest: from.ai_agents.weekly_digest,
            },
            billing: BillingOut {
                usage_warnings: from.billing.usage_warnings,
            },
            tracking_health: TrackingHealthOut {
                mode: health.mode.as_str(),
                cooldown_minutes: health.cooldown_minutes,
                ignored_origins: health.ignored_origins,
                ignored_reasons: health.ignored_reasons,
            },
            uptime: UptimeOut {
                down_emails: from.uptime.down_emails,
                recovery_emails: from.uptime.recovery_emails,
            },
        }
    }
}

impl NotificationsChange {
    /// The choices as they shall be.
    pub(super) fn on(self, now: Notifications) -> Result<Notifications, Fault> {
        let (health, old) = (self.tracking_health, now.tracking_health);
        let mode = match &health.mode {
            Some(mode) => Mode::parse(mode).ok_or_else(unknown_mode)?,
            None => old.mode,
        };
        Ok(Notifications {
            ai_agents: AiAgents {
                weekly_digest: self
                    .ai_agents
                    .weekly_digest
                    .unwrap_or(now.ai_agents.weekly_digest),
            },
            billing: Billing {
                usage_warnings: self
                    .billing
                    .usage_warnings
                    .unwrap_or(now.billing.usage_warnings),
            },
            tracking_health: TrackingHealth {
                mode,
                cooldown_minutes: health.cooldown_minutes.unwrap_or(old.cooldown_minutes),
                ignored_origins: health.ignored_origins.unwrap_or(old.ignored_origins),
                ignored_reasons: health.ignored_reasons.unwrap_or(old.ignored_reasons),
            },
            uptime: Uptime {
                down_emails: self.uptime.down_emails.unwrap_or(now.uptime.down_emails),
                recovery_emails: self
                    .uptime
                    .recovery_emails
                    .unwrap_or(now.uptime.recovery_emails),
            },
        })
    }
}

fn unknown_mode() -> Fault {
    let message = "must be `off`, `critical_only` or `warnings_and_critical`";
    let issue = Issue::new("invalid_value", "settings.trackingHealth.mode", message);
    Fault::issues("Input validation failed", vec![issue])
}
