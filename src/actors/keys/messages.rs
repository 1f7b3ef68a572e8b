//! Everything that can be asked of this domain. Whoever asks has been authorized before.

use std::sync::Arc;

use actix::Message;
use secrecy::SecretString;

use super::{KeyError, KeyKind, KeyQuota, LiveKey, Resources};
use crate::{
    access::Scope,
    ids::{KeyId, OrganizationId, UserId},
};

/// Makes a key.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<NewSecret, KeyError>")]
pub struct CreateKey {
    /// Its owner; a key without one can do nothing.
    pub organization: Option<OrganizationId>,
    /// Who makes it.
    pub created_by: Option<UserId>,
    /// 1 to 100 characters.
    pub name: String,
    /// At most 500 characters.
    pub description: Option<String>,
    /// What it is used by.
    pub kind: KeyKind,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Where its scopes hold; everywhere when absent.
    pub resources: Option<Resources>,
    /// At most 10, each of at most 50 characters.
    pub tags: Vec<String>,
    /// Its own quota.
    pub quota: KeyQuota,
    /// When it stops working, Unix milliseconds.
    pub expires_ms: Option<i64>,
}

impl CreateKey {
    /// A key that may do nothing, without a quota of its own and for ever.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
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
    /// The key.
    pub key: Arc<LiveKey>,
    /// The secret; nobody can find it out later.
    pub secret: SecretString,
}

/// Ends a key for good. Revoking it again changes nothing.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<Arc<LiveKey>, KeyError>")]
pub struct RevokeKey {
    /// The key.
    pub id: KeyId,
}

/// Gives a key a new secret; the old one is dead at once.
#[derive(Debug, Clone, Message)]
#[rtype(result = "Result<NewSecret, KeyError>")]
pub struct RotateKey {
    /// The key.
    pub id: KeyId,
}

/// A key was used. Tell it only when [`LiveKey::use_is_due`] says so.
#[derive(Debug, Clone, Message)]
#[rtype(result = "()")]
pub struct KeyUsed {
    /// The key.
    pub id: KeyId,
    /// When, Unix milliseconds.
    pub at_ms: i64,
}
