//! The messages of this domain. Callers are authorized before they send one.

use std::sync::Arc;

use actix::Message;
use secrecy::SecretString;

use super::{KeyError, KeyKind, KeyQuota, LiveKey, Resources};
use crate::{
    access::{Role, Scope},
    actors::{audit::Actor, change::Change},
    ids::{KeyId, OrganizationId, UserId},
};

/// Who manages a key.
#[derive(Debug, Clone)]
pub struct Manager {
    /// As the audit log names them.
    pub actor: Actor,
    /// The role beyond which they grant nothing; `None` for the program itself, and for keys that can do nothing
    /// because they have no organization.
    pub role: Option<Role>,
}

impl Manager {
    /// The program itself, which grants anything.
    pub const SYSTEM: Self = Self {
        actor: Actor::System,
        role: None,
    };
}

#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<NewSecret, KeyError>")]
pub struct CreateKey {
    pub by: Manager,
    /// Its owner; a key without one can do nothing.
    pub organization: Option<OrganizationId>,
    /// Who makes it and gets its secret.
    pub created_by: Option<UserId>,
    /// 1 to 100 characters.
    pub name: String,
    /// At most 500 characters.
    pub description: Option<String>,
    pub kind: KeyKind,
    pub scopes: Vec<Scope>,
    /// Where its scopes hold; everywhere when absent.
    pub resources: Option<Resources>,
    /// At most 10, each of at most 50 characters.
    pub tags: Vec<String>,
    pub quota: KeyQuota,
    pub expires_ms: Option<i64>,
}

impl CreateKey {
    /// A key that may do nothing, without a quota of its own and for ever, made by the program.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            by: Manager::SYSTEM,
            organization: None,
            created_by: None,
            name: name.into(),
            description: None,
            kind: KeyKind::User,
            scopes: Vec::new(),
            resources: None,
            tags: Vec::new(),
            quota: KeyQuota::default(),
            expires_ms: None,
        }
    }
}

/// A key with its secret, which is shown this once.
#[derive(Debug)]
pub struct NewSecret {
    pub key: Arc<LiveKey>,
    /// The secret, which cannot be shown again.
    pub secret: SecretString,
}

/// Changes a key; what is `None` stays. A revoked key cannot be changed.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<LiveKey>, KeyError>")]
pub struct UpdateKey {
    pub by: Manager,
    pub id: KeyId,
    pub change: KeyChange,
}

/// What is to change of a key; fields that are not named stay.
#[derive(Debug, Clone, Default)]
pub struct KeyChange {
    pub name: Option<String>,
    /// Another description, or none.
    pub description: Change<String>,
    /// What else uses it.
    pub kind: Option<KeyKind>,
    pub scopes: Option<Vec<Scope>>,
    /// Other places where they hold, or everywhere.
    pub resources: Change<Resources>,
    pub tags: Option<Vec<String>>,
    pub quota: QuotaChange,
    /// When it stops working, Unix milliseconds, or never.
    pub expires_ms: Change<i64>,
    pub enabled: Option<bool>,
}

/// What is to change of a key's own quota.
#[derive(Debug, Clone, Copy, Default)]
pub struct QuotaChange {
    pub enabled: Option<bool>,
    /// Requests in the window.
    pub max: Option<u32>,
    pub window_seconds: Option<u32>,
}

/// Ends a key for good. Revoking it again changes nothing.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<LiveKey>, KeyError>")]
pub struct RevokeKey {
    pub by: Manager,
    pub id: KeyId,
}

/// Gives a key a new secret; the old one is dead at once. The key belongs to the person who asks from then on.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<NewSecret, KeyError>")]
pub struct RotateKey {
    pub by: Manager,
    pub id: KeyId,
}

/// Removes a key and everything that is known of it, but for its entries in the audit log.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<(), KeyError>")]
pub struct DeleteKey {
    pub by: Manager,
    pub id: KeyId,
}

/// A key was used. Send it only when [`LiveKey::use_is_due`] returns true.
#[derive(Debug, Clone, Message)]
#[rtype(result = "()")]
pub struct KeyUsed {
    pub id: KeyId,
    pub at_ms: i64,
}

/// Reads all keys anew, because another domain has changed some in a transaction of its own.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), KeyError>")]
pub struct RereadKeys;

/// Removes the keys of an organization that is about to be erased; how many.
#[derive(Debug, Message)]
#[rtype(result = "Result<u64, KeyError>")]
pub struct EraseOwner {
    pub organization: OrganizationId,
}

/// Removes the keys that a person has made for no organization; how many. No other person could ever manage them.
#[derive(Debug, Message)]
#[rtype(result = "Result<u64, KeyError>")]
pub struct EraseMaker {
    /// Whose account is gone.
    pub user: UserId,
}
