//! Memory and storage of several processes: what another one has written is read before anything is decided here, and soon in
//! any case.
//!
//! A message that is [`send`]ed waits until its domain has the write lock ([`StateDb::take_write_lock`]), and until memory has what
//! others have written. So what a handler decides from memory still holds when it writes. Views that nobody sends messages
//! for are read anew by [`follow`]. On a database that only this process writes there is nothing to wait for.

use std::{sync::Arc, time::Duration};

use actix::{
    Actor, ActorFutureExt, Addr, AsyncContext, AtomicResponse, Context, Handler, MailboxError,
    Message, dev::MessageResponse, fut,
};
use tokio::{sync::oneshot, time::MissedTickBehavior};

use super::{Domain, Live, Reply, Resident, Unavailable, boot::boot};
use crate::store::{
    StateDb,
    state::{Claim, RENEWED},
};

/// How often it is asked whether somebody else has written. What they wrote is promised to be seen within a second.
const LOOK: Duration = Duration::from_millis(250);

/// Whatever there is.
const LATEST: i64 = i64::MAX;

/// A message, and who waits for its answer.
pub(super) struct Pending<M: Message> {
    message: M,
    answer: oneshot::Sender<M::Result>,
}

impl<M> Message for Pending<M>
where
    M: Message,
{
    type Result = ();
}

impl<D, M> Handler<Pending<M>> for Live<D>
where
    D: Domain,
    M: Message + Send + 'static,
    M::Result: Send,
    Self: Handler<M> + Actor<Context = Context<Self>>,
{
    type Result = ();

    fn handle(&mut self, asked: Pending<M>, context: &mut Context<Self>) {
        let Some(db) = shared::<D>(&self.env) else {
            self.answer(asked, context);
            return;
        };
        let env = self.env.clone();
        let run_exclusive = async move {
            if db.take_write_lock().await {
                read::<D>(env).await
            } else {
                None
            }
        };
        context.wait(
            fut::wrap_future::<_, Self>(run_exclusive).map(|fresh, live, context| {
                live.take_over(fresh);
                let db = shared::<D>(&live.env);
                // Waits for the answer's own work, because that begins to wait later.
                context.wait(fut::wrap_future::<_, Self>(async move {
                    if let Some(db) = db {
                        db.give_back_write_lock().await;
                    }
                }));
                live.answer(asked, context);
            }),
        );
    }
}

impl<D: Domain> Live<D> {
    fn answer<M>(&mut self, asked: Pending<M>, context: &mut Context<Self>)
    where
        M: Message + Send + 'static,
        Self: Handler<M> + Actor<Context = Context<Self>>,
    {
        let answer = <Self as Handler<M>>::handle(self, asked.message, context);
        answer.handle(context, Some(asked.answer));
    }

    fn take_over(&mut self, fresh: Option<D>) {
        if let Some(fresh) = fresh {
            self.domain.reread(fresh);
            self.publish();
            if let Some(db) = D::epoch_source(&self.env) {
                db.remembered();
            }
        }
    }
}

/// The database of a domain that other processes may write, too.
fn shared<D: Domain>(env: &D::Env) -> Option<StateDb> {
    D::epoch_source(env).filter(|db| db.is_shared()).cloned()
}

/// The domain as it is in storage.
async fn read<D: Domain>(env: D::Env) -> Option<D> {
    for earlier in D::depends_on(&env) {
        if let Err(error) = earlier.catch_up(LATEST).await {
            tracing::warn!(%error, "`{}` is read without what `{}` may have", D::NAME, earlier.name());
        }
    }
    match boot::<D>(env).await {
        Ok(fresh) => Some(fresh),
        Err(error) => {
            let error = format!("{error:#}");
            tracing::warn!(
                error,
                "what others have written of `{}` cannot be read",
                D::NAME
            );
            None
        }
    }
}

/// Sends a message to a domain as [`super::Handle::ask`] does: for what a handler's own work has to say.
///
/// # Errors
/// The domain is gone.
pub async fn send<D, M>(domain: &Addr<Live<D>>, message: M) -> Result<M::Result, MailboxError>
where
    D: Domain,
    M: Message + Send + 'static,
    M::Result: Send,
    Live<D>: Handler<M> + Actor<Context = Context<Live<D>>>,
{
    let (answer, answered) = oneshot::channel();
    domain
        .send::<Pending<M>>(Pending { message, answer })
        .await?;
    answered.await.map_err(|_| MailboxError::Closed)
}

/// Read what somebody else has written.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), Unavailable>")]
pub(super) enum CatchUp {
    /// Unless memory stands for this epoch or a later one, or for the present one.
    To(i64),
    /// In any case, because much is written that no process is told of.
    Anyway,
}

impl<D: Domain> Handler<CatchUp> for Live<D> {
    type Result = Reply<D, (), Unavailable>;

    fn handle(&mut self, how: CatchUp, _: &mut Context<Self>) -> Self::Result {
        let read = caught_up::<D>(self.env.clone(), how);
        AtomicResponse::new(Box::pin(fut::wrap_future::<_, Self>(read).map(
            |read, live, _| {
                live.take_over(read?);
                Ok(())
            },
        )))
    }
}

async fn caught_up<D: Domain>(env: D::Env, how: CatchUp) -> Result<Option<D>, Unavailable> {
    let away = || Unavailable::Restarting(D::NAME);
    let Some(db) = shared::<D>(&env) else {
        return Ok(None);
    };
    if let CatchUp::To(epoch) = how {
        if db.known_epoch() >= Some(epoch) {
            return Ok(None);
        }
        let epochs = db.epochs().await.map_err(|_| away())?;
        if epochs
            .get(D::NAME)
            .is_none_or(|epoch| !db.is_behind(*epoch))
        {
            return Ok(None);
        }
    }
    read::<D>(env).await.map(Some).ok_or_else(away)
}

/// Has domains read what other processes have written, in the order of the roster, and sees to it that one process does what
/// runs by the clock, for ever.
pub async fn follow(db: StateDb, roster: Vec<Arc<dyn Resident>>) {
    if db.is_shared() {
        tokio::join!(look(&db, &roster), stand_by(&db, &roster));
    }
}

async fn stand_by(db: &StateDb, roster: &[Arc<dyn Resident>]) {
    let mut turns = tokio::time::interval(RENEWED);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut has_read = true;
    loop {
        turns.tick().await;
        match db.claim_duty().await {
            Ok(Claim::New) => has_read = false,
            Ok(Claim::Kept) => {}
            // Whoever has it keeps it, for the time being.
            Ok(Claim::Others) | Err(_) => continue,
        }
        if has_read {
            continue;
        }
        // What checks have come to is not told to other processes one by one.
        has_read = take_over(roster).await;
        if has_read {
            db.begin_duty();
        }
    }
}

async fn take_over(roster: &[Arc<dyn Resident>]) -> bool {
    for domain in roster {
        if let Err(error) = domain.take_over().await {
            tracing::warn!(%error, "what runs by the clock begins here a little later");
            return false;
        }
    }
    true
}

async fn look(db: &StateDb, roster: &[Arc<dyn Resident>]) {
    let mut looks = tokio::time::interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        looks.tick().await;
        // While the database is away nobody can write it either.
        let Ok(epochs) = db.epochs().await else {
            continue;
        };
        for domain in roster {
            let Some((known, epoch)) = domain.epoch().zip(epochs.get(domain.name())) else {
                continue;
            };
            if known != *epoch
                && let Err(error) = domain.catch_up(LATEST).await
            {
                let name = domain.name();
                tracing::warn!(%error, "what others have written of `{name}` is read later");
            }
        }
    }
}
