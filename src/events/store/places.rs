//! Places for statements that read rows: so many at a time for every owner, the others wait in the order they came.
//!
//! The engine takes statements in the order of their arrival, whoever asks. Because an owner has few of them there,
//! everybody else waits for those few at most, however much one asks at once. A place is free again when it is dropped,
//! and nothing is kept of owners for whom nothing runs.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::events::statement::Scope;

/// Statements of one owner that run at a time (wire.md 4.1).
pub(super) const EACH: usize = 8;

/// Whose rows are read: those of a website, a link or a monitor, or all that an organization has.
type Owner = (i64, Option<i64>);

/// The places of all owners.
#[derive(Clone, Default)]
pub(super) struct Places(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// Owners with statements that run or wait.
    busy: Mutex<HashMap<Owner, Arc<Semaphore>>>,
    running: AtomicUsize,
    waiting: AtomicUsize,
}

/// A statement that runs or waits; it is gone when this is dropped.
pub(super) struct Place {
    places: Places,
    owner: Owner,
    queue: Arc<Semaphore>,
    /// None while it waits.
    permit: Option<OwnedSemaphorePermit>,
}

impl Places {
    /// A place for a statement of this scope; `None` when none became free in time.
    pub(super) async fn take(&self, scope: &Scope, patience: Duration) -> Option<Place> {
        let mut place = self.enter((scope.organization, scope.website));
        let free = Arc::clone(&place.queue).acquire_owned();
        let permit = tokio::time::timeout(patience, free).await.ok()?.ok()?;
        self.0.waiting.fetch_sub(1, Relaxed);
        self.0.running.fetch_add(1, Relaxed);
        place.permit = Some(permit);
        Some(place)
    }

    /// How many statements run, and how many wait for a place.
    pub(super) fn figures(&self) -> (usize, usize) {
        (self.0.running.load(Relaxed), self.0.waiting.load(Relaxed))
    }

    fn enter(&self, owner: Owner) -> Place {
        let mut busy = self.0.busy.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = busy
            .entry(owner)
            .or_insert_with(|| Arc::new(Semaphore::new(EACH)));
        self.0.waiting.fetch_add(1, Relaxed);
        Place {
            places: self.clone(),
            owner,
            queue: Arc::clone(queue),
            permit: None,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let inner = &self.places.0;
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

    fn of(organization: i64, website: Option<i64>) -> Scope {
        Scope {
            organization,
            website,
            from: 0,
            to: 1,
        }
    }

    /// A place that is free now.
    fn now(places: &Places, scope: &Scope) -> Option<Place> {
        places.take(scope, PATIENCE).now_or_never().flatten()
    }

    #[tokio::test]
    async fn eight_at_a_time_for_every_owner_and_the_ninth_waits() {
        let places = Places::default();
        let owners = [of(1, Some(5)), of(1, Some(6)), of(1, None), of(2, None)];
        let mut held = Vec::new();
        for owner in &owners {
            held.extend((0..EACH).map(|_| now(&places, owner).unwrap()));
            assert!(now(&places, owner).is_none(), "{owner:?}");
        }
        assert_eq!(places.figures(), (owners.len() * EACH, 0));

        // Whoever waits gets a place as soon as one is free, first come, first served.
        let mut first = Box::pin(places.take(&owners[0], PATIENCE));
        let mut second = Box::pin(places.take(&owners[0], PATIENCE));
        assert!((&mut first).now_or_never().is_none());
        assert!((&mut second).now_or_never().is_none());
        assert_eq!(places.figures(), (owners.len() * EACH, 2));
        held.remove(EACH);
        assert!((&mut first).now_or_never().is_none(), "another's place");
        held.remove(0);
        assert!((&mut second).now_or_never().is_none(), "it came later");
        let first = first.now_or_never().flatten().unwrap();

        // The one in front gave up: the place is the next one's.
        drop(first);
        assert!(second.now_or_never().flatten().is_some());
    }

    #[tokio::test]
    async fn patience_ends_and_nothing_is_kept_of_who_has_left() {
        let places = Places::default();
        let owner = of(1, None);
        let held: Vec<Place> = (0..EACH).map(|_| now(&places, &owner).unwrap()).collect();
        let patience = Duration::from_millis(5);
        assert!(places.take(&owner, patience).await.is_none());
        let mut given_up = Box::pin(places.take(&owner, PATIENCE));
        assert!((&mut given_up).now_or_never().is_none());
        assert_eq!(places.figures(), (EACH, 1));
        drop(given_up);
        assert_eq!(places.figures(), (EACH, 0));
        drop(held);
        assert_eq!(places.figures(), (0, 0));
        assert!(places.0.busy.lock().unwrap().is_empty());
        assert!(now(&places, &owner).is_some());
        assert!(places.0.busy.lock().unwrap().is_empty());
    }
}
