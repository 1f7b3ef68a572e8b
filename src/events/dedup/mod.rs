//! Exactly once by `eventId`.
//!
//! Only the spool thread decides, so duplicates are ordered by construction. Keys of rows that are not sealed yet
//! live in a hash set per generation; every seal writes its keys to a sorted [`keyfile`] that is consulted through a
//! small in-memory [`filter`] and dropped when its newest key is older than the window.

pub mod filter;
pub mod keyfile;

use std::{
    collections::{HashSet, VecDeque},
    hash::{BuildHasherDefault, Hasher},
};

pub use keyfile::KeyFile;

/// Keyed 128-bit hash of (organization, website, eventId).
pub type Key = u128;

/// Makes the key of an event id. `secret` is the installation's own, so that nobody can craft collisions.
pub fn key(secret: &[u8; 32], organization: i64, website: i64, event_id: &str) -> Key {
    let mut hasher = blake3::Hasher::new_keyed(secret);
    hasher.update(&organization.to_le_bytes());
    hasher.update(&website.to_le_bytes());
    hasher.update(event_id.as_bytes());
    let mut key = [0; 16];
    key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    Key::from_le_bytes(key)
}

/// Keys are uniformly distributed already: their low half is the hash.
#[derive(Default)]
pub struct LowHalf(u64);

impl Hasher for LowHalf {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {}
    fn write_u128(&mut self, key: u128) {
        self.0 = key as u64;
    }
}

/// A set of keys.
pub type KeySet = HashSet<Key, BuildHasherDefault<LowHalf>>;

/// Every key that may still meet a duplicate.
#[derive(Default)]
pub struct Seen {
    /// Keys per generation that is not sealed, oldest first; the last one is open.
    live: VecDeque<(u64, KeySet)>,
    /// Keys of sealed generations.
    files: Vec<KeyFile>,
}

impl Seen {
    /// Starts with the key files that still count.
    pub fn new(files: Vec<KeyFile>) -> Self {
        Self {
            live: VecDeque::new(),
            files,
        }
    }

    /// Opens the key set of a new generation.
    pub fn open(&mut self, generation: u64) {
        // A growing set stalls the writer; make room for a usual generation at once.
        let set = KeySet::with_capacity_and_hasher(1 << 16, BuildHasherDefault::default());
        self.live.push_back((generation, set));
    }

    /// Whether the key was stored before.
    pub fn contains(&self, key: Key) -> bool {
        self.live.iter().any(|(_, set)| set.contains(&key))
            || self.files.iter().any(|file| file.contains(key))
    }

    /// Remembers a key in the open generation.
    pub fn insert(&mut self, key: Key) {
        if let Some((_, set)) = self.live.back_mut() {
            set.insert(key);
        }
    }

    /// Forgets a key of the open generation whose row was not stored after all.
    pub fn take_back(&mut self, key: Key) {
        if let Some((_, set)) = self.live.back_mut() {
            set.remove(&key);
        }
    }

    /// A generation's keys are in `file` now (or it had none); forgets files that ended before `oldest`.
    pub fn sealed(&mut self, generation: u64, file: Option<KeyFile>, oldest: i64) {
        self.live.retain(|(id, _)| *id != generation);
        self.files.extend(file);
        self.files.retain(|file| {
            let keep = file.newest >= oldest;
            if !keep {
                file.delete();
            }
            keep
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_owner_website_and_id_apart() {
        let secret = [1; 32];
        let base = key(&secret, 1, 2, "a");
        assert_eq!(base, key(&secret, 1, 2, "a"));
        for other in [
            key(&secret, 2, 2, "a"),
            key(&secret, 1, 3, "a"),
            key(&secret, 1, 2, "b"),
            key(&[2; 32], 1, 2, "a"),
        ] {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn a_key_is_known_until_it_is_taken_back_or_its_file_expires() {
        let directory = tempfile::tempdir().unwrap();
        let mut seen = Seen::new(Vec::new());
        seen.open(1);
        seen.insert(5);
        seen.insert(6);
        seen.take_back(6);
        assert!(seen.contains(5) && !seen.contains(6));

        let file = KeyFile::write(directory.path(), 9, 1_000, vec![5]).unwrap();
        seen.open(2);
        seen.sealed(1, Some(file), 0);
        assert!(seen.contains(5));
        seen.sealed(99, None, 1_001);
        assert!(!seen.contains(5));
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
