//! What can go wrong, in the domain's words.

use crate::{
    actors::{
        delivery::OutboxError,
        kit::{Unavailable, UnknownOutcome},
        monitors::MonitorError,
        random::NoRandomness,
    },
    fault::{Classify, Fault, Issue, Kind},
    ids::{IncidentId, MonitorId, OrganizationId, StatusPageId},
    store::StateError,
};

/// Why a message of this domain failed.
#[derive(Debug, thiserror::Error)]
pub enum StatusPageError {
    /// No page of the organization has this id.
    #[error("StatusPage not found")]
    NotFound(StatusPageId),
    /// No live organization has this id.
    #[error("Organization not found")]
    NoOrganization(OrganizationId),
    /// Nothing on the page has this id.
    #[error("StatusPageMonitor not found")]
    NoMonitor(String),
    /// No monitor of the page's owner has this id.
    #[error("UptimeSchedule not found")]
    NoSchedule(MonitorId),
    /// Nothing that was said on the page has this id.
    #[error("Incident not found")]
    NoIncident(IncidentId),
    /// Another page is called like this.
    #[error("Slug is already taken")]
    SlugTaken(String),
    /// Fields are not acceptable.
    #[error("Input validation failed")]
    Invalid(Vec<Issue>),
    /// The present state does not allow it.
    #[error("{0}")]
    Refused(&'static str),
    /// Its monitors cannot go with it.
    #[error(transparent)]
    Monitors(MonitorError),
    /// A link proves nothing, or its time is over.
    #[error("This link is not good")]
    NotProven,
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error(transparent)]
    State(#[from] StateError),
    /// What is stored cannot be read.
    #[error("status page `{0}` is damaged: {1}")]
    Damaged(String, String),
    /// The domain gave no answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl From<OutboxError> for StatusPageError {
    fn from(error: OutboxError) -> Self {
        match error {
            OutboxError::State(error) => Self::State(error.into()),
            OutboxError::NoRandomness(error) => error.into(),
        }
    }
}

impl UnknownOutcome for StatusPageError {
    fn outcome_unknown(&self) -> bool {
        match self {
            Self::State(error) => error.outcome_unknown(),
            // Who does not answer in time may have done it all the same.
            Self::Monitors(error) => {
                error.outcome_unknown() || matches!(error, MonitorError::Unavailable(_))
            }
            _ => false,
        }
    }
}

impl Classify for StatusPageError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NotFound(id) => Fault::not_found("StatusPage", id),
            Self::NoOrganization(id) => Fault::not_found("Organization", id),
            Self::NoSchedule(id) => Fault::not_found("UptimeSchedule", id),
            Self::NoMonitor(id) => Fault::not_found("StatusPageMonitor", id),
            Self::NoIncident(id) => Fault::not_found("Incident", id),
            Self::SlugTaken(slug) => Fault::new(
                Kind::Conflict {
                    resource: "StatusPage",
                    id: Some(slug),
                },
                message,
            ),
            Self::Invalid(issues) => Fault::issues(message, issues),
            Self::Refused(what) => Fault::invalid(what),
            Self::NotProven => Fault::invalid("This link is not good"),
            Self::NoRandomness(_) | Self::Damaged(..) => Fault::internal(self),
            Self::Monitors(error) => error.classify(),
            Self::State(error) => error.classify(),
            Self::Unavailable(error) => error.classify(),
        }
    }
}
