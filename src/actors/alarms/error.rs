use crate::{
    actors::error::{CommonError, common_errors},
    fault::{Classify, Fault},
    ids::AlarmId,
};

#[derive(Debug, thiserror::Error)]
pub enum AlarmError {
    #[error("Alarm not found")]
    NotFound(AlarmId),
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
            // One issue cannot summarize all of them.
            Self::Common(CommonError::Invalid(issues)) => {
                Fault::issues("Input validation failed", issues)
            }
            Self::Common(error) => error.classify(),
        }
    }
}
