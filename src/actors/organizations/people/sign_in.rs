//! Opening a session with a password.

use std::sync::Arc;

use actix::Addr;
use secrecy::SecretString;

use crate::actors::{
    kit::{Live, ask, commit, handlers},
    organizations::{
        Decision, OrganizationError, Organizations, SignIn, SignInMethod, SignInOutcome, Work,
        attempts::Subject,
        messages::OpenSession,
        repo::{self, write},
        rules,
        sessions::{self, Origin},
    },
};

handlers! { Organizations:
    beside SignIn => Organizations::sign_in;
    decide OpenSession => Organizations::open_session;
}

impl Organizations {
    fn sign_in(&mut self, message: SignIn, actor: Addr<Live<Self>>) -> Work<SignInOutcome> {
        let account =
            rules::account(&message.email).filter(|_| rules::may_be_a_password(&message.password));
        let device = account
            .as_deref()
            .and_then(|account| self.known_device(account, message.device.as_ref()));
        let passwords = self.passwords.clone();
        Box::pin(async move {
            let account = account.ok_or(OrganizationError::WrongCredentials)?;
            let known = repo::people::by_email(passwords.db.reader(), &account).await?;
            let set_ms = known.as_ref().map(|known| known.set_ms);
            let subject = device.unwrap_or_else(|| Subject::account(&account, set_ms));
            passwords.attempts.admit(&subject).await?;
            let right = passwords.check(message.password, known).await?;
            let (known, rehashed) = right.ok_or(OrganizationError::WrongCredentials)?;
            let open = OpenSession {
                known,
                rehashed,
                user_agent: message.user_agent,
            };
            let opened = ask(&actor, open).await?;
            passwords.attempts.clear(&subject).await;
            Ok(opened)
        })
    }

    fn open_session(&mut self, message: OpenSession) -> Decision<SignInOutcome> {
        let known = message.known;
        // A password that was changed while it was being checked opens nothing.
        let person = self.view.person(&known.user);
        let Some(person) = person.filter(|person| person.password_set_ms <= known.set_ms) else {
            return Err(OrganizationError::WrongCredentials);
        };
        let person = Arc::clone(person);
        let (now_ms, set_ms) = (self.env.clock.now_ms(), known.set_ms);
        let mut person = person;
        if person.break_glass != known.break_glass {
            // Another process has just said so.
            Arc::make_mut(&mut person).break_glass = known.break_glass;
        }
        if let Some(name) = self.view.only_provider(&person, &SignInMethod::Password) {
            return Err(OrganizationError::ProviderRequired(name));
        }
        let origin = Origin::password(message.user_agent);
        let drafted = sessions::open(&self.view, person, origin, now_ms);
        let token = self.vault.wait(&known.user, set_ms, now_ms);
        let (signed_in, token) = drafted.and_then(|drafted| Ok((drafted, token?)))?;
        let session = Arc::clone(&signed_in.session);
        let io = write(self.env.db.clone(), async move |write| {
            if let Some(hash) = &message.rehashed {
                repo::people::rehash(&**write, &known, hash).await?;
            }
            let factors = repo::factors::of_person(&**write, &known.user).await?;
            if !factors.any() {
                sessions::store(write, &session, now_ms).await?;
            }
            Ok(factors)
        });
        Ok(commit(io, move |domain: &mut Self, factors| {
            let user = &signed_in.person.id;
            domain.adopt_password_time(user, set_ms);
            // Another process may have changed them.
            domain.set_second_factors(user, factors);
            if factors.any() {
                return SignInOutcome::Waits { token, factors };
            }
            let mut signed_in = signed_in;
            let person = Arc::make_mut(&mut signed_in.person);
            person.second_factors = factors;
            let (break_glass, session) = (person.break_glass, Arc::clone(&signed_in.session));
            let view = Arc::make_mut(&mut domain.view);
            view.change_person(&session.grant.user, |person| {
                person.break_glass = break_glass;
            });
            view.insert_session(session);
            SignInOutcome::Session(signed_in)
        }))
    }

    /// The device that a browser shows, if the owner of the account has signed in on it.
    fn known_device(&self, account: &str, token: Option<&SecretString>) -> Option<Subject> {
        let person = self.view.person_by_email(account)?;
        let name = self.devices.recognize(person, token?)?;
        let user = person.id.clone();
        Some(Subject::Device { user, name })
    }
}
