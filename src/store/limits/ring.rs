//! An exact rolling window: the times of the admissions that still count.
//!
//! With limit N, a request is admitted if and only if the N-th newest admission has left the window. Nothing older
//! than the window is kept, and never more than N times are.

use std::collections::VecDeque;

use crate::fault::Window;

#[derive(Debug, Default)]
pub(super) struct Ring {
    /// Oldest first, never decreasing.
    times: VecDeque<i64>,
    window_ms: i64,
}

impl Ring {
    /// Refuses when `max` admissions lie within the window that ends at `now`.
    pub(super) fn check(&mut self, max: u32, window_ms: i64, now: i64) -> Result<(), Window> {
        self.window_ms = window_ms;
        self.set_back(now);
        self.forget(now);
        let count = self.times.len();
        let Some(oldest) = count
            .checked_sub(max as usize)
            .and_then(|first| self.times.get(first))
        else {
            return Ok(());
        };
        let reset_ms = oldest + window_ms;
        Err(Window {
            limit: max,
            remaining: 0,
            reset_ms,
            retry_after: whole_seconds(reset_ms - now),
        })
    }

    pub(super) fn record(&mut self, now: i64) {
        // A clock that was set back must not put times out of order.
        let now = self.times.back().map_or(now, |newest| now.max(*newest));
        self.times.push_back(now);
    }

    /// Takes the newest admission away.
    pub(super) fn take_back(&mut self) {
        self.times.pop_back();
    }

    /// Whether nothing counts any longer.
    pub(super) fn is_idle(&mut self, now: i64) -> bool {
        self.forget(now);
        self.times.is_empty()
    }

    /// Admissions that are kept.
    pub(super) fn count(&self) -> usize {
        self.times.len()
    }

    /// Time of the newest admission.
    pub(super) fn newest(&self) -> i64 {
        self.times.back().copied().unwrap_or(i64::MIN)
    }

    /// What was admitted before the clock was set back counts as admitted now: no caller waits longer than a window.
    fn set_back(&mut self, now: i64) {
        let ahead = self.times.iter_mut().rev().take_while(|time| **time > now);
        ahead.for_each(|time| *time = now);
    }

    fn forget(&mut self, now: i64) {
        while self
            .times
            .front()
            .is_some_and(|time| *time <= now - self.window_ms)
        {
            self.times.pop_front();
        }
    }
}

/// Seconds to wait, rounded up, at least 1.
pub(super) fn whole_seconds(ms: i64) -> u64 {
    u64::try_from(ms).map_or(1, |ms| ms.div_ceil(1_000)).max(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_place_is_free_again_exactly_when_the_reset_says() {
        let mut ring = Ring::default();
        for time in [1_000, 1_500] {
            ring.check(2, 60_000, time).unwrap();
            ring.record(time);
        }
        let refused = ring.check(2, 60_000, 2_000).unwrap_err();
        assert_eq!(
            refused,
            Window {
                limit: 2,
                remaining: 0,
                reset_ms: 61_000,
                retry_after: 59
            }
        );
        assert!(ring.check(2, 60_000, 60_999).is_err());
        assert!(ring.check(2, 60_000, 61_000).is_ok());
    }

    #[test]
    fn a_lowered_limit_holds_at_once() {
        let mut ring = Ring::default();
        for time in 0..10 {
            ring.record(time);
        }
        let refused = ring.check(3, 60_000, 10).unwrap_err();
        assert_eq!(
            refused.reset_ms, 60_007,
            "the third newest was admitted at 7"
        );
    }

    #[test]
    fn it_is_idle_once_nothing_counts_any_longer() {
        let mut ring = Ring::default();
        ring.check(2, 1_000, 5_000).unwrap();
        ring.record(5_000);
        assert!(!ring.is_idle(5_999));
        assert!(ring.is_idle(6_000));
    }

    #[test]
    fn a_clock_set_back_keeps_the_order() {
        let mut ring = Ring::default();
        ring.record(5_000);
        ring.record(1_000);
        assert_eq!(ring.newest(), 5_000);
        assert!(ring.check(2, 1_000, 6_000).is_ok());
    }

    #[test]
    fn a_clock_set_back_lets_nobody_wait_for_longer_than_a_window() {
        let mut ring = Ring::default();
        for time in [1_000, 9_000_000, 9_000_500] {
            ring.record(time);
        }
        let refused = ring.check(2, 60_000, 10_000).unwrap_err();
        assert_eq!((refused.reset_ms, refused.retry_after), (70_000, 60));
        assert!(ring.check(2, 60_000, 69_999).is_err());
        assert!(ring.check(2, 60_000, 70_000).is_ok());
    }

    proptest! {
        #[test]
        fn decides_as_a_plain_log_would(
            steps in prop::collection::vec(0_i64..40, 1..200),
            max in 1_u32..8,
            window in 1_i64..100,
        ) {
            let mut ring = Ring::default();
            let mut log: Vec<i64> = Vec::new();
            let mut now = 0;
            for step in steps {
                now += step;
                let counted = log.iter().filter(|time| **time > now - window).count();
                let decision = ring.check(max, window, now);
                prop_assert_eq!(decision.is_ok(), counted < max as usize);
                match decision {
                    Ok(()) => {
                        log.push(now);
                        ring.record(now);
                    }
                    Err(refused) => {
                        let counted_at = |at: i64| log.iter().filter(|time| **time > at - window).count();
                        prop_assert!(counted_at(refused.reset_ms) < max as usize, "the reset is not too early");
                        prop_assert!(counted_at(refused.reset_ms - 1) >= max as usize, "nor too late");
                        prop_assert!(refused.retry_after >= 1);
                    }
                }
                prop_assert!(ring.times.len() <= max as usize);
            }
        }
    }
}
