//! The embedded database: one file in the data directory.

use std::{path::PathBuf, time::Duration};

use sea_orm::{
    ConnectOptions, Database, DatabaseConnection, DbErr,
    sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};

use super::ACQUIRE;

const READERS: u32 = 4;
/// How long `SQLite` waits for another process (a backup, a password reset) to let go of the file.
pub(super) const BUSY: Duration = Duration::from_secs(4);
/// Rows that are read ahead of their consumer: with few, two threads wake each other for every handful.
const ROWS_AHEAD: usize = 512;

/// Opens the file, once to write (which makes it) or several times to read.
pub(super) async fn open(file: PathBuf, read_only: bool) -> Result<DatabaseConnection, DbErr> {
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
