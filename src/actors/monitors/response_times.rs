//! Response times of a day's good checks: counts by bucket, from which percentiles follow within one percent. Pure.

use serde::{Deserialize, Serialize};

/// The growth of buckets.
const STEP: f64 = 1.02;

/// Counts by bucket, smallest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ResponseTimes(Vec<(u16, u32)>);

fn bucket(took_ms: u32) -> u16 {
    match took_ms {
        0 => 0,
        ms => 1 + (f64::from(ms).ln() / STEP.ln()) as u16,
    }
}

/// The middle of a bucket, milliseconds.
fn time(bucket: u16) -> u32 {
    match bucket {
        0 => 0,
        bucket => STEP.powf(f64::from(bucket) - 0.5).round() as u32,
    }
}

impl ResponseTimes {
    pub(super) fn add(&mut self, took_ms: u32) {
        let bucket = bucket(took_ms);
        match self.0.binary_search_by_key(&bucket, |(own, _)| *own) {
            Ok(at) => {
                if let Some((_, count)) = self.0.get_mut(at) {
                    *count = count.saturating_add(1);
                }
            }
            Err(at) => self.0.insert(at, (bucket, 1)),
        }
    }

    /// Milliseconds.
    pub(super) fn percentile(&self, percent: u64) -> Option<u32> {
        let whole: u64 = self.0.iter().map(|(_, count)| u64::from(*count)).sum();
        let rank = (whole * percent).div_ceil(100);
        let mut passed = 0;
        let found = self.0.iter().find(|(_, count)| {
            passed += u64::from(*count);
            passed >= rank
        });
        found.map(|(bucket, _)| time(*bucket))
    }

    pub(super) fn pack(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// Empty if it cannot be decoded.
    pub(super) fn unpack(packed: &[u8]) -> Self {
        postcard::from_bytes(packed).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn times(all: &[u32]) -> ResponseTimes {
        let mut times = ResponseTimes::default();
        for took_ms in all {
            times.add(*took_ms);
        }
        times
    }

    #[test]
    fn the_percentile_of_nothing_is_nothing_and_small_times_are_exact() {
        assert_eq!(ResponseTimes::default().percentile(95), None);
        for took_ms in 0..50 {
            assert_eq!(times(&[took_ms]).percentile(95), Some(took_ms));
        }
        let hundred: Vec<u32> = (0..100).map(|nth| if nth < 95 { 10 } else { 40 }).collect();
        assert_eq!(times(&hundred).percentile(95), Some(10));
        assert_eq!(times(&hundred).percentile(96), Some(40));
    }

    proptest! {
        #[test]
        fn percentiles_are_within_a_percent_of_the_truth(
            mut all in prop::collection::vec(0..200_000_u32, 1..300),
            percent in 1..=100_u64,
        ) {
            let times = ResponseTimes::unpack(&times(&all).pack());
            all.sort_unstable();
            let rank = (all.len() as u64 * percent).div_ceil(100) as usize;
            let truth = f64::from(all[rank - 1]);
            let found = f64::from(times.percentile(percent).unwrap());
            prop_assert!((found - truth).abs() <= truth * 0.01 + 0.5, "{} for {}", found, truth);
        }
    }
}
