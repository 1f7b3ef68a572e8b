//! The storekeeper's turns.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use actix::{AsyncContext, Context, Handler, WrapFuture};

use super::{Compact, IngestError, Salts, Seal, SealNext, Tick, manifest, salts};
use crate::{
    actors::kit::{Domain, Live, Reply, commit},
    clock::Clock,
    events::{
        segments::{Manifest, SegmentRow},
        store::{EventStore, Merged, Sealed},
    },
    store::state::{StateDb, StateError},
};

/// How often salts and the age of the tail are looked at.
const MINUTE: Duration = Duration::from_mins(1);
/// How long after a failed seal the next is tried; doubles with every further failure.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest such pause.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// A tail older than this is sealed however small it is.
const OLDEST_TAIL: i64 = 86_400_000;

/// What the storekeeper works with.
#[derive(Clone)]
pub struct Env {
    /// The store it keeps.
    pub store: EventStore,
    /// Where the manifest is.
    pub state: StateDb,
    /// Time.
    pub clock: Clock,
}

/// Domain `ingest`.
pub struct Ingest {
    env: Env,
    node: String,
    salts: Arc<Salts>,
}

impl Domain for Ingest {
    const NAME: &'static str = "ingest";
    type Env = Env;
    type View = Salts;

    async fn boot(env: Env) -> anyhow::Result<Self> {
        let node = env.store.node();
        let committed = manifest::load(env.state.writer(), &node).await?;
        env.store.adopt(&committed);
        let salts = Arc::new(salts::renew(&env.state, &env.clock).await?);
        Ok(Self { env, node, salts })
    }

    fn view(&self) -> Arc<Salts> {
        Arc::clone(&self.salts)
    }

    fn started(live: &mut Live<Self>, context: &mut Context<Live<Self>>) {
        context.run_interval(MINUTE, |_, context| context.notify(Tick));
        let (store, address) = (live.env.store.clone(), context.address());
        let watch = async move {
            loop {
                store.seal_due().await;
                let mut pause = FIRST_PAUSE;
                // One at a time, so that other messages come in between.
                loop {
                    match address.send(SealNext).await {
                        Ok(Ok(true)) => {
                            pause = FIRST_PAUSE;
                            // In between as well: under steady load there is no moment without a seal to do.
                            let _ = address.send(Compact).await;
                        }
                        Ok(Ok(false)) | Err(_) => break,
                        Ok(Err(error)) => {
                            tracing::error!(%error, "the tail cannot be sealed; it stays in the spool");
                            tokio::time::sleep(pause).await;
                            pause = LONGEST_PAUSE.min(pause * 2);
                        }
                    }
                }
                while matches!(address.send(Compact).await, Ok(Ok(true))) {}
            }
        };
        context.spawn(watch.into_actor(live));
    }
}

impl Handler<Seal> for Live<Ingest> {
    type Result = Reply<Ingest, usize, IngestError>;

    fn handle(&mut self, _: Seal, _: &mut Self::Context) -> Self::Result {
        commit(seal(self.env.clone(), self.node.clone()), |_, segments| {
            segments
        })
    }
}

impl Handler<SealNext> for Live<Ingest> {
    type Result = Reply<Ingest, bool, IngestError>;

    fn handle(&mut self, _: SealNext, _: &mut Self::Context) -> Self::Result {
        commit(
            seal_next(self.env.clone(), self.node.clone()),
            |_, sealed| sealed,
        )
    }
}

impl Handler<Compact> for Live<Ingest> {
    type Result = Reply<Ingest, bool, IngestError>;

    fn handle(&mut self, _: Compact, _: &mut Self::Context) -> Self::Result {
        commit(compact(self.env.clone(), self.node.clone()), |_, merged| {
            merged
        })
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
            .is_some_and(|oldest| now - oldest > OLDEST_TAIL)
        {
            context.notify(Seal);
        }
        let (env, held) = (self.env.clone(), Arc::clone(&self.salts));
        let renewed = async move {
            if held.is_current(env.clock.now_ms()) {
                return Ok(held);
            }
            salts::renew(&env.state, &env.clock).await.map(Arc::new)
        };
        commit(renewed, |ingest: &mut Ingest, salts| ingest.salts = salts)
    }
}

/// Seals all that there is.
async fn seal(env: Env, node: String) -> Result<usize, IngestError> {
    env.store.freeze().await;
    let mut segments = 0;
    while seal_next(env.clone(), node.clone()).await? {
        segments += 1;
    }
    Ok(segments)
}

/// Writes, commits, adopts: the order that makes a crash anywhere harmless.
async fn seal_next(env: Env, node: String) -> Result<bool, IngestError> {
    let begun = Instant::now();
    let Some(sealed) = env.store.seal().await? else {
        return Ok(false);
    };
    let committed = commit_seal(&env, &node, &sealed).await;
    let manifest = settled(&env, &node, committed, sealed.segment.as_ref()).await?;
    env.store.adopt(&manifest);
    let rows = sealed.segment.map_or(0, |row| row.rows);
    let duration_ms = begun.elapsed().as_millis() as u64;
    tracing::info!(events = rows, duration_ms, "sealed a generation");
    Ok(true)
}

async fn commit_seal(env: &Env, node: &str, sealed: &Sealed) -> Result<(), StateError> {
    let write = env.state.begin().await?;
    manifest::advance(&*write, node, sealed.from, sealed.cursor).await?;
    if let Some(row) = &sealed.segment {
        manifest::insert(&*write, &env.clock, node, row).await?;
    }
    write.commit().await
}

async fn compact(env: Env, node: String) -> Result<bool, IngestError> {
    let Some(merged) = env.store.compact().await? else {
        return Ok(false);
    };
    let committed = commit_merge(&env, &node, &merged).await;
    let manifest = settled(&env, &node, committed, Some(&merged.segment)).await?;
    env.store.adopt(&manifest);
    tracing::info!(
        events = merged.segment.rows,
        replaced = merged.replaced.len(),
        "merged segments"
    );
    Ok(true)
}

async fn commit_merge(env: &Env, node: &str, merged: &Merged) -> Result<(), StateError> {
    let write = env.state.begin().await?;
    manifest::remove(&*write, &merged.replaced).await?;
    manifest::insert(&*write, &env.clock, node, &merged.segment).await?;
    write.commit().await
}

/// The manifest after a commit. A refused one takes its files with it; after one that happened the memory is behind
/// until the manifest is read again, so that failing to is an unknown outcome: boot has to find the truth.
async fn settled(
    env: &Env,
    node: &str,
    committed: Result<(), StateError>,
    written: Option<&SegmentRow>,
) -> Result<Manifest, IngestError> {
    if let Err(error) = committed {
        if !error.outcome_unknown() {
            env.store.discard(written);
        }
        return Err(error.into());
    }
    let manifest = manifest::load(env.state.writer(), node).await;
    Ok(manifest.map_err(StateError::Unknown)?)
}
