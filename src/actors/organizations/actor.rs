//! The one writer of people and tenants.

use std::{sync::Arc, time::Duration};

use actix::{Addr, AsyncContext, Context, Handler, MailboxError, ResponseFuture};
use futures_util::future::LocalBoxFuture;

use super::{
    Founded, Install, InstallAgain, OrganizationError, OrganizationsView, SignIn, SignOut,
    SignedIn,
    attempts::Attempts,
    founding,
    messages::{Found, OpenSession},
    password::Hasher,
    repo, rules, sessions,
};
use crate::{
    actors::kit::{Domain, Live, Reply, Unavailable, commit, refuse, turn},
    clock::Clock,
    ids::OrganizationId,
    store::StateDb,
};

/// How often the use of sessions is looked through.
const SWEEP: Duration = Duration::from_mins(1);
/// A session's use is stored again after this long, milliseconds.
const SEEN_EVERY_MS: i64 = 5 * 60 * 1000;

/// What the domain needs.
#[derive(Debug, Clone)]
pub struct OrganizationsEnv {
    /// The state database.
    pub db: StateDb,
    /// The time.
    pub clock: Clock,
}

/// The actor; its state is its view, plus what only a writer needs.
#[derive(Debug)]
pub struct Organizations {
    db: StateDb,
    clock: Clock,
    view: Arc<OrganizationsView>,
    attempts: Attempts,
    hasher: Hasher,
}

impl Domain for Organizations {
    const NAME: &'static str = "organizations";
    type Env = OrganizationsEnv;
    type View = OrganizationsView;

    async fn boot(env: OrganizationsEnv) -> anyhow::Result<Self> {
        let view = repo::load(env.db.writer(), env.clock.now_ms()).await?;
        Ok(Self {
            db: env.db,
            clock: env.clock,
            view: Arc::new(view),
            attempts: Attempts::default(),
            hasher: Hasher::new(),
        })
    }

    fn view(&self) -> Arc<OrganizationsView> {
        Arc::clone(&self.view)
    }

    fn started(_: &mut Live<Self>, context: &mut Context<Live<Self>>) {
        context.run_interval(SWEEP, |live, context| {
            let used = sessions::unstored_use(&live.view, SEEN_EVERY_MS);
            turn(
                context,
                sessions::store_use(live.db.clone(), used),
                |domain, ()| {
                    sessions::forget_ended(&mut domain.view, domain.clock.now_ms());
                },
            );
        });
    }

    fn drain(&mut self) -> LocalBoxFuture<'static, ()> {
        let used = sessions::unstored_use(&self.view, 1);
        Box::pin(sessions::store_use(self.db.clone(), used))
    }
}

/// Checks the password beside the mailbox, then comes back with `OpenSession`.
impl Handler<SignIn> for Live<Organizations> {
    type Result = ResponseFuture<Result<SignedIn, OrganizationError>>;

    fn handle(&mut self, message: SignIn, context: &mut Context<Self>) -> Self::Result {
        let account = match self.admit_attempt(&message) {
            Ok(account) => account,
            Err(error) => return Box::pin(std::future::ready(Err(error))),
        };
        let (db, hasher, actor) = (self.db.clone(), self.hasher.clone(), context.address());
        Box::pin(async move {
            let (user, hash) = repo::credentials(db.reader(), &account).await?.unzip();
            let right = hasher.verify(message.password, hash).await?;
            let Some(user) = user.filter(|_| right) else {
                return Err(OrganizationError::WrongCredentials);
            };
            let open = OpenSession {
                account,
                user,
                user_agent: message.user_agent,
            };
            came_back(actor.send(open).await)
        })
    }
}

impl Handler<OpenSession> for Live<Organizations> {
    type Result = Reply<Organizations, SignedIn, OrganizationError>;

    fn handle(&mut self, message: OpenSession, _: &mut Context<Self>) -> Self::Result {
        self.attempts.forget(&message.account);
        let drafted = sessions::draft(&self.view, message, self.clock.now_ms());
        match drafted {
            Ok((row, signed_in)) => commit(
                sessions::save(self.db.clone(), row),
                |domain: &mut Organizations, ()| {
                    let session = Arc::clone(&signed_in.session);
                    Arc::make_mut(&mut domain.view).insert_session(session);
                    signed_in
                },
            ),
            Err(error) => refuse(error),
        }
    }
}

impl Handler<SignOut> for Live<Organizations> {
    type Result = Reply<Organizations, (), OrganizationError>;

    fn handle(&mut self, message: SignOut, _: &mut Context<Self>) -> Self::Result {
        let io = sessions::end(self.db.clone(), message.session);
        commit(io, |domain: &mut Organizations, session| {
            Arc::make_mut(&mut domain.view).remove_session(&session);
        })
    }
}

/// Hashes the password beside the mailbox, then comes back with `Found`.
impl Handler<Install> for Live<Organizations> {
    type Result = ResponseFuture<Result<Founded, OrganizationError>>;

    fn handle(&mut self, message: Install, context: &mut Context<Self>) -> Self::Result {
        found(self.hasher.clone(), context.address(), message, None)
    }
}

impl Handler<InstallAgain> for Live<Organizations> {
    type Result = ResponseFuture<Result<Founded, OrganizationError>>;

    fn handle(&mut self, message: InstallAgain, context: &mut Context<Self>) -> Self::Result {
        let again = Some(message.organization);
        found(
            self.hasher.clone(),
            context.address(),
            message.install,
            again,
        )
    }
}

/// Checks and hashes beside the mailbox, then founds in it.
fn found(
    hasher: Hasher,
    actor: Addr<Live<Organizations>>,
    message: Install,
    again: Option<OrganizationId>,
) -> ResponseFuture<Result<Founded, OrganizationError>> {
    let draft = match rules::admit(&message) {
        Ok(draft) => draft,
        Err(refusal) => return Box::pin(std::future::ready(Err(refusal.into()))),
    };
    Box::pin(async move {
        let password_hash = hasher.hash(message.password).await?;
        let found = Found {
            draft,
            password_hash,
            again,
        };
        came_back(actor.send(found).await)
    })
}

impl Handler<Found> for Live<Organizations> {
    type Result = Reply<Organizations, Founded, OrganizationError>;

    fn handle(&mut self, message: Found, _: &mut Context<Self>) -> Self::Result {
        let earlier = match &message.again {
            None if self.view.any() => return refuse(OrganizationError::AlreadyInstalled),
            None => None,
            Some(organization) => match self.view.founder() {
                Some(earlier) if earlier.0.tenant.id == *organization => Some(earlier),
                _ => return refuse(OrganizationError::AlreadyInstalled),
            },
        };
        match founding::rows(message, earlier, self.clock.now()) {
            Ok(rows) => commit(
                founding::save(self.db.clone(), rows),
                |domain: &mut Organizations, founding| {
                    founding.adopt(Arc::make_mut(&mut domain.view))
                },
            ),
            Err(error) => refuse(error),
        }
    }
}

impl Organizations {
    /// The account to try, unless it has failed too often.
    fn admit_attempt(&mut self, message: &SignIn) -> Result<String, OrganizationError> {
        let account = rules::account(&message.email)
            .filter(|_| rules::acceptable_password(&message.password))
            .ok_or(OrganizationError::WrongCredentials)?;
        self.attempts
            .admit(&account, self.clock.now_ms())
            .map_err(OrganizationError::TooManyAttempts)?;
        Ok(account)
    }
}

/// The answer to a message that a handler's own work sent to the actor.
fn came_back<T>(
    answer: Result<Result<T, OrganizationError>, MailboxError>,
) -> Result<T, OrganizationError> {
    answer.unwrap_or_else(|_| Err(Unavailable::Restarting(Organizations::NAME).into()))
}
