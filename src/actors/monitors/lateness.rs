//! How late checks begin, which shows whether the program keeps up.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

/// The upper bounds of buckets, milliseconds.
const BOUNDS: [i64; 16] = [
    5,
    10,
    20,
    30,
    50,
    75,
    100,
    150,
    200,
    250,
    400,
    1_000,
    2_500,
    10_000,
    60_000,
    i64::MAX,
];
/// Checks after which the older half is forgotten.
const WINDOW: u64 = 20_000;

/// Counts of checks by their lateness.
#[derive(Debug, Default)]
pub struct Lateness {
    recent: [AtomicU64; BOUNDS.len()],
    pub slots: AtomicU64,
    pub missed: AtomicU64,
    pub running: AtomicU64,
    /// How long the oldest due check has waited, milliseconds.
    pub behind_ms: AtomicI64,
    worst_ms: AtomicI64,
}

impl Lateness {
    /// Counts a check by its lateness, milliseconds.
    pub(super) fn begun(&self, late_ms: i64) {
        self.slots.fetch_add(1, Relaxed);
        self.worst_ms.fetch_max(late_ms, Relaxed);
        let bucket = BOUNDS.iter().position(|bound| late_ms <= *bound);
        let bucket = bucket.unwrap_or(BOUNDS.len() - 1);
        self.recent[bucket].fetch_add(1, Relaxed);
        if self.total() > WINDOW {
            for count in &self.recent {
                count.store(count.load(Relaxed) / 2, Relaxed);
            }
        }
    }

    fn total(&self) -> u64 {
        self.recent.iter().map(|count| count.load(Relaxed)).sum()
    }

    /// Milliseconds within which this share of recent checks began: the upper bound of its bucket.
    pub fn quantile_ms(&self, share: f64) -> i64 {
        let total = self.total();
        if total == 0 {
            return 0;
        }
        let wanted = (share * total as f64).ceil() as u64;
        let mut seen = 0;
        for (count, bound) in self.recent.iter().zip(BOUNDS) {
            seen += count.load(Relaxed);
            if seen >= wanted {
                return bound.min(self.worst_ms.load(Relaxed).max(0));
            }
        }
        self.worst_ms.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_the_ends_of_buckets_and_never_beyond_the_worst() {
        let lateness = Lateness::default();
        assert_eq!(lateness.quantile_ms(0.99), 0);
        for late in 1..=100 {
            lateness.begun(late);
        }
        assert_eq!(lateness.quantile_ms(0.5), 50);
        assert_eq!(lateness.quantile_ms(0.99), 100);
        lateness.begun(7_000);
        assert_eq!(lateness.quantile_ms(1.0), 7_000);
        assert_eq!(lateness.slots.load(Relaxed), 101);
    }

    #[test]
    fn what_is_long_ago_is_forgotten() {
        let lateness = Lateness::default();
        for _ in 0..10_000 {
            lateness.begun(5_000);
        }
        for _ in 0..2_000_000 {
            lateness.begun(1);
        }
        assert_eq!(lateness.quantile_ms(0.99), 5);
    }
}
