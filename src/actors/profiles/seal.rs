//! E-mail addresses on disk: sealed with a key of the installation: a copy of the database does not contain them.

use crate::{
    actors::{
        random::NoRandomness,
        seal::{KeyedHasher, Sealer},
    },
    ids::WebsiteKey,
    store::InstanceSecret,
};

const SEALING: &str = "pharos 2026-07 e-mail addresses of profiles";
const FINDING: &str = "pharos 2026-07 finding profiles by e-mail address";

/// Seals and opens addresses; cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Seal {
    sealer: Sealer,
    hasher: KeyedHasher,
}

impl Seal {
    pub(super) fn new(secret: &InstanceSecret) -> Self {
        Self {
            sealer: Sealer::new(secret, SEALING),
            hasher: KeyedHasher::new(secret, FINDING),
        }
    }

    /// The address of one person, sealed: it opens for this person only.
    pub(super) fn close(
        &self,
        website: WebsiteKey,
        profile: &str,
        email: &str,
    ) -> Result<Vec<u8>, NoRandomness> {
        self.sealer.close(owner(website, profile), email.as_bytes())
    }

    /// The address; `None` when it was sealed with another key, for another person, or not at all.
    pub(super) fn open(&self, website: WebsiteKey, profile: &str, sealed: &[u8]) -> Option<String> {
        let plain = self.sealer.open(owner(website, profile), sealed)?;
        String::from_utf8(plain).ok()
    }

    /// What the rows of everybody with this address have in common, within one website.
    pub(super) fn finding(&self, website: WebsiteKey, email: &str) -> String {
        self.hasher.hash(&website.0.to_le_bytes(), email)
    }
}

fn owner(website: WebsiteKey, profile: &str) -> Vec<u8> {
    [&website.0.to_le_bytes(), profile.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_opens_for_its_owner_with_the_key_and_not_otherwise() {
        let seal = Seal::new(&InstanceSecret::from_bytes([1; 32]));
        let website = WebsiteKey(7);
        let sealed = seal.close(website, "anna", "anna@example.com").unwrap();
        assert_eq!(
            seal.open(website, "anna", &sealed).as_deref(),
            Some("anna@example.com")
        );
        assert_ne!(
            sealed,
            seal.close(website, "anna", "anna@example.com").unwrap()
        );
        assert!(!sealed.windows(4).any(|window| window == b"anna"));

        let other = Seal::new(&InstanceSecret::from_bytes([2; 32]));
        let mut bent = sealed.clone();
        bent[30] ^= 1;
        for refused in [
            other.open(website, "anna", &sealed),
            seal.open(website, "bert", &sealed),
            seal.open(WebsiteKey(8), "anna", &sealed),
            seal.open(website, "anna", &bent),
            seal.open(website, "anna", &sealed[..23]),
            seal.open(website, "anna", b""),
        ] {
            assert_eq!(refused, None);
        }
    }

    #[test]
    fn addresses_are_found_within_one_website() {
        let seal = Seal::new(&InstanceSecret::from_bytes([1; 32]));
        let of = |website, email| seal.finding(WebsiteKey(website), email);
        assert_eq!(of(7, "a@b"), of(7, "a@b"));
        assert_ne!(of(7, "a@b"), of(8, "a@b"));
        assert_ne!(of(7, "a@b"), of(7, "a@c"));
    }
}
