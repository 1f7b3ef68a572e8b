//! What can go wrong, in the domain's words.

use crate::{
    actors::kit::{Unavailable, UnknownOutcome},
    fault::{Classify, Fault, Issue},
    store::StateError,
};

/// Why a message of this domain failed.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// Fields are not acceptable.
    #[error("{}", Issue::first_of(.0))]
    Invalid(Vec<Issue>),
    /// Somebody has said more than is kept.
    #[error("At most {} pieces of feedback are kept of a person", MAX)]
    TooMany,
    #[error(transparent)]
    State(#[from] StateError),
    /// The domain gave no answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl From<sea_orm::DbErr> for DeskError {
    fn from(error: sea_orm::DbErr) -> Self {
        Self::State(error.into())
    }
}

impl UnknownOutcome for DeskError {
    fn outcome_unknown(&self) -> bool {
        matches!(self, Self::State(error) if error.outcome_unknown())
    }
}

impl Classify for DeskError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::Invalid(issues) => Fault::issues(message, issues),
            Self::TooMany => Fault::invalid(message),
            Self::State(error) => error.classify(),
            Self::Unavailable(error) => error.classify(),
        }
    }
}

/// Pieces of feedback of one person.
pub(super) const MAX: u64 = 1_000;
