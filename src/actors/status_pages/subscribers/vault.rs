//! Secrets of subscribers: their stored addresses, and the proofs of their links.

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;

use super::{Contact, SubscriberKind};
use crate::{
    actors::{
        random::NoRandomness,
        seal::{KeyedHasher, Sealer},
    },
    ids::{StatusPageId, SubscriberId},
    store::InstanceSecret,
};

const SEALING: &str = "pharos 2026-11 addresses of subscribers";
const FINDING: &str = "pharos 2026-11 finding subscribers by address";
const LINKS: &str = "pharos 2026-11 links of subscribers";
/// How long a confirmation link is good, milliseconds.
pub(in super::super) const GOOD_MS: i64 = 86_400_000;
/// Hexadecimal digits of a proof, too many to guess.
const DIGITS: usize = 32;

#[derive(Serialize, Deserialize)]
pub(in super::super) struct SealedContact {
    pub(in super::super) address: String,
    pub(in super::super) secret: Option<String>,
}

/// Seals addresses and signs links.
pub(in super::super) struct Vault {
    sealer: Sealer,
    finder: KeyedHasher,
    links: KeyedHasher,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum LinkProof {
    /// Ends this subscription.
    Unsubscribe(SubscriberId),
    /// Confirms the request of this time, Unix milliseconds.
    Confirm(SubscriberId, i64),
}

impl Vault {
    pub(in super::super) fn new(secret: &InstanceSecret) -> Self {
        Self {
            sealer: Sealer::new(secret, SEALING),
            finder: KeyedHasher::new(secret, FINDING),
            links: KeyedHasher::new(secret, LINKS),
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

    fn proof(&self, about: &str) -> String {
        let mut proof = self.links.hash(b"", about);
        proof.truncate(DIGITS);
        proof
    }

    pub(in super::super) fn unsubscribe_token(&self, id: &SubscriberId) -> String {
        format!("{id}.{}", self.proof(&format!("leave:{id}")))
    }

    /// Confirms the request of this time, Unix milliseconds.
    pub(in super::super) fn confirmation_token(&self, id: &SubscriberId, asked_ms: i64) -> String {
        let proof = self.proof(&format!("confirm:{asked_ms}:{id}"));
        format!("{id}.{asked_ms}.{proof}")
    }

    /// `None` if the link is forged or expired.
    pub(in super::super) fn read(&self, token: &str, now_ms: i64) -> Option<LinkProof> {
        let parts: Vec<&str> = token.split('.').collect();
        let (proven, expected) = match parts[..] {
            [id, _] => {
                let id = SubscriberId::from(id);
                let expected = self.unsubscribe_token(&id);
                (LinkProof::Unsubscribe(id), expected)
            }
            [id, asked, _] => {
                let (id, asked_ms) = (SubscriberId::from(id), asked.parse().ok()?);
                if now_ms >= asked_ms + GOOD_MS {
                    return None;
                }
                let expected = self.confirmation_token(&id, asked_ms);
                (LinkProof::Confirm(id, asked_ms), expected)
            }
            _ => return None,
        };
        let is_same: bool = expected.as_bytes().ct_eq(token.as_bytes()).into();
        is_same.then_some(proven)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_good_for_what_they_were_made_for_and_for_a_day() {
        let vault = |key| Vault::new(&InstanceSecret::from_bytes([key; 32]));
        let (one, id) = (vault(1), SubscriberId::from("0199a0b1-0000"));
        let (unsubscribe_token, confirming) = (
            one.unsubscribe_token(&id),
            one.confirmation_token(&id, 5_000),
        );
        assert_eq!(
            one.read(&unsubscribe_token, i64::MAX),
            Some(LinkProof::Unsubscribe(id.clone()))
        );
        let confirms = Some(LinkProof::Confirm(id.clone(), 5_000));
        assert_eq!(one.read(&confirming, 5_000), confirms);
        assert_eq!(one.read(&confirming, 4_999 + GOOD_MS), confirms);
        assert_eq!(one.read(&confirming, 5_000 + GOOD_MS), None);
        assert_eq!(vault(2).read(&unsubscribe_token, 0), None);
        let proof = unsubscribe_token.rsplit('.').next().unwrap();
        for made_up in [
            format!("another.{proof}"),
            format!("{id}.5000.{proof}"),
            format!("{id}."),
            format!("{id}"),
            String::new(),
            confirming.replace("5000", "6000"),
            format!("{unsubscribe_token}0"),
        ] {
            assert_eq!(one.read(&made_up, 0), None, "{made_up}");
        }
    }

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
