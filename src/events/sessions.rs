//! Visits of visitors who bring no id of theirs: what follows within half an hour is the same visit.

use std::collections::HashMap;

/// Longest pause within a visit, ms.
const PAUSE: i64 = 30 * 60_000;
/// When those who left are looked for.
const MANY: usize = 100_000;

#[derive(Debug)]
pub struct Sessions {
    /// When each visitor's visit began, and when they were last seen.
    open: HashMap<[u8; 16], (i64, i64)>,
    /// Looked through beyond this many.
    bound: usize,
    /// All are forgotten beyond this many.
    most: usize,
}

impl Default for Sessions {
    fn default() -> Self {
        Self {
            open: HashMap::new(),
            bound: MANY,
            most: usize::MAX,
        }
    }
}

impl Sessions {
    /// Forgets everyone rather than to know more than `most` visitors.
    pub fn bounded(most: usize) -> Self {
        Self {
            most,
            bound: MANY.min(most),
            ..Self::default()
        }
    }

    /// When the visit began that a visitor is on at this time. Times may go back a little, as they do in logs.
    pub fn begun(&mut self, visitor: [u8; 16], time: i64) -> i64 {
        if self.open.len() >= self.bound {
            self.open.retain(|_, (_, seen)| time - *seen <= PAUSE);
            if self.open.len() >= self.most {
                self.open.clear();
            }
            self.bound = MANY.max(self.open.len() * 2).min(self.most);
        }
        let (begun, seen) = self.open.entry(visitor).or_insert((time, time));
        if time - *seen > PAUSE {
            *begun = time;
        }
        *seen = time.max(*seen);
        *begun
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_an_hour_without_a_page_ends_a_visit() {
        let mut sessions = Sessions::default();
        let (ann, ben) = ([1; 16], [2; 16]);
        assert_eq!(sessions.begun(ann, 1_000), 1_000);
        assert_eq!(sessions.begun(ann, 1_000 + PAUSE), 1_000);
        assert_eq!(sessions.begun(ben, 2_000 + PAUSE), 2_000 + PAUSE);
        assert_eq!(sessions.begun(ann, 1_000 + 2 * PAUSE), 1_000);
        assert_eq!(sessions.begun(ann, 1_001 + 3 * PAUSE), 1_001 + 3 * PAUSE);
        // A line that was written late.
        assert_eq!(sessions.begun(ann, 900 + 3 * PAUSE), 1_001 + 3 * PAUSE);
    }

    #[test]
    fn who_left_is_forgotten() {
        let mut sessions = Sessions::default();
        for visitor in 0..u32::try_from(2 * MANY).unwrap() {
            let mut id = [0; 16];
            id[..4].copy_from_slice(&visitor.to_le_bytes());
            sessions.begun(id, i64::from(visitor) * PAUSE);
        }
        assert!(sessions.open.len() <= MANY, "{}", sessions.open.len());
    }

    #[test]
    fn a_bound_holds_also_when_nobody_has_left() {
        let mut sessions = Sessions::bounded(1_000);
        for visitor in 0..5_000_u32 {
            let mut id = [0; 16];
            id[..4].copy_from_slice(&visitor.to_le_bytes());
            sessions.begun(id, 1);
            assert!(sessions.open.len() <= 1_000);
        }
    }
}
