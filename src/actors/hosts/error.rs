//! What can go wrong, in the domain's words.

use crate::{
    actors::error::{CommonError, common_errors},
    fault::{Classify, Fault},
    ids::HostId,
};

#[derive(Debug, thiserror::Error)]
pub enum HostError {
    #[error("Domain not found")]
    NotFound(HostId),
    /// The organization has added it already.
    #[error("The organization already has the domain {0}")]
    Known(String),
    #[error("{0} is an address of this installation. Choose another host name.")]
    Own(String),
    #[error(
        "Another organization here uses {0}. It has to remove the domain or its DNS records first."
    )]
    Taken(String),
    #[error("The organization has {0} domains, the maximum. Remove one first.")]
    TooMany(u64),
    #[error("The organization has {0} domains that aren't verified. Verify or remove one first.")]
    TooManyUnverified(u64),
    #[error("There {} on {name}. Move or delete what is there first.", count_of(*links))]
    HasLinks { name: String, links: u64 },
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(HostError);

fn count_of(links: u64) -> String {
    match links {
        1 => "is 1 short link".to_owned(),
        many => format!("are {many} short links"),
    }
}

impl Classify for HostError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NotFound(id) => Fault::not_found("Domain", id),
            Self::Known(name)
            | Self::Own(name)
            | Self::Taken(name)
            | Self::HasLinks { name, .. } => Fault::conflict("Domain", name, message),
            Self::TooMany(_) | Self::TooManyUnverified(_) => Fault::invalid(message),
            Self::Common(error) => error.classify(),
        }
    }
}
