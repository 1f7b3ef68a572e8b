//! Takes what is due to its couriers, and notes what became of it.

use std::{collections::HashSet, sync::Arc, time::Duration};

use actix::{ActorFutureExt, AsyncContext, Context, Handler, Message, StreamHandler, fut};
use futures_util::stream;

use super::{Courier, Couriers, Failure, Handed, Outbox, Replay, courier::Pauses, repo, rules};
use crate::{
    actors::kit::{Domain, Doubt, Live, Reply, Unavailable, commit, turn},
    clock::Clock,
    entities::outbox,
    fault::{Classify, Fault},
    spans::{Span, Work},
    store::{StateDb, StateError},
};

/// How often it is looked whether something is due.
const LOOK: Duration = Duration::from_secs(1);
/// How often what ended long ago is deleted.
const TIDY: Duration = Duration::from_hours(1);
/// Parcels that are on their way at once.
const AT_ONCE: usize = 32;
/// For how long a parcel is a process's that shares the outbox with others, longer than any courier takes, milliseconds.
const TAKEN_MS: i64 = 60_000;
/// Days for which delivered parcels and those that were given up are remembered, milliseconds.
const KEPT_MS: (i64, i64) = (7 * 86_400_000, 90 * 86_400_000);

/// What the domain needs.
#[derive(Debug, Clone)]
pub struct DeliveryEnv {
    /// The state database.
    pub db: StateDb,
    /// The time.
    pub clock: Clock,
    /// Where parcels come from.
    pub outbox: Outbox,
    /// Who delivers them.
    pub couriers: Couriers,
}

/// How the outbox stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeliveryView {
    /// Parcels that will be tried, again or for the first time.
    pub waiting: u64,
    /// Parcels that were given up.
    pub dead: u64,
}

/// Why a message of this domain failed.
#[derive(Debug, thiserror::Error)]
pub enum DeliveryError {
    /// Storage failed.
    #[error(transparent)]
    State(#[from] StateError),
    /// There is no such delivery, it is on its way, or what was in it is not kept any more.
    #[error("Delivery not found")]
    NotFound(String),
    /// The domain gave no answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl Doubt for DeliveryError {
    fn outcome_unknown(&self) -> bool {
        matches!(self, Self::State(error) if error.outcome_unknown())
    }
}

impl Classify for DeliveryError {
    fn classify(self) -> Fault {
        match self {
            Self::State(error) => error.classify(),
            Self::NotFound(id) => Fault::not_found("Delivery", id),
            Self::Unavailable(error) => error.classify(),
        }
    }
}

/// The actor.
#[derive(Debug)]
pub struct Delivery {
    env: DeliveryEnv,
    view: Arc<DeliveryView>,
    on_their_way: HashSet<String>,
}

impl Domain for Delivery {
    const NAME: &'static str = "delivery";
    type Env = DeliveryEnv;
    type View = DeliveryView;

    async fn boot(env: DeliveryEnv) -> anyhow::Result<Self> {
        let (waiting, dead) = repo::counts(env.db.settled().await?).await?;
        Ok(Self {
            env,
            view: Arc::new(DeliveryView { waiting, dead }),
            on_their_way: HashSet::new(),
        })
    }

    fn view(&self) -> Arc<DeliveryView> {
        Arc::clone(&self.view)
    }

    fn started(live: &mut Live<Self>, context: &mut Context<Live<Self>>) {
        let outbox = live.env.outbox.clone();
        context.add_stream(stream::unfold(outbox, async |outbox| {
            outbox.rung().await;
            Some((Look, outbox))
        }));
        context.notify(Look);
        context.run_interval(LOOK, |_, context| context.notify(Look));
        context.run_interval(TIDY, |live, context| {
            let now_ms = live.env.clock.now_ms();
            if live.env.db.on_duty() {
                turn(context, tidy(live.env.db.clone(), now_ms), |_, ()| {});
            }
        });
    }
}

/// Look whether something is due.
#[derive(Debug, Message)]
#[rtype(result = "()")]
struct Look;

/// A courier is back.
#[derive(Debug, Message)]
#[rtype(result = "()")]
struct Back {
    id: String,
    kind: String,
    attempts: i32,
    outcome: Result<(), Failure>,
}

impl StreamHandler<Look> for Live<Delivery> {
    fn handle(&mut self, look: Look, context: &mut Context<Self>) {
        Handler::handle(self, look, context);
    }
}

impl Handler<Look> for Live<Delivery> {
    type Result = ();

    fn handle(&mut self, _: Look, context: &mut Context<Self>) {
        let room = AT_ONCE.saturating_sub(self.on_their_way.len());
        if room == 0 || !self.env.db.on_duty() {
            return;
        }
        let (db, now_ms) = (self.env.db.clone(), self.env.clock.now_ms());
        // With those that are on their way, which still wait in storage.
        let io = async move { due(&db, now_ms, room as u64).await };
        context.wait(
            fut::wrap_future::<_, Self>(io).map(move |due, live, context| match due {
                Ok(due) => {
                    let fresh = due
                        .into_iter()
                        .filter(|row| !live.on_their_way.contains(&row.id));
                    for row in fresh.take(room).collect::<Vec<_>>() {
                        live.send_out(row, context);
                    }
                }
                Err(error) => tracing::warn!(%error, "the outbox cannot be read"),
            }),
        );
    }
}

impl Handler<Back> for Live<Delivery> {
    type Result = ();

    fn handle(&mut self, back: Back, context: &mut Context<Self>) {
        let (db, now_ms) = (self.env.db.clone(), self.env.clock.now_ms());
        let id = back.id.clone();
        let courier = self.env.couriers.of(&back.kind).cloned();
        let io = async move { note(&db, courier.as_deref(), &back, now_ms).await };
        turn(context, io, move |domain: &mut Delivery, noted| {
            domain.on_their_way.remove(&id);
            match noted {
                Ok(view) => domain.view = Arc::new(view),
                // It will be delivered again, and the receiver knows it by its id.
                Err(error) => {
                    tracing::warn!(%error, parcel.id = id, "what became of a delivery is not stored");
                }
            }
        });
        context.notify(Look);
    }
}

impl Handler<Replay> for Live<Delivery> {
    type Result = Reply<Delivery, (), DeliveryError>;

    fn handle(&mut self, message: Replay, context: &mut Context<Self>) -> Self::Result {
        let (db, now_ms) = (self.env.db.clone(), self.env.clock.now_ms());
        context.notify_later(Look, Duration::from_millis(1));
        let again = async move {
            let write = db.begin().await?;
            let done = repo::again(&*write, &message.id, now_ms).await;
            if !done.map_err(StateError::from)? {
                return Err(DeliveryError::NotFound(message.id));
            }
            write.commit().await?;
            Ok(())
        };
        commit(again, |_: &mut Delivery, ()| ())
    }
}

impl Live<Delivery> {
    fn send_out(&mut self, row: outbox::Model, context: &mut Context<Self>) {
        self.on_their_way.insert(row.id.clone());
        let attempts = row.attempts.saturating_add(1);
        let sealed = row.payload.as_deref().unwrap_or_default();
        let payload = self.env.outbox.open(&row.id, sealed);
        let courier = self.env.couriers.of(&row.kind).cloned();
        let handed = payload.map(|payload| Handed {
            id: row.id.clone(),
            payload,
            tried: row.attempts.unsigned_abs(),
        });
        let (id, kind) = (row.id, row.kind);
        let wanted = kind.clone();
        let delivery = async move {
            match (courier, handed) {
                (Some(courier), Some(handed)) => {
                    let mut span = Span::begin("delivery", Work::Client);
                    span.note("delivery.kind", wanted.as_str());
                    span.over(courier.deliver(handed)).await
                }
                (None, _) => Err(Failure::again(format!(
                    "nothing delivers `{wanted}` here: is it configured?"
                ))),
                (_, None) => Err(Failure::forever(
                    "it was sealed with another `instance.key`, or is damaged",
                )),
            }
        };
        context.spawn(fut::wrap_future::<_, Self>(delivery).map(
            move |outcome, _, context: &mut Context<Self>| {
                context.notify(Back {
                    id,
                    kind,
                    attempts,
                    outcome,
                });
            },
        ));
    }
}

/// What is due. Where another process might deliver it as well, it is this one's for as long as a courier may take, and only if
/// it is this one that delivers: one that stood still finds that it has lost that.
async fn due(db: &StateDb, now_ms: i64, room: u64) -> Result<Vec<outbox::Model>, StateError> {
    if !db.is_shared() {
        return Ok(repo::due(db.reader(), now_ms, 2 * AT_ONCE as u64).await?);
    }
    if repo::due(db.reader(), now_ms, 1).await?.is_empty() {
        return Ok(Vec::new());
    }
    let write = db.begin_on_duty().await?;
    let due = repo::due(&*write, now_ms, room).await?;
    repo::take(&*write, &due, now_ms + TAKEN_MS).await?;
    write.commit_quietly().await?;
    Ok(due)
}

/// Stores what became of a delivery, and counts what is left.
async fn note(
    db: &StateDb,
    courier: Option<&dyn Courier>,
    back: &Back,
    now_ms: i64,
) -> Result<DeliveryView, StateError> {
    let (id, attempts) = (back.id.as_str(), back.attempts);
    let pauses = courier.map_or(Pauses::USUAL, Courier::pauses);
    let keeps = courier.is_some_and(Courier::keeps);
    let write = db.begin().await?;
    match &back.outcome {
        Ok(()) => repo::delivered(&*write, (id, keeps), attempts, now_ms).await?,
        Err(failure) => {
            let tries = (id, attempts.unsigned_abs());
            let next_ms = rules::next_attempt_ms(pauses, tries, now_ms, failure.not_before_ms);
            let next_ms = next_ms.filter(|_| !failure.forever);
            let what = rules::kept(&failure.what);
            if next_ms.is_none() {
                tracing::error!(
                    parcel.id = id,
                    kind = back.kind,
                    error = what,
                    "a delivery is given up"
                );
            } else {
                tracing::warn!(
                    parcel.id = id,
                    kind = back.kind,
                    attempts,
                    error = what,
                    "a delivery failed"
                );
            }
            let after = match next_ms {
                Some(next_ms) => repo::After::Again(next_ms),
                None if failure.gone => repo::After::Gone,
                None => repo::After::Never,
            };
            repo::failed(&*write, (id, keeps), (attempts, &what), (after, now_ms)).await?;
        }
    }
    let (waiting, dead) = repo::counts(&*write).await?;
    write.commit().await?;
    Ok(DeliveryView { waiting, dead })
}

async fn tidy(db: StateDb, now_ms: i64) {
    let before = (now_ms - KEPT_MS.0, now_ms - KEPT_MS.1);
    let done = async {
        let write = db.begin().await?;
        repo::forget(&*write, before).await?;
        write.commit().await
    };
    if let Err(error) = done.await {
        tracing::warn!(%error, "the outbox cannot be tidied");
    }
}
