//! A caller that finds Redis away marks it, so others need not wait for it.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::SharedError;

/// How long no caller asks after a failure. Then one does, and the others are refused until it has an answer.
const PAUSE: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(super) struct Breaker {
    patience: Duration,
    until: Mutex<Option<Instant>>,
}

impl Breaker {
    /// Knows nothing yet; an answer may take so long.
    pub(super) fn new(patience: Duration) -> Self {
        Self {
            patience,
            until: Mutex::default(),
        }
    }

    /// Asks, unless it is known that there is no answer.
    pub(super) async fn call<T>(
        &self,
        ask: impl Future<Output = Result<T, SharedError>>,
    ) -> Result<T, SharedError> {
        self.admit(Instant::now())?;
        let answer = tokio::time::timeout(self.patience, ask).await;
        let answer = answer.unwrap_or(Err(SharedError::Late(self.patience)));
        self.learn(answer.is_ok(), Instant::now());
        answer
    }

    /// Whether a caller may ask now. After a pause the first one may, and holds the others off.
    fn admit(&self, now: Instant) -> Result<(), SharedError> {
        let mut until = self.until();
        match *until {
            Some(time) if now < time => Err(SharedError::Broken),
            Some(_) => {
                *until = Some(now + PAUSE);
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn learn(&self, answered: bool, now: Instant) {
        *self.until() = (!answered).then_some(now + PAUSE);
    }

    fn until(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        // Nothing panics while it is held.
        self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_failure_one_at_a_time_finds_out() {
        let (breaker, now) = (Breaker::new(Duration::from_secs(1)), Instant::now());
        breaker.admit(now).unwrap();
        breaker.learn(false, now);
        assert!(breaker.admit(now + PAUSE / 2).is_err());
        breaker.admit(now + PAUSE).unwrap();
        assert!(breaker.admit(now + PAUSE).is_err(), "somebody asks already");
        breaker.learn(true, now + PAUSE);
        for _ in 0..3 {
            breaker.admit(now + PAUSE).unwrap();
        }
    }
}
