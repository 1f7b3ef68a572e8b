use crate::{
    access::plans::UsedUp,
    actors::error::{CommonError, common_errors},
    events::store::AppendError,
    fault::{Classify, Fault},
    ids::{MonitorId, ProbeId},
};

#[derive(Debug, thiserror::Error)]
pub enum MonitorError {
    #[error("Schedule not found")]
    NotFound(MonitorId),
    #[error("`{0}` is already monitored")]
    Taken(String),
    #[error("Probe not found")]
    NoProbe(ProbeId),
    #[error("The token of this probe is revoked")]
    ProbeRevoked(ProbeId),
    #[error("{0} monitors are checked from this probe. Choose other locations for them first.")]
    ProbeInUse(usize),
    #[error("The organization has {0} probes. Delete one first.")]
    TooManyProbes(usize),
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
            Self::NoProbe(id) => Fault::not_found("Probe", id),
            Self::ProbeRevoked(_) => {
                let mut fault = Fault::unauthenticated();
                fault.message = message.into();
                fault
            }
            Self::ProbeInUse(_) | Self::TooManyProbes(_) => Fault::invalid(message),
            // The limit counts "monitors", whatever the quota is called.
            Self::Common(CommonError::PlanLimit(UsedUp { allowance, current })) => {
                let message = format!("The plan allows {} monitors", allowance.limit);
                Fault::plan_limit(message, allowance.limit, current, allowance.next_plan)
            }
            Self::Common(error) => error.classify(),
        }
    }
}

/// Why a batch was not written.
#[derive(Debug, thiserror::Error)]
pub(super) enum BatchError {
    #[error("the event store does not take checks: {0}")]
    Rows(#[from] AppendError),
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(BatchError);
