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
pub(crate) struct Call<W> {
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
struct Meeting<W, R> {
    call: Option<Call<W>>,
    ballots: BTreeMap<String, Ballot<R>>,
    deadline_ms: i64,
}

/// The slots that are not decided, by monitor and slot.
#[derive(Debug)]
pub(crate) struct Meetings<W, R> {
    open: HashMap<(i64, i64), Meeting<W, R>>,
    deadlines: BTreeSet<(i64, (i64, i64))>,
}

impl<W, R> Default for Meetings<W, R> {
    fn default() -> Self {
        Self {
            open: HashMap::new(),
            deadlines: BTreeSet::new(),
        }
    }
}

impl<W, R> Meetings<W, R> {
    /// Begins a slot, or begins it anew because its monitor has changed. Reports that were there before count.
    pub(crate) fn begin(&mut self, key: (i64, i64), call: Call<W>) {
        let meeting = self.meeting(key, call.deadline_ms);
        let before_ms = std::mem::replace(&mut meeting.deadline_ms, call.deadline_ms);
        self.deadlines.remove(&(before_ms, key));
        self.deadlines.insert((call.deadline_ms, key));
        if let Some(meeting) = self.open.get_mut(&key) {
            meeting.call = Some(call);
        }
    }

    /// Adds what a place has found, and gives back what it had said before.
    pub(crate) fn report(
        &mut self,
        key: (i64, i64),
        place: String,
        ballot: Ballot<R>,
    ) -> Option<Ballot<R>> {
        let meeting = self.meeting(key, key.1.saturating_add(UNCLAIMED_MS));
        meeting.ballots.insert(place, ballot)
    }

    /// Ends a slot if it is decided, or if its time is over. `is_silent` says which places are not waited for.
    pub(crate) fn finish(
        &mut self,
        key: (i64, i64),
        now_ms: i64,
        is_silent: impl Fn(&str) -> bool,
    ) -> Option<Outcome<W, R>> {
        let meeting = self.open.get(&key)?;
        let is_over = now_ms >= meeting.deadline_ms;
        let decision = match &meeting.call {
            Some(call) => {
                let votes = meeting.votes(call, is_silent);
                if is_over {
                    conclude(votes, call.quorum)
                } else {
                    decide(votes, call.quorum)?
                }
            }
            None if is_over => Decision::Unknown,
            None => return None,
        };
        let meeting = self.remove(key)?;
        Some(Outcome {
            work: meeting.call.map(|call| call.work),
            decision,
            ballots: meeting.ballots,
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
            .filter(|(_, meeting)| meeting.call.is_some())
            .map(|(key, _)| *key)
            .collect()
    }

    /// Whether a slot has begun and is not decided.
    pub(crate) fn is_begun(&self, key: (i64, i64)) -> bool {
        let meeting = self.open.get(&key);
        meeting.is_some_and(|meeting| meeting.call.is_some())
    }

    /// Forgets the slots of a monitor, and gives what was reported of them.
    pub(crate) fn forget(&mut self, monitor: i64) -> Vec<R> {
        let own = self.open.keys().filter(|(own, _)| *own == monitor);
        let own: Vec<_> = own.copied().collect();
        let gone = own.into_iter().filter_map(|key| self.remove(key));
        gone.flat_map(|meeting| meeting.ballots.into_values())
            .map(|ballot| ballot.report)
            .collect()
    }

    fn meeting(&mut self, key: (i64, i64), deadline_ms: i64) -> &mut Meeting<W, R> {
        let deadlines = &mut self.deadlines;
        self.open.entry(key).or_insert_with(|| {
            deadlines.insert((deadline_ms, key));
            Meeting {
                call: None,
                ballots: BTreeMap::new(),
                deadline_ms,
            }
        })
    }

    fn remove(&mut self, key: (i64, i64)) -> Option<Meeting<W, R>> {
        let meeting = self.open.remove(&key)?;
        self.deadlines.remove(&(meeting.deadline_ms, key));
        Some(meeting)
    }
}

impl<W, R> Meeting<W, R> {
    fn votes(&self, call: &Call<W>, is_silent: impl Fn(&str) -> bool) -> Votes {
        let mut votes = Votes::default();
        for place in &call.places {
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
