//! What can go wrong, in the domain's words.

use super::model::MAX_TOKENS;
use crate::{
    actors::error::{CommonError, common_errors},
    fault::{Classify, Fault},
    ids::ScimTokenId,
};

#[derive(Debug, thiserror::Error)]
pub enum ScimTokenError {
    #[error("SCIM token not found")]
    NotFound(ScimTokenId),
    #[error("The organization has {MAX_TOKENS} SCIM tokens. Revoke one first.")]
    TooMany,
    #[error("You aren't a member of this organization")]
    NotAMember,
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(ScimTokenError);

impl Classify for ScimTokenError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NotFound(id) => Fault::not_found("SCIM token", id),
            Self::TooMany => Fault::invalid(message),
            Self::NotAMember => Fault::forbidden(message),
            Self::Common(error) => error.classify(),
        }
    }
}
