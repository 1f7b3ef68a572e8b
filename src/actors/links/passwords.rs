//! Links with a password: a visitor who knows it gets a pass, and the pass opens the link for a while.
//!
//! Passwords are hashed before a message is sent, which keeps the mailbox free.

use secrecy::SecretString;

use super::{Draft, LinkError, LinkFields, LinkPatch, LinksView, Record, repo};
use crate::actors::unlocking::{Locked, Pass};

/// The purpose of the key that signs passes.
pub(super) const PURPOSE: &str = "pharos 2026-11-21 passes of short links";

impl LinksView {
    /// Hashes the passwords of new links, before they are sent to the domain. Fails while too many are being hashed.
    pub async fn hash_passwords(&self, links: Vec<LinkFields>) -> Result<Vec<Draft>, LinkError> {
        let count = links.len();
        let mut drafts = Vec::with_capacity(count);
        for (at, mut fields) in links.into_iter().enumerate() {
            let (password, prefix) = (fields.password.take(), field_prefix(count, at));
            let password_hash = self.passwords.hash_new::<LinkError>(password, prefix);
            drafts.push(Draft {
                password_hash: password_hash.await?,
                fields,
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
            let (fields, prefix) = (&mut patch.fields, field_prefix(count, at));
            patch.password_hash = self
                .passwords
                .hash_patched::<LinkError>(fields, prefix)
                .await?;
        }
        Ok(patches)
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
        let locked = Locked {
            id: id.as_str(),
            lock,
        };
        let issued = self.passwords.issue(locked, password, stored, now_ms);
        Ok(issued.await?)
    }

    /// Whether a pass opens a link.
    pub fn accepts_pass(&self, record: &Record<'_>, pass: &str, now_ms: i64) -> bool {
        let id = record.id();
        record.lock().is_some_and(|lock| {
            let locked = Locked {
                id: id.as_str(),
                lock,
            };
            self.passwords.accepts(locked, pass, now_ms)
        })
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
