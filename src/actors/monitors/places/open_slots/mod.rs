//! Collects what places report about a slot until it can be decided. Pure.
//!
//! Invariants:
//! - A slot is decided once. What comes later is not for it to judge.
//! - A place has one voice in a slot, whatever it sends twice.
//! - A slot ends at its deadline at the latest.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::quorum::{Decision, Votes, conclude, decide};

/// How long reports wait whose slot is not begun here, milliseconds.
const UNCLAIMED_MS: i64 = 180_000;

/// A slot that has begun here.
#[derive(Debug, Clone)]
pub(crate) struct SlotConfig<W> {
    pub(crate) work: W,
    /// The places that are asked.
    pub(crate) places: Vec<String>,
    pub(crate) quorum: Option<u32>,
    /// When it is decided with those that have reported, Unix milliseconds.
    pub(crate) deadline_ms: i64,
}

/// What a place has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ballot<R> {
    pub(crate) is_up: bool,
    pub(crate) report: R,
}

/// A slot that is over.
#[derive(Debug)]
pub(crate) struct Outcome<W, R> {
    /// What it was begun with, unless it never was.
    pub(crate) work: Option<W>,
    pub(crate) decision: Decision,
    /// By place.
    pub(crate) ballots: BTreeMap<String, Ballot<R>>,
}

#[derive(Debug)]
struct OpenSlot<W, R> {
    config: Option<SlotConfig<W>>,
    ballots: BTreeMap<String, Ballot<R>>,
    deadline_ms: i64,
}

/// The slots that are not decided, by monitor and slot.
#[derive(Debug)]
pub(crate) struct OpenSlots<W, R> {
    open: HashMap<(i64, i64), OpenSlot<W, R>>,
    deadlines: BTreeSet<(i64, (i64, i64))>,
}

impl<W, R> Default for OpenSlots<W, R> {
    fn default() -> Self {
        Self {
            open: HashMap::new(),
            deadlines: BTreeSet::new(),
        }
    }
}

impl<W, R> OpenSlots<W, R> {
    /// Begins a slot, or begins it anew because its monitor has changed. Reports that were there before count.
    pub(crate) fn begin(&mut self, key: (i64, i64), config: SlotConfig<W>) {
        let slot = self.slot(key, config.deadline_ms);
        let before_ms = std::mem::replace(&mut slot.deadline_ms, config.deadline_ms);
        self.deadlines.remove(&(before_ms, key));
        self.deadlines.insert((config.deadline_ms, key));
        if let Some(slot) = self.open.get_mut(&key) {
            slot.config = Some(config);
        }
    }

    /// Has the slots of a monitor wait until they begin anew. Reports that are there still count.
    pub(crate) fn suspend(&mut self, monitor: i64) {
        for (key, slot) in self.open.iter_mut().filter(|(key, _)| key.0 == monitor) {
            slot.config = None;
            let deadline_ms = key.1.saturating_add(UNCLAIMED_MS);
            self.deadlines.remove(&(slot.deadline_ms, *key));
            self.deadlines.insert((deadline_ms, *key));
            slot.deadline_ms = deadline_ms;
        }
    }

    /// Adds what a place has found, and gives back what it had said before.
    pub(crate) fn report(
        &mut self,
        key: (i64, i64),
        place: String,
        ballot: Ballot<R>,
    ) -> Option<Ballot<R>> {
        let slot = self.slot(key, key.1.saturating_add(UNCLAIMED_MS));
        slot.ballots.insert(place, ballot)
    }

    /// Takes back what a place has said about slots behind this moment, Unix milliseconds.
    pub(crate) fn retract(&mut self, place: &str, after_ms: i64) -> Vec<R> {
        let open = self.open.iter_mut();
        let ahead = open.filter(|(key, _)| key.1 > after_ms);
        let ballots = ahead.filter_map(|(_, slot)| slot.ballots.remove(place));
        ballots.map(|ballot| ballot.report).collect()
    }

    /// Ends a slot if it is decided, or if its time is over. `is_silent` says which places are not waited for.
    pub(crate) fn finish(
        &mut self,
        key: (i64, i64),
        now_ms: i64,
        is_silent: impl Fn(&str) -> bool,
    ) -> Option<Outcome<W, R>> {
        let slot = self.open.get(&key)?;
        let is_over = now_ms >= slot.deadline_ms;
        let decision = match &slot.config {
            Some(config) => {
                let votes = slot.votes(config, is_silent);
                if is_over {
                    conclude(votes, config.quorum)
                } else {
                    decide(votes, config.quorum)?
                }
            }
            None if is_over => Decision::Unknown,
            None => return None,
        };
        let slot = self.remove(key)?;
        Some(Outcome {
            work: slot.config.map(|config| config.work),
            decision,
            ballots: slot.ballots,
        })
    }

    /// The slots whose time is over.
    pub(crate) fn overdue(&self, now_ms: i64) -> Vec<(i64, i64)> {
        let over = self.deadlines.iter();
        over.take_while(|(deadline_ms, _)| *deadline_ms <= now_ms)
            .map(|(_, key)| *key)
            .collect()
    }

    /// The slots that have begun and are not decided.
    pub(crate) fn begun(&self) -> Vec<(i64, i64)> {
        let begun = self.open.iter();
        begun
            .filter(|(_, slot)| slot.config.is_some())
            .map(|(key, _)| *key)
            .collect()
    }

    /// Whether a slot has begun and is not decided.
    pub(crate) fn is_begun(&self, key: (i64, i64)) -> bool {
        let slot = self.open.get(&key);
        slot.is_some_and(|slot| slot.config.is_some())
    }

    /// Forgets the slots of a monitor, and gives what was reported of them.
    pub(crate) fn forget(&mut self, monitor: i64) -> Vec<R> {
        let own = self.open.keys().filter(|(own, _)| *own == monitor);
        let own: Vec<_> = own.copied().collect();
        let gone = own.into_iter().filter_map(|key| self.remove(key));
        gone.flat_map(|slot| slot.ballots.into_values())
            .map(|ballot| ballot.report)
            .collect()
    }

    fn slot(&mut self, key: (i64, i64), deadline_ms: i64) -> &mut OpenSlot<W, R> {
        let deadlines = &mut self.deadlines;
        self.open.entry(key).or_insert_with(|| {
            deadlines.insert((deadline_ms, key));
            OpenSlot {
                config: None,
                ballots: BTreeMap::new(),
                deadline_ms,
            }
        })
    }

    fn remove(&mut self, key: (i64, i64)) -> Option<OpenSlot<W, R>> {
        let slot = self.open.remove(&key)?;
        self.deadlines.remove(&(slot.deadline_ms, key));
        Some(slot)
    }
}

impl<W, R> OpenSlot<W, R> {
    fn votes(&self, config: &SlotConfig<W>, is_silent: impl Fn(&str) -> bool) -> Votes {
        let mut votes = Votes::default();
        for place in &config.places {
            match self.ballots.get(place) {
                Some(ballot) if ballot.is_up => votes.ups += 1,
                Some(_) => votes.downs += 1,
                None if is_silent(place) => {}
                None => votes.waiting += 1,
            }
        }
        votes
    }
}

#[cfg(test)]
mod tests;
