//! Which reports of probes were read. Pure.

use std::collections::{BTreeMap, HashMap};

use super::places::stored_reports::ReportKey;
use crate::ids::ProbeId;

/// Reports of a probe that wait for their slots, and their bytes in the database.
const MAX_EARLY: usize = 5_000;
const MAX_EARLY_BYTES: usize = 8 << 20;
/// Reports of a probe that a leader takes for moments that are no slots.
const MAX_UNPLANNED: u32 = 1_000;
/// Reports that are read again at once.
const MAX_DUE: usize = 100;

/// A stored report whose slot is to come. The report itself is read again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EarlyReport {
    pub(super) key: ReportKey,
    /// Unix milliseconds.
    pub(super) slot_ms: i64,
    pub(super) bytes: usize,
}

/// The reads of a leader, one at a time.
#[derive(Debug, Default)]
pub(super) struct ReportReads {
    /// The last report of each probe that was read.
    last: HashMap<ProbeId, i64>,
    /// The probe whose reports were read last.
    turn: Option<ProbeId>,
    /// The bytes of the reports whose slots are to come, by slot and number. They stay stored.
    early: HashMap<ProbeId, BTreeMap<(i64, i64), usize>>,
    /// Reports for moments that are no slots.
    unplanned: HashMap<ProbeId, u32>,
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

    /// Notes that there are more reports than can be taken now.
    pub(super) fn note_more(&mut self) {
        self.has_more = true;
    }

    /// Whether more reports have come since the last read began.
    pub(super) fn take_more(&mut self) -> bool {
        std::mem::take(&mut self.has_more)
    }

    /// Counts a report for a moment that is no slot. Whether it is taken.
    pub(super) fn count_unplanned(&mut self, probe: &str) -> bool {
        let count = self.unplanned.entry(probe.into()).or_insert(0);
        *count = count.saturating_add(1);
        *count <= MAX_UNPLANNED
    }

    /// Keeps a report in mind until its slot is due, unless its probe has too many of them. Whether it is kept.
    pub(super) fn keep_early(&mut self, early: &EarlyReport) -> bool {
        let own = self.early.entry(early.key.probe.clone()).or_default();
        let bytes: usize = own.values().sum();
        let has_room = own.len() < MAX_EARLY && bytes + early.bytes <= MAX_EARLY_BYTES;
        if has_room {
            own.insert((early.slot_ms, early.key.number), early.bytes);
        }
        has_room
    }

    /// A handful of the reports whose slots are due by this moment, Unix milliseconds.
    pub(super) fn find_due(&self, until_ms: i64) -> Vec<EarlyReport> {
        let due = self.early.iter().flat_map(|(probe, own)| {
            let due = own.range(..=(until_ms, i64::MAX));
            due.map(move |((slot_ms, number), bytes)| EarlyReport {
                key: ReportKey {
                    probe: probe.clone(),
                    number: *number,
                },
                slot_ms: *slot_ms,
                bytes: *bytes,
            })
        });
        due.take(MAX_DUE).collect()
    }

    /// Forgets a report that was kept until its slot was due.
    pub(super) fn drop_early(&mut self, early: &EarlyReport) {
        let Some(own) = self.early.get_mut(&early.key.probe) else {
            return;
        };
        own.remove(&(early.slot_ms, early.key.number));
        if own.is_empty() {
            self.early.remove(&early.key.probe);
        }
    }

    /// Forgets the reports of a probe for slots behind this moment, Unix milliseconds, also those that a read in progress will give.
    pub(super) fn drop_ahead(&mut self, probe: &ProbeId, after_ms: i64) {
        if let Some(own) = self.early.get_mut(probe) {
            own.retain(|(slot_ms, _), _| *slot_ms <= after_ms);
        }
        self.generation += 1;
        self.is_reading = false;
    }

    pub(super) fn forget(&mut self, probe: &ProbeId) {
        self.last.remove(probe);
        self.early.remove(probe);
        self.unplanned.remove(probe);
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

    fn early(number: i64, slot_ms: i64, bytes: usize) -> EarlyReport {
        EarlyReport {
            key: key(number),
            slot_ms,
            bytes,
        }
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
    fn a_report_whose_slot_is_to_come_is_found_when_it_is_due() {
        let mut reads = ReportReads::default();
        for (number, slot_ms) in [(1, 30), (2, 20), (3, 40)] {
            assert!(reads.keep_early(&early(number, slot_ms, 9)));
        }
        assert!(reads.find_due(19).is_empty());
        let due = [early(2, 20, 9), early(1, 30, 9)];
        assert_eq!(reads.find_due(30), due);
        assert_eq!(reads.find_due(30), due, "they were not read yet");
        for report in &due {
            reads.drop_early(report);
        }
        assert!(reads.find_due(30).is_empty());
        assert_eq!(reads.find_due(40), [early(3, 40, 9)]);
        reads.clear();
        assert!(reads.find_due(i64::MAX).is_empty());
    }

    #[test]
    fn reports_for_slots_to_come_are_dropped_with_those_that_are_being_read() {
        let mut reads = ReportReads::default();
        for (number, slot_ms) in [(1, 20), (2, 30)] {
            assert!(reads.keep_early(&early(number, slot_ms, 9)));
        }
        let read = reads.begin().unwrap();
        assert!(reads.note(&key(3)));
        reads.drop_ahead(&"p".into(), 20);
        assert!(!reads.end(read));
        assert_eq!(reads.find_due(i64::MAX), [early(1, 20, 9)]);
        assert_eq!(reads.last(&"p".into()), key(3), "what was read stays read");
        assert!(reads.begin().is_some());
    }

    #[test]
    fn a_probe_has_few_reports_for_moments_that_are_no_slots() {
        let mut reads = ReportReads::default();
        assert!((0..MAX_UNPLANNED).all(|_| reads.count_unplanned("p")));
        assert!(!reads.count_unplanned("p") && reads.count_unplanned("q"));
    }

    #[test]
    fn a_probe_has_no_more_than_its_share() {
        let mut reads = ReportReads::default();
        for number in 0..MAX_EARLY as i64 {
            assert!(reads.keep_early(&early(number, 9, 1)));
        }
        assert!(!reads.keep_early(&early(-1, 9, 1)));
        let other = |bytes| EarlyReport {
            key: ReportKey {
                probe: "q".into(),
                number: 1,
            },
            ..early(1, 9, bytes)
        };
        assert!(!reads.keep_early(&other(MAX_EARLY_BYTES + 1)));
        assert!(reads.keep_early(&other(MAX_EARLY_BYTES)));
        assert_eq!(reads.find_due(9).len(), MAX_DUE);
    }
}
