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

/// Ended requests of one set that are being given back. When Redis does not confirm them, they return to the list.
pub(super) struct Over<'a> {
    board: &'a Board,
    set: &'a str,
    names: Vec<String>,
}

impl Over<'_> {
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Redis knows of them.
    pub(super) fn confirm(mut self) {
        self.names.clear();
    }
}

impl Drop for Over<'_> {
    fn drop(&mut self) {
        if self.names.is_empty() {
            return;
        }
        let again = self.names.drain(..);
        let again = again.map(|name| (name, self.set.to_owned()));
        self.board.requests().over.extend(again);
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

    /// What has ended of a set and is still in Redis.
    pub(super) fn over<'a>(&'a self, set: &'a str) -> Over<'a> {
        let mut requests = self.board.requests();
        let names: Vec<_> = requests
            .over
            .extract_if(|_, own| own == set)
            .map(|(name, _)| name)
            .collect();
        drop(requests);
        Over {
            board: &self.board,
            set,
            names,
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
                let mut requests = self.board.requests();
                let names: Vec<_> = requests.over.keys().take(MAX).cloned().collect();
                let taken = names.iter();
                taken
                    .filter_map(|name| requests.over.remove_entry(name))
                    .collect()
            };
            if over.is_empty() {
                return;
            }
            if let Err(error) = soon(self.remove(&over)).await {
                tracing::debug!(%error, places = over.len(), "places of requests are not given back");
            }
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
