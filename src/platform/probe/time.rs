//! The time of the server, whatever the wall clock of this machine says: it is counted from the server's answers by a clock
//! that is never set.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Instant,
};

/// Answers that count.
const MAX_SAMPLES: usize = 8;
/// No answer is on its way for longer, milliseconds.
const MAX_WAY_MS: i64 = 60_000;

#[derive(Debug)]
pub(super) struct ServerTime {
    began: Instant,
    /// What the server's time was at `began`, as each of the last answers has it, Unix milliseconds.
    samples: Mutex<VecDeque<i64>>,
}

impl ServerTime {
    pub(super) fn new() -> Self {
        Self {
            began: Instant::now(),
            samples: Mutex::default(),
        }
    }

    /// Takes in what an answer says that just arrived, Unix milliseconds.
    pub(super) fn note(&self, server_ms: i64) {
        self.note_at(server_ms, self.elapsed_ms());
    }

    /// The time of the server, Unix milliseconds; none before its first answer.
    pub(super) fn now_ms(&self) -> Option<i64> {
        self.now_at(self.elapsed_ms())
    }

    fn elapsed_ms(&self) -> i64 {
        i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX / 2)
    }

    fn note_at(&self, server_ms: i64, elapsed_ms: i64) {
        let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        let began = server_ms.saturating_sub(elapsed_ms);
        if samples
            .iter()
            .any(|known| *known > began.saturating_add(MAX_WAY_MS))
        {
            // The server's clock was set back: earlier answers say nothing any more.
            samples.clear();
        }
        if samples.len() >= MAX_SAMPLES {
            samples.pop_front();
        }
        samples.push_back(began);
    }

    fn now_at(&self, elapsed_ms: i64) -> Option<i64> {
        let samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        // The answer that was quickest on its way is the latest.
        let began = samples.iter().max()?;
        Some(began.saturating_add(elapsed_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quickest_answer_counts() {
        let time = ServerTime::new();
        assert_eq!(time.now_at(5), None);
        time.note_at(1_000_000, 300);
        time.note_at(1_000_900, 1_000);
        assert_eq!(time.now_at(2_000), Some(1_001_900));
        time.note_at(1_001_800, 2_000);
        assert_eq!(time.now_at(2_000), Some(1_001_900));
    }

    #[test]
    fn a_server_whose_clock_was_set_is_followed() {
        let time = ServerTime::new();
        time.note_at(1_000_000, 0);
        time.note_at(9_000_000, 0);
        assert_eq!(time.now_at(1), Some(9_000_001));
        time.note_at(2_000_000, 0);
        assert_eq!(time.now_at(1), Some(2_000_001));
        for _ in 0..MAX_SAMPLES {
            time.note_at(1_990_000, 0);
        }
        assert_eq!(time.now_at(1), Some(1_990_001));
    }
}
