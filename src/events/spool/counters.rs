//! When the spool thread writes counters of the ledger: with the duplicates of a batch at once, everything else about
//! once a second, with a batch that is written anyway where there is one.

use std::time::{Duration, Instant};

use super::writer::Writer;
use crate::events::ledger::Counters;

/// How long refusals wait for company.
const PACE: Duration = Duration::from_secs(1);

impl Writer {
    /// Something was counted: it is written when its time has come.
    pub(super) fn expect_counters(&mut self) {
        self.tallies_due
            .get_or_insert_with(|| Instant::now() + PACE);
    }

    /// How long the thread may sleep until counters are due; `None` when there are none.
    pub(super) fn until_tallies(&self) -> Option<Duration> {
        let due = self.tallies_due?;
        Some(due.saturating_duration_since(Instant::now()))
    }

    /// What the ledger holds, if its time has come.
    pub(super) fn due_counters(&mut self) -> Counters {
        if self.tallies_due.is_some_and(|due| due <= Instant::now()) {
            self.tallies_due = None;
            return self.health.ledger.take();
        }
        Counters::default()
    }

    /// Writes what the ledger holds, alone.
    pub(super) fn write_tallies(&mut self) {
        self.tallies_due = Some(Instant::now());
        self.store(Vec::new());
        if let Some(due) = &mut self.tallies_due {
            // The disk takes nothing now.
            *due = Instant::now() + PACE;
        }
    }

    /// Counters that the disk did not take wait for the next batch.
    pub(super) fn keep_counters(&mut self, counters: Counters) {
        if !counters.is_empty() {
            self.health.ledger.put_back(counters);
            self.expect_counters();
        }
    }
}
