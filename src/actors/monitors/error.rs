//! What can go wrong, in the domain's words.

use crate::{
    access::plans::UsedUp,
    actors::error::{CommonError, common_errors},
    fault::{Classify, Fault},
    ids::MonitorId,
};

/// Why a message of this domain failed.
#[derive(Debug, thiserror::Error)]
pub enum MonitorError {
    /// No monitor of the organization has this id.
    #[error("Schedule not found")]
    NotFound(MonitorId),
    /// The organization monitors it already.
    #[error("`{0}` is already monitored")]
    Taken(String),
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(MonitorError);

impl Classify for MonitorError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NotFound(id) => Fault::not_found("Schedule", id),
            Self::Taken(url) => Fault::conflict("Schedule", url, message),
            // However many, they are "monitors".
            Self::Common(CommonError::PlanLimit(UsedUp { allowance, current })) => {
                let message = format!("The plan allows {} monitors", allowance.limit);
                Fault::plan_limit(message, allowance.limit, current, allowance.next_plan)
            }
            Self::Common(error) => error.classify(),
        }
    }
}
