//! What can go wrong, in the domain's words.

use super::Kind;
use crate::{
    actors::kit::{Unavailable, UnknownOutcome},
    fault::{Classify, Fault, Issue},
    ids::StudyId,
    store::StateError,
};

/// Why a message of this domain failed.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// There is no such thing.
    #[error("{} not found", .0.as_str())]
    NotFound(Kind, StudyId),
    /// There are as many as there may be.
    #[error("A website has at most {most} of these: delete a {} first", .kind.as_str())]
    TooMany {
        /// Of what.
        kind: Kind,
        /// How many there may be.
        most: u64,
    },
    /// Fields are not acceptable.
    #[error("{}", Issue::first_of(.0))]
    Invalid(Vec<Issue>),
    #[error(transparent)]
    State(#[from] StateError),
    /// What is stored cannot be read.
    #[error("`{0}` is damaged: {1}")]
    Damaged(String, String),
    /// The domain gave no answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl From<sea_orm::DbErr> for StudyError {
    fn from(error: sea_orm::DbErr) -> Self {
        Self::State(error.into())
    }
}

impl UnknownOutcome for StudyError {
    fn outcome_unknown(&self) -> bool {
        matches!(self, Self::State(error) if error.outcome_unknown())
    }
}

impl Classify for StudyError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NotFound(kind, id) => Fault::not_found(kind.as_str(), id),
            Self::TooMany { .. } => Fault::invalid(message),
            Self::Invalid(issues) => Fault::issues(message, issues),
            Self::State(error) => error.classify(),
            damaged @ Self::Damaged(..) => Fault::internal(damaged),
            Self::Unavailable(error) => error.classify(),
        }
    }
}
