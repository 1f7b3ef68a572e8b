//! Permits for what is scarce: so many at a time, and a few of them for each organization. The rest waits in the order it came.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::ids::OrganizationId;

#[derive(Debug)]
pub(super) struct Limiter {
    all: Arc<Semaphore>,
    each: usize,
    /// Organizations that have a permit or wait for one.
    busy: Mutex<HashMap<OrganizationId, Arc<Semaphore>>>,
}

/// Free again when it is dropped.
#[derive(Debug)]
pub(super) struct Permit {
    _own: OwnedSemaphorePermit,
    _common: OwnedSemaphorePermit,
}

impl Limiter {
    /// `each`: permits of one organization.
    pub(super) fn new(all: usize, each: usize) -> Self {
        Self {
            all: Arc::new(Semaphore::new(all)),
            each,
            busy: Mutex::default(),
        }
    }

    /// Waits for a permit. Nothing only if the permits were closed, which they never are.
    pub(super) async fn acquire(&self, organization: &OrganizationId) -> Option<Permit> {
        // Its own comes first: what waits for that keeps no common one from others.
        let own = self.queue(organization).acquire_owned().await.ok()?;
        let common = Arc::clone(&self.all).acquire_owned().await.ok()?;
        Some(Permit {
            _own: own,
            _common: common,
        })
    }

    fn queue(&self, organization: &OrganizationId) -> Arc<Semaphore> {
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        // Permits and those who wait hold their queue.
        busy.retain(|_, queue| Arc::strong_count(queue) > 1);
        let queue = busy.entry(organization.clone());
        Arc::clone(queue.or_insert_with(|| Arc::new(Semaphore::new(self.each))))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn organization(name: &str) -> OrganizationId {
        name.to_owned().into()
    }

    #[tokio::test]
    async fn an_organization_leaves_permits_to_others() {
        let limiter = Limiter::new(3, 2);
        let (greedy, modest) = (organization("greedy"), organization("modest"));
        let now = |organization| limiter.acquire(organization).now_or_never().flatten();
        let first = now(&greedy).unwrap();
        let _second = now(&greedy).unwrap();
        assert!(now(&greedy).is_none());
        let third = now(&modest).unwrap();
        assert!(now(&modest).is_none());
        drop(third);
        assert!(now(&greedy).is_none());
        drop(first);
        assert!(now(&greedy).is_some());
    }

    #[tokio::test]
    async fn organizations_without_permits_take_no_memory() {
        let limiter = Limiter::new(3, 2);
        for name in ["a", "b", "c", "d"] {
            limiter.acquire(&organization(name)).await.unwrap();
        }
        assert_eq!(limiter.busy.lock().unwrap().len(), 1);
    }
}
