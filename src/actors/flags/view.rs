//! The read model: compiled active flags. Its other methods read from storage and are next to their tables.

use std::{collections::HashMap, sync::Arc};

use super::{
    compiled::FlagChanges,
    engine::{Compiled, Flags},
    recent_contexts::RecentContexts,
};
use crate::{ids::OrganizationId, store::StateDb};

/// Active flags of a website, or of an organization.
#[derive(Debug, Clone, Default)]
pub struct ActiveFlags {
    pub flags: Flags,
    /// Differs after every change.
    pub tag: u64,
    /// The public id of the website or organization.
    pub id: Box<str>,
    pub organization: Option<OrganizationId>,
    /// Whether the flags belong to a website, rather than to the organization.
    pub is_website: bool,
}

impl ActiveFlags {
    /// How many moments at which values change by themselves have passed.
    pub fn epoch(&self, now_ms: i64) -> usize {
        let passed = |flag: &Arc<Compiled>| flag.moments.partition_point(|at| *at <= now_ms);
        self.flags.values().map(passed).sum()
    }

    /// Whether a value depends on the request itself.
    pub fn asks_request(&self) -> bool {
        self.flags.values().any(|flag| flag.asks_request)
    }
}

/// Copies share everything.
#[derive(Debug, Clone)]
pub struct FlagsView {
    active: HashMap<Box<str>, Arc<ActiveFlags>>,
    recent: Arc<RecentContexts>,
    pub(super) db: StateDb,
}

impl FlagsView {
    pub(super) fn new(db: StateDb) -> Self {
        Self {
            active: HashMap::new(),
            recent: Arc::default(),
            db,
        }
    }

    /// Keeps the recent contexts, which only memory holds.
    pub(super) fn keep_recent_contexts(&mut self, before: &Self) {
        self.recent = Arc::clone(&before.recent);
    }

    /// Active flags by the public id of their website or organization.
    pub fn active(&self, id: &str) -> Option<&Arc<ActiveFlags>> {
        self.active.get(id)
    }

    pub fn recent_contexts(&self) -> &RecentContexts {
        &self.recent
    }

    /// Publishes what was written.
    pub(super) fn adopt(&mut self, changes: FlagChanges) {
        let id = changes.scope.id();
        let mut active = self
            .active
            .get(id)
            .map(|flags| ActiveFlags::clone(flags))
            .unwrap_or_default();
        for key in &changes.gone {
            if let Some(gone) = active.flags.remove(key.as_str()) {
                active.tag = active.tag.wrapping_sub(gone.tag);
            }
        }
        for flag in changes.put {
            active.tag = active.tag.wrapping_add(flag.tag);
            if let Some(before) = active.flags.insert(flag.key.clone(), flag) {
                active.tag = active.tag.wrapping_sub(before.tag);
            }
        }
        if active.flags.is_empty() {
            self.active.remove(id);
            return;
        }
        active.is_website = changes.scope.website.is_some();
        let id: Box<str> = id.into();
        active.id.clone_from(&id);
        active.organization = Some(changes.scope.organization);
        self.active.insert(id, Arc::new(active));
    }
}
