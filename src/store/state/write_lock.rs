//! What this process knows of a domain's writes: its own, and that there were others.
//!
//! Each write of a domain adds one to the domain's epoch. A process notes the epoch with which it has read the domain, and counts
//! its own writes along; an epoch that is another one says that another process has written.

use std::{
    fmt::Debug,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::future::BoxFuture;
use sea_orm::{DatabaseTransaction, DbErr};

/// A transaction that holds the write lock, with the epoch before it; or why there is none.
pub(super) type Ahead = Result<(DatabaseTransaction, i64), DbErr>;

/// What all handles of one domain's database share.
#[derive(Debug, Default)]
pub(super) struct WriteLocks {
    /// The epoch that memory represents; nothing before memory was read.
    known: Mutex<Option<i64>>,
    /// The one that memory is being read for.
    read: Mutex<Option<i64>>,
    /// A write lock that was taken for the next writer.
    ahead: Mutex<Option<Ahead>>,
}

/// Announces to other processes that a domain was written, before the writer gets its answer.
pub trait EpochPublisher: Debug + Send + Sync {
    /// The domain was written, and this is its epoch now. It is written whatever becomes of telling it.
    fn tell(&self, domain: &'static str, epoch: i64) -> BoxFuture<'_, ()>;
}

/// The write lock of a domain, for one write.
#[derive(Debug)]
pub(super) struct WriteLock {
    pub(super) domain: &'static str,
    /// How often the domain was written before.
    pub(super) epoch: i64,
    pub(super) locks: Arc<WriteLocks>,
    pub(super) epochs: Option<Arc<dyn EpochPublisher>>,
}

impl WriteLock {
    /// The write is durable.
    pub(super) async fn over(self) {
        self.locks.wrote(self.epoch);
        self.tell().await;
    }

    /// The same, where this process has to read the domain anew as well.
    pub(super) async fn tell(self) {
        if let Some(epochs) = self.epochs {
            epochs.tell(self.domain, self.epoch + 1).await;
        }
    }
}

impl WriteLocks {
    /// Whether memory represents another epoch than this one.
    pub(super) fn is_behind(&self, epoch: i64) -> bool {
        lock(&self.known).is_some_and(|known| known != epoch)
    }

    /// The epoch that memory represents; nothing before memory was read.
    pub(super) fn known_epoch(&self) -> Option<i64> {
        *lock(&self.known)
    }

    /// Memory is about to be read, and this is the epoch now.
    pub(super) fn learn(&self, epoch: i64) {
        *lock(&self.read) = Some(epoch);
    }

    /// What was read is what everybody is shown.
    pub(super) fn learned(&self) {
        if let Some(epoch) = lock(&self.read).take() {
            *lock(&self.known) = Some(epoch);
        }
    }

    /// [`WriteLocks::learn`] of the lock that this process holds, if any.
    pub(super) fn learn_from_ahead(&self) -> bool {
        let epoch = match &*lock(&self.ahead) {
            Some(Ok((_, epoch))) => *epoch,
            _ => return false,
        };
        self.learn(epoch);
        true
    }

    /// Whether this process holds a lock that no write has used yet.
    pub(super) fn has_ahead(&self) -> bool {
        matches!(&*lock(&self.ahead), Some(Ok(_)))
    }

    /// This process has written, at this epoch. Memory that was behind still is.
    pub(super) fn wrote(&self, epoch: i64) {
        let mut known = lock(&self.known);
        if *known == Some(epoch) {
            *known = Some(epoch + 1);
        }
    }

    pub(super) fn put_ahead(&self, ahead: Option<Ahead>) {
        *lock(&self.ahead) = ahead;
    }

    pub(super) fn take_ahead(&self) -> Option<Ahead> {
        lock(&self.ahead).take()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics while it is held.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_writes_are_known_and_others_are_not() {
        let locks = WriteLocks::default();
        assert!(!locks.is_behind(7), "nothing was read yet");
        locks.learn(7);
        assert!(!locks.is_behind(8), "nobody is shown it yet");
        locks.learned();
        locks.wrote(7);
        assert!(!locks.is_behind(8));
        // Another process wrote, then this one did, without having read what.
        assert!(locks.is_behind(9));
        locks.wrote(9);
        assert!(locks.is_behind(10));
        locks.learn(10);
        assert!(locks.is_behind(10));
        locks.learned();
        assert!(!locks.is_behind(10));
    }
}
