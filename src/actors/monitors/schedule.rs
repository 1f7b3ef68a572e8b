//! When a monitor's slots are. Pure.
//!
//! Slots are fixed points of the wall clock, whatever a check takes and whenever the program started. Where in its interval a
//! monitor's slots lie follows from its number, so that the load of many spreads and never moves.

use std::sync::Arc;

use super::cron::Cron;

/// Monitors of cron expressions are checked within the minute that fits, each at its own second.
const MINUTE_MS: i64 = 60_000;

#[derive(Debug, Clone)]
pub struct Schedule {
    rule: Rule,
    phase_ms: i64,
}

#[derive(Debug, Clone)]
enum Rule {
    Every(i64),
    Cron(Arc<Cron>),
}

impl Schedule {
    /// Slots at a fixed distance, milliseconds.
    pub fn every(interval_ms: i64, key: i64) -> Self {
        let interval_ms = interval_ms.max(1);
        Self {
            rule: Rule::Every(interval_ms),
            phase_ms: phase(key, interval_ms),
        }
    }

    /// Slots in the minutes that fit an expression.
    pub fn cron(cron: Cron, key: i64) -> Self {
        Self {
            rule: Rule::Cron(Arc::new(cron)),
            phase_ms: phase(key, MINUTE_MS),
        }
    }

    /// The first slot after this moment, both in Unix milliseconds.
    pub fn next_after(&self, unix_ms: i64) -> Option<i64> {
        let shifted = unix_ms.checked_sub(self.phase_ms)?;
        let next = match &self.rule {
            Rule::Every(interval) => shifted
                .div_euclid(*interval)
                .checked_add(1)?
                .checked_mul(*interval)?,
            Rule::Cron(cron) => cron.next_after(shifted)?,
        };
        next.checked_add(self.phase_ms)
    }

    /// Milliseconds between two slots, where that is always the same.
    pub fn interval_ms(&self) -> Option<i64> {
        match self.rule {
            Rule::Every(interval) => Some(interval),
            Rule::Cron(_) => None,
        }
    }
}

/// Where in an interval a monitor's slots are: anywhere, but always there.
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
        let schedule = Schedule::every(60_000, 7);
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
        let schedule = Schedule::cron(cron, 99);
        let midnight = 1_791_936_000_000;
        let slot = schedule.next_after(midnight).unwrap();
        let due = midnight + 390 * 60_000;
        assert!((due..due + 60_000).contains(&slot), "{}", slot - due);
        assert_eq!(schedule.next_after(slot), Some(slot + 86_400_000));
    }
}
