//! The storekeeper's turns.

use std::{future::Future, sync::Arc, time::Duration};

use actix::{Addr, AsyncContext, Context, Handler, WrapFuture};

use super::{
    Compact, CountExpired, CountPerson, Env, EraseOwner, ErasePerson, EraseThings, Exchange,
    Ingest, IngestError, Mend, Retain, Salts, Seal, SealNext, Tick, manifest, salts,
    upkeep::{self, Upkeep},
};
use crate::{
    actors::kit::{Domain, Live, Reply, commit, handlers},
    events::{deletion::DeletionTarget, store::EventStore},
    store::state::StateDb,
};

/// How often salts and the age of the tail are looked at.
const MINUTE: Duration = Duration::from_mins(1);
/// How long after a failed seal the next is tried; doubles with every further failure.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest such pause: ingestion may wait for a seal, and goes on soon after its cause is gone.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// A tail older than this is sealed however small it is, and old events are looked for so often. Milliseconds.
const DAY: i64 = 86_400_000;
const HOUR: i64 = 3_600_000;

impl Domain for Ingest {
    const NAME: &'static str = "ingest";
    type Env = Env;
    type View = Salts;

    async fn boot(env: Env) -> anyhow::Result<Self> {
        let node = env.store.node();
        let committed = manifest::load(env.state.settled().await?, &node).await?;
        // Where ClickHouse holds the rows, the shipper knows how far they are there.
        if !env.store.is_remote() {
            env.store.ensure_current(&committed)?;
            env.store.note(&committed).await;
            env.store.adopt(&committed);
        }
        let (salts, _) = salts::renew(&env.state, &env.clock).await?;
        // An earlier life may have deleted some and not have come to this.
        let has_remains = overwrite_deleted(&env.state).await;
        Ok(Self {
            env,
            salts: Arc::new(salts),
            exchanging: Arc::default(),
            retained: 0,
            warned_ms: 0,
            has_remains,
        })
    }

    fn view(&self) -> Arc<Salts> {
        Arc::clone(&self.salts)
    }

    fn started(live: &mut Live<Self>, context: &mut Context<Live<Self>>) {
        // What became too old while the program was stopped is deleted at once.
        context.notify(Tick);
        context.run_interval(MINUTE, |_, context| context.notify(Tick));
        if live.env.store.is_remote() {
            return;
        }
        let (store, address) = (live.env.store.clone(), context.address());
        context.spawn(seal_when_due(store, address).into_actor(live));
        let (store, address) = (live.env.store.clone(), context.address());
        context.spawn(merge_when_due(store, address).into_actor(live));
        let (store, address) = (live.env.store.clone(), context.address());
        let mend = async move {
            loop {
                store.mend_due().await;
                if let Ok(Err(error)) = address.send(Mend).await {
                    tracing::error!(%error, "what became of damaged segments cannot be noted");
                }
            }
        };
        context.spawn(mend.into_actor(live));
    }
}

/// One seal per message, to let other messages in between.
async fn seal_when_due(store: EventStore, address: Addr<Live<Ingest>>) {
    loop {
        store.seal_due().await;
        let mut pause = FIRST_PAUSE;
        loop {
            match address.send(SealNext).await {
                Ok(Ok(true)) => pause = FIRST_PAUSE,
                Ok(Ok(false)) | Err(_) => break,
                Ok(Err(error)) => {
                    tracing::error!(%error, "the tail cannot be sealed; it stays in the spool");
                    tokio::time::sleep(pause).await;
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
            }
        }
    }
}

async fn merge_when_due(store: EventStore, address: Addr<Live<Ingest>>) {
    loop {
        let due = tokio::time::timeout(MINUTE, store.merge_due()).await;
        // Nothing was sealed for a while: there is time for merges.
        let at_rest = due.is_err();
        let mut pause = FIRST_PAUSE;
        loop {
            match address.send(Compact { at_rest }).await {
                Ok(Ok(true)) => pause = FIRST_PAUSE,
                Ok(Ok(false)) | Err(_) => break,
                Ok(Err(error)) => {
                    tracing::warn!(%error, "segments cannot be merged; queries stay slower");
                    tokio::time::sleep(pause).await;
                    pause = LONGEST_PAUSE.min(pause * 2);
                }
            }
        }
    }
}

handlers! { Ingest:
    commit Seal => upkeep::seal;
    commit SealNext => upkeep::seal_next;
    commit Exchange => upkeep::exchange;
    commit Mend => upkeep::mend;
    beside Compact => |ingest, message, address| {
        ingest.run_alone(address, move |upkeep| upkeep.merge(message.at_rest))
    };
    beside Retain => |ingest, _, address| ingest.run_alone(address, Upkeep::retain);
    beside EraseOwner => |ingest, message, address| {
        let target = DeletionTarget::Owner(message.organization);
        ingest.run_alone(address, move |upkeep| upkeep.erase_rows(target))
    };
    beside EraseThings => |ingest, message, address| {
        let target = DeletionTarget::Things(message.keys);
        ingest.run_alone(address, move |upkeep| upkeep.erase_rows(target))
    };
    beside ErasePerson => |ingest, message, address| {
        let target = DeletionTarget::Person(message.person);
        ingest.run_alone(address, move |upkeep| upkeep.erase(target))
    };
    beside CountPerson => |ingest, message, address| {
        let target = DeletionTarget::Person(message.person);
        ingest.run_alone(address, move |upkeep| upkeep.count_target(target))
    };
    beside CountExpired => |ingest, message, address| {
        ingest.run_alone(address, move |upkeep| upkeep.count_expired(message))
    };
}

impl Ingest {
    /// Runs work that exchanges segments: one at a time, because two would choose the same.
    fn run_alone<W, F>(
        &self,
        address: Addr<Live<Self>>,
        work: W,
    ) -> impl Future<Output = F::Output> + use<W, F>
    where
        W: FnOnce(Upkeep) -> F,
        F: Future,
    {
        let (env, exchanging) = (self.env.clone(), Arc::clone(&self.exchanging));
        async move {
            let _alone = exchanging.lock().await;
            work(Upkeep { env, address }).await
        }
    }
}

impl Handler<Tick> for Live<Ingest> {
    type Result = Reply<Ingest, (), IngestError>;

    fn handle(&mut self, _: Tick, context: &mut Self::Context) -> Self::Result {
        let now = self.env.clock.now_ms();
        if self
            .env
            .store
            .oldest_unsealed()
            .is_some_and(|oldest| now - oldest > DAY)
        {
            context.notify(Seal);
        }
        // Checked every minute, because the check records when the server last ran. Logged every hour.
        let plausible = self.env.last_run.check();
        if let Err(ahead) = plausible
            && now - self.warned_ms >= HOUR
        {
            self.warned_ms = now;
            tracing::error!("{ahead}");
        }
        if plausible.is_ok() && now - self.retained >= DAY {
            self.retained = now;
            context.notify(Retain);
        }
        let (env, held) = (self.env.clone(), Arc::clone(&self.salts));
        let has_remains = self.has_remains;
        let renewed = async move {
            if !has_remains && held.is_current(env.clock.now_ms()) {
                return Ok((held, false));
            }
            let (salts, deleted) = salts::renew(&env.state, &env.clock).await?;
            let has_remains = (has_remains || deleted) && overwrite_deleted(&env.state).await;
            Ok((Arc::new(salts), has_remains))
        };
        commit(renewed, |ingest: &mut Ingest, (salts, has_remains)| {
            ingest.salts = salts;
            ingest.has_remains = has_remains;
        })
    }
}

/// Overwrites what deleted rows have left; whether some of it could not be reached and has to be tried again.
async fn overwrite_deleted(state: &StateDb) -> bool {
    match state.forget().await {
        Ok(done) => !done,
        Err(error) => {
            tracing::warn!(%error, "what was deleted from the state database is not overwritten yet");
            true
        }
    }
}
