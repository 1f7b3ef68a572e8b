//! What everyone may read without asking the actor.

use std::{
    collections::HashMap,
    sync::{Arc, atomic::Ordering},
};

use super::{KeyRejection, live_key::LiveKey, secret};
use crate::{
    actors::digest::Digest,
    ids::{KeyId, OrganizationId, UserId},
};

/// The published read model of keys, revoked ones included.
#[derive(Debug, Clone, Default)]
pub struct KeysView {
    keys: HashMap<KeyId, Arc<LiveKey>>,
    digests: HashMap<Digest, Arc<LiveKey>>,
    /// Whether a key was ever made, though it may be deleted.
    pub(super) ever: bool,
}

impl KeysView {
    /// The key that a secret opens now. One hash and one look into memory; text that cannot be a secret costs neither.
    pub fn authenticate(&self, secret: &str, now_ms: i64) -> Result<Arc<LiveKey>, KeyRejection> {
        if !secret::well_formed(secret) {
            return Err(KeyRejection::Unknown);
        }
        let digest = Digest::from_secret(secret);
        let key = self
            .digests
            .get(&digest)
            .filter(|key| key.digest.matches(&digest))
            .ok_or(KeyRejection::Unknown)?;
        match key.refusal(now_ms) {
            Some(refusal) => Err(refusal),
            None => Ok(Arc::clone(key)),
        }
    }

    /// Whether any key was ever made, deleted ones included.
    pub fn any_ever(&self) -> bool {
        self.ever
    }

    /// A key by its id, revoked or not.
    pub fn by_id(&self, id: &str) -> Option<&Arc<LiveKey>> {
        self.keys.get(id)
    }

    /// A key that its secret would open now.
    pub fn live(&self, id: &KeyId, now_ms: i64) -> Option<&Arc<LiveKey>> {
        let key = self.keys.get(id)?;
        key.refusal(now_ms).is_none().then_some(key)
    }

    /// The organization's keys, newest first.
    pub fn owned_by(&self, organization: &OrganizationId) -> Vec<Arc<LiveKey>> {
        let own = |key: &&Arc<LiveKey>| key.organization() == Some(organization);
        newest_first(self.keys.values().filter(own).cloned().collect())
    }

    /// The keys without an organization that a person has made, newest first.
    pub fn loose(&self, user: &UserId) -> Vec<Arc<LiveKey>> {
        let own = |key: &&Arc<LiveKey>| {
            key.organization().is_none() && key.created_by.as_ref() == Some(user)
        };
        newest_first(self.keys.values().filter(own).cloned().collect())
    }

    /// The keys of an organization that a person made and that were not revoked, newest first.
    pub fn made_by(&self, organization: &OrganizationId, user: &UserId) -> Vec<Arc<LiveKey>> {
        let mut keys = self.owned_by(organization);
        keys.retain(|key| key.created_by.as_ref() == Some(user) && key.revoked_ms.is_none());
        keys
    }

    /// How many keys an organization has, revoked ones included.
    pub(super) fn count_owned(&self, organization: &OrganizationId) -> usize {
        let own = |key: &&Arc<LiveKey>| key.organization() == Some(organization);
        self.keys.values().filter(own).count()
    }

    /// Takes over when keys were used, which may not be stored yet.
    pub(super) fn keep_use(&self, before: &Self) {
        for (id, key) in &self.keys {
            if let Some(known) = before.keys.get(id) {
                let last_ms = known.usage.last_ms.load(Ordering::Relaxed);
                key.usage.last_ms.fetch_max(last_ms, Ordering::Relaxed);
            }
        }
    }

    pub(super) fn remove(&mut self, id: &KeyId) {
        if let Some(key) = self.keys.remove(id) {
            self.digests.remove(&key.digest);
        }
    }

    /// Puts a key in, in place of an earlier version of it.
    pub(super) fn insert(&mut self, key: Arc<LiveKey>) {
        self.ever = true;
        if let Some(before) = self.keys.insert(key.id().clone(), Arc::clone(&key)) {
            self.digests.remove(&before.digest);
        }
        self.digests.insert(key.digest, key);
    }
}

fn newest_first(mut keys: Vec<Arc<LiveKey>>) -> Vec<Arc<LiveKey>> {
    keys.sort_by(|one, other| (other.created_ms, other.id()).cmp(&(one.created_ms, one.id())));
    keys
}
