//! Which reports of probes were read. Pure.

use std::collections::HashMap;

use super::places::repo::ReportKey;
use crate::ids::ProbeId;

/// The reads of a leader, one at a time.
#[derive(Debug, Default)]
pub(super) struct ReportReads {
    /// The last report of each probe that was read.
    last: HashMap<ProbeId, i64>,
    /// Grows when another process becomes the leader: what was read before says nothing any more.
    generation: u64,
    is_reading: bool,
    /// Whether more reports have come while some were read.
    has_more: bool,
}

impl ReportReads {
    /// Begins a read, and gives its generation; `None` if one is in progress.
    pub(super) fn begin(&mut self) -> Option<u64> {
        if self.is_reading {
            self.has_more = true;
            return None;
        }
        self.is_reading = true;
        Some(self.generation)
    }

    /// Ends a read. Whether what it has read counts.
    pub(super) fn end(&mut self, generation: u64) -> bool {
        if generation != self.generation {
            return false;
        }
        self.is_reading = false;
        true
    }

    /// The last report of a probe that was read.
    pub(super) fn last(&self, probe: &ProbeId) -> ReportKey {
        ReportKey {
            probe: probe.clone(),
            number: self.last.get(probe).copied().unwrap_or(0),
        }
    }

    /// Notes that a report was read. Whether it is new.
    pub(super) fn note(&mut self, report: &ReportKey) -> bool {
        let last = self.last.entry(report.probe.clone()).or_insert(0);
        let is_new = report.number > *last;
        *last = report.number.max(*last);
        is_new
    }

    /// Whether more reports have come since the last read began.
    pub(super) fn take_more(&mut self) -> bool {
        std::mem::take(&mut self.has_more)
    }

    pub(super) fn forget(&mut self, probe: &ProbeId) {
        self.last.remove(probe);
    }

    /// Forgets everything, and what a read in progress will give.
    pub(super) fn clear(&mut self) {
        *self = Self {
            generation: self.generation + 1,
            ..Self::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: i64) -> ReportKey {
        ReportKey {
            probe: "p".into(),
            number,
        }
    }

    #[test]
    fn a_read_that_another_leader_interrupts_counts_for_nothing() {
        let mut reads = ReportReads::default();
        let before = reads.begin().unwrap();
        assert!(reads.note(&key(50)));
        reads.clear();
        assert_eq!(reads.last(&"p".into()), key(0));
        let now = reads.begin().unwrap();
        assert!(!reads.end(before));
        assert_eq!(reads.begin(), None, "the later one is still in progress");
        assert!(reads.end(now));
        assert!(reads.take_more() && !reads.take_more());
    }

    #[test]
    fn a_report_is_new_once() {
        let mut reads = ReportReads::default();
        assert!(reads.note(&key(2)));
        assert!(!reads.note(&key(2)) && !reads.note(&key(1)));
        assert_eq!(reads.last(&"p".into()), key(2));
        reads.forget(&"p".into());
        assert!(reads.note(&key(1)));
    }
}
