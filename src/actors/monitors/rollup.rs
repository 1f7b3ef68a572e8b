//! What a check adds to its monitor's days. A result holds until the next one. Pure.

use serde::{Deserialize, Serialize};

use super::Day;
use crate::events::event::Status;

const DAY_MS: i64 = 86_400_000;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LastResult {
    /// Unix milliseconds.
    pub(super) at_ms: i64,
    /// `None` while pending, in maintenance, paused or unchecked.
    pub(super) up: Option<bool>,
}

impl LastResult {
    pub(super) fn after(at_ms: i64, status: Status) -> Self {
        Self {
            at_ms,
            up: match status {
                Status::Up => Some(true),
                Status::Down => Some(false),
                Status::Pending | Status::Maintenance | Status::Missed => None,
            },
        }
    }
}

/// What a check adds: the time since the previous result, and itself.
pub(super) fn parts(before: LastResult, at_ms: i64, status: Status, took_ms: u32) -> Vec<Day> {
    let mut days = spans(before, at_ms);
    let day = at_ms.div_euclid(DAY_MS) as i32;
    let own = Day {
        day,
        ups: u32::from(status == Status::Up),
        downs: u32::from(status == Status::Down),
        response_ms: if status == Status::Up {
            took_ms.into()
        } else {
            0
        },
        ..Day::default()
    };
    if own.ups + own.downs == 0 {
        return days;
    }
    match days.iter_mut().find(|one| one.day == day) {
        Some(one) => one.add(&own),
        None => days.push(own),
    }
    days
}

fn spans(before: LastResult, until_ms: i64) -> Vec<Day> {
    let up = before.up == Some(true);
    let day = |(day, length): (i64, i64)| Day {
        day: day as i32,
        up_ms: if up { length } else { 0 },
        down_ms: if up { 0 } else { length },
        ..Day::default()
    };
    let held = held(before, until_ms, DAY_MS).into_iter();
    held.map(day).collect()
}

/// The units of time in which a result held, by their numbers, with the milliseconds of each.
pub(super) fn held(result: LastResult, until_ms: i64, unit_ms: i64) -> Vec<(i64, i64)> {
    let mut units = Vec::new();
    let mut at = result.at_ms;
    while result.up.is_some() && at < until_ms {
        let unit = at.div_euclid(unit_ms);
        let end = until_ms.min((unit + 1) * unit_ms);
        units.push((unit, end - at));
        at = end;
    }
    units
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_span_over_midnight_belongs_to_both_days() {
        let before = LastResult::after(DAY_MS - 1_000, Status::Down);
        let parts = parts(before, DAY_MS + 500, Status::Up, 20);
        assert_eq!(parts.len(), 2);
        assert_eq!((parts[0].day, parts[0].down_ms), (0, 1_000));
        assert_eq!(
            (
                parts[1].day,
                parts[1].down_ms,
                parts[1].ups,
                parts[1].response_ms
            ),
            (1, 500, 1, 20)
        );
        assert_eq!(parts[1].uptime(), Some(0.0));
    }

    #[test]
    fn what_is_not_known_counts_nowhere() {
        for status in [Status::Pending, Status::Maintenance, Status::Missed] {
            assert!(parts(LastResult::after(0, status), 5_000, status, 1).is_empty());
        }
        assert!(
            parts(
                LastResult::after(9_000, Status::Up),
                5_000,
                Status::Pending,
                1
            )
            .is_empty()
        );
        assert_eq!(Day::default().uptime(), None);
    }

    proptest! {
        #[test]
        fn every_known_millisecond_is_counted_once(checks in prop::collection::vec((1..200_000_000i64, 0..5u8), 1..40)) {
            let mut seen = LastResult::default();
            let (mut at, mut known, mut counted) = (0, 0, 0);
            for (gap, status) in checks {
                let status = [Status::Up, Status::Down, Status::Pending, Status::Maintenance, Status::Missed][status as usize];
                at += gap;
                if seen.up.is_some() {
                    known += at - seen.at_ms;
                }
                for day in parts(seen, at, status, 1) {
                    counted += day.up_ms + day.down_ms;
                    prop_assert!(day.up_ms + day.down_ms <= DAY_MS);
                }
                seen = LastResult::after(at, status);
            }
            prop_assert_eq!(known, counted);
        }
    }
}
