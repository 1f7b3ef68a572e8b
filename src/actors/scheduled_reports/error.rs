//! What can go wrong, in the domain's words.

use super::rules::MAX;
use crate::{
    actors::error::{CommonError, common_errors},
    fault::{Classify, Fault},
    ids::ScheduledReportId,
};

#[derive(Debug, thiserror::Error)]
pub enum ScheduledReportError {
    #[error("scheduled report not found")]
    NotFound(ScheduledReportId),
    #[error("A dashboard has at most {MAX} scheduled reports. Delete one first.")]
    TooMany,
    #[error("This recipient already gets this report")]
    Taken(ScheduledReportId),
    /// A link was forged, or is too old.
    #[error("This link is invalid or has expired")]
    InvalidLink,
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(ScheduledReportError);

impl Classify for ScheduledReportError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NotFound(id) => Fault::not_found("scheduled report", id),
            Self::Taken(id) => Fault::conflict("scheduled report", id, message),
            Self::TooMany | Self::InvalidLink => Fault::invalid(message),
            Self::Common(error) => error.classify(),
        }
    }
}
