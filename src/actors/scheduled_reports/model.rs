//! A recipient of reports.

use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Frequency, Period, calendar};
use crate::{
    actors::{
        audit::Actor,
        dashboard::Dashboard,
        delivery::{Channel, ChannelKind},
    },
    ids::{OrganizationId, ScheduledReportId, UserId},
    locale::Language,
};

/// Everything about a scheduled report that can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportFields {
    #[serde(default)]
    pub frequency: Frequency,
    /// The IANA time zone in which days begin and the report is sent. Default: `UTC`.
    #[serde(default = "utc")]
    pub timezone: String,
    /// The hour of the day in that time zone, 0 to 23. Default: 8.
    #[serde(default = "morning")]
    pub hour: u32,
    /// The language of the reports. Default: `en`.
    #[serde(default)]
    pub language: Language,
    /// `email`, `slack`, `discord`, `teams` or `telegram`. Default: `email`.
    #[serde(rename = "type", default = "email")]
    pub kind: ChannelKind,
    /// Where reports go. `email`: an address, whose owner has to confirm. `slack`, `discord`, `teams`: the webhook URL.
    /// `telegram`: the chat ID.
    pub recipient: String,
    /// `telegram`: the bot token.
    #[serde(default)]
    pub token: Option<String>,
}

fn utc() -> String {
    "UTC".to_owned()
}

const fn morning() -> u32 {
    8
}

fn email() -> ChannelKind {
    ChannelKind::EMAIL.into()
}

/// How often reports come, and the hour of the day in a time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    pub frequency: Frequency,
    pub zone: Tz,
    pub hour: u32,
}

impl Schedule {
    /// The period of the last report that was due by a moment, Unix milliseconds.
    pub fn period(self, now_ms: i64) -> Period {
        calendar::due(self.frequency, self.zone, self.hour, now_ms).0
    }

    /// When the next report is due, Unix milliseconds.
    pub(super) fn next_ms(self, now_ms: i64) -> i64 {
        calendar::due(self.frequency, self.zone, self.hour, now_ms).1
    }
}

#[derive(Debug, Clone)]
pub struct ScheduledReport {
    pub id: ScheduledReportId,
    /// What the reports are about.
    pub dashboard: Dashboard,
    pub schedule: Schedule,
    pub language: Language,
    pub(super) channel: Channel,
    pub(super) asked_ms: i64,
    /// When the recipient agreed, Unix milliseconds; `None` gets no reports.
    pub confirmed_ms: Option<i64>,
    /// When the next report is due, Unix milliseconds.
    pub next_ms: i64,
    pub created_by: Option<UserId>,
    pub created_ms: i64,
}

impl ScheduledReport {
    pub fn kind(&self) -> &ChannelKind {
        &self.channel.kind
    }

    /// A mailbox's address. Of other channels, which are secrets, only the beginning.
    pub fn recipient(&self) -> String {
        let identifier = &self.channel.identifier;
        match self.channel.kind.as_str() {
            "email" | "telegram" => identifier.clone(),
            _ => {
                let shown: String = identifier.chars().take(28).collect();
                format!("{shown}…")
            }
        }
    }
}

/// A recipient to add.
#[derive(Debug)]
pub struct NewReport {
    /// The dashboard's owner.
    pub organization: OrganizationId,
    pub by: Actor,
    pub dashboard: Dashboard,
    /// What recipients know the dashboard by.
    pub name: String,
    pub created_by: Option<UserId>,
    pub fields: ReportFields,
}
