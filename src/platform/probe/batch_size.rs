//! How many results a request carries: fewer, where a proxy or the server takes no body of that size. Pure.

use super::spool::Batch;
use crate::actors::monitors::MAX_REPORTS;

/// Bytes that every way to a server lets through: a smaller result is never given up.
const MIN_BODY: usize = 4_096;

#[derive(Debug)]
pub(super) struct BatchSize(usize);

/// What becomes of a batch that was too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TooLarge {
    /// Fewer results go next.
    Halved,
    /// Its only result is too large, whatever is tried.
    Hopeless,
    /// It is small: this is not about its size.
    Unlikely,
}

impl BatchSize {
    pub(super) fn new() -> Self {
        Self(MAX_REPORTS)
    }

    pub(super) fn get(&self) -> usize {
        self.0
    }

    /// A batch was taken.
    pub(super) fn grow(&mut self) {
        self.0 = (self.0 + self.0 / 8 + 1).min(MAX_REPORTS);
    }

    /// A batch was refused for its size.
    pub(super) fn shrink(&mut self, batch: &Batch) -> TooLarge {
        match batch.reports.as_slice() {
            [only] if only.len() > MIN_BODY => TooLarge::Hopeless,
            [] | [_] => TooLarge::Unlikely,
            reports => {
                self.0 = reports.len() / 2;
                TooLarge::Halved
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(reports: usize, bytes: usize) -> Batch {
        Batch {
            spool: "s".to_owned(),
            first: 1,
            reports: vec!["x".repeat(bytes); reports],
        }
    }

    #[test]
    fn a_batch_is_halved_until_one_result_is_left_and_grows_again() {
        let mut size = BatchSize::new();
        let mut halved = 0;
        while size.shrink(&batch(size.get(), 5_000)) == TooLarge::Halved {
            halved += 1;
        }
        assert_eq!((halved, size.get()), (8, 1));
        assert_eq!(size.shrink(&batch(1, 5_000)), TooLarge::Hopeless);
        assert_eq!(size.shrink(&batch(1, 5)), TooLarge::Unlikely);
        let before = size.get();
        size.grow();
        assert!(size.get() > before);
        for _ in 0..100 {
            size.grow();
        }
        assert_eq!(size.get(), MAX_REPORTS);
    }
}
