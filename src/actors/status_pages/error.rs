use crate::{
    actors::{
        error::{CommonError, common_errors},
        kit::{Unavailable, UnknownOutcome},
        monitors::MonitorError,
        password::PasswordError,
        random::NoRandomness,
    },
    fault::{Classify, Fault, Issue},
    ids::{IncidentId, MonitorId, StatusPageId},
    store::StateError,
};

#[derive(Debug, thiserror::Error)]
pub enum StatusPageError {
    #[error("StatusPage not found")]
    NotFound(StatusPageId),
    #[error("StatusPageMonitor not found")]
    NoMonitor(String),
    #[error("UptimeSchedule not found")]
    NoSchedule(MonitorId),
    #[error("Incident not found")]
    NoIncident(IncidentId),
    #[error("Slug is already taken")]
    SlugTaken(String),
    #[error("{0}")]
    Password(#[from] PasswordError),
    #[error(transparent)]
    Monitors(MonitorError),
    /// The link is invalid or expired.
    #[error("This link is invalid")]
    InvalidLink,
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
    pub(super) fn refused(why: &'static str) -> Self {
        CommonError::refused(why).into()
    }
}

impl UnknownOutcome for StatusPageError {
    fn outcome_unknown(&self) -> bool {
        match self {
            Self::Common(error) => error.outcome_unknown(),
            // A timeout says nothing about the outcome.
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
            Self::InvalidLink => Fault::invalid(message),
            Self::Password(error) => error.classify(),
            Self::Monitors(error) => error.classify(),
            // One issue cannot summarize all of them.
            Self::Common(CommonError::Invalid(issues)) => {
                Fault::issues("Input validation failed", issues)
            }
            Self::Common(error) => error.classify(),
        }
    }
}
