//! What everyone may read without asking the actor: records from memory, everything else from storage.

use std::sync::Arc;

use super::{
    Link, Record,
    lock::Locks,
    shards::{Packed, Shards},
};
use crate::store::StateDb;

/// What became of a write.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) links: Vec<Arc<Link>>,
    pub(super) put: Vec<Packed>,
    pub(super) gone: Vec<Packed>,
}

/// The read model of links.
#[derive(Debug)]
pub struct LinksView {
    shards: Shards,
    pub(super) db: StateDb,
    pub(super) locks: Locks,
}

impl LinksView {
    pub(super) fn new(db: StateDb, locks: Locks, records: Vec<Packed>) -> Self {
        Self {
            shards: Shards::new(records),
            db,
            locks,
        }
    }

    /// What is known of the link with this slug; [`Record::unpack`] reads it.
    pub fn packed(&self, slug: &str) -> Option<Packed> {
        self.shards.get(slug)
    }

    /// How many links there are.
    pub fn len(&self) -> usize {
        self.shards.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Shows what was written. Only the domain does, behind the commit and before the answer.
    pub(super) fn adopt(&self, written: &Written) {
        for record in &written.put {
            self.shards.put(Packed::clone(record));
        }
        // Behind it, so that a link that keeps its slug is never away.
        for gone in &written.gone {
            let slug = Record::slug_of(gone);
            if written.put.iter().all(|kept| Record::slug_of(kept) != slug) {
                self.shards.take(gone);
            }
        }
    }
}
