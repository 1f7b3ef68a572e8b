//! The slots of a monitor. Pure.
//!
//! Slots are fixed points of the wall clock, independent of durations of checks and restarts. The position within an interval
//! follows from the monitor's number, which spreads the load and never moves.

use std::sync::Arc;

use super::{Granularity, cron::Cron};

/// Monitors with a cron expression are checked within the matching minute, each at its own second.
const MINUTE_MS: i64 = 60_000;

#[derive(Debug, Clone)]
pub struct Schedule {
    recurrence: Recurrence,
    phase_ms: i64,
}

/// When slots are, before they are spread by monitor.
#[derive(Debug, Clone)]
pub enum Recurrence {
    /// Milliseconds.
    Every(i64),
    Cron(Arc<Cron>),
}

impl Schedule {
    pub fn new(recurrence: Recurrence, key: i64) -> Self {
        let phase_ms = match recurrence {
            Recurrence::Every(interval_ms) => phase(key, interval_ms),
            Recurrence::Cron(_) => phase(key, MINUTE_MS),
        };
        Self {
            recurrence,
            phase_ms,
        }
    }

    /// The first slot after this moment, both in Unix milliseconds.
    pub fn next_after(&self, unix_ms: i64) -> Option<i64> {
        let shifted = unix_ms.checked_sub(self.phase_ms)?;
        let next = match &self.recurrence {
            Recurrence::Every(interval) => shifted
                .div_euclid(*interval)
                .checked_add(1)?
                .checked_mul(*interval)?,
            Recurrence::Cron(cron) => cron.next_after(shifted)?,
        };
        next.checked_add(self.phase_ms)
    }

    /// Whether there is a slot at this moment, Unix milliseconds.
    pub(super) fn has_slot(&self, unix_ms: i64) -> bool {
        self.next_after(unix_ms.saturating_sub(1)) == Some(unix_ms)
    }

    /// Milliseconds between two slots, if they do not vary.
    pub fn interval_ms(&self) -> Option<i64> {
        match self.recurrence {
            Recurrence::Every(interval) => Some(interval),
            Recurrence::Cron(_) => None,
        }
    }
}

/// Whether a schedule of a monitor with this number may have a slot at this moment, Unix milliseconds.
pub(super) fn may_have_slot(key: i64, unix_ms: i64) -> bool {
    // Slots of cron expressions are among those of every minute.
    Granularity::all_ms().any(|interval_ms| {
        let shifted = unix_ms.checked_sub(phase(key, interval_ms));
        shifted.is_some_and(|shifted| shifted.rem_euclid(interval_ms) == 0)
    })
}

/// The fixed position of a monitor's slots in an interval.
fn phase(key: i64, interval_ms: i64) -> i64 {
    let hash = blake3::hash(&key.to_le_bytes());
    let mut head = [0; 8];
    head.copy_from_slice(&hash.as_bytes()[..8]);
    (u64::from_le_bytes(head) % interval_ms.unsigned_abs().max(1)) as i64
}

#[cfg(test)]
mod tests {
    use chrono_tz::Tz;

    use super::*;

    #[test]
    fn slots_are_an_interval_apart_and_do_not_depend_on_who_asks() {
        let schedule = Schedule::new(Recurrence::Every(60_000), 7);
        let first = schedule.next_after(1_000_000_000).unwrap();
        assert!((1_000_000_001..=1_000_060_000).contains(&first));
        for ms in [1_000_000_000, first - 1] {
            assert_eq!(schedule.next_after(ms), Some(first));
        }
        assert_eq!(schedule.next_after(first), Some(first + 60_000));
        assert_eq!(schedule.next_after(i64::MAX), None);
        assert!(schedule.next_after(-5).is_some());
    }

    #[test]
    fn slots_of_all_schedules_are_known_by_the_number_of_the_monitor() {
        let cron = Cron::parse("30 6 * * *", Tz::UTC).unwrap();
        let intervals = Granularity::all_ms().map(Recurrence::Every);
        for recurrence in intervals.chain([Recurrence::Cron(cron.into())]) {
            let schedule = Schedule::new(recurrence, 7);
            let slot = schedule.next_after(1_791_936_000_000).unwrap();
            assert!(schedule.has_slot(slot) && !schedule.has_slot(slot + 1));
            assert!(may_have_slot(7, slot));
        }
        let moments = 1_791_936_000_000..1_791_936_060_000;
        let count = moments.filter(|at_ms| may_have_slot(7, *at_ms)).count();
        // Half a minute divides all other intervals.
        assert_eq!(count, 2);
    }

    #[test]
    fn phases_of_many_monitors_fill_the_interval() {
        let mut tenths = [0; 10];
        for key in 0..10_000 {
            tenths[(phase(key, 60_000) / 6_000) as usize] += 1;
        }
        assert!(
            tenths.iter().all(|count| (900..1_100).contains(count)),
            "{tenths:?}"
        );
    }

    #[test]
    fn an_expression_is_met_within_its_minute() {
        let cron = Cron::parse("30 6 * * *", Tz::UTC).unwrap();
        let schedule = Schedule::new(Recurrence::Cron(cron.into()), 99);
        let midnight = 1_791_936_000_000;
        let slot = schedule.next_after(midnight).unwrap();
        let due = midnight + 390 * 60_000;
        assert!((due..due + 60_000).contains(&slot), "{}", slot - due);
        assert_eq!(schedule.next_after(slot), Some(slot + 86_400_000));
    }
}
