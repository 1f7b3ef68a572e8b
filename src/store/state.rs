//! The state database: `SQLite` in the data directory, or `PostgreSQL` by URL.
//!
//! `SQLite` runs in WAL mode with `synchronous=FULL`, foreign keys on, one writer connection and a small read-only
//! pool; every write is a `BEGIN IMMEDIATE` transaction. Nothing above this file knows which database it is.
//!
//! A write is refused or of unknown outcome, never in between: whatever fails before `COMMIT` is rolled back, and
//! only a failing `COMMIT` leaves doubt ([`StateError::Unknown`]).

use std::{ops::Deref, path::PathBuf, time::Duration};

use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction, DbBackend,
    DbErr, SqlErr, SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait,
    sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};

use crate::fault::{Classify, Fault};

/// The file of the embedded database inside the data directory.
pub const FILE: &str = "state.db";

const READERS: u32 = 4;
const POSTGRES_CONNECTIONS: u32 = 16;
/// How long `SQLite` waits for another process (a backup, a password reset) to let go of the file.
const BUSY: Duration = Duration::from_secs(4);
/// Rows that are read ahead of whoever takes them: with few, two threads wake each other for every handful.
const ROWS_AHEAD: usize = 512;
/// Below the five seconds of an `ask`, so that callers see the storage error rather than a timeout.
const ACQUIRE: Duration = Duration::from_secs(4);

/// Where the state database is.
#[derive(Debug, Clone)]
pub struct Options {
    /// `sqlite` for the file in `data_dir`, or a `postgres://` URL.
    pub url: String,
    /// The data directory; has to exist when `url` is `sqlite`.
    pub data_dir: PathBuf,
}

/// Why the state database failed.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// No write could be begun: the database is away, or another process holds it for too long.
    #[error("the state database takes no writes: {0}")]
    Busy(#[source] DbErr),
    /// Nothing was written.
    #[error("the state database refused: {0}")]
    Refused(#[from] DbErr),
    /// The commit failed; the write may or may not have happened.
    #[error("the state database did not confirm a write: {0}")]
    Unknown(#[source] DbErr),
}

impl StateError {
    /// Whether the write may have happened although it failed.
    pub fn outcome_unknown(&self) -> bool {
        matches!(self, Self::Unknown(_))
    }

    /// Whether the write was refused because a unique value is taken.
    pub fn is_taken(&self) -> bool {
        let Self::Refused(error) = self else {
            return false;
        };
        matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_)))
    }
}

impl Classify for StateError {
    fn classify(self) -> Fault {
        let passing = matches!(
            self,
            Self::Busy(_)
                | Self::Unknown(_)
                | Self::Refused(DbErr::Conn(_) | DbErr::ConnectionAcquire(_))
        );
        if !passing {
            return Fault::internal(self);
        }
        let mut fault = Fault::unavailable("Service temporarily unavailable");
        fault.cause = Some(self.into());
        fault
    }
}

/// The state database; cheap to clone.
#[derive(Debug, Clone)]
pub struct StateDb {
    writer: DatabaseConnection,
    reader: DatabaseConnection,
}

impl StateDb {
    /// Opens (and for `SQLite` creates) the database. Does not migrate it.
    pub async fn open(options: &Options) -> Result<Self, StateError> {
        if options.url == "sqlite" {
            let file = options.data_dir.join(FILE);
            // The writer first: it creates the file and its shared memory.
            let writer = sqlite(file.clone(), false).await?;
            let reader = sqlite(file, true).await?;
            return Ok(Self { writer, reader });
        }
        let mut connect = ConnectOptions::new(&options.url);
        connect
            .max_connections(POSTGRES_CONNECTIONS)
            .acquire_timeout(ACQUIRE)
            .sqlx_logging(false);
        let pool = Database::connect(connect).await?;
        Ok(Self {
            writer: pool.clone(),
            reader: pool,
        })
    }

    /// The connection for reads of lists and cold rows; on `SQLite` it cannot write.
    pub fn reader(&self) -> &DatabaseConnection {
        &self.reader
    }

    /// The connection for reads that must see everything that was ever sent: a booting domain reads here, because
    /// its reads queue behind whatever its previous life left unfinished.
    pub fn writer(&self) -> &DatabaseConnection {
        &self.writer
    }

    /// Opens a write transaction. Dropped without [`Write::commit`], it leaves nothing behind.
    pub async fn begin(&self) -> Result<Write, StateError> {
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        let begun = self.writer.begin_with_options(options).await;
        Ok(Write(begun.map_err(StateError::Busy)?))
    }

    /// Overwrites what deleted rows have left behind: `SQLite` zeroes them in their pages at once, but its log holds
    /// older versions of these until it is folded into the file and emptied. Whether that is done; a reader that is in
    /// the middle of something can prevent it. On `PostgreSQL` nothing, where vacuuming does it.
    pub async fn forget(&self) -> Result<bool, StateError> {
        if self.writer.get_database_backend() == DbBackend::Postgres {
            return Ok(true);
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

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), StateError> {
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
    /// Makes it durable. A failure leaves the outcome unknown.
    pub async fn commit(self) -> Result<(), StateError> {
        self.0.commit().await.map_err(StateError::Unknown)
    }
}

impl Deref for Write {
    type Target = DatabaseTransaction;

    fn deref(&self) -> &DatabaseTransaction {
        &self.0
    }
}

async fn sqlite(file: PathBuf, read_only: bool) -> Result<DatabaseConnection, DbErr> {
    let mut connect = ConnectOptions::new("sqlite::memory:");
    connect
        .max_connections(if read_only { READERS } else { 1 })
        .min_connections(1)
        .acquire_timeout(ACQUIRE)
        .idle_timeout(None)
        .max_lifetime(None)
        .sqlx_logging(false)
        .map_sqlx_sqlite_opts(move |_| {
            let options = SqliteConnectOptions::new()
                .filename(&file)
                .busy_timeout(BUSY)
                .row_buffer_size(ROWS_AHEAD)
                .foreign_keys(true);
            if read_only {
                // Not SQLITE_OPEN_READONLY, which cannot recover a log after a crash.
                options.pragma("query_only", "ON")
            } else {
                options
                    .create_if_missing(true)
                    .journal_mode(SqliteJournalMode::Wal)
                    .synchronous(SqliteSynchronous::Full)
                    .pragma("secure_delete", "ON")
            }
        });
    Database::connect(connect).await
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// A migrated database in a directory that goes away with the first value.
    pub(crate) async fn temporary() -> (tempfile::TempDir, StateDb) {
        let directory = tempfile::tempdir().unwrap();
        let db = reopen(&directory).await;
        db.migrate().await.unwrap();
        (directory, db)
    }

    /// Opens the database of [`temporary`] once more.
    pub(crate) async fn reopen(directory: &tempfile::TempDir) -> StateDb {
        StateDb::open(&Options {
            url: "sqlite".to_owned(),
            data_dir: directory.path().to_owned(),
        })
        .await
        .unwrap()
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::{ConnectionTrait, Statement};

    use super::{
        testing::{reopen, temporary},
        *,
    };

    async fn pragma(db: &DatabaseConnection, name: &str) -> String {
        let statement = Statement::from_string(DbBackend::Sqlite, format!("PRAGMA {name}"));
        let row = db.query_one_raw(statement).await.unwrap().unwrap();
        row.try_get_by_index::<String>(0)
            .or_else(|_| {
                row.try_get_by_index::<i64>(0)
                    .map(|number| number.to_string())
            })
            .unwrap()
    }

    #[tokio::test]
    async fn the_writer_is_durable_and_the_reader_cannot_write() {
        let (_directory, db) = temporary().await;
        assert_eq!(pragma(db.writer(), "journal_mode").await, "wal");
        assert_eq!(pragma(db.writer(), "synchronous").await, "2");
        assert_eq!(pragma(db.writer(), "foreign_keys").await, "1");
        assert_eq!(pragma(db.writer(), "secure_delete").await, "1");
        let denied = db.reader().execute_unprepared("DELETE FROM salts").await;
        assert!(denied.is_err());
        db.ping().await.unwrap();
        db.close().await.unwrap();
    }

    #[tokio::test]
    async fn a_dropped_write_leaves_nothing_and_a_taken_value_is_told_apart() {
        let (_directory, db) = temporary().await;
        let insert = "INSERT INTO event_cursors (node_id, lsn) VALUES ('n', 1)";
        let write = db.begin().await.unwrap();
        write.execute_unprepared(insert).await.unwrap();
        drop(write);

        let write = db.begin().await.unwrap();
        write.execute_unprepared(insert).await.unwrap();
        write.commit().await.unwrap();

        let write = db.begin().await.unwrap();
        let error = StateError::from(write.execute_unprepared(insert).await.unwrap_err());
        assert!(error.is_taken(), "{error}");
        assert!(!error.outcome_unknown());
    }

    fn holds(directory: &tempfile::TempDir, text: &str) -> bool {
        let entries = std::fs::read_dir(directory.path()).unwrap();
        let files = entries.map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
        files.into_iter().any(|bytes| {
            let mut windows = bytes.windows(text.len());
            windows.any(|window| window == text.as_bytes())
        })
    }

    #[tokio::test]
    async fn what_is_forgotten_is_in_no_file() {
        let (directory, db) = temporary().await;
        let marked = "0123456789abcdef-marked";
        for n in 0..50 {
            let write = db.begin().await.unwrap();
            let row = format!("INSERT INTO salts VALUES ({n}, '{marked}', '2026-01-01T00:00:00Z')");
            write.execute_unprepared(&row).await.unwrap();
            write.commit().await.unwrap();
        }
        assert!(holds(&directory, marked));
        let write = db.begin().await.unwrap();
        write.execute_unprepared("DELETE FROM salts").await.unwrap();
        write.commit().await.unwrap();
        assert!(holds(&directory, marked), "the log remembers");
        assert!(db.forget().await.unwrap());
        assert!(!holds(&directory, marked));
    }

    #[tokio::test]
    async fn a_reader_in_the_middle_of_something_is_not_disturbed() {
        let (directory, db) = temporary().await;
        let reading = db.reader().begin().await.unwrap();
        reading
            .execute_unprepared("SELECT * FROM salts")
            .await
            .unwrap();
        let other = reopen(&directory).await;
        let insert = "INSERT INTO salts VALUES (1, 'x', '2026-01-01T00:00:00Z')";
        other.writer().execute_unprepared(insert).await.unwrap();
        assert!(!other.forget().await.unwrap());
        reading.rollback().await.unwrap();
        assert!(other.forget().await.unwrap());
    }

    #[tokio::test]
    async fn a_closed_database_is_passing_trouble() {
        let (_directory, db) = temporary().await;
        db.clone().close().await.unwrap();
        let error = db.begin().await.unwrap_err();
        assert!(!error.outcome_unknown());
        let fault = error.classify();
        assert!(matches!(fault.kind, crate::fault::Kind::Unavailable { .. }));
        assert!(db.ping().await.is_err());
    }

    #[tokio::test]
    async fn migrating_twice_changes_nothing() {
        let (_directory, db) = temporary().await;
        db.migrate().await.unwrap();
    }
}
