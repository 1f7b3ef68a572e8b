//! What can go wrong, in the domain's words.

use crate::{
    access::Scope,
    actors::error::{CommonError, common_errors},
    fault::{Classify, Fault},
    ids::KeyId,
};

#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("API key not found")]
    NotFound(KeyId),
    /// The key was revoked, which cannot be undone.
    #[error("API key has been revoked")]
    Revoked(KeyId),
    /// The person lost the right while the request was on its way.
    #[error("You may no longer manage API keys of this organization")]
    NoLonger,
    /// Another request has changed the key meanwhile.
    #[error("The API key was changed at the same time: look at it and try again")]
    ChangedMeanwhile(KeyId),
    /// A person cannot grant more than their own role allows.
    #[error("Your role may not give a key the scope {}", .0.as_str())]
    BeyondRole(Scope),
    /// The owner has as many keys as anybody may have.
    #[error("There are {0} API keys, which is the most: delete those that are not needed")]
    TooMany(usize),
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(KeyError);

impl Classify for KeyError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NotFound(id) => Fault::not_found("API key", id),
            Self::Revoked(_) | Self::TooMany(_) => Fault::invalid(message),
            Self::BeyondRole(_) | Self::NoLonger => Fault::forbidden(message),
            Self::ChangedMeanwhile(id) => Fault::conflict("API key", id, message),
            Self::Common(error) => error.classify(),
        }
    }
}

/// Why a secret opens nothing. Callers of the API see one and the same 401.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyRejection {
    /// Not a secret of ours, or none that is known.
    #[error("unknown API key")]
    Unknown,
    /// Switched off.
    #[error("API key is disabled")]
    Disabled,
    /// Ended for good.
    #[error("API key has been revoked")]
    Revoked,
    /// Its time is over.
    #[error("API key has expired")]
    Expired,
}

impl Classify for KeyRejection {
    fn classify(self) -> Fault {
        Fault::unauthenticated()
    }
}
