//! Opening a session with a password.

use std::sync::Arc;

use actix::{AsyncContext, Context, Handler, ResponseFuture};

use crate::actors::{
    kit::{Live, Reply, commit, refuse, send},
    organizations::{
        Opened, OrganizationError, Organizations, SignIn,
        actor::came_back,
        messages::OpenSession,
        repo::{self, write},
        rules, sessions,
    },
};

/// Checks the password beside the mailbox, then comes back with `OpenSession`.
impl Handler<SignIn> for Live<Organizations> {
    type Result = ResponseFuture<Result<Opened, OrganizationError>>;

    fn handle(&mut self, message: SignIn, context: &mut Context<Self>) -> Self::Result {
        let account = match self.admit_attempt(&message) {
            Ok(account) => account,
            Err(error) => return Box::pin(std::future::ready(Err(error))),
        };
        let (db, hasher, actor) = (self.db.clone(), self.hasher.clone(), context.address());
        Box::pin(async move {
            let known = repo::people::by_email(db.reader(), &account).await?;
            let stored = known.as_ref().map(|known| known.hash.clone());
            let verdict = hasher.verify(message.password, stored).await?;
            let Some(known) = known.filter(|_| verdict.right) else {
                return Err(OrganizationError::WrongCredentials);
            };
            let open = OpenSession {
                account,
                known,
                rehashed: verdict.rehashed,
                user_agent: message.user_agent,
            };
            came_back(send(&actor, open).await)
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
        self.attempts.forget(&message.account);
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
    /// The account to try, unless it has failed too often.
    fn admit_attempt(&mut self, message: &SignIn) -> Result<String, OrganizationError> {
        let account = rules::account(&message.email)
            .filter(|_| rules::may_be_a_password(&message.password))
            .ok_or(OrganizationError::WrongCredentials)?;
        self.attempts
            .admit(&account, self.clock.now_ms())
            .map_err(OrganizationError::TooManyAttempts)?;
        Ok(account)
    }
}
