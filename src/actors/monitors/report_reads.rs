//! Which reports of probes were read. Pure.

use std::collections::{BTreeMap, HashMap};

use super::{Report, places::stored_reports::ReportKey};
use crate::ids::ProbeId;

/// Reports of a probe that wait for their slots.
const MAX_EARLY: usize = 5_000;

/// The reads of a leader, one at a time.
#[derive(Debug, Default)]
pub(super) struct ReportReads {
    /// The last report of each probe that was read.
    last: HashMap<ProbeId, i64>,
    /// The probe whose reports were read last.
    turn: Option<ProbeId>,
    /// Reports whose slots are to come, by slot and number. They stay stored.
    early: HashMap<ProbeId, BTreeMap<(i64, i64), Report>>,
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

    /// The last reports that were read of probes, beginning behind the probe that had its turn.
    pub(super) fn in_turn<'a>(&self, probes: impl Iterator<Item = &'a ProbeId>) -> Vec<ReportKey> {
        let mut probes: Vec<&ProbeId> = probes.collect();
        probes.sort_unstable();
        let turn = self.turn.as_ref();
        let next = turn.map_or(0, |turn| probes.partition_point(|probe| *probe <= turn));
        probes.rotate_left(next);
        probes.into_iter().map(|probe| self.last(probe)).collect()
    }

    /// Notes which probe had its turn.
    pub(super) fn end_turn(&mut self, probe: ProbeId) {
        self.turn = Some(probe);
    }

    /// The last report of a probe that was read.
    fn last(&self, probe: &ProbeId) -> ReportKey {
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

    /// Keeps a report until its slot is due, unless its probe has too many of them. Whether it is kept.
    pub(super) fn keep_early(&mut self, key: &ReportKey, report: &Report) -> bool {
        let own = self.early.entry(key.probe.clone()).or_default();
        let has_room = own.len() < MAX_EARLY;
        if has_room {
            own.insert((report.slot, key.number), report.clone());
        }
        has_room
    }

    /// Gives the kept reports whose slots are due by this moment, Unix milliseconds.
    pub(super) fn take_due(&mut self, until_ms: i64) -> Vec<(ReportKey, Report)> {
        let mut due = Vec::new();
        for (probe, early) in &mut self.early {
            let later = early.split_off(&(until_ms.saturating_add(1), i64::MIN));
            for ((_, number), report) in std::mem::replace(early, later) {
                let probe = probe.clone();
                due.push((ReportKey { probe, number }, report));
            }
        }
        self.early.retain(|_, early| !early.is_empty());
        due
    }

    pub(super) fn forget(&mut self, probe: &ProbeId) {
        self.last.remove(probe);
        self.early.remove(probe);
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
    use std::time::Duration;

    use super::*;
    use crate::{actors::monitors::CheckResult, egress::Trace};

    fn report(slot: i64) -> Report {
        let result = CheckResult::new(slot, Trace::lasting(Duration::ZERO));
        Report::new("m".into(), slot, result.finding())
    }

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

    #[test]
    fn the_probe_that_was_read_last_is_the_last_in_turn() {
        let mut reads = ReportReads::default();
        let probes: Vec<ProbeId> = ["r", "p", "q"].map(ProbeId::from).into();
        let order = |reads: &ReportReads| {
            let keys = reads.in_turn(probes.iter()).into_iter();
            keys.map(|key| key.probe.to_string()).collect::<String>()
        };
        assert_eq!(order(&reads), "pqr");
        for (turn, expected) in [("p", "qrp"), ("q", "rpq"), ("r", "pqr"), ("pp", "qrp")] {
            reads.end_turn(turn.into());
            assert_eq!(order(&reads), expected);
        }
    }

    #[test]
    fn a_report_whose_slot_is_to_come_is_given_when_it_is_due() {
        let mut reads = ReportReads::default();
        for (number, slot) in [(1, 30), (2, 20), (3, 40)] {
            assert!(reads.keep_early(&key(number), &report(slot)));
        }
        assert!(reads.take_due(19).is_empty());
        let due = [(key(2), report(20)), (key(1), report(30))];
        assert_eq!(reads.take_due(30), due);
        assert!(reads.take_due(30).is_empty());
        reads.clear();
        assert!(reads.take_due(i64::MAX).is_empty());
    }

    #[test]
    fn a_probe_has_no_more_than_its_share_of_memory() {
        let mut reads = ReportReads::default();
        for number in 0..MAX_EARLY as i64 {
            assert!(reads.keep_early(&key(number), &report(9)));
        }
        assert!(!reads.keep_early(&key(-1), &report(9)));
        let other = ReportKey {
            probe: "q".into(),
            number: 1,
        };
        assert!(reads.keep_early(&other, &report(9)));
    }
}
