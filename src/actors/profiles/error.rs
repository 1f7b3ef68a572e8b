//! What can go wrong, in the domain's words.

use std::sync::Arc;

use crate::{
    actors::{
        kit::{Unavailable, UnknownOutcome},
        random::NoRandomness,
        validation::ValidationError,
    },
    events::store::AppendError,
    fault::{Classify, Fault},
    store::StateError,
};

/// Why a call was not answered with success.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ProfileError {
    #[error(transparent)]
    Invalid(#[from] ValidationError),
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error("{0}")]
    State(Arc<StateError>),
    #[error("{0}")]
    Events(Arc<AppendError>),
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl From<StateError> for ProfileError {
    fn from(error: StateError) -> Self {
        Self::State(Arc::new(error))
    }
}

impl From<sea_orm::DbErr> for ProfileError {
    fn from(error: sea_orm::DbErr) -> Self {
        StateError::from(error).into()
    }
}

impl From<AppendError> for ProfileError {
    fn from(error: AppendError) -> Self {
        Self::Events(Arc::new(error))
    }
}

impl UnknownOutcome for ProfileError {
    fn outcome_unknown(&self) -> bool {
        matches!(self, Self::State(error) if error.outcome_unknown())
    }
}

impl Classify for ProfileError {
    fn classify(self) -> Fault {
        match self {
            Self::Invalid(error) => {
                let fault = Fault::issues("Invalid request body", vec![error.issue()]);
                fault.with_code("INVALID_REQUEST_BODY")
            }
            Self::NoRandomness(_) => Fault::internal(self),
            Self::Unavailable(error) => error.classify(),
            // Calls can be repeated, so whatever storage says is worth another try.
            Self::State(_) | Self::Events(_) => {
                let mut fault = Fault::unavailable("Service temporarily unavailable");
                fault.cause = Some(self.into());
                fault
            }
        }
    }
}
