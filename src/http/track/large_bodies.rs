//! Turns at large bodies: one at a time for the whole process, and one at a time for each sender: a sender with many
//! waits behind every other sender with one.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Who sends: the id of a key, or the keyed hash of an address.
pub(super) type SenderId = crate::store::limits::Identity;

/// The queue of this process.
pub(super) static LARGE_BODIES: LazyLock<LargeBodyQueue> = LazyLock::new(LargeBodyQueue::default);

/// Who has the permit, and who waits for it.
#[derive(Debug, Clone)]
pub(super) struct LargeBodyQueue(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Permits are given in the order in which they were asked for.
    all: Arc<Semaphore>,
    senders: Mutex<HashMap<SenderId, Arc<Semaphore>>>,
}

impl Default for LargeBodyQueue {
    fn default() -> Self {
        Self(Arc::new(Inner {
            all: Arc::new(Semaphore::new(1)),
            senders: Mutex::default(),
        }))
    }
}

/// A permit, or the place in the queue for one.
#[derive(Debug)]
pub(super) struct LargeBodyPermit {
    queue: LargeBodyQueue,
    sender: SenderId,
    own: Arc<Semaphore>,
    permits: Option<[OwnedSemaphorePermit; 2]>,
}

impl LargeBodyQueue {
    /// Waits for a permit. `None` only when the process ends.
    pub(super) async fn take(&self, sender: SenderId) -> Option<LargeBodyPermit> {
        let mut permit = self.enter(sender);
        let own = Arc::clone(&permit.own).acquire_owned().await.ok()?;
        let all = Arc::clone(&self.0.all).acquire_owned().await.ok()?;
        permit.permits = Some([own, all]);
        Some(permit)
    }

    fn enter(&self, sender: SenderId) -> LargeBodyPermit {
        let mut senders = self
            .0
            .senders
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let own = senders
            .entry(sender)
            .or_insert_with(|| Arc::new(Semaphore::new(1)));
        LargeBodyPermit {
            queue: self.clone(),
            sender,
            own: Arc::clone(own),
            permits: None,
        }
    }
}

impl Drop for LargeBodyPermit {
    fn drop(&mut self) {
        drop(self.permits.take());
        let senders = &self.queue.0.senders;
        let mut senders = senders.lock().unwrap_or_else(PoisonError::into_inner);
        // The map's and this one: everyone who has or awaits a permit holds one, and enters under the lock.
        if Arc::strong_count(&self.own) == 2 {
            senders.remove(&self.sender);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn sender(name: &str) -> SenderId {
        SenderId::from_name("key", name)
    }

    #[test]
    fn a_sender_with_many_bodies_waits_behind_one_with_a_single_body() {
        let queue = LargeBodyQueue::default();
        let first = queue.take(sender("many")).now_or_never().flatten().unwrap();
        let mut many: Vec<_> = (0..100)
            .map(|_| Box::pin(queue.take(sender("many"))))
            .collect();
        for waiting in &mut many {
            assert!(waiting.now_or_never().is_none());
        }
        let mut single = Box::pin(queue.take(sender("single")));
        assert!((&mut single).now_or_never().is_none());
        drop(first);
        let next = (&mut single).now_or_never().flatten();
        assert!(next.is_some());
        for waiting in &mut many {
            assert!(waiting.now_or_never().is_none());
        }
        drop(next);
        assert!((&mut many[0]).now_or_never().flatten().is_some());
        drop((many, single));
        assert!(queue.0.senders.lock().unwrap().is_empty());
    }
}
