//! Memory of several processes: what another process has written is read before a decision here, and soon in any case.
//!
//! A message that is [`ask`]ed waits until its domain has the write lock ([`StateDb::take_write_lock`]), and until
//! memory has what others have written. So what a handler decides from memory still holds when it writes. [`follow`]
//! rereads the views of domains that get no messages. On a database that only this process writes there is nothing to
//! wait for.

use std::{sync::Arc, time::Duration};

use actix::{
    Actor, ActorFutureExt, Addr, AsyncContext, AtomicResponse, Context, Handler, Message,
    dev::MessageResponse, fut,
};
use tokio::{sync::oneshot, time::MissedTickBehavior};

use super::{Domain, Live, Reply, Resident, Unavailable, boot::boot};
use crate::store::{
    StateDb,
    state::{Claim, RENEWED},
};

/// How often epochs are polled. Writes of other processes have to be visible within a second.
const POLL: Duration = Duration::from_millis(250);

/// Whatever there is.
const LATEST: i64 = i64::MAX;

/// A message, and who waits for its answer.
pub(super) struct Pending<M: Message> {
    message: M,
    answer: oneshot::Sender<M::Result>,
}

impl<M: Message> Message for Pending<M> {
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

    fn handle(&mut self, pending: Pending<M>, context: &mut Context<Self>) {
        let Some(db) = shared::<D>(&self.env) else {
            self.answer(pending, context);
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
                live.answer(pending, context);
            }),
        );
    }
}

impl<D: Domain> Live<D> {
    fn answer<M>(&mut self, pending: Pending<M>, context: &mut Context<Self>)
    where
        M: Message + Send + 'static,
        Self: Handler<M> + Actor<Context = Context<Self>>,
    {
        let answer = <Self as Handler<M>>::handle(self, pending.message, context);
        answer.handle(context, Some(pending.answer));
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
            let (name, error) = (D::NAME, format!("{error:#}"));
            tracing::warn!(error, "what others have written of `{name}` cannot be read");
            None
        }
    }
}

/// Asks a domain and waits without a limit, for work that one of its own handlers has started.
pub async fn ask<D, M, T, E>(domain: &Addr<Live<D>>, message: M) -> Result<T, E>
where
    D: Domain,
    M: Message<Result = Result<T, E>> + Send + 'static,
    Live<D>: Handler<M> + Actor<Context = Context<Live<D>>>,
    T: Send + 'static,
    E: From<Unavailable> + Send + 'static,
{
    let restarting = || E::from(Unavailable::Restarting(D::NAME));
    let (answer, answered) = oneshot::channel();
    let sent = domain.send::<Pending<M>>(Pending { message, answer }).await;
    sent.map_err(|_| restarting())?;
    answered.await.unwrap_or_else(|_| Err(restarting()))
}

/// Reread what another process has written.
#[derive(Debug, Message)]
#[rtype(result = "Result<(), Unavailable>")]
pub(super) enum CatchUp {
    /// Unless memory has this epoch or a later one, or the present one.
    To(i64),
    /// In any case: not every write is announced to other processes.
    Always,
}

impl<D: Domain> Handler<CatchUp> for Live<D> {
    type Result = Reply<D, (), Unavailable>;

    fn handle(&mut self, how: CatchUp, _: &mut Context<Self>) -> Self::Result {
        let read = catch_up::<D>(self.env.clone(), how);
        AtomicResponse::new(Box::pin(fut::wrap_future::<_, Self>(read).map(
            |read, live, _| {
                live.take_over(read?);
                Ok(())
            },
        )))
    }
}

async fn catch_up<D: Domain>(env: D::Env, how: CatchUp) -> Result<Option<D>, Unavailable> {
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

/// Rereads what other processes have written, in the order of the roster, and holds the leadership for scheduled work
/// if it can. Never returns on a shared database.
pub async fn follow(db: StateDb, roster: Vec<Arc<dyn Resident>>) {
    if db.is_shared() {
        tokio::join!(watch_epochs(&db, &roster), hold_leadership(&db, &roster));
    }
}

async fn hold_leadership(db: &StateDb, roster: &[Arc<dyn Resident>]) {
    let mut ticks = tokio::time::interval(RENEWED);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut has_read = true;
    loop {
        ticks.tick().await;
        match db.claim_lease().await {
            Ok(Claim::New) => has_read = false,
            Ok(Claim::Kept) => {}
            // Another process keeps it for now.
            Ok(Claim::Others) | Err(_) => continue,
        }
        if has_read {
            continue;
        }
        // Results of single checks are not announced to other processes.
        has_read = take_over(roster).await;
        if has_read {
            db.begin_lease();
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

async fn watch_epochs(db: &StateDb, roster: &[Arc<dyn Resident>]) {
    let mut ticks = tokio::time::interval(POLL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        // While the database is away, no process can write it.
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
