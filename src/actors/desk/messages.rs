//! Everything that can be asked of this domain, and what it is about.

use actix::Message;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DeskError;
use crate::ids::{FeedbackId, OrganizationId, UserId};

/// How somebody likes to read times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preferences {
    pub id: String,
    /// Whose they are.
    pub user: UserId,
    /// `auto` (the browser's), or an IANA zone.
    pub timezone: String,
    /// How dates are written.
    pub date_format: String,
    /// How times of day are written.
    pub time_format: String,
    /// When they were first looked at, Unix milliseconds.
    pub created_ms: i64,
    /// When they were last changed, Unix milliseconds.
    pub updated_ms: i64,
}

/// Changes preferences; what is not named stays as it is. Those of a person who never had any are as usual.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Preferences, DeskError>")]
pub struct SetPreferences {
    pub user: UserId,
    /// `auto`, or an IANA zone.
    pub timezone: Option<String>,
    /// 1 to 40 characters.
    pub date_format: Option<String>,
    /// 1 to 40 characters.
    pub time_format: Option<String>,
}

/// What feedback is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "FeedbackCategory")]
pub enum Category {
    BugReport,
    FeatureRequest,
    UxImprovement,
    Performance,
    Documentation,
    Other,
}

impl Category {
    const ALL: [(&'static str, Self); 6] = [
        ("bug_report", Self::BugReport),
        ("feature_request", Self::FeatureRequest),
        ("ux_improvement", Self::UxImprovement),
        ("performance", Self::Performance),
        ("documentation", Self::Documentation),
        ("other", Self::Other),
    ];

    /// As it is stored and written on the wire.
    pub fn as_str(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, one)| *one == self);
        found.map_or("other", |(name, _)| name)
    }

    /// Reads a stored one; what is not known is something else.
    pub fn parse(text: &str) -> Self {
        let found = Self::ALL.iter().find(|(name, _)| *name == text);
        found.map_or(Self::Other, |(_, one)| *one)
    }
}

/// What somebody had to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feedback {
    pub id: FeedbackId,
    /// Who said it.
    pub user: UserId,
    /// The organization that they were working in.
    pub organization: Option<OrganizationId>,
    /// What it is about, 3 to 200 characters.
    pub title: String,
    /// What was said, 10 to 5,000 characters.
    pub description: String,
    /// Of which kind it is.
    pub category: Category,
    /// When, Unix milliseconds.
    pub created_ms: i64,
}

/// Keeps what somebody has to say.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Feedback, DeskError>")]
pub struct SubmitFeedback {
    /// Who says it.
    pub user: UserId,
    /// The organization that they are working in.
    pub organization: Option<OrganizationId>,
    /// What it is about, 3 to 200 characters.
    pub title: String,
    /// What is said, 10 to 5,000 characters.
    pub description: String,
    /// Of which kind it is.
    pub category: Category,
}
