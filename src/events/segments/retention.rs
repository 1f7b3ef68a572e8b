//! For how long events are kept.

use std::collections::BTreeMap;

use super::SegmentRow;
use crate::events::event::TIMELESS;

const DAY: i64 = 86_400_000;

/// Days after which events are deleted; 0 = never.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retention {
    /// Of websites that say nothing else, and of events without a website.
    pub days: u32,
    /// Of websites by their number in rows.
    pub websites: BTreeMap<i64, u32>,
}

/// What to do with a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing in it is too old.
    Keep,
    /// Some of it may be.
    Part,
    /// All of it is.
    Whole,
}

impl Retention {
    /// Whether a row is too old at `now`, Unix ms. Who a visitor is has no time, and is kept.
    pub fn expired(&self, website: i64, time: i64, now: i64) -> bool {
        if time == TIMELESS {
            return false;
        }
        border(self.of(website), now).is_some_and(|border| time < border)
    }

    /// Days after which events of a website are deleted; 0 = never.
    pub fn of(&self, website: i64) -> u32 {
        self.websites.get(&website).copied().unwrap_or(self.days)
    }

    /// What the manifest's row of a segment tells.
    pub fn verdict(&self, row: &SegmentRow, now: i64) -> Verdict {
        let (low, high) = row.websites;
        let mut borders: Vec<Option<i64>> = self
            .websites
            .range(low..=high)
            .map(|(_, days)| border(*days, now))
            .collect();
        if low < high || borders.is_empty() {
            borders.push(border(self.days, now));
        }
        let (from, to) = row.times;
        let older = |time: i64| move |border: &Option<i64>| border.is_some_and(|at| time < at);
        if to == TIMELESS {
            Verdict::Keep
        } else if borders.iter().all(older(to)) && !row.aliases {
            Verdict::Whole
        } else if borders.iter().any(older(from)) {
            Verdict::Part
        } else {
            Verdict::Keep
        }
    }
}

/// What happened before is too old; `None` when nothing is.
fn border(days: u32, now: i64) -> Option<i64> {
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

    fn retention(days: u32, websites: &[(i64, u32)]) -> Retention {
        Retention {
            days,
            websites: websites.iter().copied().collect(),
        }
    }

    #[test]
    fn both_sides_of_the_border() {
        let kept = retention(30, &[]);
        let border = NOW - 30 * DAY;
        assert!(kept.expired(10, border - 1, NOW) && !kept.expired(10, border, NOW));
        assert_eq!(kept.verdict(&segment(border), NOW), Verdict::Keep);
        assert_eq!(kept.verdict(&segment(border - 1), NOW), Verdict::Part);
        assert_eq!(kept.verdict(&segment(border - 99), NOW), Verdict::Part);
        assert_eq!(kept.verdict(&segment(border - 100), NOW), Verdict::Whole);
        assert_eq!(retention(0, &[]).verdict(&segment(0), NOW), Verdict::Keep);
    }

    #[test]
    fn who_visitors_are_is_kept() {
        let kept = retention(30, &[]);
        assert!(!kept.expired(10, TIMELESS, NOW));
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
        assert!(!mixed.expired(15, 0, NOW) && mixed.expired(16, 0, NOW));
    }
}
