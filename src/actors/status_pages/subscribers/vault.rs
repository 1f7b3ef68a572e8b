//! What of subscribers is secret: their addresses on disk, and what their links prove.

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
/// How long a link for confirming is good, milliseconds.
pub(in super::super) const GOOD_MS: i64 = 86_400_000;
/// Hexadecimal digits of a proof: nobody guesses so many.
const DIGITS: usize = 32;

#[derive(Serialize, Deserialize)]
pub(in super::super) struct Sealed {
    pub(in super::super) address: String,
    pub(in super::super) secret: Option<String>,
}

/// Seals and opens, and makes and reads links.
pub(in super::super) struct Vault {
    sealer: Sealer,
    finder: KeyedHasher,
    links: KeyedHasher,
}

/// What a link is good for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Proven {
    /// Telling this one nothing any more.
    Leaves(SubscriberId),
    /// Confirming what was asked at this time, Unix milliseconds.
    Confirms(SubscriberId, i64),
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
        sealed: &Sealed,
    ) -> Result<Vec<u8>, NoRandomness> {
        let plain = serde_json::to_vec(sealed).unwrap_or_default();
        self.sealer.close(id.as_str(), &plain)
    }

    pub(in super::super) fn open(&self, id: &str, sealed: &[u8]) -> Option<Sealed> {
        serde_json::from_slice(&self.sealer.open(id, sealed)?).ok()
    }

    /// What rows of one address have in common on one page.
    pub(in super::super) fn finding(&self, page: &StatusPageId, contact: &Contact) -> String {
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

    /// What the link of a subscriber proves who wants nothing any more.
    pub(in super::super) fn leaving(&self, id: &SubscriberId) -> String {
        format!("{id}.{}", self.proof(&format!("leave:{id}")))
    }

    /// What the link proves with which is confirmed what was asked at this time, Unix milliseconds.
    pub(in super::super) fn confirming(&self, id: &SubscriberId, asked_ms: i64) -> String {
        let proof = self.proof(&format!("confirm:{asked_ms}:{id}"));
        format!("{id}.{asked_ms}.{proof}")
    }

    /// What a link proves; nothing when somebody made it up, or when its time is over.
    pub(in super::super) fn read(&self, token: &str, now_ms: i64) -> Option<Proven> {
        let parts: Vec<&str> = token.split('.').collect();
        let (proven, expected) = match parts[..] {
            [id, _] => {
                let id = SubscriberId::from(id);
                let expected = self.leaving(&id);
                (Proven::Leaves(id), expected)
            }
            [id, asked, _] => {
                let (id, asked_ms) = (SubscriberId::from(id), asked.parse().ok()?);
                if now_ms >= asked_ms + GOOD_MS {
                    return None;
                }
                let expected = self.confirming(&id, asked_ms);
                (Proven::Confirms(id, asked_ms), expected)
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
        let (leaving, confirming) = (one.leaving(&id), one.confirming(&id, 5_000));
        assert_eq!(
            one.read(&leaving, i64::MAX),
            Some(Proven::Leaves(id.clone()))
        );
        let confirms = Some(Proven::Confirms(id.clone(), 5_000));
        assert_eq!(one.read(&confirming, 5_000), confirms);
        assert_eq!(one.read(&confirming, 4_999 + GOOD_MS), confirms);
        assert_eq!(one.read(&confirming, 5_000 + GOOD_MS), None);
        assert_eq!(vault(2).read(&leaving, 0), None);
        let proof = leaving.rsplit('.').next().unwrap();
        for made_up in [
            format!("another.{proof}"),
            format!("{id}.5000.{proof}"),
            format!("{id}."),
            format!("{id}"),
            String::new(),
            confirming.replace("5000", "6000"),
            format!("{leaving}0"),
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
        let of = |page: &str, address| vault.finding(&page.into(), &mail(address));
        assert_eq!(of("p", "a@b.c"), of("p", "a@b.c"));
        assert_ne!(of("p", "a@b.c"), of("q", "a@b.c"));
        assert_ne!(of("p", "a@b.c"), of("p", "a@b.d"));
        let sealed = Sealed {
            address: "ada@example.com".to_owned(),
            secret: None,
        };
        let closed = vault.close(&"s".into(), &sealed).unwrap();
        assert!(!closed.windows(3).any(|window| window == b"ada"));
        assert_eq!(vault.open("s", &closed).unwrap().address, "ada@example.com");
        assert!(vault.open("t", &closed).is_none());
    }
}
