//! What can go wrong, in the domain's words.

use crate::{
    actors::error::{CommonError, common_errors},
    fault::{Classify, Fault},
    ids::WebsiteId,
};

#[derive(Debug, thiserror::Error)]
pub enum WebsiteError {
    #[error("website not found")]
    NotFound(WebsiteId),
    /// The organization has a live website with this domain.
    #[error("A website with the domain `{0}` already exists")]
    DomainTaken(String),
    #[error("The website belongs to this organization already")]
    AlreadyThere,
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(WebsiteError);

impl Classify for WebsiteError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NotFound(id) => Fault::not_found("website", id),
            Self::AlreadyThere => Fault::invalid(message),
            Self::DomainTaken(domain) => Fault::conflict("website", domain, message),
            Self::Common(error) => error.classify(),
        }
    }
}
