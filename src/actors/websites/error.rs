//! What can go wrong, in the domain's words.

use crate::actors::validation::ValidationError;
use crate::{
    access::plans::UsedUp,
    actors::{
        kit::{Unavailable, UnknownOutcome},
        random::NoRandomness,
    },
    fault::{Classify, Fault, Kind},
    ids::{OrganizationId, WebsiteId},
    store::StateError,
};

/// Why a message of this domain failed.
#[derive(Debug, thiserror::Error)]
pub enum WebsiteError {
    /// No live website has this id.
    #[error("website not found")]
    NotFound(WebsiteId),
    /// No live organization has this id.
    #[error("Organization not found")]
    NoOrganization(OrganizationId),
    /// The organization has a live website with this domain.
    #[error("A website with the domain `{0}` already exists")]
    DomainTaken(String),
    #[error("The website belongs to this organization already")]
    AlreadyThere,
    /// The owner's plan allows no further website.
    #[error(transparent)]
    PlanLimit(#[from] UsedUp),
    /// A field is not acceptable.
    #[error(transparent)]
    Invalid(#[from] ValidationError),
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error(transparent)]
    State(#[from] StateError),
    /// The domain gave no answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl From<sea_orm::DbErr> for WebsiteError {
    fn from(error: sea_orm::DbErr) -> Self {
        Self::State(error.into())
    }
}

impl UnknownOutcome for WebsiteError {
    fn outcome_unknown(&self) -> bool {
        matches!(self, Self::State(error) if error.outcome_unknown())
    }
}

impl Classify for WebsiteError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NotFound(id) => Fault::not_found("website", id),
            Self::AlreadyThere => Fault::invalid(message),
            Self::NoOrganization(id) => Fault::not_found("Organization", id),
            Self::DomainTaken(domain) => Fault::new(
                Kind::Conflict {
                    resource: "website",
                    id: Some(domain),
                },
                message,
            ),
            Self::PlanLimit(used_up) => used_up.classify(),
            Self::Invalid(refusal) => refusal.into_fault(),
            Self::NoRandomness(_) => Fault::internal(self),
            Self::State(error) => error.classify(),
            Self::Unavailable(error) => error.classify(),
        }
    }
}
