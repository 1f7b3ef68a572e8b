//! What is due, what becomes of it, and what is forgotten: the outbox between memory and storage.

use std::time::Duration;

use tokio::time::Instant;

use super::{
    DeliveryEnv, DeliveryView, Sender,
    in_flight::{EndedAttempt, InFlight},
    repo, rules,
    sender::Pauses,
};
use crate::{
    entities::outbox,
    store::{StateDb, StateError},
};

/// For how long a delivery is a process's that shares the outbox with others, longer than any sender takes, milliseconds.
const TAKEN_MS: i64 = 60_000;
/// How long deliveries that arrived and those that were given up are remembered, milliseconds.
const RETENTION_MS: (i64, i64) = (7 * 86_400_000, 90 * 86_400_000);
/// How long a stop waits for attempts that are under way, and then for storage: other domains want to end as well.
const STOP_LIMITS: (Duration, Duration) = (Duration::from_secs(3), Duration::from_secs(2));

/// What is due, as many deliveries as there is room for beside those on their way. Where another process might deliver
/// it as well, it is this one's for as long as a sender may take, and only if it is this one that delivers: one that
/// stood still finds that it has lost that.
pub(super) async fn claim_due(
    db: &StateDb,
    now_ms: i64,
    (room, out): (u64, u64),
) -> Result<Vec<outbox::Model>, StateError> {
    if !db.is_shared() {
        // With those that are on their way, which still wait in storage.
        return Ok(repo::find_due(db.reader(), now_ms, room + out).await?);
    }
    if repo::find_due(db.reader(), now_ms, 1).await?.is_empty() {
        return Ok(Vec::new());
    }
    let write = db.begin_as_leader().await?;
    let due = repo::find_due(&*write, now_ms, room).await?;
    repo::take(&*write, &due, (db.node(), now_ms + TAKEN_MS)).await?;
    write.commit_quietly().await?;
    Ok(due)
}

/// Lets others deliver what this process, or the one before it in its data directory, has reserved and not recorded. No
/// attempt may be in flight here.
pub(super) async fn free(db: &StateDb, now_ms: i64) -> Result<(), StateError> {
    if !db.is_shared() {
        return Ok(());
    }
    // Behind whatever that process had begun to write.
    let write = db.begin_blind().await?;
    repo::free(&*write, db.node(), now_ms).await?;
    write.commit_quietly().await
}

/// Stores what became of a delivery, and counts what is left.
pub(super) async fn record(
    env: &DeliveryEnv,
    back: &EndedAttempt,
) -> Result<DeliveryView, StateError> {
    let now_ms = env.clock.now_ms();
    let sender = env.senders.get(&back.kind).map(AsRef::as_ref);
    let (id, attempts) = (back.id.as_str(), back.attempts);
    let pauses = sender.map_or(Pauses::USUAL, Sender::pauses);
    let keeps = sender.is_some_and(Sender::keeps);
    let write = env.db.begin().await?;
    match &back.outcome {
        Ok(()) => repo::mark_delivered(&*write, (id, keeps), attempts, now_ms).await?,
        Err(failure) => {
            let tries = (id, attempts.unsigned_abs());
            let next_ms = rules::next_attempt_ms(pauses, tries, now_ms, failure.not_before_ms);
            let next_ms = next_ms.filter(|_| !failure.forever);
            let (kind, what) = (&back.kind, rules::shorten(&failure.what));
            if next_ms.is_none() {
                tracing::error!(
                    delivery.id = id,
                    kind,
                    error = what,
                    "a delivery is given up"
                );
            } else {
                tracing::warn!(
                    delivery.id = id,
                    kind,
                    attempts,
                    error = what,
                    "a delivery failed"
                );
            }
            let after = match next_ms {
                Some(next_ms) => repo::NextStep::Again(next_ms),
                None if failure.gone => repo::NextStep::Gone,
                None => repo::NextStep::Never,
            };
            repo::mark_failed(&*write, (id, keeps), (attempts, &what), (after, now_ms)).await?;
        }
    }
    let (waiting, dead) = repo::count(&*write).await?;
    write.commit().await?;
    Ok(DeliveryView { waiting, dead })
}

/// Says that an outcome is not stored. It will be delivered again, and the receiver knows it by its id.
pub(super) fn warn_unrecorded(id: &str, error: &StateError) {
    tracing::warn!(%error, delivery.id = id, "what became of a delivery is not stored");
}

/// Waits a little for attempts that are under way, and notes what came of them.
pub(super) async fn drain(env: &DeliveryEnv, mut out: InFlight) {
    if out.count() == 0 {
        return;
    }
    let until = Instant::now() + STOP_LIMITS.0;
    let noted = async {
        loop {
            match tokio::time::timeout_at(until, out.arrival()).await {
                Ok(Some(back)) => {
                    if let Err(error) = record(env, &back).await {
                        warn_unrecorded(&back.id, &error);
                    }
                    out.remove(&back.id);
                }
                Ok(None) => break,
                Err(_) => {
                    tracing::warn!("attempts do not end; their deliveries are sent again");
                    break;
                }
            }
        }
        // Attempts end here before other processes may deliver the same.
        drop(out);
        free(&env.db, env.clock.now_ms()).await
    };
    match tokio::time::timeout_at(until + STOP_LIMITS.1, noted).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "what is on its way waits for the next start"),
        Err(_) => tracing::warn!("the outbox cannot be written in time"),
    }
}

/// Forgets what ended long ago.
pub(super) async fn tidy(db: StateDb, now_ms: i64) {
    let before = (now_ms - RETENTION_MS.0, now_ms - RETENTION_MS.1);
    let done = async {
        let write = db.begin().await?;
        repo::forget(&*write, before).await?;
        write.commit().await
    };
    if let Err(error) = done.await {
        tracing::warn!(%error, "the outbox cannot be tidied");
    }
}
