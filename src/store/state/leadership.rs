//! One process does what runs by the clock: it has a lease in `PostgreSQL`, with a fence.
//!
//! The lease is renewed four times before it ends, by the database's clock. A process that was suspended for longer does nothing
//! more before it knows whether the lease is still its own, and a write of one that has lost it is refused: its new owner has
//! another fence. The domain's write lock, which is taken before the fence is looked at, orders the last write of the one before the
//! first reading of the next.
//!
//! A process in the data directory of the earlier owner need not wait for the lease's end: the directory's lock says
//! that this process is gone.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use sea_orm::{ConnectionTrait, DbErr, Statement};
use tokio::time::Instant;

use super::{StateDb, StateError, Write};

/// How long a lease lasts without renewal.
const LEASE: Duration = Duration::from_secs(5);
/// How often it is renewed.
pub const RENEWED: Duration = Duration::from_secs(1);

/// What came of asking for the lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// Another process has it.
    Others,
    /// It is this process's since now: what memory knows may be older than what the one before has written.
    New,
    /// It was this process's and still is.
    Kept,
}

/// This process's hold of the lease.
#[derive(Debug)]
pub(super) struct Leadership {
    /// The data directory that this process holds.
    node: String,
    /// The owner of the lease: the directory and, behind a slash, the process.
    me: String,
    lease: Mutex<Option<Lease>>,
}

#[derive(Debug, Clone, Copy)]
struct Lease {
    fence: i64,
    until: Instant,
    /// Whether everything has been read that the one before has written.
    begun: bool,
}

impl Default for Leadership {
    fn default() -> Self {
        Self::for_node(&uuid::Uuid::now_v7().to_string())
    }
}

impl Leadership {
    pub(super) fn for_node(node: &str) -> Self {
        Self {
            node: node.to_owned(),
            me: format!("{node}/{}", uuid::Uuid::now_v7().simple()),
            lease: Mutex::default(),
        }
    }

    fn lease(&self) -> std::sync::MutexGuard<'_, Option<Lease>> {
        // Nothing panics while it is held.
        self.lease.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fence(&self) -> Option<i64> {
        self.lease().map(|lease| lease.fence)
    }

    fn renew(&self, fence: i64, asked: Instant) {
        let mut lease = self.lease();
        let begun = lease.is_some_and(|lease| lease.fence == fence && lease.begun);
        *lease = Some(Lease {
            fence,
            until: asked + LEASE,
            begun,
        });
    }
}

impl StateDb {
    /// The same database in the hands of the process that holds this data directory, by its id ([`StateDb::node`]).
    pub fn on_node(self, node: &str) -> Self {
        Self {
            leadership: Arc::new(Leadership::for_node(node)),
            ..self
        }
    }

    /// What this process marks as its own in a database that others share: the id of its data directory, so the next
    /// process there finds what this one has left behind. One of its own where it holds no directory.
    pub fn node(&self) -> &str {
        &self.leadership.node
    }

    /// Whether what runs by the clock is done here, at this moment. Always, on a database that only this process writes.
    pub fn is_leader(&self) -> bool {
        if !self.is_shared() {
            return true;
        }
        let lease = *self.leadership.lease();
        lease.is_some_and(|lease| lease.begun && Instant::now() < lease.until)
    }

    /// Asks for the lease, or renews it. While the database is away, its owner keeps it: no other process can take it then, or
    /// what was done here is refused afterwards.
    ///
    /// # Errors
    /// The database is away.
    pub async fn claim_lease(&self) -> Result<Claim, StateError> {
        let (asked, fence) = (Instant::now(), self.leadership.fence());
        let claimed = match fence {
            Some(fence) => self.lease(&renewal(&self.leadership.me, fence)).await,
            None => self.lease(&claim(&self.leadership.me, FREE)).await,
        };
        self.claimed(claimed, (asked, fence))
    }

    fn claimed(
        &self,
        claimed: Result<Option<i64>, StateError>,
        (asked, fence): (Instant, Option<i64>),
    ) -> Result<Claim, StateError> {
        match claimed {
            Ok(Some(now)) => {
                self.leadership.renew(now, asked);
                Ok(if fence == Some(now) {
                    Claim::Kept
                } else {
                    Claim::New
                })
            }
            Ok(None) => {
                *self.leadership.lease() = None;
                Ok(Claim::Others)
            }
            Err(error) => {
                if let Some(fence) = fence {
                    self.leadership.renew(fence, asked);
                }
                Err(error)
            }
        }
    }

    /// [`StateDb::claim_lease`] of a process that has read nothing yet, also of what the one before it in its data directory
    /// has left; whether it is the leader once it has read.
    pub async fn claim_lease_at_start(&self) -> bool {
        if !self.is_shared() {
            return false;
        }
        let asked = Instant::now();
        let left = format!(
            "{FREE} OR starts_with(l.owner, '{}/')",
            self.leadership.node
        );
        let claimed = self.lease(&claim(&self.leadership.me, &left)).await;
        matches!(self.claimed(claimed, (asked, None)), Ok(Claim::New))
    }

    /// Everything was read that the one before has written: from now on it is done here.
    pub fn begin_lease(&self) {
        if let Some(lease) = self.leadership.lease().as_mut() {
            lease.begun = true;
            tracing::info!("what runs by the clock is done here from now on");
        }
    }

    /// Lets the next one begin at once.
    pub async fn release_lease(&self) {
        let Some(fence) = self.leadership.lease().take().map(|lease| lease.fence) else {
            return;
        };
        let me = &self.leadership.me;
        let leave = format!(
            "UPDATE leases SET until = clock_timestamp() WHERE name = 'clock' AND owner = '{me}' \
             AND fence = {fence} RETURNING fence"
        );
        if let Err(error) = self.lease(&leave).await {
            tracing::debug!(%error, "the next one waits until the lease is over");
        }
    }

    /// The data directory, by its id, of a process that runs on this database at the moment: one of those that do has the
    /// lease.
    ///
    /// # Errors
    /// The database is away.
    pub async fn in_use_by(&self) -> Result<Option<String>, StateError> {
        if !self.is_shared() {
            return Ok(None);
        }
        let ask = "SELECT owner FROM leases WHERE name = 'clock' AND until > clock_timestamp()";
        let ask = Statement::from_string(self.writer.get_database_backend(), ask);
        let row = self.writer.query_one_raw(ask).await?;
        let owner: Option<String> = row.map(|row| row.try_get_by_index(0)).transpose()?;
        let directory = |owner: String| owner.split('/').next().map(str::to_owned);
        Ok(owner.and_then(directory))
    }

    /// [`StateDb::begin`] of what is written by the clock: refused if it is done by another process by now.
    ///
    /// # Errors
    /// [`StateError::OffDuty`], and those of [`StateDb::begin`].
    pub async fn begin_as_leader(&self) -> Result<Write, StateError> {
        let write = self.begin().await?;
        if !self.is_shared() {
            return Ok(write);
        }
        let Some(fence) = self.leadership.fence() else {
            return Err(StateError::OffDuty);
        };
        let me = &self.leadership.me;
        let ask = format!(
            "SELECT fence FROM leases WHERE name = 'clock' AND owner = '{me}' AND fence = {fence}"
        );
        match read_fence(&*write, &ask).await.map_err(StateError::Busy)? {
            Some(_) => Ok(write),
            None => Err(StateError::OffDuty),
        }
    }

    /// The fence that a statement about the lease gives, if it found its row; within a second.
    async fn lease(&self, ask: &str) -> Result<Option<i64>, StateError> {
        self.outage.check(Instant::now())?;
        let asked = tokio::time::timeout(super::PING, read_fence(&self.writer, ask)).await;
        match asked {
            Ok(fence) => Ok(fence?),
            Err(_) => Err(super::no_answer()),
        }
    }
}

/// The lease may be taken.
const FREE: &str = "l.until < clock_timestamp()";

/// Takes the lease where this holds of it.
fn claim(me: &str, when: &str) -> String {
    let ends = ends();
    format!(
        "INSERT INTO leases AS l (name, owner, until, fence) VALUES ('clock', '{me}', {ends}, 1) \
         ON CONFLICT (name) DO UPDATE SET owner = '{me}', until = {ends}, fence = l.fence + 1 \
         WHERE {when} RETURNING fence"
    )
}

fn renewal(me: &str, fence: i64) -> String {
    let ends = ends();
    format!(
        "UPDATE leases SET until = {ends} WHERE name = 'clock' AND owner = '{me}' AND fence = {fence} \
         RETURNING fence"
    )
}

fn ends() -> String {
    format!(
        "clock_timestamp() + interval '{} milliseconds'",
        LEASE.as_millis()
    )
}

async fn read_fence(db: &impl ConnectionTrait, ask: &str) -> Result<Option<i64>, DbErr> {
    let ask = Statement::from_string(db.get_database_backend(), ask);
    let row = db.query_one_raw(ask).await?;
    row.map(|row| row.try_get_by_index(0)).transpose()
}
