//! Password resets by email.

use std::sync::Arc;

use actix::Context;
use secrecy::ExposeSecret;

use crate::{
    actors::{
        delivery::Outbox,
        digest::Digest,
        kit::{Live, commit, handlers, run_exclusive},
        organizations::{
            Decision, ForgotPassword, OrganizationError, Organizations, Person, ResetPassword,
            Work, emails,
            messages::StoreReset,
            repo::{self, write},
            rules, sessions,
        },
    },
    store::StateDb,
};

/// A link for a new password is good this long, milliseconds.
const LASTS_MS: i64 = 60 * 60 * 1000;
/// Valid links of one account at a time, against flooding a mailbox.
const MAX: u64 = 3;

handlers! { Organizations:
    now ForgotPassword => forgot_password;
    prepare ResetPassword => Organizations::reset_password;
    decide StoreReset => Organizations::store_reset;
}

/// Answers before it looks for the account, because the time of an answer must not show whether there is one.
fn forgot_password(
    live: &mut Live<Organizations>,
    message: ForgotPassword,
    context: &mut Context<Live<Organizations>>,
) -> Result<(), OrganizationError> {
    let outbox = live.env.mail.clone().ok_or(OrganizationError::NoMail)?;
    let account = rules::address(&message.email)?;
    if let Some(person) = live.view.person_by_email(&account).cloned() {
        let (db, now_ms) = (live.env.db.clone(), live.env.clock.now_ms());
        let io = send_link(db, outbox, person, message, now_ms);
        run_exclusive(context, io, |_, ()| {});
    }
    Ok(())
}

async fn send_link(
    db: StateDb,
    outbox: Outbox,
    person: Arc<Person>,
    message: ForgotPassword,
    now_ms: i64,
) {
    let bell = outbox.clone();
    let sent = write(db, async move |write| {
        repo::resets::forget_expired(&**write, now_ms).await?;
        if repo::resets::count(&**write, &person.id).await? >= MAX {
            return Ok(());
        }
        let (token, digest) = sessions::token()?;
        let expires_ms = now_ms + LASTS_MS;
        repo::resets::insert(&**write, &person.id, digest, (now_ms, expires_ms)).await?;
        let email = emails::reset(&person, &message, token.expose_secret());
        let delivery = email.delivery(format!("password-reset {}", digest.to_hex()), None);
        outbox.put(write, delivery, now_ms).await?;
        Ok(())
    });
    match sent.await {
        Ok(()) => bell.ring(),
        Err(error) => tracing::error!(%error, "a link for a new password was not sent"),
    }
}

impl Organizations {
    fn reset_password(&mut self, message: ResetPassword) -> Work<StoreReset> {
        let (passwords, now_ms) = (self.passwords.clone(), self.env.clock.now_ms());
        Box::pin(async move {
            rules::new_password(&message.password, "newPassword")?;
            let token = Digest::from_secret(message.token.expose_secret());
            let user = repo::resets::find_user(passwords.db.reader(), token, now_ms).await?;
            // Looked up first: a wrong token costs no hash.
            let user = user.ok_or(OrganizationError::BadLink)?;
            Ok(StoreReset {
                token,
                user,
                password_hash: passwords.hasher.hash(message.password).await?,
            })
        })
    }

    fn store_reset(&mut self, message: StoreReset) -> Decision<()> {
        let Some(person) = self.view.person(&message.user) else {
            return Err(OrganizationError::BadLink);
        };
        let now_ms = self.env.clock.now_ms();
        let set_ms = now_ms.max(person.password_set_ms + 1);
        let io = write(self.env.db.clone(), async move |write| {
            let user = &message.user;
            if !repo::resets::take(&**write, message.token, now_ms).await? {
                return Err(OrganizationError::BadLink);
            }
            repo::people::set_password(&**write, user, &message.password_hash, set_ms).await?;
            repo::people::set_verified(&**write, user).await?;
            repo::resets::forget(&**write, user).await?;
            repo::sessions::delete_all(&**write, user, None).await?;
            Ok(message.user)
        });
        Ok(commit(io, move |domain: &mut Self, user| {
            domain.adopt_password_time(&user, set_ms);
            domain.verify_address(&user);
        }))
    }
}
