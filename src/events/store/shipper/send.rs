//! Sending one batch, without the rows that ClickHouse refuses.

use std::ops::Range;

use crate::events::clickhouse::{ClickHouse, Failure, Finished};

/// Refused rows of one batch, at most. When ClickHouse refuses more, the table is wrong rather than the rows, and the batch
/// waits for an operator.
const MAX_BAD: usize = 64;

pub(super) trait BatchSink {
    /// Stores rows of a batch under a name that makes repeating harmless.
    fn insert_batch(
        &self,
        batch: &Finished,
        rows: Range<usize>,
        token: &str,
    ) -> impl Future<Output = Result<(), Failure>>;
}

impl BatchSink for ClickHouse {
    async fn insert_batch(
        &self,
        batch: &Finished,
        rows: Range<usize>,
        token: &str,
    ) -> Result<(), Failure> {
        self.insert(batch, rows, token).await
    }
}

/// Sends a batch once. Returns the rows that were refused for their content, after all others are stored.
///
/// Halves of a refused batch are named by their rows alone, so a second try sends the same halves under the same names.
///
/// # Errors
/// Some rows may not be stored. Sending the batch again is safe.
pub(super) async fn send(
    to: &impl BatchSink,
    batch: &Finished,
    token: &str,
) -> Result<Vec<usize>, Failure> {
    if batch.is_empty() {
        return Ok(Vec::new());
    }
    let whole = 0..batch.len();
    match to.insert_batch(batch, whole.clone(), token).await {
        Ok(()) => return Ok(Vec::new()),
        Err(failure) if !failure.is_of_rows() => return Err(failure),
        Err(_) => {}
    }
    let mut bad = Vec::new();
    let mut left = vec![whole];
    while let Some(rows) = left.pop() {
        let halves = match rows.len() {
            1 => vec![rows],
            many => {
                let middle = rows.start + many / 2;
                vec![rows.start..middle, middle..rows.end]
            }
        };
        for half in halves {
            let name = format!("{token}/{}-{}", half.start, half.end);
            match to.insert_batch(batch, half.clone(), &name).await {
                Ok(()) => {}
                Err(failure) if !failure.is_of_rows() => return Err(failure),
                Err(failure) if half.len() == 1 => {
                    bad.push(half.start);
                    if bad.len() > MAX_BAD {
                        return Err(failure);
                    }
                }
                Err(_) => left.push(half),
            }
        }
    }
    bad.sort_unstable();
    Ok(bad)
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, collections::BTreeMap};

    use proptest::prelude::*;

    use super::*;
    use crate::events::{clickhouse::Batch, event::Event};

    /// Refuses some rows, and is away at some calls.
    #[derive(Default)]
    struct Fake {
        bad: Vec<usize>,
        away: RefCell<Vec<usize>>,
        calls: RefCell<usize>,
        stored: RefCell<BTreeMap<String, Range<usize>>>,
    }

    impl BatchSink for Fake {
        async fn insert_batch(
            &self,
            _: &Finished,
            rows: Range<usize>,
            token: &str,
        ) -> Result<(), Failure> {
            let call = {
                let mut calls = self.calls.borrow_mut();
                *calls += 1;
                *calls
            };
            if self.bad.iter().any(|bad| rows.contains(bad)) {
                return Err(refused());
            }
            // Stored, but the answer is lost.
            let known = self
                .stored
                .borrow_mut()
                .insert(token.to_owned(), rows.clone());
            assert!(
                known.is_none_or(|known| known == rows),
                "{token} is one batch"
            );
            if self.away.borrow().contains(&call) {
                return Err(Failure::Away("late".into()));
            }
            Ok(())
        }
    }

    fn refused() -> Failure {
        Failure::Refused {
            status: 400,
            code: 117,
            message: String::new(),
        }
    }

    fn rows(count: usize) -> Finished {
        let mut batch = Batch::default();
        for at in 0..count {
            batch.push((1, at as u32), &Event::default(), at as u128);
        }
        batch.finish()
    }

    fn run<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(future)
    }

    proptest! {
        /// Whatever is refused and however often no answer comes: every good row is stored once, and bad ones are named.
        #[test]
        fn every_good_row_is_stored_once(
            count in 1..40_usize,
            bad in proptest::collection::btree_set(0..40_usize, 0..6),
            away in proptest::collection::vec(1..60_usize, 0..5),
        ) {
            let bad: Vec<usize> = bad.into_iter().filter(|row| *row < count).collect();
            let fake = Fake { bad: bad.clone(), away: away.into(), ..Fake::default() };
            let batch = rows(count);
            let found = loop {
                match run(send(&fake, &batch, "n:1-2")) {
                    Ok(found) => break found,
                    Err(failure) => prop_assert!(matches!(failure, Failure::Away(_))),
                }
            };
            prop_assert_eq!(&found, &bad);
            let mut times = vec![0; count];
            for rows in fake.stored.borrow().values() {
                for row in rows.clone() {
                    times[row] += 1;
                }
            }
            let waiting: Vec<i32> = (0..count).map(|row| i32::from(!bad.contains(&row))).collect();
            prop_assert_eq!(times, waiting);
        }
    }

    #[test]
    fn when_nearly_all_is_refused_it_is_not_the_rows() {
        let fake = Fake {
            bad: (0..200).collect(),
            ..Fake::default()
        };
        let failure = run(send(&fake, &rows(200), "n:1-2")).unwrap_err();
        assert_eq!(failure, refused());
        assert_eq!(run(send(&fake, &rows(0), "n:1-2")).unwrap(), [0; 0]);
    }
}
