//! The store when ClickHouse holds its rows.

use std::{
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};

use super::{Accepted, AppendError, Appended, EventStore, ship::FRESH};
use crate::events::{
    answer_budget::{Account, Alone, Refused},
    clickhouse::Failure,
    deletion::DeletionTarget,
    engine::Pool,
    segments::{Gone, Retention},
    shipper::{ShipperMetrics, Shipping},
    statement::{QueryError, Rows, Statement},
};

/// How long a request waits for ClickHouse, when it has to.
const ACKNOWLEDGED: Duration = Duration::from_secs(10);
/// How long whoever needs everything there waits for a backlog.
const ALL: Duration = Duration::from_mins(1);

/// Who answers statements.
pub(super) enum Engine {
    /// DuckDB in this process, over segments and the tail.
    Embedded(Pool),
    /// A ClickHouse server, to which the log is shipped.
    Remote(Arc<Shipping>),
}

/// What is counted of shipping.
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
    /// Events that were sent although nobody said whether another node stores them.
    pub unclaimed: u64,
}

impl EventStore {
    pub(super) fn shipping(&self) -> Option<&Arc<Shipping>> {
        match &self.0.engine {
            Engine::Embedded(_) => None,
            Engine::Remote(shipping) => Some(shipping),
        }
    }

    /// Whether ClickHouse holds the rows, and statements have to be in its dialect.
    pub fn is_remote(&self) -> bool {
        self.shipping().is_some()
    }

    /// Whether whoever answers statements can be reached.
    pub async fn answers(&self) -> bool {
        match self.shipping() {
            None => true,
            Some(shipping) => shipping.remote.engine.ping().await.is_ok(),
        }
    }

    /// What was shipped since the start.
    pub fn shipped(&self) -> Shipped {
        let counted = |figures: &ShipperMetrics| Shipped {
            batches: figures.batches.load(Relaxed),
            events: figures.events.load(Relaxed),
            retries: figures.retries.load(Relaxed),
            quarantined: figures.quarantined.load(Relaxed),
            elsewhere: figures.elsewhere.load(Relaxed),
            unclaimed: figures.unclaimed.load(Relaxed),
        };
        let shipping = self.shipping();
        shipping.map_or_else(Shipped::default, |shipping| counted(&shipping.figures))
    }

    /// [`Self::append`] for a client: its answer says what `ingest.ack` promises.
    ///
    /// # Errors
    /// As there; [`AppendError::Remote`] when ClickHouse has to have the events and does not take them. They may be stored
    /// all the same: only a client that sends ids can send them again without fear.
    pub async fn take(&self, events: Vec<Accepted>) -> Result<Appended, AppendError> {
        let Some(shipping) = self.shipping().filter(|shipping| shipping.remote.ack) else {
            return self.append(events).await;
        };
        if shipping.trouble().is_some() {
            return Err(AppendError::Remote);
        }
        let appended = self.append(events).await?;
        if shipping.reached(self.last(), ACKNOWLEDGED).await {
            return Ok(appended);
        }
        Err(AppendError::Remote)
    }

    /// Waits until ClickHouse has everything that was acknowledged until now.
    ///
    /// # Errors
    /// That takes too long, or ClickHouse is away.
    pub async fn ship_all(&self) -> Result<(), Failure> {
        let Some(shipping) = self.shipping() else {
            return Ok(());
        };
        if shipping.reached(self.last(), ALL).await {
            return Ok(());
        }
        let trouble = shipping.trouble();
        Err(Failure::Away(
            trouble.unwrap_or_else(|| "a backlog is being shipped".to_owned()),
        ))
    }

    /// Erases events for good where ClickHouse holds them, what is not shipped yet included; answers with how many, by
    /// kind.
    ///
    /// # Errors
    /// Some or all may be left; to ask again is harmless.
    pub async fn erase(&self, target: &DeletionTarget) -> Result<Gone, Failure> {
        self.ship_all().await?;
        match self.shipping() {
            None => Ok(Gone::new()),
            Some(shipping) => {
                let moves = Arc::clone(&self.snapshot().moves);
                shipping.remote.engine.erase(target, &moves).await
            }
        }
    }

    /// How many events [`Self::erase`] would take away, by kind.
    pub async fn count_target(&self, target: &DeletionTarget) -> Result<Gone, Failure> {
        self.ship_all().await?;
        match self.shipping() {
            None => Ok(Gone::new()),
            Some(shipping) => {
                let moves = Arc::clone(&self.snapshot().moves);
                shipping.remote.engine.count(target, &moves).await
            }
        }
    }

    /// How many events of a website are older than so many days at `now`, Unix ms, by kind; 0 days = none.
    pub async fn too_old_of(&self, website: i64, days: u32, now: i64) -> Result<Gone, Failure> {
        self.ship_all().await?;
        match self.shipping() {
            None => Ok(Gone::new()),
            Some(shipping) => shipping.remote.engine.too_old(website, days, now).await,
        }
    }

    /// Says for how long events are kept where ClickHouse holds them.
    ///
    /// # Errors
    /// The rules are as they were.
    pub async fn retain(&self, retention: &Retention) -> Result<(), Failure> {
        match self.shipping() {
            None => Ok(()),
            Some(shipping) => shipping.remote.engine.retain(retention).await,
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
        shipping: &Shipping,
        statement: &Statement,
        account: &Account,
        alone: Option<Alone>,
    ) -> Result<Rows, QueryError> {
        let own = self.0.current.positions.last_of(&statement.scope);
        // What was acknowledged is seen, unless shipping has fallen behind.
        shipping.reached(own.max(shipping.recovered), FRESH).await;
        if !shipping.progress.borrow().is_ready {
            let trouble = shipping.trouble();
            let trouble = trouble.unwrap_or_else(|| "its tables are being made".to_owned());
            return Err(QueryError::Unavailable(trouble));
        }
        let moves = Arc::clone(&self.snapshot().moves);
        let most = account.most();
        let mut rows = shipping
            .remote
            .engine
            .query(statement, &moves, most)
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
