//! What can go wrong, in the domain's words.

use super::model::{MAX_GRANTS, MAX_UNUSED};
use crate::{
    actors::error::{CommonError, common_errors},
    fault::{Classify, Fault},
    ids::GrantId,
};

/// Why an app gets no tokens. The variants are those of RFC 6749, section 5.2, and RFC 8707.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GrantRefusal {
    #[error("The client_id is unknown: register the app again")]
    UnknownApp,
    /// The code or token opens nothing, for whichever reason.
    #[error("{0}")]
    Invalid(&'static str),
    #[error("The scope goes beyond what was granted: leave it out, or ask the person again")]
    BeyondScope,
    #[error("The resource isn't the one that was granted: send the same `resource` as before")]
    OtherResource,
}

#[derive(Debug, thiserror::Error)]
pub enum OAuthError {
    #[error(transparent)]
    Refused(#[from] GrantRefusal),
    #[error("Apps can't be connected here: the operator has turned it off (`auth.apps`)")]
    Off,
    #[error("connected app not found")]
    NotFound(GrantId),
    #[error("{MAX_UNUSED} registered apps wait for a person to allow them. Try again in an hour.")]
    TooManyApps,
    #[error("You have connected {MAX_GRANTS} apps. Revoke the access of one under Your account.")]
    TooManyGrants,
    /// An app registers with something that is not allowed.
    #[error("{0}")]
    Metadata(&'static str),
    #[error("{0}")]
    RedirectUri(&'static str),
    /// An app names itself by an address where there is none.
    #[error("The app can't be read at {address} (client_id): {why}.")]
    Document { address: String, why: String },
    #[error("You aren't a member of this organization: choose another")]
    NotAMember,
    #[error("Choose at least one permission")]
    NoScopes,
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(OAuthError);

impl Classify for OAuthError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NotFound(id) => Fault::not_found("connected app", id),
            Self::TooManyApps => Fault::unavailable(message),
            Self::Off | Self::NotAMember => Fault::forbidden(message),
            Self::Refused(_)
            | Self::TooManyGrants
            | Self::Metadata(_)
            | Self::RedirectUri(_)
            | Self::Document { .. }
            | Self::NoScopes => Fault::invalid(message),
            Self::Common(error) => error.classify(),
        }
    }
}
