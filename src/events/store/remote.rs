//! The store when ClickHouse holds its rows.

use std::{
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};

use super::{
    Accepted, AppendError, Appended, EventStore,
    shipper::{Shipper, ShipperMetrics, thread::MAX_STALENESS},
};
use crate::events::{
    answer_budget::{Account, Alone, Refused},
    clickhouse::Failure,
    deletion::DeletionTarget,
    engine::Pool,
    segments::{RetentionPolicy, RowCounts},
    statement::{QueryError, Rows, Statement},
};

/// How long a request waits for ClickHouse, when it has to.
const ACKNOWLEDGED: Duration = Duration::from_secs(10);
/// How long [`EventStore::ship_all`] waits for a backlog.
const ALL: Duration = Duration::from_mins(1);

/// How long a question that comes with the start waits for the tables.
const MAX_WAIT_FOR_TABLES: Duration = Duration::from_secs(5);

/// Who answers statements.
pub(super) enum Engine {
    /// DuckDB in this process, over segments and the tail.
    Embedded(Pool),
    /// A ClickHouse server, to which the log is shipped.
    Remote(Arc<Shipper>),
}

/// What is counted of shipper.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shipped {
    /// Batches that ClickHouse has.
    pub batches: u64,
    pub events: u64,
    /// Attempts that failed.
    pub retries: u64,
    /// Events that it refused for what they hold.
    pub quarantined: u64,
    /// Events that another node stores under the same id.
    pub elsewhere: u64,
    /// Events that were sent without knowing whether another node stores them.
    pub unclaimed: u64,
}

impl EventStore {
    pub(super) fn shipper(&self) -> Option<&Arc<Shipper>> {
        match &self.0.engine {
            Engine::Embedded(_) => None,
            Engine::Remote(shipper) => Some(shipper),
        }
    }

    /// Whether ClickHouse holds the rows, and statements have to be in its dialect.
    pub fn is_remote(&self) -> bool {
        self.shipper().is_some()
    }

    /// Whether the engine can be reached.
    pub async fn answers(&self) -> bool {
        match self.shipper() {
            None => true,
            Some(shipper) => shipper.remote.engine.ping().await.is_ok(),
        }
    }

    /// What was shipped since the start.
    pub fn shipped(&self) -> Shipped {
        let counted = |metrics: &ShipperMetrics| Shipped {
            batches: metrics.batches.load(Relaxed),
            events: metrics.events.load(Relaxed),
            retries: metrics.retries.load(Relaxed),
            quarantined: metrics.quarantined.load(Relaxed),
            elsewhere: metrics.elsewhere.load(Relaxed),
            unclaimed: metrics.unclaimed.load(Relaxed),
        };
        let shipper = self.shipper();
        shipper.map_or_else(Shipped::default, |shipper| counted(&shipper.metrics))
    }

    /// [`Self::append`] for a client: its answer says what `ingest.ack` promises.
    ///
    /// # Errors
    /// As there; [`AppendError::Remote`] when ClickHouse has to have the events and does not take them. They may be stored
    /// all the same: only a client that sends ids can send them again without fear.
    pub async fn take(&self, events: Vec<Accepted>) -> Result<Appended, AppendError> {
        let Some(shipper) = self.shipper().filter(|shipper| shipper.remote.ack) else {
            return self.append(events).await;
        };
        if shipper.trouble().is_some() {
            return Err(AppendError::Remote);
        }
        let appended = self.append(events).await?;
        if shipper.wait_for(self.last(), ACKNOWLEDGED).await {
            return Ok(appended);
        }
        Err(AppendError::Remote)
    }

    /// Waits until ClickHouse has everything that was acknowledged until now.
    ///
    /// # Errors
    /// That takes too long, or ClickHouse is away.
    pub async fn ship_all(&self) -> Result<(), Failure> {
        let Some(shipper) = self.shipper() else {
            return Ok(());
        };
        if shipper.wait_for(self.last(), ALL).await {
            return Ok(());
        }
        let trouble = shipper.trouble();
        Err(Failure::Away(
            trouble.unwrap_or_else(|| "a backlog is being shipped".to_owned()),
        ))
    }

    /// Erases events for good where ClickHouse holds them, including those that are not shipped yet, and counts them.
    ///
    /// # Errors
    /// Some or all may be left; repeating it is safe.
    pub async fn erase(&self, target: &DeletionTarget) -> Result<RowCounts, Failure> {
        self.ship_all().await?;
        match self.shipper() {
            None => Ok(RowCounts::new()),
            Some(shipper) => {
                let transfers = Arc::clone(&self.snapshot().transfers);
                shipper.remote.engine.erase(target, &transfers).await
            }
        }
    }

    /// Counts the events that [`Self::erase`] would delete.
    pub async fn count_target(&self, target: &DeletionTarget) -> Result<RowCounts, Failure> {
        self.ship_all().await?;
        match self.shipper() {
            None => Ok(RowCounts::new()),
            Some(shipper) => {
                let transfers = Arc::clone(&self.snapshot().transfers);
                shipper.remote.engine.count(target, &transfers).await
            }
        }
    }

    /// Counts the events of a website that are older than `days` at `now`, Unix ms; 0 days = none.
    pub async fn count_expired(
        &self,
        website: i64,
        days: u32,
        now: i64,
    ) -> Result<RowCounts, Failure> {
        self.ship_all().await?;
        match self.shipper() {
            None => Ok(RowCounts::new()),
            Some(shipper) => {
                shipper
                    .remote
                    .engine
                    .count_expired(website, days, now)
                    .await
            }
        }
    }

    /// Sets how long ClickHouse keeps events.
    ///
    /// # Errors
    /// The policy is unchanged.
    pub async fn set_retention(&self, retention: &RetentionPolicy) -> Result<(), Failure> {
        match self.shipper() {
            None => Ok(()),
            Some(shipper) => shipper.remote.engine.set_retention(retention).await,
        }
    }

    /// The last position of the log.
    fn last(&self) -> u64 {
        let snapshot = self.snapshot();
        let generations = snapshot.generations.iter();
        let last = generations.map(|generation| generation.last_lsn()).max();
        last.unwrap_or(0).max(snapshot.cursor)
    }

    /// The answer of ClickHouse.
    pub(super) async fn ask(
        &self,
        shipper: &Shipper,
        statement: &Statement,
        account: &Account,
        alone: Option<Alone>,
    ) -> Result<Rows, QueryError> {
        let tables = shipper.wait_for_tables(MAX_WAIT_FOR_TABLES).await;
        tables.map_err(QueryError::Unavailable)?;
        let own = self.0.current.positions.last(&statement.scope);
        // What was acknowledged is seen, unless shipping has fallen behind.
        shipper
            .wait_for(own.max(shipper.recovered), MAX_STALENESS)
            .await;
        let transfers = Arc::clone(&self.snapshot().transfers);
        let most = account.most();
        let mut rows = shipper
            .remote
            .engine
            .query(statement, &transfers, most)
            .await?;
        let mut charge = account.charge(alone);
        charge.add(rows.bytes()).map_err(|refused| match refused {
            Refused::TooLarge => QueryError::TooLarge,
            Refused::Full => QueryError::Full,
        })?;
        rows.charge = charge;
        Ok(rows)
    }
}
