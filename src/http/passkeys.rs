//! Passkeys: this site as authenticators know it, and the seal of what is on its way to them.

use crate::{
    actors::sealed_tokens::SealedTokens, fault::Fault, passkeys::RelyingParty,
    store::InstanceSecret,
};

const PURPOSE: &str = "pharos 2026-11-27 passkeys on their way";

#[derive(Debug)]
pub struct Passkeys {
    site: Option<RelyingParty>,
    pub(super) pending: SealedTokens,
}

impl Passkeys {
    /// Passkeys for the host of a public address.
    pub fn new(secret: &InstanceSecret, base_url: &str) -> Self {
        Self {
            site: RelyingParty::new(base_url),
            pending: SealedTokens::new(secret, PURPOSE),
        }
    }

    /// The host that passkeys are for; `None` where there can be none.
    pub(super) fn host(&self) -> Option<&str> {
        self.site.as_ref().map(RelyingParty::id)
    }

    pub(super) fn site(&self) -> Result<&RelyingParty, Fault> {
        let message = "Passkeys need a host name. Set `server.base_url` to one.";
        self.site.as_ref().ok_or_else(|| Fault::invalid(message))
    }
}
