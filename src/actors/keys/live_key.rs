//! A key as requests find it.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rights;
use crate::{
    access::{KeyGrant, Scope},
    actors::{
        digest::Digest,
        keys::{KeyRejection, Resources},
        text_enum::text_enums,
    },
    ids::{KeyId, OrganizationId, UserId},
};

/// A key as it is now. Replaced as a whole when it changes, but for the time of its last use, which
/// all versions share.
#[derive(Debug, Clone)]
pub struct LiveKey {
    pub grant: Arc<KeyGrant>,
    pub name: String,
    pub description: Option<String>,
    pub created_by: Option<UserId>,
    pub kind: KeyKind,
    pub scopes: Vec<Scope>,
    /// Where they hold, as it was given.
    pub resources: Option<Resources>,
    pub tags: Vec<String>,
    /// The secret's first eight characters.
    pub start: String,
    /// Its own quota as it was given; [`LiveKey::quota`] says what counts.
    pub rate_limit: KeyQuota,
    pub enabled: bool,
    pub expires_ms: Option<i64>,
    pub revoked_ms: Option<i64>,
    pub created_ms: i64,
    pub updated_ms: i64,
    pub(super) digest: Digest,
    pub(super) usage: Arc<Usage>,
}

impl LiveKey {
    pub fn id(&self) -> &KeyId {
        &self.grant.id
    }

    pub fn organization(&self) -> Option<&OrganizationId> {
        self.grant.organization.as_ref()
    }

    /// The quota that counts, as it was given: requests and the window in seconds.
    pub fn quota(&self) -> Option<(u32, u32)> {
        let quota = self.rate_limit;
        quota.enabled.then_some((quota.max, quota.window_seconds))
    }

    /// When it was last used, within five minutes, Unix milliseconds.
    pub fn last_used_ms(&self) -> Option<i64> {
        Some(self.usage.last_ms.load(Ordering::Relaxed)).filter(|at_ms| *at_ms > 0)
    }

    /// Whether to send [`KeyUsed`](super::KeyUsed) for this use: true once in 300 seconds, for one caller.
    pub fn use_is_due(&self, now_ms: i64) -> bool {
        let last_ms = self.usage.last_ms.load(Ordering::Relaxed);
        now_ms >= last_ms.saturating_add(USED_EVERY_MS)
            && self
                .usage
                .last_ms
                .compare_exchange(last_ms, now_ms, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }

    pub(super) fn set_rights(&mut self, scopes: Vec<Scope>, resources: Option<Resources>) {
        let (global, websites) = rights::rights(&scopes, resources.as_ref());
        self.grant = Arc::new(KeyGrant {
            global,
            websites,
            ..(*self.grant).clone()
        });
        self.scopes = scopes;
        self.resources = resources;
    }

    /// Whether it opens what another version of it opens, to the holders of the same secret.
    pub(super) fn grants_same(&self, other: &Self) -> bool {
        self.digest.matches(&other.digest)
            && self.scopes == other.scopes
            && self.resources == other.resources
            && self.created_by == other.created_by
            && self.revoked_ms == other.revoked_ms
    }

    /// Why its secret opens nothing now.
    pub(super) fn refusal(&self, now_ms: i64) -> Option<KeyRejection> {
        if self.revoked_ms.is_some() {
            return Some(KeyRejection::Revoked);
        }
        if !self.enabled {
            return Some(KeyRejection::Disabled);
        }
        let over = self
            .expires_ms
            .is_some_and(|expires_ms| expires_ms <= now_ms);
        over.then_some(KeyRejection::Expired)
    }
}

/// What uses a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum KeyKind {
    /// A person's scripts.
    User,
    /// An application.
    Sdk,
    /// A machine.
    Automation,
}

text_enums!(KeyKind);

/// A key's own quota; by default it is off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeyQuota {
    pub enabled: bool,
    /// Requests in the window; 0 = as many as `limits.key_requests` says.
    pub max: u32,
    /// The window in seconds; 0 = 60.
    pub window_seconds: u32,
}

/// The time of the last use is written at most this often per key, milliseconds.
pub(super) const USED_EVERY_MS: i64 = 300 * 1000;

/// When a key was used; survives changes of the key.
#[derive(Debug)]
pub(super) struct Usage {
    /// Unix milliseconds of the last recorded use; 0 for never.
    pub(super) last_ms: AtomicI64,
}
