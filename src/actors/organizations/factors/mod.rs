//! The second factor: a code of an authenticator app beside the password, or one of ten backup codes.
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
