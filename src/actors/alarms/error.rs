//! What can go wrong, in the domain's words.

use crate::{
    actors::error::{CommonError, common_errors},
    fault::{Classify, Fault},
    ids::AlarmId,
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
    #[error("{0}")]
    Query(String),
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(AlarmError);

impl Classify for AlarmError {
    fn classify(self) -> Fault {
        match self {
            Self::NotFound(id) => Fault::not_found("Alarm", id),
            Self::NoDestination(_) | Self::Query(_) => Fault::invalid(self.to_string()),
            // There are many of them, and none speaks for all.
            Self::Common(CommonError::Invalid(issues)) => {
                Fault::issues("Input validation failed", issues)
            }
            Self::Common(error) => error.classify(),
        }
    }
}
