//! What people do with their own accounts. Whatever needs a password checks and hashes it beside the mailbox and then
//! comes back as a message, so that nobody waits behind a hash.

mod account;
mod password;
mod reset;
mod sessions;
mod sign_in;
mod sign_up;

use secrecy::SecretString;

use super::{OrganizationError, Organizations, repo, repo::people::Credentials};
use crate::{actors::password::Hasher, ids::UserId, store::StateDb};

/// Whether a signed-in person knows their password. `field` is where it stands in the request.
pub(super) async fn confirm(
    db: &StateDb,
    hasher: &Hasher,
    user: &UserId,
    password: SecretString,
    field: &'static str,
) -> Result<Credentials, OrganizationError> {
    let known = repo::people::by_id(db.reader(), user).await?;
    let stored = known.as_ref().map(|known| known.hash.clone());
    let verdict = hasher.verify(password, stored).await?;
    known
        .filter(|_| verdict.right)
        .ok_or(OrganizationError::WrongPassword(field))
}

impl Organizations {
    /// Counts an attempt of a signed-in person to prove who they are; a success takes the count away.
    pub(super) fn admit_confirmation(&mut self, user: &UserId) -> Result<(), OrganizationError> {
        let attempt = self
            .attempts
            .admit(&confirmations(user), self.clock.now_ms());
        attempt.map_err(OrganizationError::TooManyAttempts)
    }
}

/// Under what name a person's confirmations are counted: apart from sign-ins, which strangers can use up.
pub(super) fn confirmations(user: &UserId) -> String {
    format!("confirmation {user}")
}
