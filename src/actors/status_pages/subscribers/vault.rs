//! Secrets of subscribers: their stored addresses, and the proofs of their links.

use serde::{Deserialize, Serialize};

use super::{Contact, SubscriberKind};
use crate::{
    actors::{
        random::NoRandomness,
        seal::{KeyedHasher, Sealer},
        subscription_links::SubscriptionLinks,
    },
    ids::{StatusPageId, SubscriberId},
    store::InstanceSecret,
};

const SEALING: &str = "pharos 2026-11 addresses of subscribers";
const FINDING: &str = "pharos 2026-11 finding subscribers by address";
const LINKS: &str = "pharos 2026-11 links of subscribers";

#[derive(Serialize, Deserialize)]
pub(in super::super) struct SealedContact {
    pub(in super::super) address: String,
    pub(in super::super) secret: Option<String>,
}

/// Seals addresses and signs links.
pub(in super::super) struct Vault {
    sealer: Sealer,
    finder: KeyedHasher,
    pub(in super::super) links: SubscriptionLinks,
}

impl Vault {
    pub(in super::super) fn new(secret: &InstanceSecret) -> Self {
        Self {
            sealer: Sealer::new(secret, SEALING),
            finder: KeyedHasher::new(secret, FINDING),
            links: SubscriptionLinks::new(secret, LINKS),
        }
    }

    pub(in super::super) fn close(
        &self,
        id: &SubscriberId,
        sealed: &SealedContact,
    ) -> Result<Vec<u8>, NoRandomness> {
        let plain = serde_json::to_vec(sealed).unwrap_or_default();
        self.sealer.close(id.as_str(), &plain)
    }

    pub(in super::super) fn open(&self, id: &str, sealed: &[u8]) -> Option<SealedContact> {
        serde_json::from_slice(&self.sealer.open(id, sealed)?).ok()
    }

    /// A key of an address on a page, by which its row is found.
    pub(in super::super) fn contact_key(&self, page: &StatusPageId, contact: &Contact) -> String {
        let kind = match contact.kind {
            SubscriberKind::Email => "e",
            SubscriberKind::Webhook => "w",
        };
        let text = format!("{page}:{kind}:{}", contact.address);
        self.finder.hash(b"", &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_found_on_its_page_and_opens_for_its_owner() {
        let vault = Vault::new(&InstanceSecret::from_bytes([1; 32]));
        let mail = |address: &str| Contact {
            kind: SubscriberKind::Email,
            address: address.to_owned(),
        };
        let of = |page: &str, address| vault.contact_key(&page.into(), &mail(address));
        assert_eq!(of("p", "a@b.c"), of("p", "a@b.c"));
        assert_ne!(of("p", "a@b.c"), of("q", "a@b.c"));
        assert_ne!(of("p", "a@b.c"), of("p", "a@b.d"));
        let sealed = SealedContact {
            address: "ada@example.com".to_owned(),
            secret: None,
        };
        let closed = vault.close(&"s".into(), &sealed).unwrap();
        assert!(!closed.windows(3).any(|window| window == b"ada"));
        assert_eq!(vault.open("s", &closed).unwrap().address, "ada@example.com");
        assert!(vault.open("t", &closed).is_none());
    }
}
