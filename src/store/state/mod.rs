//! The state database: `SQLite` in the data directory, or `PostgreSQL` by URL.
//!
//! `SQLite` runs in WAL mode with `synchronous=FULL`, foreign keys on, one writer connection and a small read-only
//! pool; every write is a `BEGIN IMMEDIATE` transaction. Nothing above this file knows which database it is.
//!
//! A write is refused or of unknown outcome, never in between: whatever fails before `COMMIT` is rolled back, and
//! only a failing `COMMIT` leaves doubt ([`StateError::Unknown`]).

mod error;
mod leadership;
#[cfg(test)]
mod leadership_order_tests;
mod postgres;
mod sqlite;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod write_lock;

use std::{
    collections::HashMap,
    ops::Deref,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, RuntimeErr,
    SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait,
};

use tokio::time::Instant;

use self::write_lock::{WriteLock, WriteLocks};
pub use self::{
    leadership::{Claim, RENEWED},
    write_lock::EpochPublisher,
};
pub use error::{StateError, is_away};
pub(super) use postgres::{compare_bytes, foreign_tables};

/// The file of the embedded database inside the data directory.
pub const FILE: &str = "state.db";

/// Below the five seconds of an `ask`, so callers see the storage error rather than a timeout.
const ACQUIRE: Duration = Duration::from_secs(4);
/// Longer than the database itself lets anybody wait for a write lock.
const TURN: Duration = Duration::from_millis(4_500);
/// Readiness checks have little patience.
const PING: Duration = Duration::from_secs(1);

/// Where the state database is.
#[derive(Debug, Clone)]
pub struct Options {
    /// `sqlite` for the file in `data_dir`, or a `postgres://` URL.
    pub url: String,
    /// The data directory; has to exist when `url` is `sqlite`.
    pub data_dir: PathBuf,
}

/// The state database; cheap to clone.
#[derive(Debug, Clone)]
pub struct StateDb {
    writer: DatabaseConnection,
    reader: DatabaseConnection,
    /// The domain whose write lock its writers take, between processes; of `SQLite` there is one writer in any case.
    domain: &'static str,
    /// What memory knows of the domain's writes, here and elsewhere.
    locks: Arc<WriteLocks>,
    epochs: Option<Arc<dyn EpochPublisher>>,
    leadership: Arc<leadership::Leadership>,
    outage: Arc<postgres::Outage>,
}

impl StateDb {
    /// Opens (and for `SQLite` creates) the database. Does not migrate it.
    pub async fn open(options: &Options) -> Result<Self, StateError> {
        let (writer, reader) = if options.url == "sqlite" {
            let file = options.data_dir.join(FILE);
            // The writer first: it creates the file and its shared memory.
            let writer = sqlite::open(file.clone(), false).await?;
            (writer, sqlite::open(file, true).await?)
        } else {
            let pool = postgres::open(&options.url).await?;
            (pool.clone(), pool)
        };
        Ok(Self {
            writer,
            reader,
            domain: "",
            locks: Arc::default(),
            epochs: None,
            leadership: Arc::default(),
            outage: Arc::default(),
        })
    }

    /// The same database in the hands of a domain, whose writers take its lock, in whichever process they are.
    pub fn for_domain(&self, domain: &'static str) -> Self {
        Self {
            domain,
            locks: Arc::default(),
            ..self.clone()
        }
    }

    /// The same database, whose writes are announced at once.
    pub fn publishing(self, epochs: Option<Arc<dyn EpochPublisher>>) -> Self {
        Self { epochs, ..self }
    }

    /// Whether it is `PostgreSQL`, which other processes may write at the same time.
    pub fn is_shared(&self) -> bool {
        self.writer.get_database_backend() == DbBackend::Postgres
    }

    /// The connection for reads of lists and cold rows; on `SQLite` it cannot write.
    pub fn reader(&self) -> &DatabaseConnection {
        &self.reader
    }

    /// The connection for reads that see everything that was committed before, on `SQLite` also what is being written.
    pub fn writer(&self) -> &DatabaseConnection {
        &self.writer
    }

    /// [`StateDb::writer`], once nothing that this domain ever sent is unfinished: a booting domain reads here, because its
    /// previous process may have left a write with an unknown outcome.
    ///
    /// # Errors
    /// The database is away, or a write is unfinished for too long.
    pub async fn settled(&self) -> Result<&DatabaseConnection, StateError> {
        // With the lock held, nothing of this process is unfinished.
        if self.is_shared() && !self.locks.has_ahead() {
            // It gets the lock when theirs is released.
            self.begin_blind().await?.begun.rollback().await?;
        }
        Ok(&self.writer)
    }

    /// Memory is about to be read: what is read is at least what there is at this moment.
    ///
    /// # Errors
    /// The database is away.
    pub async fn remember(&self) -> Result<(), StateError> {
        if self.is_shared() && !self.locks.learn_from_ahead() {
            let epoch = self.epochs().await?.get(self.domain).copied();
            self.locks.learn(epoch.unwrap_or_default());
        }
        Ok(())
    }

    /// What was read since [`StateDb::remember`] is what everybody is shown: memory is behind once another process writes.
    pub fn remembered(&self) {
        self.locks.learned();
    }

    /// Opens a write transaction: the only one of this domain, in whatever process. Dropped without [`Write::commit`], it
    /// leaves nothing behind.
    ///
    /// # Errors
    /// [`StateError::Behind`] where another process has written the domain since memory was read, so whatever was decided
    /// from memory may be wrong; or the database is away, or another writer holds it for too long.
    pub async fn begin(&self) -> Result<Write, StateError> {
        let write = self.begin_blind().await?;
        match &write.lock {
            Some(lock) if self.locks.is_behind(lock.epoch) => Err(StateError::Behind(self.domain)),
            _ => Ok(write),
        }
    }

    /// [`StateDb::begin`] for a write that rests on nothing in memory.
    ///
    /// # Errors
    /// The database is away, or another writer holds it for too long.
    pub async fn begin_blind(&self) -> Result<Write, StateError> {
        if let Some(ahead) = self.locks.take_ahead() {
            let (begun, epoch) = ahead.map_err(StateError::Busy)?;
            return Ok(self.write(begun, Some(epoch)));
        }
        if !self.is_shared() {
            let begun = self.begun().await.map_err(StateError::Busy)?;
            return Ok(self.write(begun, None));
        }
        self.outage
            .check(Instant::now())
            .map_err(StateError::Busy)?;
        // A suspended server takes connections and says nothing.
        let begun = tokio::time::timeout(TURN, self.begun()).await;
        let begun = begun.unwrap_or_else(|_| Err(silence()));
        let begun = begun.inspect_err(|_| self.outage.begin(Instant::now()));
        let begun = begun.map_err(StateError::Busy)?;
        let epoch = async {
            Ok(match self.domain {
                "" => {
                    postgres::wait(&begun).await?;
                    None
                }
                domain => Some(postgres::take_write_lock(&begun, domain).await?),
            })
        };
        let epoch = tokio::time::timeout(TURN, epoch).await;
        let epoch = epoch.unwrap_or_else(|_| {
            self.outage.begin(Instant::now());
            Err(silence())
        });
        let epoch = epoch.map_err(StateError::Busy)?;
        Ok(self.write(begun, epoch))
    }

    fn write(&self, begun: DatabaseTransaction, epoch: Option<i64>) -> Write {
        let lock = epoch.map(|epoch| WriteLock {
            domain: self.domain,
            epoch,
            locks: Arc::clone(&self.locks),
            epochs: self.epochs.clone(),
        });
        Write {
            begun,
            lock,
            beside: Mutex::default(),
        }
    }

    /// Has other processes read this domain anew, although nothing of it is written: something else that its memory is made of
    /// has changed.
    ///
    /// # Errors
    /// The database is away.
    pub async fn tell(&self) -> Result<(), StateError> {
        if self.is_shared() {
            self.begin_blind().await?.commit().await?;
        }
        Ok(())
    }

    /// Takes the write lock for the next write of this domain here, before it is decided what; whether memory is behind. A
    /// lock that cannot be had is refused to that writer.
    pub async fn take_write_lock(&self) -> bool {
        if !self.is_shared() {
            return false;
        }
        self.give_back_write_lock().await;
        let taken = match self.begin_blind().await {
            Ok(Write { begun, lock, .. }) => lock.map(|lock| Ok((begun, lock.epoch))),
            Err(StateError::Busy(error)) => Some(Err(error)),
            Err(_) => None,
        };
        let behind = matches!(&taken, Some(Ok((_, epoch))) if self.locks.is_behind(*epoch));
        self.locks.put_ahead(taken);
        behind
    }

    /// Releases a write lock that no write has used.
    pub async fn give_back_write_lock(&self) {
        if let Some(Ok((begun, _))) = self.locks.take_ahead()
            && let Err(error) = begun.rollback().await
        {
            tracing::debug!(%error, domain = self.domain, "a turn was lost");
        }
    }

    /// How often each domain was written, which one small statement says; nothing for `SQLite`, which only this process writes.
    ///
    /// # Errors
    /// The database is away.
    pub async fn epochs(&self) -> Result<HashMap<String, i64>, StateError> {
        if !self.is_shared() {
            return Ok(HashMap::new());
        }
        self.outage.check(Instant::now())?;
        let asked = tokio::time::timeout(PING, postgres::epochs(&self.writer)).await;
        match asked {
            Ok(epochs) => Ok(epochs?),
            Err(_) => Err(no_answer()),
        }
    }

    /// The epoch that memory represents; nothing before memory was read, and for `SQLite`.
    pub fn known_epoch(&self) -> Option<i64> {
        self.locks.known_epoch()
    }

    /// Whether memory represents another state of this domain than the one with this epoch.
    pub fn is_behind(&self, epoch: i64) -> bool {
        self.locks.is_behind(epoch)
    }

    async fn begun(&self) -> Result<DatabaseTransaction, DbErr> {
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        self.writer.begin_with_options(options).await
    }

    /// Overwrites what deleted rows have left behind: `SQLite` zeroes them in their pages at once, but its log holds
    /// older versions of these until it is folded into the file and emptied; `PostgreSQL` keeps them in the table until it is
    /// written anew (its own log is the operator's). Whether that is done; a reader that is in the middle of something can
    /// prevent it.
    pub async fn forget(&self) -> Result<bool, StateError> {
        if self.is_shared() {
            return Ok(postgres::forget(&self.writer).await?);
        }
        // Without waiting, because no other writer can write meanwhile.
        let (_, log, folded) = self.fold("PASSIVE").await?;
        if folded < log {
            return Ok(false);
        }
        let (busy, ..) = self.fold("TRUNCATE").await?;
        Ok(busy == 0)
    }

    /// Whether a reader was in the way, pages in the log, pages of it that are in the file.
    async fn fold(&self, how: &str) -> Result<(i64, i64, i64), DbErr> {
        // Without waiting for readers: those who want to write wait for this connection. The rows of all statements come in
        // their order.
        let fold = format!(
            "PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint({how}); PRAGMA busy_timeout = {}",
            sqlite::BUSY.as_millis()
        );
        let fold = Statement::from_string(DbBackend::Sqlite, fold);
        let rows = self.writer.query_all_raw(fold).await?;
        let row = rows.get(1);
        let row = row.ok_or_else(|| DbErr::RecordNotFound("wal_checkpoint".to_owned()))?;
        let at = |index| row.try_get_by_index::<i64>(index);
        Ok((at(0)?, at(1)?, at(2)?))
    }

    /// Whether the database answers, within a second if it is `PostgreSQL`.
    pub async fn ping(&self) -> Result<(), StateError> {
        if self.is_shared() {
            self.outage.check(Instant::now())?;
            let answered = tokio::time::timeout(PING, self.writer.ping()).await;
            return match answered {
                Ok(answered) => Ok(answered?),
                Err(_) => Err(no_answer()),
            };
        }
        self.writer.ping().await?;
        Ok(self.reader.ping().await?)
    }

    /// Closes the connections; the last one to leave folds `SQLite`'s log into the file.
    pub async fn close(self) -> Result<(), StateError> {
        self.reader.close().await?;
        Ok(self.writer.close().await?)
    }
}

fn no_answer() -> StateError {
    silence().into()
}

fn silence() -> DbErr {
    DbErr::Conn(RuntimeErr::Internal("no answer".to_owned()))
}

/// An open write transaction; dereferences to the connection that repositories take.
#[derive(Debug)]
pub struct Write {
    begun: DatabaseTransaction,
    lock: Option<WriteLock>,
    /// Turns of further domains whose rows are written along.
    beside: Mutex<Vec<WriteLock>>,
}

impl Write {
    /// Writes rows of another domain in the same transaction: no other writer writes that domain until the end, and afterwards
    /// every process reads it anew, this one too. `SQLite` has one writer in any case.
    ///
    /// # Errors
    /// The database is away, or another writer holds that domain for too long.
    pub async fn include(&self, other: &StateDb) -> Result<(), StateError> {
        if !other.is_shared() {
            return Ok(());
        }
        let epoch = postgres::take_write_lock(&self.begun, other.domain).await;
        let lock = WriteLock {
            domain: other.domain,
            epoch: epoch.map_err(StateError::Busy)?,
            locks: Arc::clone(&other.locks),
            epochs: other.epochs.clone(),
        };
        let mut beside = self.beside.lock().unwrap_or_else(PoisonError::into_inner);
        beside.push(lock);
        Ok(())
    }

    /// Makes it durable, and known to other processes. A failure leaves the outcome unknown, unless a statement had failed
    /// before.
    pub async fn commit(self) -> Result<(), StateError> {
        if let Some(lock) = &self.lock {
            postgres::count_write(&self.begun, lock.domain).await?;
        } else {
            self.still_good().await?;
        }
        let beside = self.beside.into_inner();
        let beside = beside.unwrap_or_else(PoisonError::into_inner);
        for lock in &beside {
            postgres::count_write(&self.begun, lock.domain).await?;
        }
        self.begun.commit().await.map_err(StateError::Unknown)?;
        if let Some(lock) = self.lock {
            lock.over().await;
        }
        for lock in beside {
            lock.tell().await;
        }
        Ok(())
    }

    /// [`Write::commit`] of what no process keeps in memory, so none has to read anything.
    pub async fn commit_quietly(self) -> Result<(), StateError> {
        self.still_good().await?;
        self.begun.commit().await.map_err(StateError::Unknown)
    }

    async fn still_good(&self) -> Result<(), StateError> {
        if self.begun.get_database_backend() == DbBackend::Postgres {
            postgres::still_good(&self.begun).await?;
        }
        Ok(())
    }
}

impl Deref for Write {
    type Target = DatabaseTransaction;

    fn deref(&self) -> &DatabaseTransaction {
        &self.begun
    }
}
