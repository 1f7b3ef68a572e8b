//! A share link.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    actors::{
        audit::Actor,
        dashboard::Dashboard,
        networks::Networks,
        page_access::PageAccess,
        unlocking::{Locked, Password},
    },
    ids::{OrganizationId, ShareId, UserId},
};

/// What people set of a share link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShareFields {
    /// The name in the list of share links, 1 to 100 characters. Visitors don't see it.
    pub name: String,
    /// When the link stops working; null for never.
    #[serde(default)]
    pub expires_at: Option<String>,
    /// Origins whose pages may embed the dashboard, such as `https://example.com`. Default: none. At most 20.
    #[serde(default)]
    pub embed_origins: Vec<String>,
    /// Whether only members of the organization see it, signed in.
    #[serde(default)]
    pub members_only: bool,
    /// IP addresses and networks that see it, such as `203.0.113.0/24`; everyone by default. At most 100.
    #[serde(default)]
    pub allowed_ips: Networks,
    /// What visitors have to enter first, 4 to 128 characters. It is never shown again.
    #[serde(default, skip_serializing)]
    pub password: Option<Password>,
}

#[derive(Debug, Clone)]
pub struct Share {
    pub id: ShareId,
    /// What it shows.
    pub dashboard: Dashboard,
    /// The last part of its address.
    pub slug: String,
    pub fields: ShareFields,
    pub(super) password_hash: Option<String>,
    pub created_by: Option<UserId>,
    pub created_ms: i64,
    pub updated_ms: i64,
}

impl Share {
    /// Who sees it beside the members of its organization.
    pub fn access(&self) -> PageAccess<'_> {
        PageAccess {
            members_only: self.fields.members_only,
            allowed_ips: &self.fields.allowed_ips,
            has_password: self.password_hash.is_some(),
        }
    }

    pub fn has_expired(&self, now_ms: i64) -> bool {
        let end = self.fields.expires_at.as_deref();
        end.and_then(moment).is_some_and(|end| now_ms >= end)
    }

    pub(super) fn locked(&self) -> Option<Locked<'_>> {
        Locked::by_hash(self.id.as_str(), self.password_hash.as_deref())
    }
}

/// A time of the wire, Unix milliseconds.
pub(super) fn moment(text: &str) -> Option<i64> {
    let moment = chrono::DateTime::parse_from_rfc3339(text).ok()?;
    Some(moment.timestamp_millis())
}

/// A share link to create.
#[derive(Debug)]
pub struct NewShare {
    /// The dashboard's owner, for its audit log.
    pub organization: OrganizationId,
    pub by: Actor,
    pub dashboard: Dashboard,
    pub created_by: Option<UserId>,
    pub fields: ShareFields,
}
