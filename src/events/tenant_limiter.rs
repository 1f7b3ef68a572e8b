//! Permits for work: so much at a time for every owner, the rest waits in the order it came.
//!
//! A permit is free again when it is dropped, and owners without running work take no memory.

use std::{
    collections::HashMap,
    fmt::Debug,
    hash::Hash,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The permits of all owners.
#[derive(Debug)]
pub(super) struct TenantLimiter<K>(Arc<Inner<K>>);

#[derive(Debug)]
struct Inner<K> {
    /// Permits of one owner.
    each: usize,
    /// Owners with work that runs or waits.
    busy: Mutex<HashMap<K, Arc<Semaphore>>>,
    running: AtomicUsize,
    waiting: AtomicUsize,
}

/// Work that runs or waits; it is gone when this is dropped.
#[derive(Debug)]
pub(super) struct QueryPermit<K: Key> {
    limiter: TenantLimiter<K>,
    owner: K,
    queue: Arc<Semaphore>,
    /// None while it waits.
    permit: Option<OwnedSemaphorePermit>,
}

/// What distinguishes owners.
pub(super) trait Key: Copy + Eq + Hash + Debug {}

impl<K: Copy + Eq + Hash + Debug> Key for K {}

impl<K> Clone for TenantLimiter<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: Key> TenantLimiter<K> {
    /// So many permits for each owner.
    pub(super) fn new(each: usize) -> Self {
        Self(Arc::new(Inner {
            each,
            busy: Mutex::default(),
            running: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
        }))
    }

    /// A permit of this owner; `None` when none became free in time.
    pub(super) async fn take(&self, owner: K, patience: Duration) -> Option<QueryPermit<K>> {
        let mut waiting = self.enter(owner);
        let free = Arc::clone(&waiting.queue).acquire_owned();
        let permit = tokio::time::timeout(patience, free).await.ok()?.ok()?;
        self.0.waiting.fetch_sub(1, Relaxed);
        self.0.running.fetch_add(1, Relaxed);
        waiting.permit = Some(permit);
        Some(waiting)
    }

    /// How many have a permit, and how many wait for one.
    pub(super) fn figures(&self) -> (usize, usize) {
        (self.0.running.load(Relaxed), self.0.waiting.load(Relaxed))
    }

    fn enter(&self, owner: K) -> QueryPermit<K> {
        let mut busy = self.0.busy.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = busy
            .entry(owner)
            .or_insert_with(|| Arc::new(Semaphore::new(self.0.each)));
        self.0.waiting.fetch_add(1, Relaxed);
        QueryPermit {
            limiter: self.clone(),
            owner,
            queue: Arc::clone(queue),
            permit: None,
        }
    }
}

impl<K: Key> Drop for QueryPermit<K> {
    fn drop(&mut self) {
        let inner = &self.limiter.0;
        let counted = if self.permit.take().is_some() {
            &inner.running
        } else {
            &inner.waiting
        };
        counted.fetch_sub(1, Relaxed);
        let mut busy = inner.busy.lock().unwrap_or_else(PoisonError::into_inner);
        // The map's and this one: everybody who runs or waits holds one, and enters under the lock.
        if Arc::strong_count(&self.queue) == 2 {
            busy.remove(&self.owner);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    const PATIENCE: Duration = Duration::from_hours(1);

    const EACH: usize = 8;

    type Owner = (i64, Option<i64>);

    /// A permit that is free now.
    fn now(limiter: &TenantLimiter<Owner>, owner: Owner) -> Option<QueryPermit<Owner>> {
        limiter.take(owner, PATIENCE).now_or_never().flatten()
    }

    #[tokio::test]
    async fn eight_at_a_time_for_every_owner_and_the_ninth_waits() {
        let limiter = TenantLimiter::new(EACH);
        let owners = [(1, Some(5)), (1, Some(6)), (1, None), (2, None)];
        let mut held = Vec::new();
        for owner in owners {
            held.extend((0..EACH).map(|_| now(&limiter, owner).unwrap()));
            assert!(now(&limiter, owner).is_none(), "{owner:?}");
        }
        assert_eq!(limiter.figures(), (owners.len() * EACH, 0));

        // Waiting callers get free permits in their order.
        let mut first = Box::pin(limiter.take(owners[0], PATIENCE));
        let mut second = Box::pin(limiter.take(owners[0], PATIENCE));
        assert!((&mut first).now_or_never().is_none());
        assert!((&mut second).now_or_never().is_none());
        assert_eq!(limiter.figures(), (owners.len() * EACH, 2));
        held.remove(EACH);
        assert!((&mut first).now_or_never().is_none(), "another's permit");
        held.remove(0);
        assert!((&mut second).now_or_never().is_none(), "it came later");
        let first = first.now_or_never().flatten().unwrap();

        // The one in front gave up: the permit is the next one's.
        drop(first);
        assert!(second.now_or_never().flatten().is_some());
    }

    #[tokio::test]
    async fn patience_ends_and_nothing_is_kept_of_who_has_left() {
        let limiter = TenantLimiter::new(EACH);
        let owner = (1, None);
        let held: Vec<_> = (0..EACH).map(|_| now(&limiter, owner).unwrap()).collect();
        let patience = Duration::from_millis(5);
        assert!(limiter.take(owner, patience).await.is_none());
        let mut given_up = Box::pin(limiter.take(owner, PATIENCE));
        assert!((&mut given_up).now_or_never().is_none());
        assert_eq!(limiter.figures(), (EACH, 1));
        drop(given_up);
        assert_eq!(limiter.figures(), (EACH, 0));
        drop(held);
        assert_eq!(limiter.figures(), (0, 0));
        assert!(limiter.0.busy.lock().unwrap().is_empty());
        assert!(now(&limiter, owner).is_some());
        assert!(limiter.0.busy.lock().unwrap().is_empty());
    }
}
