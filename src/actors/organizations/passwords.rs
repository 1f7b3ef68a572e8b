//! Checks and hashes passwords beside the mailbox, and counts the wrong ones.

use secrecy::SecretString;

use super::{
    OrganizationError,
    attempts::{Attempts, Subject},
    repo::people::{self, Credentials},
};
use crate::{actors::password::Hasher, ids::UserId, store::StateDb};

/// What a check of a password needs; cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Passwords {
    pub(super) db: StateDb,
    pub(super) hasher: Hasher,
    pub(super) attempts: Attempts,
}

impl Passwords {
    pub(super) fn new(db: StateDb, attempts: Attempts) -> Self {
        Self {
            db,
            hasher: Hasher::new(),
            attempts,
        }
    }

    /// Whether a signed-in person knows their password. `field` is its place in the request. Wrong ones are counted.
    pub(super) async fn confirm(
        &self,
        user: &UserId,
        password: SecretString,
        field: &'static str,
    ) -> Result<Credentials, OrganizationError> {
        let subject = Subject::Confirmation(user.clone());
        self.attempts.admit(&subject).await?;
        let known = people::by_id(self.db.reader(), user).await?;
        let known = self.check(password, known).await?.map(|(known, _)| known);
        let known = known.ok_or(OrganizationError::WrongPassword(field))?;
        self.attempts.clear(&subject).await;
        Ok(known)
    }

    /// The credentials if the password is theirs, with its hash under today's cost if that is another one. Takes as long
    /// without credentials.
    pub(super) async fn check(
        &self,
        password: SecretString,
        known: Option<Credentials>,
    ) -> Result<Option<(Credentials, Option<String>)>, OrganizationError> {
        let stored = known.as_ref().map(|known| known.hash.clone());
        let stored = stored.filter(|hash| !hash.is_empty());
        let verdict = self.hasher.verify(password, stored).await?;
        let known = known.filter(|_| verdict.right);
        Ok(known.map(|known| (known, verdict.rehashed)))
    }
}
