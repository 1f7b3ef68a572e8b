//! What people do with their own accounts.
//!
//! A message with a password is prepared beside the mailbox (`prepare` in its `handlers!`), because hashes are slow.

mod account;
mod password;
mod reset;
mod sessions;
mod sign_in;
mod sign_up;

use std::sync::Arc;

use super::{OrganizationError, Organizations, Person, repo::people::Credentials};
use crate::ids::UserId;

impl Organizations {
    /// A person whose session sent a message.
    pub(super) fn signed_in(&self, user: &UserId) -> Result<&Arc<Person>, OrganizationError> {
        let person = self.view.person(user);
        person.ok_or(OrganizationError::SessionOver)
    }

    /// A person who has just given the password, unless it has changed since. `field` is its place in the request.
    pub(super) fn confirmed(
        &self,
        known: &Credentials,
        field: &'static str,
    ) -> Result<&Arc<Person>, OrganizationError> {
        let person = self.signed_in(&known.user)?;
        if person.password_set_ms > known.set_ms {
            return Err(OrganizationError::WrongPassword(field));
        }
        Ok(person)
    }
}
