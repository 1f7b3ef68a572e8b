//! Packed records by slug: read by every redirect without waiting, changed by one writer.

use std::{hash::BuildHasher, sync::Arc};

use arc_swap::ArcSwap;
use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::Record;

/// A change copies one shard's pointers: a million links make 4,000 of them.
const SHARDS: usize = 256;

/// A packed record.
pub(super) type Packed = Arc<[u8]>;

/// All records.
#[derive(Debug)]
pub(super) struct Shards {
    hasher: RandomState,
    shards: Box<[ArcSwap<HashTable<Packed>>]>,
}

impl Shards {
    pub(super) fn new(records: Vec<Packed>) -> Self {
        let hasher = RandomState::default();
        // Growing hashes everything again; slugs are spread evenly.
        let each = records.len() / SHARDS * 17 / 16;
        let mut tables: Vec<HashTable<Packed>> = (0..SHARDS)
            .map(|_| HashTable::with_capacity(each))
            .collect();
        for record in records {
            let hash = hasher.hash_one(Record::slug_of(&record));
            let table = &mut tables[place(hash)];
            table.insert_unique(hash, record, |held| hasher.hash_one(Record::slug_of(held)));
        }
        let shards = tables.into_iter().map(ArcSwap::from_pointee).collect();
        Self { hasher, shards }
    }

    /// The record of a slug.
    pub(super) fn get(&self, slug: &str) -> Option<Packed> {
        let hash = self.hasher.hash_one(slug);
        let table = self.shards[place(hash)].load();
        let found = table.find(hash, |held| Record::slug_of(held) == slug);
        found.cloned()
    }

    /// Puts records in, in place of those with the same slugs.
    pub(super) fn put(&self, record: Packed) {
        self.change(&record.clone(), |table, hash, same| {
            if let Some(held) = table.find_mut(hash, same) {
                *held = record;
                return;
            }
            let hasher = |held: &Packed| self.hasher.hash_one(Record::slug_of(held));
            table.insert_unique(hash, record, hasher);
        });
    }

    /// Takes the record with the slug of this one out.
    pub(super) fn take(&self, record: &[u8]) {
        self.change(record, |table, hash, same| {
            if let Ok(entry) = table.find_entry(hash, same) {
                entry.remove();
            }
        });
    }

    fn change(
        &self,
        record: &[u8],
        with: impl FnOnce(&mut HashTable<Packed>, u64, &dyn Fn(&Packed) -> bool),
    ) {
        let slug = Record::slug_of(record);
        let hash = self.hasher.hash_one(slug);
        let shard = &self.shards[place(hash)];
        let mut table = HashTable::clone(&shard.load());
        with(&mut table, hash, &|held| Record::slug_of(held) == slug);
        shard.store(Arc::new(table));
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.load().len()).sum()
    }
}

fn place(hash: u64) -> usize {
    // The table itself looks at the lowest and the highest bits.
    (hash >> 32) as usize % SHARDS
}
