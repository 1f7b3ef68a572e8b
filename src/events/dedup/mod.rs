//! Exactly once by `eventId`.
//!
//! Only the spool thread decides, so duplicates are ordered by construction. Keys of rows that are not sealed yet
//! live in a hash set per generation; every seal writes its keys to a sorted [`keyfile`] that is consulted through a
//! small in-memory [`filter`], merged with its neighbours, and dropped when its newest key is older than the window.

pub mod filter;
pub mod keyfile;

use std::{
    collections::{HashSet, VecDeque},
    hash::{BuildHasherDefault, Hasher},
    io,
};

pub use keyfile::KeyFile;

/// So many small key files become one.
const FAN_IN: usize = 16;
/// Files of this many keys are left alone: merging runs on the spool thread and has to be quick.
const MOST_MERGED: u64 = 1 << 17;

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
        if let Err(error) = self.merge_small() {
            tracing::warn!(%error, "key files cannot be merged; looking for duplicates stays slower");
        }
    }

    /// Makes one of many small key files: each of them costs every key a look.
    ///
    /// The merged file takes the name of its newest part, so that a crash in between leaves keys twice and none missing.
    fn merge_small(&mut self) -> io::Result<()> {
        let small = |file: &KeyFile| file.len() < MOST_MERGED;
        if self.files.iter().filter(|file| small(file)).count() < FAN_IN {
            return Ok(());
        }
        let parts: Vec<&KeyFile> = self.files.iter().filter(|file| small(file)).collect();
        let Some(latest) = parts.iter().max_by_key(|file| file.last_lsn) else {
            return Ok(());
        };
        let newest = parts.iter().map(|file| file.newest).max().unwrap_or(0);
        let mut keys = Vec::new();
        for part in &parts {
            keys.append(&mut part.keys()?);
        }
        let (last_lsn, directory) = (latest.last_lsn, latest.directory());
        let merged = KeyFile::write(&directory, last_lsn, newest, keys)?;
        self.files.retain(|file| {
            let part = small(file);
            if part && file.last_lsn != last_lsn {
                file.delete();
            }
            !part
        });
        self.files.push(merged);
        Ok(())
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
    fn many_small_files_become_one_and_every_key_stays() {
        let directory = tempfile::tempdir().unwrap();
        let mut seen = Seen::new(Vec::new());
        for n in 0..FAN_IN as u64 {
            let keys = (0..10)
                .map(|k| key(&[1; 32], 1, 1, &format!("{n}-{k}")))
                .collect();
            let file = KeyFile::write(directory.path(), n + 1, 1_000 + n as i64, keys).unwrap();
            seen.sealed(n, Some(file), 0);
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
        let reopened = Seen::new(keyfile::open_all(directory.path(), FAN_IN as u64, 0).unwrap());
        for n in 0..FAN_IN {
            for k in 0..10 {
                let key = key(&[1; 32], 1, 1, &format!("{n}-{k}"));
                assert!(seen.contains(key) && reopened.contains(key), "{n}-{k}");
            }
        }
        seen.sealed(99, None, 1_000 + FAN_IN as i64);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
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
