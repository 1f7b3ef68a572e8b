//! Packed records by slug: every redirect reads them without waiting, and one writer changes them.

use std::{hash::BuildHasher, sync::Arc};

use arc_swap::ArcSwap;
use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::Record;

/// A change copies one shard's pointers: of a million links, 4,000.
const SHARDS: usize = 256;

pub(super) type PackedRecord = Arc<[u8]>;

#[derive(Debug)]
pub(super) struct Shards {
    hasher: RandomState,
    shards: Box<[ArcSwap<HashTable<PackedRecord>>]>,
}

impl Shards {
    pub(super) fn new(records: Vec<PackedRecord>) -> Self {
        let hasher = RandomState::default();
        // Growing hashes everything again; slugs are spread evenly.
        let each = records.len() / SHARDS * 17 / 16;
        let mut tables: Vec<HashTable<PackedRecord>> = (0..SHARDS)
            .map(|_| HashTable::with_capacity(each))
            .collect();
        for record in records {
            let hash = hasher.hash_one(Record::packed_slug(&record));
            let table = &mut tables[shard_index(hash)];
            table.insert_unique(hash, record, |held| {
                hasher.hash_one(Record::packed_slug(held))
            });
        }
        let shards = tables.into_iter().map(ArcSwap::from_pointee).collect();
        Self { hasher, shards }
    }

    pub(super) fn get(&self, slug: &str) -> Option<PackedRecord> {
        let hash = self.hasher.hash_one(slug);
        let table = self.shards[shard_index(hash)].load();
        let found = table.find(hash, |held| Record::packed_slug(held) == slug);
        found.cloned()
    }

    /// Adds a record, or replaces the one with its slug.
    pub(super) fn put(&self, record: PackedRecord) {
        self.change(&record.clone(), |table, hash, same| {
            if let Some(held) = table.find_mut(hash, same) {
                *held = record;
                return;
            }
            let hasher = |held: &PackedRecord| self.hasher.hash_one(Record::packed_slug(held));
            table.insert_unique(hash, record, hasher);
        });
    }

    /// Removes the record with the slug of this one.
    pub(super) fn remove(&self, record: &[u8]) {
        self.change(record, |table, hash, same| {
            if let Ok(entry) = table.find_entry(hash, same) {
                entry.remove();
            }
        });
    }

    fn change(
        &self,
        record: &[u8],
        with: impl FnOnce(&mut HashTable<PackedRecord>, u64, &dyn Fn(&PackedRecord) -> bool),
    ) {
        let slug = Record::packed_slug(record);
        let hash = self.hasher.hash_one(slug);
        let shard = &self.shards[shard_index(hash)];
        let mut table = HashTable::clone(&shard.load());
        with(&mut table, hash, &|held| Record::packed_slug(held) == slug);
        shard.store(Arc::new(table));
    }

    pub(super) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.load().len()).sum()
    }
}

fn shard_index(hash: u64) -> usize {
    // The table itself uses the lowest and the highest bits.
    (hash >> 32) as usize % SHARDS
}
