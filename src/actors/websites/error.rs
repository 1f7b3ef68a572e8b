//! What can go wrong, in the domain's words.

use crate::{
    actors::error::{CommonError, common_errors},
    events::accept::protocols::Protocol,
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
    /// A website of this installation, perhaps of another organization, has this id of a protocol.
    #[error(
        "The id `{1}` of {0} is in use by another website. Choose another id, or leave it out to get a new one. \
         A deleted website keeps its ids for 7 days"
    )]
    ProtocolTaken(Protocol, String),
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
            Self::ProtocolTaken(_, id) => Fault::conflict("compatibility", id, message),
            Self::Common(error) => error.classify(),
        }
    }
}
