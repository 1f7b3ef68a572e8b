//! The one writer of profiles.

use std::sync::Arc;

use actix::{AsyncContext, Context, Handler, ResponseFuture};
use chrono::DateTime;
use futures_util::future::LocalBoxFuture;
use tokio::sync::oneshot;

use super::{
    Directory, Identify, ProfileError,
    messages::Flush,
    repo::{self, ProfileRef, When},
    rules,
    seal::Seal,
};
use crate::{
    actors::kit::{Domain, Live, Unavailable, handlers, run_exclusive},
    clock::Clock,
    events::{
        enrich::visitor::Form,
        event::{Details, Event, RAW, SALTED, TIMELESS},
        store::{Accepted, EventStore},
    },
    store::{InstanceSecret, StateDb},
};

#[derive(Clone)]
pub struct ProfilesEnv {
    pub db: StateDb,
    /// The event store, which holds the aliases.
    pub events: EventStore,
    pub clock: Clock,
    pub secret: InstanceSecret,
}

/// The actor; its state is what waits to be written.
pub struct Profiles {
    pub(super) env: ProfilesEnv,
    seal: Seal,
    view: Arc<Directory>,
    waiting: Vec<PendingCall>,
    /// Receive time of the last alias, Unix ms: the next one is later.
    last_ms: i64,
}

/// A call, and who waits for it.
struct PendingCall {
    call: Identify,
    /// Receive time of its aliases.
    stamp_ms: i64,
    reply: oneshot::Sender<Result<(), ProfileError>>,
}

impl Domain for Profiles {
    const NAME: &'static str = "profiles";
    /// What is taken while a batch is written becomes the next batch.
    const MAILBOX: usize = 1_024;
    type Env = ProfilesEnv;
    type View = Directory;

    async fn boot(env: ProfilesEnv) -> anyhow::Result<Self> {
        let seal = Seal::new(&env.secret);
        Ok(Self {
            view: Arc::new(Directory::new(env.db.clone(), seal.clone())),
            seal,
            env,
            waiting: Vec::new(),
            last_ms: 0,
        })
    }

    fn view(&self) -> Arc<Directory> {
        Arc::clone(&self.view)
    }

    fn drain(&mut self) -> LocalBoxFuture<'static, ()> {
        let (env, seal) = (self.env.clone(), self.seal.clone());
        Box::pin(write(env, seal, std::mem::take(&mut self.waiting)))
    }
}

impl Handler<Identify> for Live<Profiles> {
    type Result = ResponseFuture<Result<(), ProfileError>>;

    fn handle(&mut self, call: Identify, context: &mut Context<Self>) -> Self::Result {
        let (reply, answer) = oneshot::channel();
        self.last_ms = self.env.clock.now_ms().max(self.last_ms + 1);
        let stamp_ms = self.last_ms;
        self.waiting.push(PendingCall {
            call,
            stamp_ms,
            reply,
        });
        if self.waiting.len() == 1 {
            // Behind everything that is in the mailbox by now.
            context.notify(Flush);
        }
        Box::pin(async move {
            let gone = |_| Err(Unavailable::Restarting(Profiles::NAME).into());
            answer.await.unwrap_or_else(gone)
        })
    }
}

handlers! { Profiles:
    now Flush => flush;
}

fn flush(live: &mut Live<Profiles>, _: Flush, context: &mut Context<Live<Profiles>>) {
    let batch = std::mem::take(&mut live.waiting);
    let (env, seal) = (live.env.clone(), live.seal.clone());
    run_exclusive(context, write(env, seal, batch), |_, ()| {});
}

/// Makes a batch durable and answers everybody in it.
async fn write(env: ProfilesEnv, seal: Seal, batch: Vec<PendingCall>) {
    let mut outcomes = store(&env, &seal, &batch).await;
    let aliases: Vec<Accepted> = batch
        .iter()
        .zip(&outcomes)
        .filter(|(_, outcome)| outcome.is_ok())
        .flat_map(|(waiting, _)| aliases(&waiting.call, waiting.stamp_ms))
        .collect();
    if let Err(error) = env.events.append(aliases).await {
        let error = ProfileError::from(error);
        let named = |waiting: &PendingCall| !waiting.call.visitors.is_empty();
        for (outcome, waiting) in outcomes.iter_mut().zip(&batch) {
            if outcome.is_ok() && named(waiting) {
                *outcome = Err(error.clone());
            }
        }
    }
    for (waiting, outcome) in batch.into_iter().zip(outcomes) {
        // A caller that is gone needs no answer.
        let _ = waiting.reply.send(outcome);
    }
}

/// Stores the profiles of a batch in one transaction. If that fails, each call has one of its own: a call does not fail
/// because of another.
async fn store(
    env: &ProfilesEnv,
    seal: &Seal,
    batch: &[PendingCall],
) -> Vec<Result<(), ProfileError>> {
    let together = transaction(env, seal, batch).await;
    match together {
        Ok(outcomes) => outcomes,
        Err(error) if batch.len() < 2 => batch.iter().map(|_| Err(error.clone())).collect(),
        Err(_) => {
            let mut outcomes = Vec::with_capacity(batch.len());
            for waiting in batch {
                let alone = transaction(env, seal, std::slice::from_ref(waiting)).await;
                outcomes.push(alone.and_then(|mut outcomes| outcomes.pop().unwrap_or(Ok(()))));
            }
            outcomes
        }
    }
}

async fn transaction(
    env: &ProfilesEnv,
    seal: &Seal,
    batch: &[PendingCall],
) -> Result<Vec<Result<(), ProfileError>>, ProfileError> {
    if batch.is_empty() {
        return Ok(Vec::new());
    }
    let write = env.db.begin().await?;
    let mut outcomes = Vec::with_capacity(batch.len());
    for PendingCall { call, .. } in batch {
        let who = ProfileRef {
            website: call.access.website(),
            profile: &call.profile,
        };
        let said = call.said_ms.and_then(DateTime::from_timestamp_millis);
        let merged = match rules::patch(call.traits.clone()) {
            Ok(patch) => repo::merge(&*write, seal, who, patch, When::new(&env.clock, said)).await,
            Err(refusal) => Err(refusal.into()),
        };
        match merged {
            // A refusal comes before anything of the call is written.
            Ok(()) | Err(ProfileError::Invalid(_)) => outcomes.push(merged),
            Err(error) => return Err(error),
        }
    }
    write.commit().await?;
    Ok(outcomes)
}

/// The rows that say which visitors a person is.
fn aliases(call: &Identify, stamp_ms: i64) -> Vec<Accepted> {
    let row = |form: &Form| {
        let (name, visitor) = match form {
            Form::Salted(visitor) => (SALTED, *visitor),
            Form::Raw(visitor) => (RAW, *visitor),
        };
        let event = Event {
            organization: call.access.organization().0,
            website: call.access.website().0,
            time: TIMELESS,
            received: stamp_ms,
            name: name.to_owned(),
            visitor,
            profile: Some(call.profile.clone()),
            trust: call.trust,
            details: Details::Alias,
            ..Event::default()
        };
        Accepted {
            event,
            event_id: None,
        }
    };
    call.visitors.iter().map(row).collect()
}
