//! Failed sign-ins per account: ten in 15 minutes, as an exact rolling window.
//!
//! An attempt counts from the moment it is admitted, so that a burst cannot slip through while passwords are being
//! checked; a success takes the account's count away. Unknown accounts count like known ones.

use std::collections::{HashMap, VecDeque};

use crate::fault::Window;

/// Failures per account in a window.
const LIMIT: usize = 10;
/// The window, milliseconds.
const WINDOW_MS: i64 = 15 * 60 * 1000;
/// Accounts remembered at once. Beyond it the one that is quiet for longest is forgotten.
const MAX_ACCOUNTS: usize = 10_000;

/// The recent attempts.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    by_account: HashMap<String, VecDeque<i64>>,
}

impl Attempts {
    /// Counts an attempt, or refuses it with the state of the window.
    pub(super) fn admit(&mut self, account: &str, now_ms: i64) -> Result<(), Window> {
        if !self.by_account.contains_key(account) {
            self.make_room(now_ms);
        }
        let times = self.by_account.entry(account.to_owned()).or_default();
        while times.front().is_some_and(|at| at + WINDOW_MS <= now_ms) {
            times.pop_front();
        }
        if let (true, Some(first)) = (times.len() >= LIMIT, times.front()) {
            let reset_ms = first + WINDOW_MS;
            return Err(Window {
                limit: LIMIT as u32,
                remaining: 0,
                reset_ms,
                retry_after: ((reset_ms - now_ms).max(1) as u64).div_ceil(1000),
            });
        }
        times.push_back(now_ms);
        Ok(())
    }

    /// The password was right: the account starts afresh.
    pub(super) fn forget(&mut self, account: &str) {
        self.by_account.remove(account);
    }

    fn make_room(&mut self, now_ms: i64) {
        if self.by_account.len() < MAX_ACCOUNTS {
            return;
        }
        self.by_account
            .retain(|_, times| times.back().is_some_and(|at| at + WINDOW_MS > now_ms));
        if self.by_account.len() < MAX_ACCOUNTS {
            return;
        }
        let quiet = self
            .by_account
            .iter()
            .min_by_key(|(_, times)| times.back().copied())
            .map(|(account, _)| account.clone());
        if let Some(account) = quiet {
            self.by_account.remove(&account);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_eleventh_waits_until_the_first_leaves_the_window() {
        let mut attempts = Attempts::default();
        for second in 0..10 {
            attempts.admit("a", second * 1000).unwrap();
        }
        let window = attempts.admit("a", 10_000).unwrap_err();
        assert_eq!((window.limit, window.remaining), (10, 0));
        assert_eq!(window.reset_ms, WINDOW_MS);
        assert_eq!(window.retry_after, 890);
        attempts.admit("b", 10_000).unwrap();
        attempts.admit("a", WINDOW_MS).unwrap();
        attempts.admit("a", WINDOW_MS).unwrap_err();
    }

    #[test]
    fn a_success_starts_afresh() {
        let mut attempts = Attempts::default();
        for _ in 0..10 {
            attempts.admit("a", 0).unwrap();
        }
        attempts.forget("a");
        attempts.admit("a", 0).unwrap();
    }

    #[test]
    fn memory_is_bounded() {
        let mut attempts = Attempts::default();
        for account in 0..MAX_ACCOUNTS as i64 + 50 {
            attempts.admit(&account.to_string(), account).unwrap();
        }
        assert_eq!(attempts.by_account.len(), MAX_ACCOUNTS);
    }

    proptest! {
        #[test]
        fn never_more_than_ten_in_any_window(steps in prop::collection::vec(0i64..200_000, 1..200)) {
            let mut attempts = Attempts::default();
            let mut now = 0;
            let mut admitted = Vec::new();
            for step in steps {
                now += step;
                match attempts.admit("a", now) {
                    Ok(()) => admitted.push(now),
                    Err(window) => {
                        prop_assert!(window.reset_ms > now);
                        prop_assert!(window.retry_after >= 1);
                    }
                }
            }
            for at in &admitted {
                let inside = admitted.iter().filter(|t| **t > at - WINDOW_MS && **t <= *at).count();
                prop_assert!(inside <= LIMIT);
            }
        }
    }
}
