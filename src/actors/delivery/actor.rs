//! Takes what is due to its senders, and notes what became of it.

use std::{sync::Arc, time::Duration};

use actix::{ActorFutureExt, AsyncContext, Context, Handler, Message, StreamHandler, fut};
use futures_util::{future::LocalBoxFuture, stream};

use super::{
    Attempt, Failure, Replay, env::DeliveryEnv, error::DeliveryError, in_flight::InFlight,
    outbox::FALLBACK, repo, round, view::DeliveryView,
};
use crate::{
    actors::kit::{Domain, Live, handlers, run_exclusive},
    entities::outbox,
    spans::{Span, Work},
};

/// How often due deliveries are looked for.
const POLL: Duration = Duration::from_secs(1);
/// How often what ended long ago is deleted.
const TIDY: Duration = Duration::from_hours(1);
/// Deliveries that are on their way at once.
const AT_ONCE: usize = 32;

#[derive(Debug)]
pub struct Deliveries {
    env: DeliveryEnv,
    view: Arc<DeliveryView>,
    out: InFlight,
}

impl Domain for Deliveries {
    const NAME: &'static str = "delivery";
    type Env = DeliveryEnv;
    type View = DeliveryView;

    async fn boot(env: DeliveryEnv) -> anyhow::Result<Self> {
        round::free(&env.db, env.clock.now_ms()).await?;
        let (waiting, dead) = repo::count(env.db.settled().await?).await?;
        Ok(Self {
            env,
            view: Arc::new(DeliveryView { waiting, dead }),
            out: InFlight::default(),
        })
    }

    fn view(&self) -> Arc<DeliveryView> {
        Arc::clone(&self.view)
    }

    fn started(live: &mut Live<Self>, context: &mut Context<Live<Self>>) {
        let outbox = live.env.outbox.clone();
        context.add_stream(stream::unfold(outbox, async |outbox| {
            outbox.wait().await;
            Some((FindDue, outbox))
        }));
        context.notify(FindDue);
        context.run_interval(POLL, |_, context| context.notify(FindDue));
        context.run_interval(TIDY, |live, context| {
            let now_ms = live.env.clock.now_ms();
            if live.env.db.is_leader() {
                run_exclusive(
                    context,
                    round::tidy(live.env.db.clone(), now_ms),
                    |_, ()| {},
                );
            }
        });
    }

    fn drain(&mut self) -> LocalBoxFuture<'static, ()> {
        let (out, env) = (std::mem::take(&mut self.out), self.env.clone());
        Box::pin(async move { round::drain(&env, out).await })
    }
}

/// Find due deliveries.
#[derive(Debug, Message)]
#[rtype(result = "()")]
struct FindDue;

/// A sender is back.
#[derive(Debug, Message)]
#[rtype(result = "()")]
struct AttemptEnded;

impl StreamHandler<FindDue> for Live<Deliveries> {
    fn handle(&mut self, look: FindDue, context: &mut Context<Self>) {
        Handler::handle(self, look, context);
    }
}

handlers! { Deliveries:
    now FindDue => Live::look;
    now AttemptEnded => Live::note_outcome;
    commit Replay => replay;
}

async fn replay(env: DeliveryEnv, message: Replay) -> Result<(), DeliveryError> {
    let write = env.db.begin().await?;
    if !repo::requeue(&*write, &message.id, env.clock.now_ms()).await? {
        return Err(DeliveryError::NotFound(message.id));
    }
    write.commit().await?;
    env.outbox.ring();
    Ok(())
}

impl Live<Deliveries> {
    fn look(&mut self, _: FindDue, context: &mut Context<Self>) {
        let room = AT_ONCE.saturating_sub(self.out.count());
        if room == 0 || !self.env.db.is_leader() {
            return;
        }
        let (db, now_ms) = (self.env.db.clone(), self.env.clock.now_ms());
        let out = self.out.count() as u64;
        let io = async move { round::claim_due(&db, now_ms, (room as u64, out)).await };
        context.wait(
            fut::wrap_future::<_, Self>(io).map(move |due, live, context| match due {
                Ok(due) => {
                    let fresh = due.into_iter().filter(|row| !live.out.has(&row.id));
                    for row in fresh.take(room).collect::<Vec<_>>() {
                        live.send_out(row, context);
                    }
                }
                Err(error) => tracing::warn!(%error, "the outbox cannot be read"),
            }),
        );
    }

    fn note_outcome(&mut self, _: AttemptEnded, context: &mut Context<Self>) {
        let Some(back) = self.out.next() else {
            return;
        };
        let env = self.env.clone();
        let io = async move { (round::record(&env, &back).await, back.id) };
        run_exclusive(context, io, |domain: &mut Deliveries, (noted, id)| {
            domain.out.remove(&id);
            match noted {
                Ok(view) => domain.view = Arc::new(view),
                Err(error) => round::warn_unrecorded(&id, &error),
            }
        });
        context.notify(FindDue);
    }

    fn send_out(&mut self, row: outbox::Model, context: &mut Context<Self>) {
        let sealed = row.payload.as_deref().unwrap_or_default();
        let payload = self.env.outbox.open(&row.id, sealed);
        let sender = self.env.senders.get(&row.kind).cloned();
        let attempt = payload.map(|payload| Attempt {
            id: row.id.clone(),
            payload,
            tried: row.attempts.unsigned_abs(),
        });
        let wanted = row.kind.clone();
        let has_fallback = attempt
            .as_ref()
            .is_some_and(|attempt| attempt.payload.get(FALLBACK).is_some());
        let (tried, clock) = (row.attempts.unsigned_abs(), self.env.clock.clone());
        let delivery = async move {
            let outcome = match (sender, attempt) {
                (Some(sender), Some(attempt)) => {
                    let mut span = Span::begin("delivery", Work::Client);
                    span.note("delivery.kind", wanted.as_str());
                    span.over(sender.deliver(attempt)).await
                }
                (None, _) => Err(Failure::again(format!(
                    "nothing delivers `{wanted}` here: is it configured?"
                ))),
                (_, None) => Err(Failure::forever(
                    "it was sealed with another `instance.key`, or is damaged",
                )),
            };
            outcome.map_err(|failure| {
                if has_fallback {
                    failure.before_fallback(tried, clock.now_ms())
                } else {
                    failure
                }
            })
        };
        let me = context.address();
        self.out
            .send((row.id, row.kind, row.attempts), delivery, async move {
                // A domain that drains looks for ended attempts itself.
                let _ = me.send(AttemptEnded).await;
            });
    }
}
