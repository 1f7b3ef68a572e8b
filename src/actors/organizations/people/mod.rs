//! What people do with their own accounts. Whatever needs a password checks and hashes it beside the mailbox and then
//! comes back as a message, so that nobody waits behind a hash.

mod account;
mod password;
mod reset;
mod sessions;
mod sign_in;
mod sign_up;

use secrecy::SecretString;

use super::{
    OrganizationError,
    attempts::{Attempts, Subject},
    repo,
    repo::people::Credentials,
};
use crate::{actors::password::Hasher, ids::UserId, store::StateDb};

/// Whether a signed-in person knows their password. `field` is where it stands in the request. Wrong ones are counted.
pub(super) async fn confirm(
    (db, hasher, attempts): (&StateDb, &Hasher, &Attempts),
    user: &UserId,
    password: SecretString,
    field: &'static str,
) -> Result<Credentials, OrganizationError> {
    let subject = Subject::Confirmation(user.clone());
    attempts.admit(&subject).await?;
    let known = repo::people::by_id(db.reader(), user).await?;
    let stored = known.as_ref().map(|known| known.hash.clone());
    let verdict = hasher.verify(password, stored).await?;
    let known = known
        .filter(|_| verdict.right)
        .ok_or(OrganizationError::WrongPassword(field))?;
    attempts.clear(&subject).await;
    Ok(known)
}
