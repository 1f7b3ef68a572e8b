//! Exactly once by `eventId`.
//!
//! Only the spool thread decides, so duplicates are ordered by construction. Keys of the open generation live in a hash
//! set; those of closed ones are written to sorted key files by a thread of their own ([`index`]), which also merges
//! files ([`tiers`]) and drops them when their newest key is older than the window. A look into a file costs one access
//! to memory ([`filter`]), and one page of the file for the few strangers that the filter lets pass.
//!
//! A generation is sealed only after its keys are on disk: its part of the log, from which they could be read back, goes
//! with the seal. A key file covers a stretch of the log completely, and files are merged only when all of that stretch is
//! sealed. So at start a file's keys are either all of sealed events, and what is read back from the log with one of them
//! is a duplicate, or the log has them all and the file goes. The first happens: a frame whose sync failed may be on the
//! disk all the same, with the second attempt of its client behind it, and a seal may have taken only the first.

pub mod filter;
pub mod index;
pub mod keyfile;
mod tiers;
mod write;

use std::{
    collections::HashSet,
    hash::{BuildHasherDefault, Hasher},
    sync::{Arc, mpsc::Sender},
};

use arc_swap::ArcSwap;

use self::index::{DedupIndex, Files, Frozen, Work};
pub use self::{index::DedupStats, keyfile::KeyFile};
use super::{
    event::Trust,
    log::{Key, Lsn},
};

/// Room for the keys of a usual generation: a growing set stalls the spool thread.
const USUAL: usize = 1 << 16;

/// What keys of events with an API key end with. No `eventId` does: it is no UTF-8.
const WITH_KEY: [u8; 1] = [0xff];

/// Makes the key of an event id. `secret` is the installation's own, which prevents crafted collisions. An event with the
/// public client id, which anyone can send, never has the key of one with an API key.
pub fn key(secret: &[u8; 32], trust: Trust, organization: i64, website: i64, id: &str) -> Key {
    let mut hasher = blake3::Hasher::new_keyed(secret);
    hasher.update(&organization.to_le_bytes());
    hasher.update(&website.to_le_bytes());
    hasher.update(id.as_bytes());
    if trust == Trust::Key {
        hasher.update(&WITH_KEY);
    }
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

pub type KeySet = HashSet<Key, BuildHasherDefault<LowHalf>>;

/// Every key that may still meet a duplicate, as the spool thread sees them.
pub struct RecentKeys {
    /// Keys of the open generation.
    open: KeySet,
    /// Keys of closed generations that are on their way into files.
    frozen: Vec<Arc<Frozen>>,
    /// The files, as of the last refresh.
    files: Arc<Files>,
    current: Arc<ArcSwap<Files>>,
    index: Sender<Work>,
    /// First log position that no file covers yet.
    from: Lsn,
    /// Before this position, keys of events with an API key were made as those of [`Trust::Client`].
    trusted_from: Lsn,
}

impl RecentKeys {
    /// Knows what `index` has; `from` is the first log position whose keys come from here.
    pub fn new(index: &DedupIndex, from: Lsn) -> Self {
        Self {
            open: room(),
            frozen: Vec::new(),
            files: index.files.load_full(),
            current: Arc::clone(&index.files),
            index: index.queue.clone(),
            from,
            trusted_from: 0,
        }
    }

    /// Knows that an earlier program, which did not distinguish trust, wrote the log before this position.
    pub fn trusting_from(self, trusted_from: Lsn) -> Self {
        Self {
            trusted_from,
            ..self
        }
    }

    /// Takes over what has become of the files. To be called now and then; in between the view is an old one.
    pub fn refresh(&mut self) {
        if !Arc::ptr_eq(&self.files, &self.current.load()) {
            self.files = self.current.load_full();
            let covered = self.files.covered;
            self.frozen.retain(|frozen| frozen.generation > covered);
        }
    }

    /// How many closed generations are not in files yet.
    pub fn behind(&self) -> usize {
        self.frozen.len()
    }

    /// Whether the key was stored before.
    pub fn contains(&self, key: Key) -> bool {
        self.open.contains(&key)
            || self.frozen.iter().any(|frozen| frozen.keys.contains(&key))
            || self.files.list.iter().rev().any(|file| file.contains(key))
    }

    /// Whether an earlier program, which did not distinguish trust, stored this key.
    pub fn contains_untold(&self, key: Key) -> bool {
        let is_early = |first: Lsn| first < self.trusted_from;
        let mut frozen = self.frozen.iter().filter(|one| is_early(one.lsns.0));
        let files = self.files.list.iter();
        let mut files = files.filter(|file| is_early(file.facts.lsns.0));
        (is_early(self.from) && self.open.contains(&key))
            || frozen.any(|one| one.keys.contains(&key))
            || files.any(|file| file.contains(key))
    }

    /// Remembers a key in the open generation.
    pub fn insert(&mut self, key: Key) {
        self.open.insert(key);
    }

    /// Forgets a key of the open generation whose row was not stored after all.
    pub fn take_back(&mut self, key: Key) {
        self.open.remove(&key);
    }

    /// Closes the open generation, which ends at `last` and whose events were received between those two times, and opens
    /// the next.
    pub fn freeze(&mut self, generation: u64, last: Lsn, received: (i64, i64)) {
        if self.open.is_empty() {
            self.from = last + 1;
            return;
        }
        let frozen = Arc::new(Frozen {
            generation,
            lsns: (self.from, last),
            received,
            keys: std::mem::replace(&mut self.open, room()),
        });
        self.from = last + 1;
        self.frozen.push(Arc::clone(&frozen));
        // Without a keeper the keys stay here, and nothing is sealed.
        let _ = self.index.send(Work::Write(frozen));
    }
}

fn room() -> KeySet {
    KeySet::with_capacity_and_hasher(USUAL, BuildHasherDefault::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;

    #[test]
    fn keys_tell_owner_website_and_id_apart() {
        let secret = [1; 32];
        let client = Trust::Client;
        let base = key(&secret, client, 1, 2, "a");
        assert_eq!(base, key(&secret, client, 1, 2, "a"));
        for other in [
            key(&secret, client, 2, 2, "a"),
            key(&secret, client, 1, 3, "a"),
            key(&secret, client, 1, 2, "b"),
            key(&[2; 32], client, 1, 2, "a"),
            key(&secret, Trust::Key, 1, 2, "a"),
        ] {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn a_key_is_known_until_it_is_taken_back() {
        let directory = tempfile::tempdir().unwrap();
        let index = DedupIndex::start(directory.path(), 0, 1_000, Clock::fixed(5_000)).unwrap();
        let mut seen = RecentKeys::new(&index, 1);
        seen.insert(5);
        seen.insert(6);
        seen.take_back(6);
        assert!(seen.contains(5) && !seen.contains(6));
        seen.freeze(1, 1, (5_000, 5_000));
        assert!(seen.contains(5) && seen.behind() == 1);
        index.confirm(1).unwrap();
        seen.refresh();
        assert!(seen.contains(5) && seen.behind() == 0);
        seen.freeze(2, 2, (5_000, 5_000));
        assert_eq!(seen.behind(), 0, "no keys, no file");
        index.stop();
    }
}
