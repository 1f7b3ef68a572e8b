//! Plans checks: one heap of due times. Pure, which lets tests simulate days.
//!
//! Invariants:
//! - Every slot of a schedule between the first and the last that was handed out is handed out exactly once: as work, or as
//!   missed. A slot is missed when the next one was due before anybody could begin it.
//! - A monitor is never checked twice at the same time.
//! - What counts as done is said from outside ([`Planner::finish`]); a plan that is made anew from what was done last goes on
//!   with the same slots.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

use super::schedule::Schedule;

/// Missed slots with rows of their own. The last of them represents all that follow.
pub(super) const MAX_MISSED: usize = 60;

/// A check that has to begin now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// The monitor's number.
    pub key: i64,
    /// Which plan of the monitor this belongs to; grows with every change.
    pub fence: u64,
    /// The moment it was due, Unix milliseconds.
    pub due_ms: i64,
    pub cause: Cause,
    pub missed: Missed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// Its time has come.
    Slot,
    /// The one before failed.
    Recheck,
    Asked,
}

/// Slots without a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Missed {
    /// The first of them, Unix milliseconds.
    pub slots: Vec<i64>,
    /// How many follow that are not named.
    pub further: u64,
}

impl Missed {
    pub fn count(&self) -> u64 {
        self.slots.len() as u64 + self.further
    }
}

#[derive(Debug)]
struct Item {
    schedule: Option<Schedule>,
    /// The first slot that was not handed out.
    next: Option<i64>,
    /// A check out of turn.
    extra: Option<(i64, Cause)>,
    running: Option<Cause>,
    /// The slot that is being done, to be done again when the monitor changes meanwhile.
    current: Option<i64>,
    fence: u64,
}

impl Item {
    fn due(&self) -> Option<i64> {
        let extra = self.extra.map(|(at, _)| at);
        match (self.next, extra) {
            (Some(next), Some(extra)) => Some(next.min(extra)),
            (next, extra) => next.or(extra),
        }
    }
}

#[derive(Debug, Default)]
pub struct Planner {
    heap: BinaryHeap<Reverse<(i64, i64, u64)>>,
    items: HashMap<i64, Item>,
    fences: u64,
}

impl Planner {
    /// Takes a monitor in, or changes it. Its slots go on at `next` (after a restart), else behind `now_ms`; a slot that is
    /// being done meanwhile is done again under the new plan. Without a schedule it is checked only when asked.
    pub fn put(
        &mut self,
        key: i64,
        schedule: Option<Schedule>,
        next: Option<i64>,
        now_ms: i64,
    ) -> u64 {
        let before = self.items.remove(&key);
        let again = before.and_then(|item| item.current);
        let next = again
            .or(next)
            .or_else(|| schedule.as_ref()?.next_after(now_ms));
        self.fences += 1;
        let item = Item {
            next: schedule.as_ref().and(next),
            schedule,
            extra: None,
            running: None,
            current: None,
            fence: self.fences,
        };
        self.items.insert(key, item);
        self.line_up(key);
        self.fences
    }

    /// Forgets a monitor: what of it is being done does not count any more.
    pub fn remove(&mut self, key: i64) {
        self.items.remove(&key);
    }

    /// Whether this is the monitor's present plan.
    pub fn is_current(&self, key: i64, fence: u64) -> bool {
        self.items.get(&key).is_some_and(|item| item.fence == fence)
    }

    /// Has a monitor checked out of turn, at once.
    pub fn ask(&mut self, key: i64, now_ms: i64) {
        if let Some(item) = self.items.get_mut(&key) {
            item.extra = Some((now_ms, Cause::Asked));
            self.line_up(key);
        }
    }

    /// The first slot that was neither done nor missed: where a plan goes on that is made anew.
    pub fn mark(&self, key: i64) -> Option<i64> {
        let item = self.items.get(&key)?;
        item.current.or(item.next)
    }

    /// When a monitor is due next, Unix milliseconds.
    pub fn due(&self, key: i64) -> Option<i64> {
        self.items.get(&key)?.due()
    }

    /// When something is due next, Unix milliseconds.
    pub fn next_due(&mut self) -> Option<i64> {
        loop {
            let Reverse((due, key, fence)) = *self.heap.peek()?;
            if self.is_live(due, key, fence) {
                return Some(due);
            }
            self.heap.pop();
        }
    }

    /// The check that is due longest, if one is.
    pub fn take(&mut self, now_ms: i64) -> Option<Work> {
        let due = self.next_due().filter(|due| *due <= now_ms)?;
        let Reverse((_, key, fence)) = self.heap.pop()?;
        let item = self.items.get_mut(&key)?;
        let extra = item.extra.filter(|(at, _)| *at == due);
        let (cause, missed) = match extra {
            // A slot that is due as well does what the check out of turn would.
            Some((_, cause)) if item.next.is_none_or(|next| next > now_ms) => {
                (cause, Missed::default())
            }
            _ => (Cause::Slot, item.catch_up(now_ms)),
        };
        let due_ms = if cause == Cause::Slot {
            item.current?
        } else {
            due
        };
        item.extra = None;
        item.running = Some(cause);
        Some(Work {
            key,
            fence,
            due_ms,
            cause,
            missed,
        })
    }

    /// Says that a check is done, and when it has to be made again out of turn.
    pub fn finish(&mut self, key: i64, fence: u64, recheck_ms: Option<i64>) {
        let Some(item) = self.items.get_mut(&key).filter(|item| item.fence == fence) else {
            return;
        };
        item.running = None;
        item.current = None;
        // The next slot is a re-check as good as any.
        let recheck = recheck_ms.filter(|at| item.next.is_none_or(|next| *at < next));
        item.extra = item.extra.or(recheck.map(|at| (at, Cause::Recheck)));
        self.line_up(key);
    }

    /// How long the longest wait is, milliseconds.
    pub fn behind_ms(&mut self, now_ms: i64) -> i64 {
        self.next_due().map_or(0, |due| (now_ms - due).max(0))
    }

    fn line_up(&mut self, key: i64) {
        let Some(item) = self.items.get(&key).filter(|item| item.running.is_none()) else {
            return;
        };
        if let Some(due) = item.due() {
            self.heap.push(Reverse((due, key, item.fence)));
        }
    }

    fn is_live(&self, due: i64, key: i64, fence: u64) -> bool {
        self.items.get(&key).is_some_and(|item| {
            item.fence == fence && item.running.is_none() && item.due() == Some(due)
        })
    }
}

impl Item {
    /// Takes the latest slot that is due; those before it are missed.
    fn catch_up(&mut self, now_ms: i64) -> Missed {
        let mut missed = Missed::default();
        let (Some(schedule), Some(mut slot)) = (&self.schedule, self.next) else {
            return missed;
        };
        let mut following = schedule.next_after(slot);
        while let Some(next) = following.filter(|next| *next <= now_ms) {
            if missed.slots.len() < MAX_MISSED {
                missed.slots.push(slot);
                slot = next;
                following = schedule.next_after(slot);
                continue;
            }
            slot = if let Some(interval) = schedule.interval_ms() {
                // Without counting through years.
                let further = (now_ms - slot) / interval;
                missed.further += further.unsigned_abs();
                slot + further * interval
            } else {
                missed.further += 1;
                next
            };
            following = schedule.next_after(slot);
        }
        self.current = Some(slot);
        self.next = following;
        missed
    }
}

#[cfg(test)]
mod tests;
