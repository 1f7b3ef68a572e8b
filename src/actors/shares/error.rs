//! What can go wrong, in the domain's words.

use super::rules::MAX;
use crate::{
    actors::{
        error::{CommonError, common_errors},
        password::PasswordError,
    },
    fault::{Classify, Fault},
    ids::ShareId,
};

#[derive(Debug, thiserror::Error)]
pub enum ShareError {
    #[error("share link not found")]
    NotFound(ShareId),
    #[error("A dashboard has at most {MAX} share links. Delete one first.")]
    TooMany,
    #[error("{0}")]
    Password(#[from] PasswordError),
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(ShareError);

impl Classify for ShareError {
    fn classify(self) -> Fault {
        match self {
            Self::NotFound(id) => Fault::not_found("share link", id),
            Self::TooMany => Fault::invalid(self.to_string()),
            Self::Password(error) => error.classify(),
            Self::Common(error) => error.classify(),
        }
    }
}
