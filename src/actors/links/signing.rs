use crate::{actors::password::Hasher, ids::LinkId, store::InstanceSecret};

/// The purpose of the key that signs passes.
const PURPOSE: &str = "pharos 2026-11-21 passes of short links";

/// Hashes passwords and signs passes.
#[derive(Clone)]
pub(super) struct LinkPasswords {
    key: [u8; 32],
    /// Hashes the passwords of new and changed links.
    pub(super) setting: Hasher,
    /// Checks what visitors enter. Separate, because an import of many links must not delay visitors.
    pub(super) checking: Hasher,
}

impl LinkPasswords {
    pub(super) fn new(secret: &InstanceSecret) -> Self {
        Self {
            key: secret.key_for(PURPOSE),
            setting: Hasher::new(),
            checking: Hasher::new(),
        }
    }

    pub(super) fn sign(&self, id: &LinkId, lock: u64, until_ms: u64) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher
            .update(&lock.to_be_bytes())
            .update(&until_ms.to_be_bytes());
        hasher.update(id.as_str().as_bytes());
        hasher.finalize()
    }
}
