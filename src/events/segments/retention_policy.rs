//! How long events are kept.

use std::collections::BTreeMap;

use super::SegmentRow;
use crate::events::event::TIMELESS;

const DAY: i64 = 86_400_000;

/// Days after which events are deleted; 0 = never.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Of websites without a policy of their own, and of events without a website.
    pub days: u32,
    /// Of websites by their number in rows.
    pub websites: BTreeMap<i64, u32>,
}

/// How much of a segment is expired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Keep,
    /// A part may be expired.
    Part,
    Whole,
}

impl RetentionPolicy {
    /// Whether a row is expired at `now`, Unix ms. Aliases have no time and never expire.
    pub fn is_expired(&self, website: i64, time: i64, now: i64) -> bool {
        if time == TIMELESS {
            return false;
        }
        cutoff(self.days(website), now).is_some_and(|cutoff| time < cutoff)
    }

    /// Days after which events of a website are deleted; 0 = never.
    pub fn days(&self, website: i64) -> u32 {
        self.websites.get(&website).copied().unwrap_or(self.days)
    }

    /// The verdict on a segment by its row in the manifest, at `now`, Unix ms.
    pub fn verdict(&self, row: &SegmentRow, now: i64) -> Verdict {
        let (low, high) = row.websites;
        let mut cutoffs: Vec<Option<i64>> = self
            .websites
            .range(low..=high)
            .map(|(_, days)| cutoff(*days, now))
            .collect();
        if low < high || cutoffs.is_empty() {
            cutoffs.push(cutoff(self.days, now));
        }
        let (from, to) = row.times;
        let older = |time: i64| move |cutoff: &Option<i64>| cutoff.is_some_and(|at| time < at);
        if to == TIMELESS {
            Verdict::Keep
        } else if cutoffs.iter().all(older(to)) && !row.aliases {
            Verdict::Whole
        } else if cutoffs.iter().any(older(from)) {
            Verdict::Part
        } else {
            Verdict::Keep
        }
    }
}

/// Events before this Unix ms are expired; `None` = none are.
fn cutoff(days: u32, now: i64) -> Option<i64> {
    (days > 0).then(|| now - i64::from(days) * DAY)
}

#[cfg(test)]
mod tests {
    use super::{super::tests::row, *};

    const NOW: i64 = 1_000 * DAY;

    /// Of websites 10 to 20, from `from` on for not quite a tenth of a second.
    fn segment(from: i64) -> SegmentRow {
        row("a", 0, 1, from)
    }

    fn retention(days: u32, websites: &[(i64, u32)]) -> RetentionPolicy {
        RetentionPolicy {
            days,
            websites: websites.iter().copied().collect(),
        }
    }

    #[test]
    fn both_sides_of_the_cutoff() {
        let kept = retention(30, &[]);
        let cutoff = NOW - 30 * DAY;
        assert!(kept.is_expired(10, cutoff - 1, NOW) && !kept.is_expired(10, cutoff, NOW));
        assert_eq!(kept.verdict(&segment(cutoff), NOW), Verdict::Keep);
        assert_eq!(kept.verdict(&segment(cutoff - 1), NOW), Verdict::Part);
        assert_eq!(kept.verdict(&segment(cutoff - 99), NOW), Verdict::Part);
        assert_eq!(kept.verdict(&segment(cutoff - 100), NOW), Verdict::Whole);
        assert_eq!(retention(0, &[]).verdict(&segment(0), NOW), Verdict::Keep);
    }

    #[test]
    fn who_visitors_are_is_kept() {
        let kept = retention(30, &[]);
        assert!(!kept.is_expired(10, TIMELESS, NOW));
        let mut row = segment(0);
        assert_eq!(kept.verdict(&row, NOW), Verdict::Whole);
        row.aliases = true;
        assert_eq!(kept.verdict(&row, NOW), Verdict::Part);
        row.times = (TIMELESS, TIMELESS);
        assert_eq!(kept.verdict(&row, NOW), Verdict::Keep);
    }

    #[test]
    fn websites_decide_for_themselves_and_only_those_that_are_in_it() {
        let old = segment(NOW - 60 * DAY);
        assert_eq!(retention(0, &[(15, 30)]).verdict(&old, NOW), Verdict::Part);
        assert_eq!(retention(0, &[(21, 30)]).verdict(&old, NOW), Verdict::Keep);
        assert_eq!(retention(30, &[(15, 0)]).verdict(&old, NOW), Verdict::Part);
        assert_eq!(
            retention(30, &[(15, 59)]).verdict(&old, NOW),
            Verdict::Whole
        );
        let mut own = old;
        own.websites = (15, 15);
        assert_eq!(retention(30, &[(15, 0)]).verdict(&own, NOW), Verdict::Keep);
        assert_eq!(retention(0, &[(15, 30)]).verdict(&own, NOW), Verdict::Whole);
        let mixed = retention(30, &[(15, 0)]);
        assert!(!mixed.is_expired(15, 0, NOW) && mixed.is_expired(16, 0, NOW));
    }
}
