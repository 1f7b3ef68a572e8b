//! What can go wrong, in the domain's words.

use super::rules::Refusal;
use crate::{
    actors::{
        kit::{Doubt, Unavailable},
        random::NoRandomness,
    },
    fault::{Classify, Fault, Kind, Window},
    store::StateError,
};

/// Why a message of this domain failed.
#[derive(Debug, thiserror::Error)]
pub enum OrganizationError {
    /// No such account, or another password; deliberately the same.
    #[error("Invalid email or password")]
    WrongCredentials,
    /// Too many failures for this account.
    #[error("Too many failed sign-ins for this account")]
    TooManyAttempts(Window),
    /// As many passwords as may wait are being checked.
    #[error("Too many people are signing in at this moment")]
    Busy,
    /// There is an organization already.
    #[error("an organization already exists")]
    AlreadyInstalled,
    /// A field of the request is not acceptable.
    #[error(transparent)]
    Invalid(#[from] Refusal),
    /// A password could not be hashed or a stored hash is damaged.
    #[error("password hashing failed: {0}")]
    Hashing(String),
    /// No random bytes.
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    /// Storage failed.
    #[error(transparent)]
    State(#[from] StateError),
    /// The domain gave no answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl From<sea_orm::DbErr> for OrganizationError {
    fn from(error: sea_orm::DbErr) -> Self {
        Self::State(error.into())
    }
}

impl Doubt for OrganizationError {
    fn outcome_unknown(&self) -> bool {
        matches!(self, Self::State(error) if error.outcome_unknown())
    }
}

impl Classify for OrganizationError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::WrongCredentials => Fault::new(Kind::Unauthenticated, message),
            Self::TooManyAttempts(window) => Fault::new(Kind::RateLimited(window), message),
            Self::Busy => Fault::unavailable(message),
            Self::AlreadyInstalled => Fault::new(
                Kind::Conflict {
                    resource: "organization",
                    id: None,
                },
                message,
            ),
            Self::Invalid(refusal) => refusal.into_fault(),
            Self::Hashing(_) | Self::NoRandomness(_) => Fault::internal(self),
            Self::State(error) => error.classify(),
            Self::Unavailable(error) => error.classify(),
        }
    }
}
