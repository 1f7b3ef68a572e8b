//! A new password from the command line, also beside a running server, which notices it within a minute or when it is used.

use secrecy::SecretString;

use super::{OrganizationError, password::Hasher, repo, rules};
use crate::{actors::random, clock::Clock, store::StateDb};

/// Characters of a generated password: 119 random bits.
const PASSWORD: usize = 20;

/// Sets a generated password for an account and ends its sessions; `None` when there is no such account.
///
/// # Errors
/// What the database says; nothing was changed then.
pub async fn reset_password(
    db: &StateDb,
    clock: &Clock,
    email: &str,
) -> Result<Option<SecretString>, OrganizationError> {
    let account = rules::address(email)?;
    let Some(known) = repo::people::by_email(db.writer(), &account).await? else {
        return Ok(None);
    };
    let password = random::base62(PASSWORD)?;
    let hash = Hasher::new().hash(password.clone().into()).await?;
    let set_ms = clock.now_ms().max(known.set_ms + 1);
    repo::write(db.clone(), async move |write| {
        repo::people::set_password(&**write, &known.user, &hash, set_ms).await?;
        repo::resets::forget(&**write, &known.user).await?;
        Ok(repo::sessions::delete_of(&**write, &known.user, None).await?)
    })
    .await?;
    Ok(Some(password.into()))
}
