//! Passkeys of people: adding, naming and removing them, and the sessions that they open.
//!
//! Invariants:
//! - A passkey alone opens a session, because its authenticator checks the person. After a password it is the second factor.
//! - An answer counts once: its challenge is spent in the transaction that it opens.
//! - A counter that went back means a copy. Nothing opens, and the audit log says so.
//! - Who adds or removes one has just shown that it is them: with the password, or by a sign-in of the last ten minutes.
//! - The first second factor brings backup codes, which go with the last.
//! - A passkey that is the last way in stays.

mod add;
mod manage;
mod sign_in;

use std::sync::Arc;

use secrecy::SecretString;

use super::{LiveSession, OrganizationError, Organizations, Work};
use crate::ids::{SessionId, UserId};

/// For this long a sign-in shows that it is the person, milliseconds.
const FRESH_MS: i64 = 10 * 60 * 1000;

impl Organizations {
    /// The session of a person who has just shown that it is them.
    fn prove_presence(&self, session: &SessionId, password: Option<SecretString>) -> Work<UserId> {
        let session = self.live_session(session).map(Arc::clone);
        let (passwords, now_ms) = (self.passwords.clone(), self.env.clock.now_ms());
        Box::pin(async move {
            let session = session?;
            let user = session.grant.user.clone();
            match password {
                Some(password) => {
                    passwords.confirm(&user, password, "password").await?;
                }
                None if now_ms < session.created_ms + FRESH_MS => {}
                None => return Err(OrganizationError::PasswordNeeded),
            }
            Ok(user)
        })
    }

    fn live_session(&self, session: &SessionId) -> Result<&Arc<LiveSession>, OrganizationError> {
        let session = self.view.session_by_id(session);
        session.ok_or(OrganizationError::SessionOver)
    }
}
