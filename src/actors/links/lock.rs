//! Links that ask for a password: who knows it gets a pass, and whoever shows the pass is led on.
//!
//! Passwords are hashed before a message is sent, so that the mailbox never waits for it. A pass is signed with a key that is
//! derived from the installation's secret, holds no secret itself, and is worth nothing once the password is another.

use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::{LinkError, LinkFields, LinkPatch, LinksView, Record, fields::Password, repo};
use crate::{actors::password::Hasher, fault::Issue, ids::LinkId, store::InstanceSecret};

/// What keys of passes are derived for.
const PURPOSE: &str = "pharos 2026-11-21 passes of short links";
/// How long a pass is good, milliseconds.
const PASS_MS: u64 = 60 * 60 * 1_000;
/// Characters of a password.
const LENGTH: std::ops::RangeInclusive<usize> = 4..=128;

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
    setting: Hasher,
    /// Checks what visitors say. Apart, so that an import of many links keeps no visitor waiting.
    checking: Hasher,
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

    fn sign(&self, id: &LinkId, lock: u64, until_ms: u64) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher
            .update(&lock.to_be_bytes())
            .update(&until_ms.to_be_bytes());
        hasher.update(id.as_str().as_bytes());
        hasher.finalize()
    }
}

impl LinksView {
    /// New links with their passwords hashed, before they are sent to the domain.
    ///
    /// # Errors
    /// A password is too short or too long, or too many are being hashed.
    pub async fn sealed(&self, links: Vec<LinkFields>) -> Result<Vec<Draft>, LinkError> {
        let several = links.len() > 1;
        let mut drafts = Vec::with_capacity(links.len());
        for (at, mut fields) in links.into_iter().enumerate() {
            let password_hash = match fields.password.take() {
                Some(password) => Some(self.hashed(password, &place(several, at)).await?),
                None => None,
            };
            drafts.push(Draft {
                fields,
                password_hash,
            });
        }
        Ok(drafts)
    }

    /// Changes of links with their passwords hashed, before they are sent to the domain.
    ///
    /// # Errors
    /// See [`Self::sealed`].
    pub async fn sealed_patches(
        &self,
        mut patches: Vec<LinkPatch>,
    ) -> Result<Vec<LinkPatch>, LinkError> {
        let several = patches.len() > 1;
        for (at, patch) in patches.iter_mut().enumerate() {
            let place = place(several, at);
            patch.lock = match patch.fields.remove("password") {
                None => Lock::Kept,
                Some(Value::Null) => Lock::Removed,
                Some(Value::String(text)) => {
                    Lock::Set(self.hashed(Password(text.into()), &place).await?)
                }
                Some(_) => {
                    let message = "`password` is a text, or null to take it away";
                    return Err(wrong("invalid_type", &place, message));
                }
            };
        }
        Ok(patches)
    }

    async fn hashed(&self, password: Password, place: &str) -> Result<String, LinkError> {
        if !LENGTH.contains(&password.0.expose_secret().chars().count()) {
            let message = "`password` has 4 to 128 characters";
            return Err(wrong("invalid", place, message));
        }
        Ok(self.locks.setting.hash(password.0).await?)
    }

    /// A pass for whoever knows the password of a link; nothing for others.
    ///
    /// # Errors
    /// Too many passwords are being checked, or storage failed.
    pub async fn open(
        &self,
        record: &Record<'_>,
        password: SecretString,
        now_ms: i64,
    ) -> Result<Option<Pass>, LinkError> {
        let Some(lock) = record.lock() else {
            return Ok(None);
        };
        let id = record.id();
        let stored = repo::password_hash(&self.db, &id).await?;
        let verdict = self.locks.checking.verify(password, stored).await?;
        let until_ms = u64::try_from(now_ms).unwrap_or(0) + PASS_MS;
        let signed = self.locks.sign(&id, lock, until_ms);
        Ok(verdict.right.then(|| Pass {
            text: format!("{until_ms:x}.{}", signed.to_hex()),
            seconds: PASS_MS / 1_000,
        }))
    }

    /// Whether a pass leads through a link.
    pub fn admits(&self, record: &Record<'_>, pass: &str, now_ms: i64) -> bool {
        let parts = pass.split_once('.');
        let parts = parts.and_then(|(until, signed)| {
            let until_ms = u64::from_str_radix(until, 16).ok()?;
            Some((until_ms, blake3::Hash::from_hex(signed).ok()?))
        });
        let (Some((until_ms, signed)), Some(lock)) = (parts, record.lock()) else {
            return false;
        };
        // Compared in a time that says nothing.
        let right = self.locks.sign(&record.id(), lock, until_ms) == signed;
        right && u64::try_from(now_ms).is_ok_and(|now_ms| now_ms < until_ms)
    }
}

fn place(several: bool, at: usize) -> String {
    if several {
        format!("links.{at}.")
    } else {
        String::new()
    }
}

fn wrong(code: &'static str, place: &str, message: &'static str) -> LinkError {
    let issue = Issue::new(code, format!("{place}password"), message);
    LinkError::Invalid(vec![issue])
}
