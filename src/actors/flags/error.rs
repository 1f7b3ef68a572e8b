//! What can go wrong, in the domain's words.

use crate::{
    actors::kit::{Unavailable, UnknownOutcome},
    fault::{Classify, Fault, Issue, Kind},
    ids::{FlagId, FlagScheduleId, TargetGroupId},
    store::StateError,
};

/// Why a message of this domain failed.
#[derive(Debug, thiserror::Error)]
pub enum FlagError {
    /// There is no such flag.
    #[error("Flag not found")]
    NotFound(FlagId),
    /// There is no such group.
    #[error("Target group not found")]
    NoGroup(TargetGroupId),
    /// There is no such plan.
    #[error("Flag schedule not found")]
    NoSchedule(FlagScheduleId),
    /// A flag beside it has this key.
    #[error("A flag with the key `{0}` already exists here")]
    KeyTaken(String),
    /// Fields are not acceptable.
    #[error("{}", Issue::first_of(.0))]
    Invalid(Vec<Issue>),
    #[error(transparent)]
    State(#[from] StateError),
    /// What is stored cannot be read.
    #[error("flag `{0}` is damaged: {1}")]
    Damaged(String, String),
    /// The domain gave no answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl FlagError {
    pub(super) fn invalid(field: &'static str, message: impl Into<String>) -> Self {
        Self::Invalid(vec![Issue::new("invalid", field, message)])
    }
}

impl From<sea_orm::DbErr> for FlagError {
    fn from(error: sea_orm::DbErr) -> Self {
        Self::State(error.into())
    }
}

impl UnknownOutcome for FlagError {
    fn outcome_unknown(&self) -> bool {
        matches!(self, Self::State(error) if error.outcome_unknown())
    }
}

impl Classify for FlagError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NotFound(id) => Fault::not_found("Flag", id),
            Self::NoGroup(id) => Fault::not_found("Target group", id),
            Self::NoSchedule(id) => Fault::not_found("flag schedule", id),
            Self::KeyTaken(key) => {
                let kind = Kind::Conflict {
                    resource: "Flag",
                    id: Some(key),
                };
                Fault::new(kind, message)
            }
            Self::Invalid(issues) => Fault::issues(message, issues),
            Self::State(error) => error.classify(),
            damaged @ Self::Damaged(..) => Fault::internal(damaged),
            Self::Unavailable(error) => error.classify(),
        }
    }
}
