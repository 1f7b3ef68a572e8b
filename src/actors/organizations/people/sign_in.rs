//! Opening a session with a password.

use std::sync::Arc;

use actix::{AsyncContext, Context, Handler, ResponseFuture};
use secrecy::SecretString;

use crate::actors::{
    kit::{Live, Reply, commit, refuse, send},
    organizations::{
        Opened, OrganizationError, Organizations, SignIn,
        attempts::Subject,
        messages::OpenSession,
        repo::{self, write},
        rules, sessions,
        state::came_back,
    },
};

/// Checks the password beside the mailbox, then comes back with `OpenSession`.
impl Handler<SignIn> for Live<Organizations> {
    type Result = ResponseFuture<Result<Opened, OrganizationError>>;

    fn handle(&mut self, message: SignIn, context: &mut Context<Self>) -> Self::Result {
        let account =
            rules::account(&message.email).filter(|_| rules::may_be_a_password(&message.password));
        let Some(account) = account else {
            return Box::pin(std::future::ready(Err(OrganizationError::WrongCredentials)));
        };
        let device = self.known_device(&account, message.device.as_ref());
        let (db, hasher, actor) = (self.db.clone(), self.hasher.clone(), context.address());
        let attempts = self.attempts.clone();
        Box::pin(async move {
            let known = repo::people::by_email(db.reader(), &account).await?;
            let set_ms = known.as_ref().map(|known| known.set_ms);
            let subject = device.unwrap_or_else(|| Subject::account(&account, set_ms));
            attempts.admit(&subject).await?;
            let stored = known.as_ref().map(|known| known.hash.clone());
            let verdict = hasher.verify(message.password, stored).await?;
            let Some(known) = known.filter(|_| verdict.right) else {
                return Err(OrganizationError::WrongCredentials);
            };
            let open = OpenSession {
                known,
                rehashed: verdict.rehashed,
                user_agent: message.user_agent,
            };
            let opened = came_back(send(&actor, open).await)?;
            attempts.clear(&subject).await;
            Ok(opened)
        })
    }
}

impl Handler<OpenSession> for Live<Organizations> {
    type Result = Reply<Organizations, Opened, OrganizationError>;

    fn handle(&mut self, message: OpenSession, _: &mut Context<Self>) -> Self::Result {
        let known = message.known;
        // A password that was changed while it was being checked opens nothing.
        let person = self.view.person(&known.user);
        let Some(person) = person.filter(|person| person.password_set_ms <= known.set_ms) else {
            return refuse(OrganizationError::WrongCredentials);
        };
        let person = Arc::clone(person);
        let (now_ms, set_ms) = (self.clock.now_ms(), known.set_ms);
        let drafted = sessions::open(person, message.user_agent, now_ms);
        let token = self.vault.wait(&known.user, set_ms, now_ms);
        let (signed_in, token) = match drafted.and_then(|drafted| Ok((drafted, token?))) {
            Ok(drafted) => drafted,
            Err(error) => return refuse(error),
        };
        let row = repo::sessions::row(&signed_in.session);
        let io = write(self.db.clone(), async move |write| {
            if let Some(hash) = &message.rehashed {
                repo::people::rehash(&**write, &known, hash).await?;
            }
            let waits = repo::factors::counts(&**write, &known.user).await?;
            if !waits {
                repo::sessions::insert(&**write, row).await?;
            }
            Ok(waits)
        });
        commit(io, move |domain: &mut Organizations, waits| {
            let user = &signed_in.person.id;
            domain.password_was_set(user, set_ms);
            // Another process may have turned it off.
            domain.asks_for_code(user, waits);
            if waits {
                return Opened::Waits(token);
            }
            let mut signed_in = signed_in;
            Arc::make_mut(&mut signed_in.person).second_factor = false;
            let session = Arc::clone(&signed_in.session);
            Arc::make_mut(&mut domain.view).insert_session(session);
            Opened::Session(signed_in)
        })
    }
}

impl Organizations {
    /// The device that a browser shows, if the owner of the account has signed in on it.
    fn known_device(&self, account: &str, token: Option<&SecretString>) -> Option<Subject> {
        let person = self.view.person_by_email(account)?;
        let name = self.devices.recognize(person, token?)?;
        let user = person.id.clone();
        Some(Subject::Device { user, name })
    }
}
