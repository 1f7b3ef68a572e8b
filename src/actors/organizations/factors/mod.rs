//! The second factor: a code of an authenticator app beside the password, or one of ten backup codes. A passkey is one as well,
//! see `passkeys`; backup codes are there while there is an app or a passkey.
//!
//! Invariants:
//! - A factor counts from the moment its first code was right (`confirmed_at`); before that, sign-in asks for no code.
//! - A right password gets a token instead of a session; token and code together get the session (`prove`).
//! - No code counts twice: the step of an app's code is stored with the session that it opens, and only later steps are
//!   taken; a backup code's row goes in the same transaction.
//! - Ten wrong codes of a person in 15 minutes, then refusals; the password does not reset that count.
//! - The app's secret is sealed, backup codes are hashed, both under keys of the installation (`vault`).

mod manage;
mod prove;
mod totp;

use std::sync::Arc;

use secrecy::{ExposeSecret as _, SecretString};

use super::{
    OrganizationError, Organizations, OrganizationsView, Person, SecondFactors, repo,
    sso::ActiveProvider,
    vault::{self, PendingSignIn, Vault},
};
use crate::{ids::UserId, store::state::Write};

/// Stores new backup codes in place of all that there are.
pub(super) async fn replace_codes(
    write: &Write,
    vault: &Vault,
    user: &UserId,
) -> Result<Vec<SecretString>, OrganizationError> {
    let codes = vault::codes()?;
    let hashes = codes
        .iter()
        .map(|code| vault.hash(user, code.expose_secret()));
    repo::factors::set_codes(&**write, user, hashes.collect()).await?;
    Ok(codes)
}

impl PendingSignIn {
    /// Refuses it in the transaction that completes it, if the password is another one by now, or the provider may not sign the person
    /// in any more.
    pub(super) async fn recheck(
        &self,
        write: &Write,
        view: &OrganizationsView,
        person: &Person,
    ) -> Result<(), OrganizationError> {
        let known = repo::people::by_id(&**write, &person.id).await?;
        if known.is_none_or(|known| known.set_ms != self.set_ms) {
            return Err(OrganizationError::NotWaiting);
        }
        match &self.provider {
            Some(provider) => ActiveProvider::recheck(&**write, view, &provider.name, person).await,
            None => Ok(()),
        }
    }
}

impl Organizations {
    /// The sign-in that waits with a token, and whose; `None` once the person has another password.
    pub(super) fn pending_sign_in(
        &self,
        token: &SecretString,
        now_ms: i64,
    ) -> Option<(PendingSignIn, Arc<Person>)> {
        let pending = self.vault.open_pending(token.expose_secret(), now_ms)?;
        let person = self.view.person(&pending.user())?;
        let is_due = person.password_set_ms <= pending.set_ms;
        is_due.then(|| (pending, Arc::clone(person)))
    }

    /// Shows what a person is asked for beside the password.
    pub(super) fn set_second_factors(&mut self, user: &UserId, factors: SecondFactors) {
        let known = self.view.person(user);
        if known.is_some_and(|known| known.second_factors != factors) {
            let view = Arc::make_mut(&mut self.view);
            view.change_person(user, |person| person.second_factors = factors);
        }
    }
}
