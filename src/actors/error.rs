//! What a message of any domain may fail with, beside what only its own domain knows.

use std::{borrow::Cow, fmt::Display};

use sea_orm::DbErr;

use super::{
    kit::{Unavailable, UnknownOutcome},
    random::NoRandomness,
    validation::ValidationError,
};
use crate::{
    access::plans::UsedUp,
    fault::{Classify, Fault, Issue},
    ids::OrganizationId,
    store::StateError,
};

/// The failures that domains share. A domain's error holds it as `Common`; [`common_errors!`] writes the conversions.
#[derive(Debug, thiserror::Error)]
pub enum CommonError {
    #[error("{}", Issue::first_message(.0))]
    Invalid(Vec<Issue>),
    #[error("{0}")]
    Refused(Cow<'static, str>),
    /// No live organization has this id, as far as the caller may know.
    #[error("Organization not found")]
    NoOrganization(OrganizationId),
    #[error(transparent)]
    PlanLimit(#[from] UsedUp),
    /// What is stored cannot be read: of what kind, which one, and why.
    #[error("{0} `{1}` is damaged: {2}")]
    Damaged(&'static str, String, String),
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl CommonError {
    pub(super) fn refused(why: impl Into<Cow<'static, str>>) -> Self {
        Self::Refused(why.into())
    }

    /// What is stored of a thing cannot be read.
    pub(super) fn damaged(kind: &'static str, id: impl Display, why: impl Display) -> Self {
        Self::Damaged(kind, id.to_string(), why.to_string())
    }
}

/// The error of a write: `taken` if a unique index has refused it.
pub(super) fn write_error<E: From<StateError>>(error: DbErr, taken: E) -> E {
    match StateError::from(error) {
        error if error.is_taken() => taken,
        error => error.into(),
    }
}

impl From<DbErr> for CommonError {
    fn from(error: DbErr) -> Self {
        Self::State(error.into())
    }
}

impl From<Vec<Issue>> for CommonError {
    fn from(issues: Vec<Issue>) -> Self {
        Self::Invalid(issues)
    }
}

impl From<ValidationError> for CommonError {
    fn from(error: ValidationError) -> Self {
        Self::Invalid(vec![error.issue()])
    }
}

impl UnknownOutcome for CommonError {
    fn outcome_unknown(&self) -> bool {
        matches!(self, Self::State(error) if error.outcome_unknown())
    }
}

impl Classify for CommonError {
    fn classify(self) -> Fault {
        match self {
            Self::Invalid(issues) => {
                Fault::issues(Issue::first_message(&issues).to_owned(), issues)
            }
            Self::Refused(why) => Fault::invalid(why),
            Self::NoOrganization(id) => Fault::not_found("Organization", id),
            Self::PlanLimit(used_up) => used_up.classify(),
            Self::Damaged(..) | Self::NoRandomness(_) => Fault::internal(self),
            Self::State(error) => error.classify(),
            Self::Unavailable(error) => error.classify(),
        }
    }
}

/// Makes `?` turn what all domains may fail with, and the types named behind it, into a domain's error, which has a variant
/// `Common(#[from] CommonError)`. What [`CommonError`] has no conversion from is the domain's own.
macro_rules! common_errors {
    ($error:ident $(, $more:ty)* $(,)?) => {
        $crate::actors::error::common_errors!(@conversions $error:
            ::sea_orm::DbErr,
            ::std::vec::Vec<$crate::fault::Issue>,
            $crate::access::plans::UsedUp,
            $crate::actors::kit::Unavailable,
            $crate::actors::random::NoRandomness,
            $crate::actors::validation::ValidationError,
            $crate::store::StateError,
            $($more,)*
        );

        impl $crate::actors::kit::UnknownOutcome for $error {
            fn outcome_unknown(&self) -> bool {
                matches!(self, Self::Common(error) if error.outcome_unknown())
            }
        }
    };
    (@conversions $error:ident: $($from:ty,)+) => {$(
        impl From<$from> for $error {
            fn from(error: $from) -> Self {
                Self::Common(error.into())
            }
        }
    )+};
}

pub(super) use common_errors;
