//! Changing one's password.

use std::sync::Arc;

use crate::{
    actors::{
        kit::{commit, handlers},
        organizations::{
            ChangePassword, Decision, LiveSession, OrganizationError, Organizations, Person,
            SignedIn, Work,
            messages::StorePassword,
            repo::{self, write},
            rules, sessions,
        },
    },
    ids::UserId,
};

handlers! { Organizations:
    prepare ChangePassword => Organizations::change_password;
    decide StorePassword => Organizations::store_password;
}

impl Organizations {
    fn change_password(&mut self, message: ChangePassword) -> Work<StorePassword> {
        let passwords = self.passwords.clone();
        Box::pin(async move {
            rules::new_password(&message.new, "newPassword")?;
            let (user, current) = (&message.user, message.current);
            let known = passwords.confirm(user, current, "currentPassword").await?;
            Ok(StorePassword {
                session: message.session,
                known,
                password_hash: passwords.hasher.hash(message.new).await?,
                end_others: message.end_others,
            })
        })
    }

    fn store_password(&mut self, message: StorePassword) -> Decision<SignedIn> {
        let signed_in = self.renewed_by(&message)?;
        let now_ms = signed_in.person.password_set_ms;
        let (user, others) = (message.known.user, message.end_others);
        let (id, digest) = (signed_in.session.grant.id.clone(), signed_in.session.digest);
        let (owner, own) = (user.clone(), id.clone());
        let io = write(self.env.db.clone(), async move |write| {
            let hash = &message.password_hash;
            repo::people::set_password(&**write, &owner, hash, now_ms).await?;
            repo::resets::forget(&**write, &owner).await?;
            repo::sessions::set_token(&**write, &own, digest).await?;
            if others {
                repo::sessions::delete_all(&**write, &owner, Some(&own)).await?;
            }
            Ok(())
        });
        Ok(commit(io, move |domain: &mut Self, ()| {
            let view = Arc::make_mut(&mut domain.view);
            if others {
                view.end_sessions(&user, |session| session.grant.id != id);
            }
            view.insert_session(Arc::clone(&signed_in.session));
            view.insert_person(Arc::clone(&signed_in.person));
            signed_in
        }))
    }

    /// The session under another token, unless it ended or the password changed while it was being checked.
    fn renewed_by(&self, message: &StorePassword) -> Result<SignedIn, OrganizationError> {
        let person = self.view.person(&message.known.user);
        let person = person
            .filter(|person| person.password_set_ms <= message.known.set_ms)
            .ok_or(OrganizationError::WrongPassword("currentPassword"))?;
        let session: &Arc<LiveSession> = self
            .view
            .session_by_id(&message.session)
            .ok_or(OrganizationError::SessionOver)?;
        // Later than the one before it, also within a millisecond.
        let set_ms = self.env.clock.now_ms().max(person.password_set_ms + 1);
        let person = Person {
            password_set_ms: set_ms,
            updated_ms: set_ms,
            ..Person::clone(person)
        };
        Ok(sessions::renewed(&self.view, session, Arc::new(person))?)
    }

    /// Marks the address as verified.
    pub(crate) fn verify_address(&mut self, user: &UserId) {
        Arc::make_mut(&mut self.view).change_person(user, |person| person.email_verified = true);
    }

    /// A password was set at this time, perhaps by another process: sessions of an older one end.
    pub(crate) fn adopt_password_time(&mut self, user: &UserId, set_ms: i64) {
        let known = self.view.person(user);
        if known.is_none_or(|known| known.password_set_ms >= set_ms) {
            return;
        }
        let view = Arc::make_mut(&mut self.view);
        view.end_sessions(user, |_| true);
        view.change_person(user, |person| {
            person.password_set_ms = set_ms;
            person.updated_ms = set_ms;
        });
    }
}
