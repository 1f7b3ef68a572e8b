//! What is kept of a secret: its SHA-256.

use std::fmt::Write;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;

/// SHA-256 of a secret of full entropy, which therefore needs no salt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Digest([u8; 32]);

impl Digest {
    /// The digest of a secret.
    pub(super) fn of(secret: &str) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }

    /// The digest as it is stored.
    pub(super) fn to_hex(self) -> String {
        self.0.iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }

    /// Reads a stored digest.
    pub(super) fn from_hex(hex: &str) -> Option<Self> {
        let digits = hex.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let high = char::from(pair[0]).to_digit(16)?;
            let low = char::from(pair[1]).to_digit(16)?;
            *byte = (high * 16 + low) as u8;
        }
        Some(Self(bytes))
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
        let digest = Digest::of("abc");
        let hex = digest.to_hex();
        assert_eq!(
            hex,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert!(Digest::from_hex(&hex).unwrap().matches(&digest));
        assert!(!Digest::of("abd").matches(&digest));
    }

    #[test]
    fn damaged_hex_is_no_digest() {
        let not_ascii = "é".repeat(32);
        for hex in ["", "ba78", &"g".repeat(64), &not_ascii] {
            assert!(Digest::from_hex(hex).is_none(), "{hex}");
        }
    }
}
