//! Tables of a SQLite file that somebody else has written.
//!
//! The file is hostile until proven otherwise. It is opened read-only and never recovered, nothing in its schema runs
//! (views, triggers, virtual tables), and reading stops after a number of steps of the engine.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use sea_orm::sqlx::{
    Column as _, ConnectOptions as _, Connection as _, Row as _, SqliteConnection, TypeInfo as _,
    ValueRef as _,
    sqlite::{SqliteConnectOptions, SqliteRow},
};
use serde_json::{Map, Value, json};

/// The beginning of every database.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Rows of a table.
const MAX_ROWS: usize = 20_000;
/// Bytes of a text; longer ones are left out.
const MAX_TEXT: usize = 100_000;
/// Bytes of everything that is read.
const MAX_READ: usize = 16 << 20;
/// Steps of the engine between two looks at their number.
const STRIDE: i32 = 10_000;
/// Steps of the engine, in strides.
const MAX_STRIDES: u64 = 20_000;

/// A table and its columns that are read, as far as they exist.
pub type Table = (&'static str, &'static [&'static str]);

#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    #[error("The file can't be read as a SQLite database: {0}")]
    Broken(String),
    #[error("The table `{0}` has more than {MAX_ROWS} rows")]
    TooMany(String),
    #[error("The tables hold more than {MAX_READ} bytes")]
    TooLarge,
    #[error("The file can't be kept while it is read: {0}")]
    Io(#[from] std::io::Error),
}

impl From<sea_orm::sqlx::Error> for ForeignError {
    fn from(error: sea_orm::sqlx::Error) -> Self {
        let text = error.to_string();
        Self::Broken(text.chars().take(200).collect())
    }
}

/// Whether bytes are a SQLite database.
pub fn is_database(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads tables of a database in memory: `{"tables": {"monitor": [{"id": 1}]}}`. Tables that do not exist are missing.
pub async fn read_bytes(bytes: &[u8], tables: &[Table]) -> Result<Value, ForeignError> {
    let file = TemporaryFile::write(bytes)?;
    read_file(&file.0, tables).await
}

/// The same of a file.
pub async fn read_file(path: &Path, tables: &[Table]) -> Result<Value, ForeignError> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        // No journal or log is looked for beside it.
        .immutable(true)
        .pragma("trusted_schema", "OFF")
        .pragma("cell_size_check", "ON")
        .pragma("query_only", "ON")
        .disable_statement_logging();
    let mut connection = SqliteConnection::connect_with(&options).await?;
    bound_steps(&mut connection).await?;
    let mut found = Map::new();
    let mut read = 0;
    for (name, columns) in tables {
        if is_plain_table(&mut connection, name).await? {
            let rows = read_rows(&mut connection, name, columns, &mut read).await?;
            found.insert((*name).to_owned(), rows.into());
        }
    }
    connection.close().await?;
    Ok(json!({ "tables": found }))
}

/// Ends statements that take too long.
async fn bound_steps(connection: &mut SqliteConnection) -> Result<(), ForeignError> {
    let strides = AtomicU64::new(0);
    let mut handle = connection.lock_handle().await?;
    handle.set_progress_handler(STRIDE, move || {
        strides.fetch_add(1, Ordering::Relaxed) < MAX_STRIDES
    });
    Ok(())
}

/// Whether there is such a table, and it is neither a view nor virtual.
async fn is_plain_table(
    connection: &mut SqliteConnection,
    name: &str,
) -> Result<bool, ForeignError> {
    let sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    let row = sea_orm::sqlx::query(sql)
        .bind(name)
        .fetch_optional(connection)
        .await?;
    let Some(row) = row else { return Ok(false) };
    let sql: Option<String> = row.try_get(0)?;
    let sql = sql.unwrap_or_default().to_ascii_uppercase();
    // Generated columns compute, too.
    let computes = ["CREATE VIRTUAL", " GENERATED ", " AS (", " AS("];
    Ok(!computes.iter().any(|word| sql.contains(word)))
}

async fn read_rows(
    connection: &mut SqliteConnection,
    table: &str,
    columns: &[&str],
    read: &mut usize,
) -> Result<Vec<Value>, ForeignError> {
    // Names of tables are ours, so nothing of the file is in the statement.
    let sql = format!("SELECT * FROM \"{table}\" LIMIT {}", MAX_ROWS + 1);
    let sql = sea_orm::sqlx::AssertSqlSafe(sql);
    let rows = sea_orm::sqlx::query(sql).fetch_all(connection).await?;
    if rows.len() > MAX_ROWS {
        return Err(ForeignError::TooMany(table.to_owned()));
    }
    let mut all = Vec::with_capacity(rows.len());
    for row in &rows {
        let mut fields = Map::new();
        for column in row.columns() {
            if let Some(name) = columns.iter().find(|name| **name == column.name()) {
                let value = cell(row, column.ordinal());
                *read += name.len() + value.as_str().map_or(8, str::len);
                fields.insert((*name).to_owned(), value);
            }
        }
        if *read > MAX_READ {
            return Err(ForeignError::TooLarge);
        }
        all.push(Value::Object(fields));
    }
    Ok(all)
}

/// A value as JSON; null where it is binary or too long.
fn cell(row: &SqliteRow, at: usize) -> Value {
    let kind = match row.try_get_raw(at) {
        Ok(raw) if !raw.is_null() => raw.type_info().name().to_owned(),
        _ => return Value::Null,
    };
    match kind.as_str() {
        "INTEGER" => row
            .try_get_unchecked::<i64, _>(at)
            .map_or(Value::Null, Value::from),
        "REAL" => row
            .try_get_unchecked::<f64, _>(at)
            .map_or(Value::Null, Value::from),
        "BLOB" => Value::Null,
        _ => {
            let text = row.try_get_unchecked::<String, _>(at).ok();
            let text = text.filter(|text| text.len() <= MAX_TEXT);
            text.map_or(Value::Null, Value::from)
        }
    }
}

/// A file that is gone when nothing needs it any more.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn write(bytes: &[u8]) -> std::io::Result<Self> {
        use std::{io::Write as _, os::unix::fs::OpenOptionsExt as _};
        let name = format!("pharos-import-{}.db", uuid::Uuid::new_v4());
        let file = Self(std::env::temp_dir().join(name));
        let mut options = std::fs::OpenOptions::new();
        let options = options.write(true).create_new(true).mode(0o600);
        options.open(&file.0)?.write_all(bytes)?;
        Ok(file)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
