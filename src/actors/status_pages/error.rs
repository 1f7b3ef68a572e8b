//! What can go wrong, in the domain's words.

use crate::{
    actors::{
        error::{CommonError, common_errors},
        kit::{Unavailable, UnknownOutcome},
        monitors::MonitorError,
        random::NoRandomness,
    },
    fault::{Classify, Fault, Issue},
    ids::{IncidentId, MonitorId, StatusPageId},
    store::StateError,
};

/// Why a message of this domain failed.
#[derive(Debug, thiserror::Error)]
pub enum StatusPageError {
    /// No page of the organization has this id.
    #[error("StatusPage not found")]
    NotFound(StatusPageId),
    /// Nothing on the page has this id.
    #[error("StatusPageMonitor not found")]
    NoMonitor(String),
    /// No monitor of the page's owner has this id.
    #[error("UptimeSchedule not found")]
    NoSchedule(MonitorId),
    /// Nothing that was said on the page has this id.
    #[error("Incident not found")]
    NoIncident(IncidentId),
    #[error("Slug is already taken")]
    SlugTaken(String),
    /// Its monitors cannot go with it.
    #[error(transparent)]
    Monitors(MonitorError),
    /// A link proves nothing, or its time is over.
    #[error("This link is not good")]
    NotProven,
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(@conversions StatusPageError:
    sea_orm::DbErr,
    Vec<Issue>,
    NoRandomness,
    StateError,
    Unavailable,
);

impl StatusPageError {
    /// The present state does not allow it.
    pub(super) fn refused(why: &'static str) -> Self {
        CommonError::Refused(why).into()
    }
}

impl UnknownOutcome for StatusPageError {
    fn outcome_unknown(&self) -> bool {
        match self {
            Self::Common(error) => error.outcome_unknown(),
            // Who does not answer in time may have done it all the same.
            Self::Monitors(error) => {
                let is_silent = matches!(error, MonitorError::Common(CommonError::Unavailable(_)));
                error.outcome_unknown() || is_silent
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
            Self::NoSchedule(id) => Fault::not_found("UptimeSchedule", id),
            Self::NoMonitor(id) => Fault::not_found("StatusPageMonitor", id),
            Self::NoIncident(id) => Fault::not_found("Incident", id),
            Self::SlugTaken(slug) => Fault::conflict("StatusPage", slug, message),
            Self::NotProven => Fault::invalid(message),
            Self::Monitors(error) => error.classify(),
            // There are many of them, and none speaks for all.
            Self::Common(CommonError::Invalid(issues)) => {
                Fault::issues("Input validation failed", issues)
            }
            Self::Common(error) => error.classify(),
        }
    }
}
