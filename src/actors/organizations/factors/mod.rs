//! The second factor: a code of an authenticator app beside the password, or one of ten backup codes.
//!
//! Invariants:
//! - A factor counts from the moment its first code was right (`confirmed_at`); before that nobody is asked for one.
//! - Whoever knows the password gets a token, not a session, and a session for token and code (`prove`).
//! - No code counts twice: the step of an app's code is stored with the session that it opens, and only later steps are taken;
//!   a backup code's row goes in the same transaction.
//! - Ten wrong codes of a person in 15 minutes, then refusals; whoever has the password cannot reset that count.
//! - The app's secret is sealed, backup codes are hashed, both under keys of the installation (`vault`).

mod manage;
mod prove;
mod totp;

use std::sync::Arc;

use super::{Organizations, vault::Vault};
use crate::ids::UserId;

impl Organizations {
    /// Shows whether a person is asked for a code.
    pub(super) fn set_second_factor(&mut self, user: &UserId, asks: bool) {
        let known = self.view.person(user);
        if known.is_some_and(|known| known.second_factor != asks) {
            let view = Arc::make_mut(&mut self.view);
            view.change_person(user, |person| person.second_factor = asks);
        }
    }
}
