//! What passwords of links are hashed with, and passes signed with.
//!
//! A pass is signed with a key that is derived from the installation's secret, holds no secret itself, and is worth nothing once
//! the password is another.

use super::LinkFields;
use crate::{actors::password::Hasher, ids::LinkId, store::InstanceSecret};

/// What keys of passes are derived for.
const PURPOSE: &str = "pharos 2026-11-21 passes of short links";

/// What somebody says of a link, its password hashed.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// Everything but the password.
    pub fields: LinkFields,
    /// The password in PHC form.
    pub password_hash: Option<String>,
}

/// What becomes of a link's password when the link changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Lock {
    #[default]
    Kept,
    /// It is taken away.
    Removed,
    /// It is this one from now on, in PHC form.
    Set(String),
}

/// Leads whoever knew the password through a link for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// What has to be shown.
    pub text: String,
    /// For how many seconds.
    pub seconds: u64,
}

/// Hashes passwords and signs passes.
#[derive(Clone)]
pub(super) struct Locks {
    key: [u8; 32],
    /// Hashes the passwords of new and changed links.
    pub(super) setting: Hasher,
    /// Checks what visitors say. Apart, so that an import of many links keeps no visitor waiting.
    pub(super) checking: Hasher,
}

impl std::fmt::Debug for Locks {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Locks(…)")
    }
}

impl Locks {
    pub(super) fn new(secret: &InstanceSecret) -> Self {
        Self {
            key: secret.key_for(PURPOSE),
            setting: Hasher::new(),
            checking: Hasher::new(),
        }
    }

    pub(super) fn sign(&self, id: &LinkId, lock: u64, until_ms: u64) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher
            .update(&lock.to_be_bytes())
            .update(&until_ms.to_be_bytes());
        hasher.update(id.as_str().as_bytes());
        hasher.finalize()
    }
}
