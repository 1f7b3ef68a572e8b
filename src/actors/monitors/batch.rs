//! Writes the results of checks: rows into the event store, everything else in one transaction.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use super::{
    Day, Monitor, MonitorsEnv, Transition, TransitionRecord, emails,
    error::BatchError,
    pending_rows,
    places::stored_reports::{ReportKey, delete_reports},
    repo,
    response_times::ResponseTimes,
    rows::rows,
    view::StateUpdate,
};
use crate::{events::store::Accepted, ids::MonitorId, store::state::Write};

/// Rows, or reports of probes, after which no more reports are read.
const MAX_UNWRITTEN: usize = 4_000;

/// Results since the last batch.
#[derive(Debug, Default)]
pub(super) struct CheckBatch {
    pub(super) rows: Vec<Accepted>,
    pub(super) after: HashMap<MonitorId, StateUpdate>,
    pub(super) days: HashMap<(MonitorId, i32), Day>,
    /// The response times of changed days, whole days each.
    pub(super) times: HashMap<(MonitorId, i32), ResponseTimes>,
    pub(super) noted: Vec<(Arc<Monitor>, Transition, TransitionRecord, bool)>,
    /// Reports of probes that are part of a row.
    pub(super) settled: Vec<ReportKey>,
    /// Whether the commit is published to other processes even if nothing has changed.
    pub(super) is_published: bool,
    /// Notified when all of it is stored.
    pub(super) waiting: Vec<tokio::sync::oneshot::Sender<()>>,
}

impl CheckBatch {
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
            && self.after.is_empty()
            && self.waiting.is_empty()
            && self.settled.is_empty()
    }

    /// Whether reports of probes wait until it is written.
    pub(super) fn is_large(&self) -> bool {
        self.rows.len().max(self.settled.len()) >= MAX_UNWRITTEN
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

    /// Puts a batch that was not written in front of a later one.
    pub(super) fn behind(mut self, later: Self) -> Self {
        self.rows.extend(later.rows);
        self.after.extend(later.after);
        for ((id, _), day) in later.days {
            self.add_day(&id, &day);
        }
        self.times.extend(later.times);
        self.noted.extend(later.noted);
        self.settled.extend(later.settled);
        self.waiting.extend(later.waiting);
        self
    }
}

/// Rows are written before their slots are marked as done. Where other processes may check as well, rows are part of the
/// transaction: a slot that is already done there leaves no row here.
pub(super) async fn write(env: &MonitorsEnv, batch: &CheckBatch) -> Result<(), BatchError> {
    if !env.db.is_shared() {
        rows(env, &batch.rows).await?;
        return store_state(env, batch, env.db.begin().await?).await;
    }
    let write = env.db.begin_as_leader().await?;
    pending_rows::insert(&*write, env.db.node(), &batch.rows).await?;
    store_state(env, batch, write).await?;
    pending_rows::flush(env.clone()).await;
    Ok(())
}

async fn store_state(
    env: &MonitorsEnv,
    batch: &CheckBatch,
    write: Write,
) -> Result<(), BatchError> {
    let organizations = env.organizations.view();
    let now_ms = env.clock.now_ms();
    // Monitors that were deleted in the meantime are skipped.
    let mut there = HashSet::with_capacity(batch.after.len());
    for (id, after) in &batch.after {
        if repo::store_standing(&*write, id, after).await? {
            there.insert(id);
        }
    }
    for (key, day) in &batch.days {
        if there.contains(&key.0) {
            repo::add_day(&*write, &key.0, (day, batch.times.get(key))).await?;
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
        for delivery in emails::for_transition(&organizations, monitor, *change, noted) {
            rings |= outbox.put(&write, delivery, now_ms).await?;
        }
    }
    delete_reports(&*write, &batch.settled).await?;
    if batch.is_published || !batch.noted.is_empty() {
        write.commit().await?;
    } else {
        write.commit_quietly().await?;
    }
    if let Some(outbox) = env.outbox.as_ref().filter(|_| rings) {
        outbox.ring();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::event::Event;

    #[test]
    fn many_rows_and_many_reports_make_a_batch_large() {
        let settled = |number| ReportKey {
            probe: "p".into(),
            number,
        };
        let mut batch = CheckBatch {
            settled: (1..MAX_UNWRITTEN as i64).map(settled).collect(),
            ..CheckBatch::default()
        };
        assert!(!batch.is_large());
        batch.settled.push(settled(0));
        assert!(batch.is_large());
        batch.settled.clear();
        let row = || Accepted {
            event: Event::default(),
            event_id: None,
        };
        batch.rows = std::iter::repeat_with(row).take(MAX_UNWRITTEN).collect();
        assert!(batch.is_large());
    }
}
