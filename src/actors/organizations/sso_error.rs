//! What can go wrong about the single sign-on of an organization.

use crate::fault::{Classify, Fault, Kind};

#[derive(Debug, thiserror::Error)]
pub enum SsoError {
    #[error(
        "This sign-in provider doesn't exist or is turned off. Ask an owner of your organization."
    )]
    NoProvider,
    #[error("domain not found")]
    NoDomain,
    #[error(
        "The organization of this provider has no verified domain. An owner has to verify one first."
    )]
    NothingVerified,
    #[error(
        "This provider signs in people with an address in the verified domains of its organization only. Ask an owner to verify your domain."
    )]
    OtherDomain,
    #[error(
        "You aren't a member of the organization of this provider. Ask an owner or admin for an invitation."
    )]
    NotAMember,
    #[error(
        "An account with your email address already exists, but its owner never proved the address. Reset its password by email, then sign in again."
    )]
    Unproven,
    /// Without it, members couldn't sign in.
    #[error(
        "Members have to sign in with it. Choose another required sign-in under Members first."
    )]
    Required,
    #[error(
        "The organization of this provider decides about it. Ask an owner to remove you, or leave the organization."
    )]
    Linked,
    #[error("{0}")]
    Taken(&'static str),
}

impl Classify for SsoError {
    fn classify(self) -> Fault {
        let message = self.to_string();
        match self {
            Self::NoProvider => Fault::new(
                Kind::NotFound {
                    resource: "provider",
                    id: None,
                },
                message,
            ),
            Self::NoDomain => Fault::not_found("domain", ""),
            Self::Taken(_) => Fault::new(
                Kind::Conflict {
                    resource: "domain",
                    id: None,
                },
                message,
            ),
            Self::Required => Fault::new(
                Kind::Conflict {
                    resource: "provider",
                    id: None,
                },
                message,
            ),
            Self::NothingVerified
            | Self::OtherDomain
            | Self::NotAMember
            | Self::Unproven
            | Self::Linked => Fault::forbidden(message),
        }
    }
}
