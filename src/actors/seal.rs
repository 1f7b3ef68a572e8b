//! Sealed values, under a key of the installation for one purpose, bound to their owner: a copy of the database opens
//! nothing, and a value copied to another row does not open either.

use chacha20poly1305::{
    KeyInit as _, XChaCha20Poly1305, XNonce,
    aead::{Aead as _, Payload},
};

use super::{
    hex,
    random::{self, NoRandomness},
};
use crate::store::InstanceSecret;

const NONCE: usize = 24;

/// Prints types as `Name(…)`, because what they hold is secret or says nothing.
macro_rules! opaque_debug {
    ($($name:ident),+) => {$(
        impl std::fmt::Debug for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(concat!(stringify!($name), "(…)"))
            }
        }
    )+};
}

pub(super) use opaque_debug;

opaque_debug!(Sealer, KeyedHasher);

/// Seals and opens for one purpose; cheap to clone.
#[derive(Clone)]
pub(super) struct Sealer(XChaCha20Poly1305);

impl Sealer {
    /// A sealer whose key follows from the installation's secret and the purpose.
    pub(super) fn new(secret: &InstanceSecret, purpose: &'static str) -> Self {
        Self(XChaCha20Poly1305::new(&secret.key_for(purpose).into()))
    }

    /// Something sealed, which opens for this owner only.
    pub(super) fn close(
        &self,
        owner: impl AsRef<[u8]>,
        plain: &[u8],
    ) -> Result<Vec<u8>, NoRandomness> {
        let nonce: [u8; NONCE] = random::bytes()?;
        let payload = Payload {
            msg: plain,
            aad: owner.as_ref(),
        };
        let sealed = self.0.encrypt(&XNonce::from(nonce), payload);
        // Encryption fails for messages of hundreds of gigabytes only.
        let sealed = sealed.map_err(|_| NoRandomness)?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// What was sealed; `None` when it was with another key, for another owner, or not at all.
    pub(super) fn open(&self, owner: impl AsRef<[u8]>, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, msg) = sealed.split_first_chunk::<NONCE>()?;
        let aad = owner.as_ref();
        self.0
            .decrypt(&XNonce::from(*nonce), Payload { msg, aad })
            .ok()
    }
}

/// Keyed hashes, by which rows of one secret text are found without storing the text; cheap to clone.
#[derive(Clone)]
pub(super) struct KeyedHasher([u8; 32]);

impl KeyedHasher {
    /// A hasher whose key follows from the installation's secret and the purpose.
    pub(super) fn new(secret: &InstanceSecret, purpose: &'static str) -> Self {
        Self(secret.key_for(purpose))
    }

    /// The hash of a text within a scope. Scopes of one hasher must be of one length or end the same way.
    pub(super) fn hash(&self, scope: &[u8], text: &str) -> String {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(scope);
        hasher.update(text.as_bytes());
        hex::encode(hasher.finalize().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_one_text_are_found_within_their_scope_with_the_key() {
        let of = |key, purpose, scope: &str, text| {
            let hasher = KeyedHasher::new(&InstanceSecret::from_bytes([key; 32]), purpose);
            hasher.hash(scope.as_bytes(), text)
        };
        let one = of(1, "a", "7", "x");
        assert_eq!((one.len(), &one), (64, &of(1, "a", "7", "x")));
        for other in [
            of(2, "a", "7", "x"),
            of(1, "b", "7", "x"),
            of(1, "a", "8", "x"),
            of(1, "a", "7", "y"),
        ] {
            assert_ne!(other, one);
        }
    }

    #[test]
    fn what_is_sealed_opens_for_its_owner_and_purpose_with_the_key_and_not_otherwise() {
        let sealer = |key, purpose: &'static str| {
            Sealer::new(&InstanceSecret::from_bytes([key; 32]), purpose)
        };
        let sealed = sealer(1, "a").close("one", b"secret").unwrap();
        assert_eq!(sealer(1, "a").open("one", &sealed).unwrap(), b"secret");
        assert_ne!(sealer(1, "a").close("one", b"secret").unwrap(), sealed);
        assert_eq!(sealer(1, "a").open("two", &sealed), None);
        assert_eq!(sealer(1, "b").open("one", &sealed), None);
        assert_eq!(sealer(2, "a").open("one", &sealed), None);
        assert_eq!(sealer(1, "a").open("one", &sealed[1..]), None);
        assert!(!sealed.windows(6).any(|window| window == b"secret"));
    }
}
