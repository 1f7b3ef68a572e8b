//! The state database of several processes: `PostgreSQL`.
//!
//! What `SQLite` gives by itself is made here: texts are compared by their bytes, whatever language the database speaks, and
//! one writer of a domain at a time holds its write lock, in whichever process they are.

use std::{collections::HashMap, sync::Mutex, time::Duration};

use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbErr, RuntimeErr, Statement,
    sqlx::{ConnectOptions as _, Connection as _, postgres::PgConnectOptions},
};
use tokio::time::Instant;

use super::{ACQUIRE, StateError};

/// Connections of a process.
const CONNECTIONS: u32 = 24;
/// The first version whose syntax and catalogues are relied on.
const OLDEST: i32 = 130_000;
/// After a failure no connection is tried for this long: callers fail at once.
const PAUSE: Duration = Duration::from_secs(1);
/// Half of the key under which writers of no domain wait for each other; the other half is 0.
const TURNS: i32 = 0x7068_6172;

/// Opens the database, after one connection has shown that it is what it has to be.
pub(super) async fn open(url: &str) -> Result<DatabaseConnection, StateError> {
    let options: PgConnectOptions = url.parse().map_err(|error| StateError::Unusable {
        place: "the address in `database.url`".to_owned(),
        why: format!("{error}"),
    })?;
    look(&options).await.map_err(|why| StateError::Unusable {
        place: place(&options),
        why,
    })?;
    let mut connect = ConnectOptions::new(url);
    connect
        .max_connections(CONNECTIONS)
        .acquire_timeout(ACQUIRE)
        .sqlx_logging(false)
        .map_sqlx_postgres_opts(session);
    Ok(Database::connect(connect).await?)
}

/// How every connection behaves, whatever the server's or the role's settings are.
fn session(options: PgConnectOptions) -> PgConnectOptions {
    options.application_name("pharos").options([
        ("default_transaction_isolation", "read committed"),
        // Writers wait for each other as long as for SQLite's file.
        ("lock_timeout", "4s"),
        // A process that is suspended in the middle of a write loses it, so others can go on.
        ("idle_in_transaction_session_timeout", "30s"),
        // No request waits for that long; only upgrades and copies may take longer, and say so.
        ("statement_timeout", "60s"),
        // A commit that was answered outlives the server's crash: files are deleted because of it.
        ("synchronous_commit", "on"),
        ("timezone", "UTC"),
    ])
}

/// What is wrong with the server or the database, in words.
async fn look(options: &PgConnectOptions) -> Result<(), String> {
    let options = session(options.clone()).disable_statement_logging();
    let connected = tokio::time::timeout(ACQUIRE, options.connect()).await;
    let connected = connected.map_err(|_| "it does not answer".to_owned())?;
    let mut connection = connected.map_err(|error| error.to_string())?;
    let ask = "SELECT current_setting('server_version_num')::int4, current_setting('server_encoding'), \
               pg_is_in_recovery(), current_schema()";
    let row: (i32, String, bool, Option<String>) = sea_orm::sqlx::query_as(ask)
        .fetch_one(&mut connection)
        .await
        .map_err(|error| error.to_string())?;
    // Whatever closing says, it has answered.
    let _ = connection.close().await;
    let (version, encoding, follows, schema) = row;
    if version < OLDEST {
        return Err(format!(
            "it is version {}, and {} or later is needed",
            version / 10_000,
            OLDEST / 10_000
        ));
    }
    if encoding != "UTF8" {
        return Err(format!(
            "the database has the encoding {encoding}, and UTF8 is needed"
        ));
    }
    if follows {
        return Err("it is a standby, which takes no writes".to_owned());
    }
    if schema.is_none() {
        return Err("no schema of the search path is there, so tables have no place".to_owned());
    }
    Ok(())
}

/// Where it is, without who asks.
fn place(options: &PgConnectOptions) -> String {
    let database = options.get_database().unwrap_or("");
    format!("{}:{}/{database}", options.get_host(), options.get_port())
}

/// Waits until this transaction is the only one that writes for a domain, in whatever process; how often the domain was written
/// before. A statement that waits for a locked row reads it as it is then, so one statement does both.
pub(super) async fn take_write_lock(db: &impl ConnectionTrait, domain: &str) -> Result<i64, DbErr> {
    let wait = format!("SELECT epoch FROM domain_epochs WHERE domain = '{domain}' FOR UPDATE");
    let wait = Statement::from_string(db.get_database_backend(), wait);
    if let Some(row) = db.query_one_raw(wait.clone()).await? {
        return row.try_get_by_index(0);
    }
    let first = format!("INSERT INTO domain_epochs VALUES ('{domain}', 0) ON CONFLICT DO NOTHING");
    db.execute_unprepared(&first).await?;
    let row = db.query_one_raw(wait).await?;
    row.ok_or_else(|| DbErr::RecordNotFound(format!("the epoch of `{domain}`")))?
        .try_get_by_index(0)
}

/// Counts a write of a domain, in its transaction. Fails like [`still_good`].
pub(super) async fn count_write(db: &impl ConnectionTrait, domain: &str) -> Result<(), DbErr> {
    let count = format!("UPDATE domain_epochs SET epoch = epoch + 1 WHERE domain = '{domain}'");
    db.execute_unprepared(&count).await.map(drop)
}

/// How often each domain was written.
pub(super) async fn epochs(db: &impl ConnectionTrait) -> Result<HashMap<String, i64>, DbErr> {
    let ask = "SELECT domain, epoch FROM domain_epochs";
    let rows = Statement::from_string(db.get_database_backend(), ask);
    let rows = db.query_all_raw(rows).await?;
    rows.iter()
        .map(|row| Ok((row.try_get_by_index(0)?, row.try_get_by_index(1)?)))
        .collect()
}

/// Waits until this transaction is the only one that writes for no domain: upgrades, copies, commands.
pub(super) async fn wait(db: &impl ConnectionTrait) -> Result<(), DbErr> {
    let wait = format!("SELECT pg_advisory_xact_lock({TURNS}, 0)");
    db.execute_unprepared(&wait).await.map(drop)
}

/// An error if a statement of this transaction has failed: `COMMIT` would then take everything back and say nothing.
pub(super) async fn still_good(db: &impl ConnectionTrait) -> Result<(), DbErr> {
    db.execute_unprepared("SELECT 1").await.map(drop)
}

/// What else is in the schema where a new installation would put its tables.
pub(in crate::store) async fn foreign_tables(
    db: &impl ConnectionTrait,
) -> Result<Vec<String>, DbErr> {
    let own = format!("SELECT c.relname::text {TABLES} ORDER BY 1 LIMIT 3");
    let rows = Statement::from_string(db.get_database_backend(), own);
    let rows = db.query_all_raw(rows).await?;
    rows.iter().map(|row| row.try_get_by_index(0)).collect()
}

/// Tables of the schema, those of extensions aside.
const TABLES: &str = "FROM pg_class c WHERE c.relkind IN ('r', 'p') \
    AND c.relnamespace = to_regnamespace(quote_ident(current_schema())) \
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')";

/// Has every text compared by its bytes, as `SQLite` does: lists and ranges are the same on both, in every language, and no
/// update of the system's rules can change an index. Columns that are so already are left alone.
pub(in crate::store) async fn compare_bytes(db: &impl ConnectionTrait) -> Result<(), DbErr> {
    let all = format!(
        "DO $$ DECLARE one record; BEGIN \
         FOR one IN SELECT c.oid::regclass AS name, \
             string_agg(format('ALTER COLUMN %I TYPE text COLLATE \"C\"', a.attname), ', ') AS changes \
           FROM pg_attribute a JOIN (SELECT c.oid {TABLES}) c ON c.oid = a.attrelid \
           WHERE a.attnum > 0 AND NOT a.attisdropped AND a.atttypid = 'text'::regtype \
             AND a.attcollation <> '\"C\"'::regcollation \
           GROUP BY c.oid \
         LOOP EXECUTE format('ALTER TABLE %s %s', one.name, one.changes); END LOOP; END $$"
    );
    db.execute_unprepared(&all).await.map(drop)
}

/// Writes tables with secrets of the past anew, so what was deleted of them is in no file of the table. Whether that
/// was done; a reader can prevent it.
pub(super) async fn forget(db: &DatabaseConnection) -> Result<bool, DbErr> {
    for table in ["salts", "imports"] {
        let anew = format!("VACUUM (FULL) {table}");
        if let Err(error) = db.execute_unprepared(&anew).await {
            tracing::debug!(%error, table, "what was deleted is not overwritten yet");
            return Ok(false);
        }
    }
    Ok(true)
}

/// The time without connections.
#[derive(Debug, Default)]
pub(super) struct Outage(Mutex<Option<Instant>>);

impl Outage {
    /// An error while the database is known to be away.
    pub(super) fn check(&self, now: Instant) -> Result<(), DbErr> {
        if self.until().is_some_and(|until| now < until) {
            let away = "PostgreSQL did not answer a moment ago".to_owned();
            return Err(DbErr::Conn(RuntimeErr::Internal(away)));
        }
        Ok(())
    }

    /// Notes that it is away.
    pub(super) fn begin(&self, now: Instant) {
        *self.until() = Some(now + PAUSE);
    }

    fn until(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        // Nothing panics while it is held.
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_knocks_for_a_second_after_a_failure() {
        let (outage, now) = (Outage::default(), Instant::now());
        outage.check(now).unwrap();
        outage.begin(now);
        assert!(outage.check(now + Duration::from_millis(999)).is_err());
        outage.check(now + PAUSE).unwrap();
    }

    #[tokio::test]
    async fn a_place_is_named_without_its_password() {
        let url = "postgres://somebody:secret@127.0.0.1:1/state";
        let error = open(url).await.unwrap_err().to_string();
        assert!(
            error.starts_with("PostgreSQL at 127.0.0.1:1/state: "),
            "{error}"
        );
        assert!(error.to_lowercase().contains("refused"), "{error}");
        assert!(
            !error.contains("secret") && !error.contains("somebody"),
            "{error}"
        );
    }
}
