//! Which share link a host shows, from memory: a request names its host before any limit counts, so it must not cost a
//! question to the database (threat T113).

use std::{
    num::NonZero,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use lru::LruCache;

use crate::{
    actors::shares::{Share, ShareError, SharesStore},
    fault::Fault,
};

/// Share links that are remembered; each takes less than a kilobyte.
const MAX_KNOWN: NonZero<usize> = NonZero::new(10_000).unwrap();

/// Share links by their IDs, as far as they never change: what they show, and their slugs. A deleted one stays away.
#[derive(Debug)]
pub struct ShareHosts(Mutex<LruCache<String, Option<Arc<Share>>>>);

impl Default for ShareHosts {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(MAX_KNOWN)))
    }
}

impl ShareHosts {
    /// The share link with this id; `None` if there is none any more.
    ///
    /// # Errors
    /// It isn't known yet, and the database doesn't answer.
    pub(super) async fn find(
        &self,
        shares: &SharesStore,
        id: &str,
    ) -> Result<Option<Arc<Share>>, Fault> {
        if let Some(known) = self.lock().get(id) {
            return Ok(known.clone());
        }
        let share = shares.get(id).await.map_err(away)?.map(Arc::new);
        self.lock().put(id.to_owned(), share.clone());
        Ok(share)
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<String, Option<Arc<Share>>>> {
        // Nothing panics while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the link is there isn't known.
fn away(error: ShareError) -> Fault {
    let mut fault = Fault::unavailable("Service temporarily unavailable");
    fault.cause = Some(error.into());
    fault
}
