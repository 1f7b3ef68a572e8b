//! Links in messages by which recipients confirm that they want more of them, and end it.

use subtle::ConstantTimeEq as _;

use super::seal::{KeyedHasher, opaque_debug};
use crate::store::InstanceSecret;

/// How long a confirmation link is good, milliseconds.
pub(super) const GOOD_MS: i64 = 86_400_000;
/// Hexadecimal digits of a proof, too many to guess.
const DIGITS: usize = 32;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LinkProof {
    /// Ends this subscription.
    Unsubscribe(String),
    /// Confirms the request of this time, Unix milliseconds.
    Confirm(String, i64),
}

/// Signs the links of one kind of subscriptions; cheap to clone.
#[derive(Clone)]
pub(super) struct SubscriptionLinks(KeyedHasher);

opaque_debug!(SubscriptionLinks);

impl SubscriptionLinks {
    /// `purpose` names the key that signs links.
    pub(super) fn new(secret: &InstanceSecret, purpose: &'static str) -> Self {
        Self(KeyedHasher::new(secret, purpose))
    }

    fn proof(&self, about: &str) -> String {
        let mut proof = self.0.hash(b"", about);
        proof.truncate(DIGITS);
        proof
    }

    pub(super) fn unsubscribe_token(&self, id: &str) -> String {
        format!("{id}.{}", self.proof(&format!("leave:{id}")))
    }

    /// Confirms the request of this time, Unix milliseconds.
    pub(super) fn confirmation_token(&self, id: &str, asked_ms: i64) -> String {
        let proof = self.proof(&format!("confirm:{asked_ms}:{id}"));
        format!("{id}.{asked_ms}.{proof}")
    }

    /// `None` if the link is forged or expired.
    pub(super) fn read(&self, token: &str, now_ms: i64) -> Option<LinkProof> {
        let parts: Vec<&str> = token.split('.').collect();
        let (proven, expected) = match parts[..] {
            [id, _] => {
                let expected = self.unsubscribe_token(id);
                (LinkProof::Unsubscribe(id.to_owned()), expected)
            }
            [id, asked, _] => {
                let asked_ms = asked.parse().ok()?;
                if now_ms >= asked_ms + GOOD_MS {
                    return None;
                }
                let expected = self.confirmation_token(id, asked_ms);
                (LinkProof::Confirm(id.to_owned(), asked_ms), expected)
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
        let links =
            |key| SubscriptionLinks::new(&InstanceSecret::from_bytes([key; 32]), "some links");
        let (one, id) = (links(1), "0199a0b1-0000");
        let (unsubscribe_token, confirming) =
            (one.unsubscribe_token(id), one.confirmation_token(id, 5_000));
        assert_eq!(
            one.read(&unsubscribe_token, i64::MAX),
            Some(LinkProof::Unsubscribe(id.to_owned()))
        );
        let confirms = Some(LinkProof::Confirm(id.to_owned(), 5_000));
        assert_eq!(one.read(&confirming, 5_000), confirms);
        assert_eq!(one.read(&confirming, 4_999 + GOOD_MS), confirms);
        assert_eq!(one.read(&confirming, 5_000 + GOOD_MS), None);
        assert_eq!(links(2).read(&unsubscribe_token, 0), None);
        let proof = unsubscribe_token.rsplit('.').next().unwrap();
        for made_up in [
            format!("another.{proof}"),
            format!("{id}.5000.{proof}"),
            format!("{id}."),
            id.to_owned(),
            String::new(),
            confirming.replace("5000", "6000"),
            format!("{unsubscribe_token}0"),
        ] {
            assert_eq!(one.read(&made_up, 0), None, "{made_up}");
        }
    }
}
