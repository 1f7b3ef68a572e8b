//! What can go wrong, in the domain's words.

use crate::{
    access::plans::UsedUp,
    actors::{
        kit::{Unavailable, UnknownOutcome},
        password::PasswordError,
        random::NoRandomness,
    },
    fault::{Classify, Fault, Issue, Kind},
    ids::{FolderId, LinkId, OrganizationId},
    store::StateError,
};

/// Why a message of this domain failed.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// No link of the organization has this id.
    #[error("link not found")]
    NotFound(LinkId),
    /// No folder of the organization has this id.
    #[error("link folder not found")]
    NoFolder(FolderId),
    /// No live organization has this id.
    #[error("Organization not found")]
    NoOrganization(OrganizationId),
    /// A link has this slug.
    #[error("This slug is already taken")]
    SlugTaken(String),
    /// A folder of the organization has this slug.
    #[error("This folder slug is already taken")]
    FolderTaken(String),
    /// The owner's plan allows no further links, or not so many.
    #[error(transparent)]
    PlanLimit(#[from] UsedUp),
    /// As many passwords as may wait are being hashed.
    #[error("Too many passwords are being checked at this moment")]
    Busy,
    /// A password could not be hashed, or a stored hash is damaged.
    #[error("password hashing failed: {0}")]
    Hashing(String),
    /// Fields are not acceptable.
    #[error("{}", Issue::first_of(.0))]
    Invalid(Vec<Issue>),
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error(transparent)]
    State(#[from] StateError),
    /// What is stored cannot be read.
    #[error("link `{0}` is damaged: {1}")]
    Damaged(String, String),
    /// The domain gave no answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl From<PasswordError> for LinkError {
    fn from(error: PasswordError) -> Self {
        match error {
            PasswordError::Busy => Self::Busy,
            PasswordError::Hashing(why) => Self::Hashing(why),
        }
    }
}

impl From<sea_orm::DbErr> for LinkError {
    fn from(error: sea_orm::DbErr) -> Self {
        Self::State(error.into())
    }
}

impl UnknownOutcome for LinkError {
    fn outcome_unknown(&self) -> bool {
        matches!(self, Self::State(error) if error.outcome_unknown())
    }
}

impl Classify for LinkError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        let taken = |resource, id| {
            let kind = Kind::Conflict {
                resource,
                id: Some(id),
            };
            Fault::new(kind, message.clone())
        };
        match self {
            Self::NotFound(id) => Fault::not_found("link", id),
            Self::NoFolder(id) => Fault::not_found("link folder", id),
            Self::NoOrganization(id) => Fault::not_found("Organization", id),
            Self::SlugTaken(slug) => taken("link", slug),
            Self::FolderTaken(slug) => taken("link folder", slug),
            Self::PlanLimit(used_up) => used_up.classify(),
            Self::Invalid(issues) => Fault::issues(message, issues),
            Self::Busy => Fault::unavailable(message),
            Self::NoRandomness(_) | Self::Damaged(..) | Self::Hashing(_) => Fault::internal(self),
            Self::State(error) => error.classify(),
            Self::Unavailable(error) => error.classify(),
        }
    }
}
