//! The state database: `SQLite` in the data directory, or `PostgreSQL` by URL.
//!
//! `SQLite` runs in WAL mode with `synchronous=FULL`, foreign keys on, one writer connection and a small read-only
//! pool; every write is a `BEGIN IMMEDIATE` transaction. Nothing above this file knows which database it is.
//!
//! A write is refused or of unknown outcome, never in between: whatever fails before `COMMIT` is rolled back, and
//! only a failing `COMMIT` leaves doubt ([`StateError::Unknown`]).

mod error;
mod postgres;
mod sqlite;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

use std::{ops::Deref, path::PathBuf, sync::Arc, time::Duration};

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, RuntimeErr,
    SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait,
};

use tokio::time::Instant;

pub use error::{StateError, is_away};
pub(super) use postgres::{compare_bytes, foreign_tables};

/// The file of the embedded database inside the data directory.
pub const FILE: &str = "state.db";

/// Below the five seconds of an `ask`, so that callers see the storage error rather than a timeout.
const ACQUIRE: Duration = Duration::from_secs(4);
/// Whoever asks for readiness has little patience.
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
    /// The domain whose writers take turns, between processes; of `SQLite` there is one writer in any case.
    domain: &'static str,
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
            outage: Arc::default(),
        })
    }

    /// The same database in the hands of a domain, whose writes take turns, in whichever process they are.
    pub fn of(&self, domain: &'static str) -> Self {
        Self {
            domain,
            ..self.clone()
        }
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
    /// previous life may have left a write behind of which nobody knows how it ends.
    ///
    /// # Errors
    /// The database is away, or a write is unfinished for too long.
    pub async fn settled(&self) -> Result<&DatabaseConnection, StateError> {
        if self.is_shared() {
            // Its turn comes when theirs is over.
            self.begin().await?.0.rollback().await?;
        }
        Ok(&self.writer)
    }

    /// Opens a write transaction: the only one of this domain, in whatever process. Dropped without [`Write::commit`], it
    /// leaves nothing behind.
    pub async fn begin(&self) -> Result<Write, StateError> {
        self.outage
            .check(Instant::now())
            .map_err(StateError::Busy)?;
        let begun = self.begun().await;
        if begun.is_err() && self.is_shared() {
            self.outage.begin(Instant::now());
        }
        let begun = begun.map_err(StateError::Busy)?;
        if self.is_shared() {
            let turn = postgres::take_turn(&begun, self.domain).await;
            turn.map_err(StateError::Busy)?;
        }
        Ok(Write(begun))
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
        // Without waiting for anybody first, because nobody can write meanwhile.
        let (_, log, folded) = self.fold("PASSIVE").await?;
        if folded < log {
            return Ok(false);
        }
        let (busy, ..) = self.fold("TRUNCATE").await?;
        Ok(busy == 0)
    }

    /// Whether somebody was in the way, pages in the log, pages of it that are in the file.
    async fn fold(&self, how: &str) -> Result<(i64, i64, i64), DbErr> {
        let fold = format!("PRAGMA wal_checkpoint({how})");
        let fold = Statement::from_string(DbBackend::Sqlite, fold);
        let row = self.writer.query_one_raw(fold).await?;
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
                Err(_) => Err(DbErr::Conn(RuntimeErr::Internal("no answer".to_owned())).into()),
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

/// An open write transaction; dereferences to the connection that repositories take.
#[derive(Debug)]
pub struct Write(DatabaseTransaction);

impl Write {
    /// Makes it durable. A failure leaves the outcome unknown, unless a statement had failed before.
    pub async fn commit(self) -> Result<(), StateError> {
        if self.0.get_database_backend() == DbBackend::Postgres {
            postgres::still_good(&self.0).await?;
        }
        self.0.commit().await.map_err(StateError::Unknown)
    }
}

impl Deref for Write {
    type Target = DatabaseTransaction;

    fn deref(&self) -> &DatabaseTransaction {
        &self.0
    }
}
