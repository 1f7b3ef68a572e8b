//! The times of last use on their way to storage: collected, then written in one transaction.

use std::collections::HashMap;

use super::{live_key::USED_EVERY_MS, repo};
use crate::{
    ids::KeyId,
    store::{StateDb, StateError},
};

/// Uses that are not stored yet.
#[derive(Debug, Default)]
pub(super) struct PendingUses {
    marks: HashMap<KeyId, i64>,
    /// The last stored time of keys used lately, to write each key rarely.
    stored: HashMap<KeyId, i64>,
}

impl PendingUses {
    /// Takes a use, unless one of the last 300 seconds is stored already.
    pub(super) fn note(&mut self, id: KeyId, at_ms: i64) {
        let stored_ms = self.stored.get(&id).copied().unwrap_or(i64::MIN);
        if at_ms < stored_ms.saturating_add(USED_EVERY_MS) {
            return;
        }
        let mark = self.marks.entry(id).or_insert(at_ms);
        *mark = at_ms.max(*mark);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Hands out what is to be stored now.
    pub(super) fn take(&mut self) -> Vec<(KeyId, i64)> {
        self.marks.drain().collect()
    }

    /// These are stored; remembers them as long as they hold back the next.
    pub(super) fn settle(&mut self, marks: Vec<(KeyId, i64)>) {
        let latest = marks.iter().map(|(_, at_ms)| *at_ms).max();
        if let Some(latest) = latest {
            self.stored
                .retain(|_, at_ms| at_ms.saturating_add(USED_EVERY_MS) > latest);
        }
        self.stored.extend(marks);
    }
}

/// Stores the marks in one transaction and gives them back; a failure is logged and costs the marks only.
pub(super) async fn store(db: StateDb, marks: Vec<(KeyId, i64)>) -> Vec<(KeyId, i64)> {
    match write(&db, &marks).await {
        Ok(()) => marks,
        Err(error) => {
            tracing::warn!(%error, keys = marks.len(), "the last use of keys is not stored");
            Vec::new()
        }
    }
}

async fn write(db: &StateDb, marks: &[(KeyId, i64)]) -> Result<(), StateError> {
    if marks.is_empty() {
        return Ok(());
    }
    let write = db.begin_blind().await?;
    for (id, at_ms) in marks {
        repo::mark_used(&*write, id, *at_ms).await?;
    }
    write.commit_quietly().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mark_per_key_and_one_write_in_300_seconds() {
        let mut unstored = PendingUses::default();
        for at_ms in [5, 9, 7] {
            unstored.note("a".into(), at_ms);
        }
        let marks = unstored.take();
        assert_eq!(marks, [("a".into(), 9)]);
        unstored.settle(marks);
        unstored.note("a".into(), 9 + USED_EVERY_MS - 1);
        assert!(unstored.is_empty());
        unstored.note("a".into(), 9 + USED_EVERY_MS);
        assert!(!unstored.is_empty());
    }

    #[test]
    fn what_no_longer_holds_anything_back_is_forgotten() {
        let mut unstored = PendingUses::default();
        unstored.settle(vec![("a".into(), 1)]);
        unstored.settle(vec![("b".into(), 1 + USED_EVERY_MS)]);
        assert_eq!(unstored.stored.len(), 1);
    }
}
