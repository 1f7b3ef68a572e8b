//! What is kept of a secret: its SHA-256.

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;

use super::hex;

/// SHA-256 of a secret of full entropy, which therefore needs no salt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Digest([u8; 32]);

impl Digest {
    pub(super) fn from_secret(secret: &str) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }

    pub(super) fn to_hex(self) -> String {
        hex::encode(&self.0)
    }

    pub(super) fn from_hex(text: &str) -> Option<Self> {
        hex::decode(text).map(Self)
    }

    /// Compares in a time that does not depend on where the digests differ.
    pub(super) fn matches(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_is_sha_256_and_reads_back() {
        let digest = Digest::from_secret("abc");
        let hex = digest.to_hex();
        assert_eq!(
            hex,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert!(Digest::from_hex(&hex).unwrap().matches(&digest));
        assert!(!Digest::from_secret("abd").matches(&digest));
    }

    #[test]
    fn damaged_hex_is_no_digest() {
        let not_ascii = "é".repeat(32);
        for hex in ["", "ba78", &"g".repeat(64), &not_ascii] {
            assert!(Digest::from_hex(hex).is_none(), "{hex}");
        }
    }
}
