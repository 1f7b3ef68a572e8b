//! How deliveries fail.

use crate::{
    actors::kit::{Unavailable, UnknownOutcome},
    fault::{Classify, Fault},
    store::StateError,
};

/// Why a message of this domain failed.
#[derive(Debug, thiserror::Error)]
pub enum DeliveryError {
    #[error(transparent)]
    State(#[from] StateError),
    /// There is no such delivery, it is on its way, or what was in it is not kept any more.
    #[error("Delivery not found")]
    NotFound(String),
    /// The domain gave no answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl UnknownOutcome for DeliveryError {
    fn outcome_unknown(&self) -> bool {
        matches!(self, Self::State(error) if error.outcome_unknown())
    }
}

impl Classify for DeliveryError {
    fn classify(self) -> Fault {
        match self {
            Self::State(error) => error.classify(),
            Self::NotFound(id) => Fault::not_found("Delivery", id),
            Self::Unavailable(error) => error.classify(),
        }
    }
}
