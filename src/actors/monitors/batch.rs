//! Writing down what checks came to: rows into the event store, and everything else in one transaction.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use super::{
    Day, Monitor, MonitorsEnv, Noted, Transition,
    after::{After, BatchError},
    alarm, owed, repo,
    rows::rows,
    times::Times,
};
use crate::{events::store::Accepted, ids::MonitorId, store::state::Write};

/// What came in since the last batch.
#[derive(Debug, Default)]
pub(super) struct CheckBatch {
    pub(super) rows: Vec<Accepted>,
    pub(super) after: HashMap<MonitorId, After>,
    pub(super) days: HashMap<(MonitorId, i32), Day>,
    /// How long the good checks of days took, as far as that has changed: all of the day's.
    pub(super) times: HashMap<(MonitorId, i32), Times>,
    pub(super) noted: Vec<(Arc<Monitor>, Transition, Noted, bool)>,
    /// Whether other processes read what it comes to in any case, rather than only when something has changed.
    pub(super) is_told: bool,
    /// Told when all of it is stored.
    pub(super) waiting: Vec<tokio::sync::oneshot::Sender<()>>,
}

impl CheckBatch {
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.after.is_empty() && self.waiting.is_empty()
    }

    pub(super) fn add_day(&mut self, id: &MonitorId, day: &Day) {
        let known = self.days.entry((id.clone(), day.day));
        known
            .or_insert(Day {
                day: day.day,
                ..Day::default()
            })
            .add(day);
    }

    /// Puts what could not be written in front of what has come since.
    pub(super) fn behind(mut self, later: Self) -> Self {
        self.rows.extend(later.rows);
        self.after.extend(later.after);
        for ((id, _), day) in later.days {
            self.add_day(&id, &day);
        }
        self.times.extend(later.times);
        self.noted.extend(later.noted);
        self.waiting.extend(later.waiting);
        self
    }
}

/// Rows are written before it is written that their slots are done. Where another process may check as well, they are part of
/// that instead, so that a slot that is refused because it is done there leaves no row here.
pub(super) async fn write(env: &MonitorsEnv, batch: &CheckBatch) -> Result<(), BatchError> {
    if !env.db.is_shared() {
        rows(env, &batch.rows).await?;
        return store_state(env, batch, env.db.begin().await?).await;
    }
    let write = env.db.begin_on_duty().await?;
    owed::keep(&*write, env.db.node(), &batch.rows).await?;
    store_state(env, batch, write).await?;
    owed::pay(env.clone()).await;
    Ok(())
}

/// Writes everything else: all of it or nothing.
async fn store_state(
    env: &MonitorsEnv,
    batch: &CheckBatch,
    write: Write,
) -> Result<(), BatchError> {
    let organizations = env.organizations.view();
    let now_ms = env.clock.now_ms();
    // Who was deleted meanwhile is no more.
    let mut there = HashSet::with_capacity(batch.after.len());
    for (id, after) in &batch.after {
        if repo::store_standing(&*write, id, after).await? {
            there.insert(id);
        }
    }
    for (place, day) in &batch.days {
        if there.contains(&place.0) {
            repo::add_day(&*write, &place.0, (day, batch.times.get(place))).await?;
        }
    }
    let mut rings = false;
    for (monitor, change, noted, tell) in &batch.noted {
        if !there.contains(&monitor.id) {
            continue;
        }
        if change.from != change.to {
            repo::insert_transition(&*write, &monitor.id, noted).await?;
        }
        let Some(outbox) = env.outbox.as_ref().filter(|_| *tell) else {
            continue;
        };
        for delivery in alarm::emails(&organizations, monitor, *change, noted) {
            rings |= outbox.put(&write, delivery, now_ms).await?;
        }
    }
    if batch.is_told || !batch.noted.is_empty() {
        write.commit().await?;
    } else {
        write.commit_quietly().await?;
    }
    if let Some(outbox) = env.outbox.as_ref().filter(|_| rings) {
        outbox.ring();
    }
    Ok(())
}
