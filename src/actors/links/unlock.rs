//! Links that ask for a password: who knows it gets a pass, and whoever shows the pass is led on.
//!
//! Passwords are hashed before a message is sent, so that the mailbox never waits for it.

use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::{
    Draft, LinkError, LinkFields, LinkPatch, LinksView, Lock, Pass, Record, fields::Password, repo,
};
use crate::fault::Issue;

/// How long a pass is good, milliseconds.
const PASS_MS: u64 = 60 * 60 * 1_000;
/// Characters of a password.
const LENGTH: std::ops::RangeInclusive<usize> = 4..=128;

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
    vec![issue].into()
}
