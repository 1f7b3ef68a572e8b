//! The log position of every owner's last row, which decides whether a cached answer still holds.

use std::{
    collections::HashMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{record, statement::Scope};
use crate::events::log::{Lsn, frame::Record};

/// Moves with every change of the rows that a scope may show, and with nothing else in other scopes' rows; seals and
/// merges keep it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Rows of anybody were taken away, found damaged or mended so many times.
    losses: u64,
    /// Log position of the last row of the scope's owner since the start; 0 = none.
    last: Lsn,
}

/// The positions of every website and organization that has got rows since the start.
#[derive(Debug, Default)]
pub struct Positions {
    last: Mutex<Last>,
    losses: AtomicU64,
}

#[derive(Debug, Default)]
struct Last {
    organizations: HashMap<i64, Lsn>,
    websites: HashMap<i64, Lsn>,
}

impl Positions {
    /// Records of a batch can be seen now, up to `lsn`. Call it before they are acknowledged, and
    /// not before they can be seen.
    pub fn moved<'r>(&self, records: impl Iterator<Item = &'r Record>, lsn: Lsn) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let mut before = None;
        for record in records {
            // What cannot be read is no row.
            let Some(owner) = record::owner(&record.event) else {
                continue;
            };
            if before.replace(owner) != Some(owner) {
                last.organizations.insert(owner.0, lsn);
                last.websites.insert(owner.1, lsn);
            }
        }
    }

    /// Rows were taken away, found damaged or mended.
    pub fn lost(&self) {
        self.losses.fetch_add(1, Ordering::AcqRel);
    }

    /// Log position of the last row of a scope's owner since the start; 0 = none.
    pub fn last(&self, scope: &Scope) -> Lsn {
        self.get(scope).last
    }

    /// Where the rows of this scope are. To be asked before they are read.
    pub fn get(&self, scope: &Scope) -> Position {
        let losses = self.losses.load(Ordering::Acquire);
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let last = match scope.website {
            Some(website) => last.websites.get(&website),
            None => last.organizations.get(&scope.organization),
        };
        Position {
            losses,
            last: last.copied().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(organization: i64, website: i64) -> Record {
        let event = crate::events::event::Event {
            organization,
            website,
            ..Default::default()
        };
        Record {
            key: None,
            untold: None,
            event: postcard::to_stdvec(&event).unwrap().into(),
        }
    }

    #[test]
    fn only_the_owner_of_new_rows_moves() {
        let positions = Positions::default();
        let of = |organization, website| {
            positions.get(&Scope {
                organization,
                website,
                from: 0,
                to: 1,
            })
        };
        let before = [of(1, Some(10)), of(1, Some(11)), of(1, None), of(2, None)];
        positions.moved([record(1, 10), record(1, 10)].iter(), 5);
        let after = [of(1, Some(10)), of(1, Some(11)), of(1, None), of(2, None)];
        let moved: Vec<bool> = (0..4).map(|at| before[at] != after[at]).collect();
        assert_eq!(moved, [true, false, true, false]);
        positions.lost();
        assert_ne!(of(2, None), after[3]);
    }
}
