//! What can go wrong, in the domain's words.

use crate::{
    actors::{
        delivery::OutboxError,
        kit::{Unavailable, UnknownOutcome},
        random::NoRandomness,
    },
    fault::{Classify, Fault, Issue},
    ids::{AlarmId, OrganizationId},
    store::StateError,
};

/// Why a message of this domain failed.
#[derive(Debug, thiserror::Error)]
pub enum AlarmError {
    /// No alarm of the organization has this id.
    #[error("Alarm not found")]
    NotFound(AlarmId),
    /// The alarm has no destination with this id.
    #[error("the alarm has no destination `{0}`")]
    NoDestination(String),
    /// No live organization has this id.
    #[error("Organization not found")]
    NoOrganization(OrganizationId),
    /// Fields are not acceptable.
    #[error("Input validation failed")]
    Invalid(Vec<Issue>),
    /// The present state does not allow it.
    #[error("{0}")]
    Refused(&'static str),
    /// A query says nothing.
    #[error("{0}")]
    Query(String),
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error(transparent)]
    State(#[from] StateError),
    /// What is stored cannot be read.
    #[error("alarm `{0}` is damaged: {1}")]
    Damaged(String, String),
    /// The domain gave no answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl From<sea_orm::DbErr> for AlarmError {
    fn from(error: sea_orm::DbErr) -> Self {
        Self::State(error.into())
    }
}

impl From<OutboxError> for AlarmError {
    fn from(error: OutboxError) -> Self {
        match error {
            OutboxError::State(error) => error.into(),
            OutboxError::NoRandomness(error) => error.into(),
        }
    }
}

impl UnknownOutcome for AlarmError {
    fn outcome_unknown(&self) -> bool {
        matches!(self, Self::State(error) if error.outcome_unknown())
    }
}

impl Classify for AlarmError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NotFound(id) => Fault::not_found("Alarm", id),
            Self::NoDestination(_) => Fault::invalid(message),
            Self::NoOrganization(id) => Fault::not_found("Organization", id),
            Self::Invalid(issues) => Fault::issues(message, issues),
            Self::Refused(what) => Fault::invalid(what),
            Self::Query(what) => Fault::invalid(what),
            Self::NoRandomness(_) | Self::Damaged(..) => Fault::internal(self),
            Self::State(error) => error.classify(),
            Self::Unavailable(error) => error.classify(),
        }
    }
}
