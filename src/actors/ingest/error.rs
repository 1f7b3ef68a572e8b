//! What can go wrong while keeping the store.

use crate::{
    actors::{
        kit::{Unavailable, UnknownOutcome},
        random::NoRandomness,
    },
    events::{clickhouse::Failure, error::EngineError},
    fault::{Classify, Fault},
    store::{ClockAhead, state::StateError},
};

/// Why upkeep failed. No acknowledged event depends on it.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// The segment could not be written.
    #[error("a segment cannot be written: {0}")]
    Engine(#[from] EngineError),
    /// The manifest could not be committed.
    #[error(transparent)]
    State(#[from] StateError),
    /// ClickHouse holds the events and does not do what it is told.
    #[error(transparent)]
    Remote(#[from] Failure),
    /// The clock is not to be believed.
    #[error(transparent)]
    Clock(#[from] ClockAhead),
    /// No randomness for a salt.
    #[error(transparent)]
    Random(#[from] NoRandomness),
    /// The storekeeper is away.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl UnknownOutcome for IngestError {
    fn outcome_unknown(&self) -> bool {
        matches!(self, Self::State(error) if error.outcome_unknown())
    }
}

impl Classify for IngestError {
    fn classify(self) -> Fault {
        match self {
            Self::Unavailable(error) => error.classify(),
            Self::State(error) => error.classify(),
            Self::Remote(error) => {
                tracing::warn!(%error, "ClickHouse does not do what it is told");
                Fault::unavailable("ClickHouse is not available")
            }
            Self::Engine(_) | Self::Random(_) | Self::Clock(_) => Fault::internal(self),
        }
    }
}
