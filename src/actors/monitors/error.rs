//! What can go wrong, in the domain's words.

use crate::{
    access::plans::Allowance,
    actors::{
        delivery::OutboxError,
        kit::{Unavailable, UnknownOutcome},
        random::NoRandomness,
    },
    fault::{Classify, Fault, Issue, Kind},
    ids::{MonitorId, OrganizationId},
    store::StateError,
};

/// Why a message of this domain failed.
#[derive(Debug, thiserror::Error)]
pub enum MonitorError {
    /// No monitor of the organization has this id.
    #[error("Schedule not found")]
    NotFound(MonitorId),
    /// No live organization has this id.
    #[error("Organization not found")]
    NoOrganization(OrganizationId),
    /// The organization monitors it already.
    #[error("`{0}` is already monitored")]
    Taken(String),
    /// The owner's plan allows no further monitor.
    #[error("The plan allows {} monitors", .allowance.limit)]
    PlanLimit {
        /// What it allows.
        allowance: Allowance,
        /// What there is.
        current: u64,
    },
    /// Fields are not acceptable.
    #[error("{}", Issue::first_of(.0))]
    Invalid(Vec<Issue>),
    /// It is in the state already.
    #[error("{0}")]
    Already(&'static str),
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error(transparent)]
    State(#[from] StateError),
    /// What is stored cannot be read.
    #[error("monitor `{0}` is damaged: {1}")]
    Damaged(String, String),
    /// The domain gave no answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl From<sea_orm::DbErr> for MonitorError {
    fn from(error: sea_orm::DbErr) -> Self {
        Self::State(error.into())
    }
}

impl From<OutboxError> for MonitorError {
    fn from(error: OutboxError) -> Self {
        match error {
            OutboxError::State(error) => error.into(),
            OutboxError::NoRandomness(error) => error.into(),
        }
    }
}

impl UnknownOutcome for MonitorError {
    fn outcome_unknown(&self) -> bool {
        matches!(self, Self::State(error) if error.outcome_unknown())
    }
}

impl Classify for MonitorError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NotFound(id) => Fault::not_found("Schedule", id),
            Self::NoOrganization(id) => Fault::not_found("Organization", id),
            Self::Taken(url) => Fault::new(
                Kind::Conflict {
                    resource: "Schedule",
                    id: Some(url),
                },
                message,
            ),
            Self::PlanLimit { allowance, current } => {
                Fault::plan_limit(message, allowance.limit, current, allowance.next_plan)
            }
            Self::Invalid(issues) => Fault::issues(message, issues),
            Self::Already(what) => Fault::invalid(what),
            Self::NoRandomness(_) | Self::Damaged(..) => Fault::internal(self),
            Self::State(error) => error.classify(),
            Self::Unavailable(error) => error.classify(),
        }
    }
}
