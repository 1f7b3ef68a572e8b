//! Who delivers what.

use std::{collections::HashMap, fmt, sync::Arc};

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::Delivery;

/// A delivery on its way out.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// The same at every try: by it the receiver recognises a repetition.
    pub id: String,
    pub payload: Value,
    /// How often it was tried before.
    pub tried: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Failure {
    /// Whether trying again is of no use.
    pub forever: bool,
    /// Whether the receiver wants nothing any more.
    pub gone: bool,
    /// When the receiver is ready again, as it says, Unix milliseconds.
    pub not_before_ms: Option<i64>,
    /// What went wrong, for the operator.
    pub what: String,
}

impl Failure {
    /// It may go better the next time.
    pub fn again(what: impl fmt::Display) -> Self {
        Self {
            forever: false,
            gone: false,
            not_before_ms: None,
            what: what.to_string(),
        }
    }

    /// The same for a delivery with a fallback, which was tried `tried` times before: a few times and some minutes are enough.
    pub(super) fn before_fallback(self, tried: u32, now_ms: i64) -> Self {
        let is_late = |at_ms: i64| at_ms > now_ms + MAX_WAIT_MS;
        Self {
            forever: self.forever
                || tried + 1 >= MAX_TRIES
                || self.not_before_ms.is_some_and(is_late),
            ..self
        }
    }

    /// It never will.
    pub fn forever(what: impl fmt::Display) -> Self {
        Self {
            forever: true,
            ..Self::again(what)
        }
    }
}

/// Tries of a delivery with a fallback.
const MAX_TRIES: u32 = 3;
/// How long a delivery with a fallback waits at most for a receiver that says when it is ready, milliseconds.
const MAX_WAIT_MS: i64 = 10 * 60_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pauses {
    /// Milliseconds after each failure; after those it is the last of them each time.
    pub(super) after: &'static [i64],
    /// Tries before a delivery is given up.
    pub(super) most: u32,
    /// Percent by which pauses are longer or shorter, to spread retries.
    pub(super) jitter: i64,
}

impl Pauses {
    /// Soon and then every hour, for about a day.
    pub const USUAL: Self = Self {
        after: &[
            10_000,
            60_000,
            5 * 60_000,
            15 * 60_000,
            30 * 60_000,
            60 * 60_000,
        ],
        most: 28,
        jitter: 0,
    };
    /// As Standard Webhooks advise: over more than three days.
    pub const HOURS: Self = Self {
        after: &[
            5_000,
            5 * 60_000,
            30 * 60_000,
            2 * 3_600_000,
            5 * 3_600_000,
            10 * 3_600_000,
            14 * 3_600_000,
            20 * 3_600_000,
            24 * 3_600_000,
        ],
        most: 10,
        jitter: 10,
    };
}

pub trait Sender: Send + Sync {
    /// Delivers, or says why not. Ends by itself within a minute.
    fn deliver(&self, attempt: Attempt) -> BoxFuture<'static, Result<(), Failure>>;

    fn pauses(&self) -> Pauses {
        Pauses::USUAL
    }

    /// Whether payloads are kept as long as the delivery's row, to be sent again.
    fn keeps(&self) -> bool {
        false
    }
}

/// The senders, by what they deliver; cheap to clone.
#[derive(Clone, Default)]
pub struct Senders(HashMap<&'static str, Arc<dyn Sender>>);

impl fmt::Debug for Senders {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

impl Senders {
    pub fn with(mut self, kind: &'static str, sender: Arc<dyn Sender>) -> Self {
        self.0.insert(kind, sender);
        self
    }

    pub fn delivers_mail(&self) -> bool {
        self.0.contains_key(crate::actors::delivery::sender::KIND)
    }

    /// Delivers something at once, beside the outbox, to see whether it can be.
    pub async fn try_out(&self, delivery: Delivery) -> Result<(), Failure> {
        let attempt = Attempt {
            id: uuid::Uuid::now_v7().to_string(),
            payload: delivery.payload,
            tried: 0,
        };
        match self.get(delivery.kind) {
            Some(sender) => sender.deliver(attempt).await,
            None => Err(Failure::again(format!(
                "nothing delivers `{}` here: is it configured?",
                delivery.kind
            ))),
        }
    }

    /// Who delivers this kind.
    pub(super) fn get(&self, kind: &str) -> Option<&Arc<dyn Sender>> {
        self.0.get(kind)
    }
}

pub(super) const KIND: &str = "mail";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fallback_waits_for_a_few_tries_and_some_minutes() {
        let failure = |not_before_ms: Option<i64>| Failure {
            not_before_ms,
            ..Failure::again("500")
        };
        for (tried, not_before_ms, forever) in [
            (0, None, false),
            (1, None, false),
            (2, None, true),
            (0, Some(1_000 + MAX_WAIT_MS), false),
            (0, Some(1_001 + MAX_WAIT_MS), true),
        ] {
            let after = failure(not_before_ms).before_fallback(tried, 1_000);
            assert_eq!(after.forever, forever, "{tried} {not_before_ms:?}");
        }
        assert!(Failure::forever("400").before_fallback(0, 0).forever);
    }
}
