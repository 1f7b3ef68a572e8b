//! What can go wrong while keeping the store.

use crate::{
    actors::{
        error::{CommonError, common_errors},
        kit::Unavailable,
    },
    events::{clickhouse::Failure, error::EngineError},
    fault::{Classify, Fault},
    store::ClockAhead,
};

/// Why upkeep failed. No acknowledged event depends on it.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    #[error("a segment cannot be written: {0}")]
    Engine(#[from] EngineError),
    /// ClickHouse holds the events and refused or failed.
    #[error(transparent)]
    Remote(#[from] Failure),
    /// The clock is not to be believed.
    #[error(transparent)]
    Clock(#[from] ClockAhead),
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(IngestError);

impl IngestError {
    /// Whether the caller stopped waiting; the work goes on.
    pub fn is_timeout(&self) -> bool {
        matches!(
            self,
            Self::Common(CommonError::Unavailable(Unavailable::Timeout(_)))
        )
    }
}

impl Classify for IngestError {
    fn classify(self) -> Fault {
        match self {
            Self::Remote(error) => {
                tracing::warn!(%error, "ClickHouse does not do what it is told");
                Fault::unavailable("ClickHouse is not available")
            }
            Self::Engine(_) | Self::Clock(_) => Fault::internal(self),
            Self::Common(error) => error.classify(),
        }
    }
}
