//! What everyone may read without asking the actor: records from memory, everything else from storage.

use std::sync::Arc;

use super::{
    Link, Record,
    model::link_key,
    shards::{PackedRecord, Shards},
};
use crate::{actors::unlocking::Unlocker, ids::HostId, store::StateDb};

#[derive(Debug, Default)]
pub(super) struct LinkChanges {
    pub(super) links: Vec<Arc<Link>>,
    pub(super) put: Vec<PackedRecord>,
    pub(super) removed: Vec<PackedRecord>,
}

pub struct LinksView {
    shards: Shards,
    pub(super) db: StateDb,
    pub(super) passwords: Unlocker,
}

impl LinksView {
    pub(super) fn new(db: StateDb, passwords: Unlocker, records: Vec<PackedRecord>) -> Self {
        Self {
            shards: Shards::new(records),
            db,
            passwords,
        }
    }

    /// The packed record of the link with this path on a host of an organization's, or on the usual one; [`Record::unpack`]
    /// reads it.
    pub fn packed(&self, host: Option<&HostId>, path: &str) -> Option<PackedRecord> {
        match host {
            Some(_) => self.shards.get(&link_key(host, path)),
            // Another host's key is no path.
            None if path.starts_with('/') => None,
            None => self.shards.get(path),
        }
    }

    pub fn len(&self) -> usize {
        self.shards.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Publishes what was written. The domain calls it after the commit and before the answer.
    pub(super) fn adopt(&self, changes: &LinkChanges) {
        for record in &changes.put {
            self.shards.put(PackedRecord::clone(record));
        }
        // Afterwards, because a link that keeps its slug must never be missing.
        for record in &changes.removed {
            let slug = Record::packed_slug(record);
            if changes
                .put
                .iter()
                .all(|put| Record::packed_slug(put) != slug)
            {
                self.shards.remove(record);
            }
        }
    }
}
