//! The places of requests that run in this process: given back when they end, renewed while they go on.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
    time::Duration,
};

use deadpool_redis::{
    Pool,
    redis::{Script, pipe},
};
use tokio::{sync::Notify, time::Instant};

use super::{LEASE, PATIENCE, SharedError, connection};

/// How often leases are renewed: three times before they end.
const EVERY: Duration = Duration::from_secs(10);
/// Requests that one call gives back.
const MAX: usize = 256;

static RENEW: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("renew.lua")));

/// Requests by name, with the set that each is in.
type RequestNames = HashMap<String, String>;

#[derive(Debug, Default)]
struct Requests {
    held: RequestNames,
    /// Ended, and still in Redis.
    over: RequestNames,
}

#[derive(Debug)]
struct Board {
    requests: Mutex<Requests>,
    ended: Notify,
}

impl Board {
    fn requests(&self) -> std::sync::MutexGuard<'_, Requests> {
        // Nothing panics while it is held.
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
pub(super) struct Slots {
    pool: Pool,
    board: Arc<Board>,
}

/// A request that runs; dropping it gives its place back.
#[derive(Debug)]
pub(in crate::store::limits) struct Lease {
    board: Arc<Board>,
    name: String,
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut requests = self.board.requests();
        if let Some((name, set)) = requests.held.remove_entry(&self.name) {
            requests.over.insert(name, set);
        }
        drop(requests);
        self.board.ended.notify_one();
    }
}

impl Slots {
    pub(super) fn new(pool: Pool) -> Self {
        let board = Board {
            requests: Mutex::default(),
            ended: Notify::new(),
        };
        Self {
            pool,
            board: Arc::new(board),
        }
    }

    /// Notes that a request runs.
    pub(super) fn hold(&self, set: String, name: String) -> Lease {
        self.board.requests().held.insert(name.clone(), set);
        Lease {
            board: Arc::clone(&self.board),
            name,
        }
    }

    /// What has ended of a set and may still be in Redis. It stays listed until [`Self::confirm`], so that a decision that overtakes
    /// the word of another connection counts it as ended, too.
    pub(super) fn over(&self, set: &str) -> Vec<String> {
        let requests = self.board.requests();
        let over = requests.over.iter().filter(|(_, own)| *own == set);
        over.map(|(name, _)| name.clone()).collect()
    }

    /// Redis knows that they have ended.
    pub(super) fn confirm<'a>(&self, names: impl IntoIterator<Item = &'a String>) {
        let mut requests = self.board.requests();
        for name in names {
            requests.over.remove(name);
        }
    }

    /// Gives places back as soon as they are free, and renews the others; for ever.
    pub(super) async fn keep(&self) {
        let mut renewed = Instant::now();
        loop {
            let next = tokio::time::timeout_at(renewed + EVERY, self.board.ended.notified()).await;
            self.give_back().await;
            if next.is_err() {
                renewed = Instant::now();
                let held = self.board.requests().held.clone();
                let held: Vec<_> = held.into_iter().collect();
                for some in held.chunks(MAX) {
                    if let Err(error) = soon(self.renew(some)).await {
                        tracing::debug!(%error, "places of requests are not renewed");
                        break;
                    }
                }
            }
        }
    }

    /// What cannot be given back is free when its lease ends.
    async fn give_back(&self) {
        loop {
            let over: Vec<_> = {
                let requests = self.board.requests();
                let over = requests.over.iter().take(MAX);
                over.map(|(name, set)| (name.clone(), set.clone()))
                    .collect()
            };
            if over.is_empty() {
                return;
            }
            if let Err(error) = soon(self.remove(&over)).await {
                tracing::debug!(%error, places = over.len(), "places of requests are not given back");
            }
            self.confirm(over.iter().map(|(name, _)| name));
        }
    }

    async fn remove(&self, over: &[(String, String)]) -> Result<(), SharedError> {
        let mut all = pipe();
        for (name, set) in over {
            all.zrem(set, name).ignore();
        }
        let mut connection = connection(&self.pool).await?;
        Ok(all.query_async::<()>(&mut connection).await?)
    }

    async fn renew(&self, held: &[(String, String)]) -> Result<(), SharedError> {
        let mut connection = connection(&self.pool).await?;
        // One at a time: sets of two identities may be on two servers.
        for (name, set) in held {
            let mut script = RENEW.key(set);
            script.arg(LEASE.as_millis() as u64).arg(name);
            script.invoke_async::<i64>(&mut connection).await?;
        }
        Ok(())
    }
}

async fn soon<T>(work: impl Future<Output = Result<T, SharedError>>) -> Result<T, SharedError> {
    let patience = 10 * PATIENCE;
    tokio::time::timeout(patience, work)
        .await
        .unwrap_or(Err(SharedError::Late(patience)))
}
