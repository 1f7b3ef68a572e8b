//! Pages with a password. Passwords are hashed before a message is sent, which keeps the mailbox free.

use secrecy::SecretString;
use serde_json::{Map, Value};

use super::{StatusPage, StatusPageError, StatusPagesView};
use crate::actors::{
    change::Change,
    unlocking::{Pass, Password},
};

/// The purpose of the key that signs passes.
pub(super) const PURPOSE: &str = "pharos 2026-11-28 passes of status pages";

impl StatusPagesView {
    /// Hashes the password of a new page. Fails while too many are being hashed.
    pub async fn hash_password(
        &self,
        password: Option<Password>,
    ) -> Result<Option<String>, StatusPageError> {
        self.passwords.hash_new(password, String::new()).await
    }

    /// Takes the password out of the fields of a change, and hashes it.
    pub async fn hash_patched_password(
        &self,
        fields: &mut Map<String, Value>,
    ) -> Result<Change<String>, StatusPageError> {
        self.passwords.hash_patched(fields, String::new()).await
    }

    /// A pass, if this is the password of the page.
    pub async fn issue_pass(
        &self,
        page: &StatusPage,
        password: SecretString,
    ) -> Result<Option<Pass>, StatusPageError> {
        let Some(locked) = page.locked() else {
            return Ok(None);
        };
        let (stored, now_ms) = (page.password_hash.clone(), self.env.clock.now_ms());
        Ok(self
            .passwords
            .issue(locked, password, stored, now_ms)
            .await?)
    }

    /// Whether a pass opens a page.
    pub fn accepts_pass(&self, page: &StatusPage, pass: &str) -> bool {
        let now_ms = self.env.clock.now_ms();
        page.locked()
            .is_some_and(|locked| self.passwords.accepts(locked, pass, now_ms))
    }
}
