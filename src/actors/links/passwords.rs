//! Links with a password: a visitor who knows it gets a pass, and the pass opens the link for a while.
//!
//! Passwords are hashed before a message is sent, which keeps the mailbox free. A pass is signed with a key that is derived from
//! the installation's secret. It holds no secret itself, and ends when the password changes.

use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::{Draft, LinkError, LinkFields, LinkPatch, LinksView, Record, fields::Password, repo};
use crate::actors::{change::Change, issues::Issues};

/// How long a pass is good, milliseconds.
const PASS_MS: u64 = 60 * 60 * 1_000;
const LENGTH: std::ops::RangeInclusive<usize> = 4..=128;

/// Opens a link with a password for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    pub text: String,
    /// How long it is good.
    pub seconds: u64,
}

impl LinksView {
    /// Hashes the passwords of new links, before they are sent to the domain. Fails while too many are being hashed.
    pub async fn hash_passwords(&self, links: Vec<LinkFields>) -> Result<Vec<Draft>, LinkError> {
        let count = links.len();
        let mut drafts = Vec::with_capacity(count);
        for (at, mut fields) in links.into_iter().enumerate() {
            let password_hash = match fields.password.take() {
                Some(password) => Some(
                    self.hash_password(password, field_prefix(count, at))
                        .await?,
                ),
                None => None,
            };
            drafts.push(Draft {
                fields,
                password_hash,
            });
        }
        Ok(drafts)
    }

    /// Hashes the passwords of changes, before they are sent to the domain.
    pub async fn hash_patched_passwords(
        &self,
        mut patches: Vec<LinkPatch>,
    ) -> Result<Vec<LinkPatch>, LinkError> {
        let count = patches.len();
        for (at, patch) in patches.iter_mut().enumerate() {
            let prefix = field_prefix(count, at);
            patch.password_hash = match patch.fields.remove("password") {
                None => Change::Keep,
                Some(Value::Null) => Change::Clear,
                Some(Value::String(text)) => {
                    Change::Set(self.hash_password(Password(text.into()), prefix).await?)
                }
                Some(_) => {
                    let message = "`password` is a text, or null to take it away";
                    return Err(invalid_password("invalid_type", prefix, message));
                }
            };
        }
        Ok(patches)
    }

    async fn hash_password(&self, password: Password, prefix: String) -> Result<String, LinkError> {
        if !LENGTH.contains(&password.0.expose_secret().chars().count()) {
            let message = "`password` has 4 to 128 characters";
            return Err(invalid_password("invalid", prefix, message));
        }
        Ok(self.passwords.setting.hash(password.0).await?)
    }

    /// A pass, if this is the password of the link.
    pub async fn issue_pass(
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
        let verdict = self.passwords.checking.verify(password, stored).await?;
        let until_ms = u64::try_from(now_ms).unwrap_or(0) + PASS_MS;
        let signed = self.passwords.sign(&id, lock, until_ms);
        Ok(verdict.right.then(|| Pass {
            text: format!("{until_ms:x}.{}", signed.to_hex()),
            seconds: PASS_MS / 1_000,
        }))
    }

    /// Whether a pass opens a link.
    pub fn accepts_pass(&self, record: &Record<'_>, pass: &str, now_ms: i64) -> bool {
        let parts = pass.split_once('.');
        let parts = parts.and_then(|(until, signed)| {
            let until_ms = u64::from_str_radix(until, 16).ok()?;
            Some((until_ms, blake3::Hash::from_hex(signed).ok()?))
        });
        let (Some((until_ms, signed)), Some(lock)) = (parts, record.lock()) else {
            return false;
        };
        // Hashes are compared in constant time.
        let right = self.passwords.sign(&record.id(), lock, until_ms) == signed;
        right && u64::try_from(now_ms).is_ok_and(|now_ms| now_ms < until_ms)
    }
}

/// Put before the fields of one link, where a message names several.
pub(super) fn field_prefix(count: usize, at: usize) -> String {
    if count > 1 {
        format!("links.{at}.")
    } else {
        String::new()
    }
}

fn invalid_password(code: &'static str, prefix: String, message: &str) -> LinkError {
    let mut issues = Issues::with_prefix(prefix);
    issues.refuse(code, "password", message);
    issues.into_list().into()
}
