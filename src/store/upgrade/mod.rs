//! Bringing the state database to the schema of this version.
//!
//! All steps that are due are one transaction, so a crash at any moment leaves the old schema or the new one and
//! nothing in between; the next start simply does it again. Before the first step the embedded database is copied
//! aside, because the steps do not go back. A database that a later version wrote is not touched at all.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use migration::{Migrator, MigratorTrait};
use sea_orm::{ConnectionTrait, DbBackend, FromQueryResult, Statement};

use super::{
    StateDb, StateError,
    state::{compare_bytes, foreign_tables},
};

/// Below the data directory: copies of the state database from before upgrades.
pub const SNAPSHOTS: &str = "before-upgrade";
/// How many of them stay.
const KEPT: usize = 3;
const SUFFIX: &str = "db";
/// Held while migrations run on `PostgreSQL`, where several processes may start at once.
const MIGRATION_LOCK: i64 = 0x7068_6172_6f73;

/// How the schema of a database compares to this version's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schema {
    /// There is none yet.
    Empty,
    /// It is this version's.
    Current,
    /// These steps are due, oldest first.
    Older(Vec<String>),
    /// A later version made these steps.
    Newer(Vec<String>),
}

/// Why the schema was not brought up to date. The database is as it was.
#[derive(Debug, thiserror::Error)]
pub enum UpgradeError {
    /// A later version wrote it.
    #[error("the state database was written by a later version of pharos, which took the steps {}", .0.join(", "))]
    Newer(Vec<String>),
    /// The schema on `PostgreSQL` belongs to another owner.
    #[error("there is no pharos in the database, but there are the tables {}", .0.join(", "))]
    Foreign(Vec<String>),
    /// It could not be copied aside.
    #[error("the state database cannot be copied to `{}` before its upgrade: {cause}", .path.display())]
    Snapshot {
        /// Where the copy should have gone.
        path: PathBuf,
        /// What was in the way.
        cause: anyhow::Error,
    },
    /// The database refused a step.
    #[error(transparent)]
    State(#[from] StateError),
}

/// What an upgrade came to.
#[derive(Debug, PartialEq, Eq)]
pub enum Upgraded {
    /// There was nothing to do, or nothing to upgrade from.
    Fresh,
    /// These steps were taken; the embedded database of before is in the file.
    From(Vec<String>, Option<PathBuf>),
}

#[derive(FromQueryResult)]
struct Step {
    version: String,
}

impl StateDb {
    /// Compares this database's schema to this version's.
    ///
    /// # Errors
    /// What the database says.
    pub async fn schema(&self) -> Result<Schema, StateError> {
        let known: Vec<_> = Migrator::migrations()
            .iter()
            .map(|step| step.name().to_owned())
            .collect();
        let taken = self.steps().await?;
        let newer: Vec<_> = taken
            .iter()
            .filter(|step| !known.contains(step))
            .cloned()
            .collect();
        let due: Vec<_> = known
            .into_iter()
            .filter(|step| !taken.contains(step))
            .collect();
        Ok(if !newer.is_empty() {
            Schema::Newer(newer)
        } else if taken.is_empty() {
            Schema::Empty
        } else if due.is_empty() {
            Schema::Current
        } else {
            Schema::Older(due)
        })
    }

    /// Brings the schema up to date. Safe to run from several processes at once on `PostgreSQL`. `data_dir` is where the
    /// embedded database is copied to first.
    ///
    /// # Errors
    /// A database that a later version wrote, no room for the copy, or what the database says.
    pub async fn upgrade(&self, data_dir: &Path) -> Result<Upgraded, UpgradeError> {
        let due = match self.schema().await? {
            Schema::Newer(steps) => return Err(UpgradeError::Newer(steps)),
            Schema::Current => return Ok(Upgraded::Fresh),
            Schema::Empty => None,
            Schema::Older(due) => Some(due),
        };
        let Some(due) = due else {
            self.migrate_empty().await?;
            return Ok(Upgraded::Fresh);
        };
        let snapshot = if self.is_shared() {
            None
        } else {
            Some(self.snapshot(data_dir).await?)
        };
        self.migrate().await?;
        Ok(Upgraded::From(due, snapshot))
    }

    /// Takes every step that is due, all of them or none. Of several processes that start at once on `PostgreSQL`, one does and
    /// the others find it done.
    ///
    /// # Errors
    /// What the database says.
    pub async fn migrate(&self) -> Result<(), StateError> {
        let write = self.begin().await?;
        if self.is_shared() {
            // However long the other one takes.
            let lock = format!(
                "SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock({MIGRATION_LOCK})"
            );
            write.execute_unprepared(&lock).await?;
        }
        Migrator::up(&*write, None).await?;
        if self.is_shared() {
            compare_bytes(&*write).await?;
        }
        write.commit().await
    }

    /// [`StateDb::migrate`] where there was nothing a moment ago. Tables of something else are left alone.
    async fn migrate_empty(&self) -> Result<(), UpgradeError> {
        if self.is_shared() {
            let foreign = foreign_tables(self.writer())
                .await
                .map_err(StateError::from)?;
            // Another process may have been faster.
            if !foreign.is_empty() && self.steps().await?.is_empty() {
                return Err(UpgradeError::Foreign(foreign));
            }
        }
        Ok(self.migrate().await?)
    }

    /// Copies the embedded database aside, durably, under the name of the last step it took.
    async fn snapshot(&self, data_dir: &Path) -> Result<PathBuf, UpgradeError> {
        let taken = self.steps().await?;
        let directory = data_dir.join(SNAPSHOTS);
        let last = taken.iter().next_back().map_or("empty", |step| step);
        let path = directory.join(format!("{:03}-{last}.{SUFFIX}", taken.len()));
        match self.copy_aside(&directory, &path).await {
            Ok(()) => Ok(path),
            Err(cause) => Err(UpgradeError::Snapshot { path, cause }),
        }
    }

    async fn copy_aside(&self, directory: &Path, path: &Path) -> anyhow::Result<()> {
        fs::create_dir_all(directory)?;
        let partial = path.with_extension("partial");
        absent(&partial)?;
        self.copy_to(&partial).await?;
        fs::rename(&partial, path)?;
        prune(directory)?;
        Ok(File::open(directory)?.sync_all()?)
    }

    /// The steps that were taken, by name.
    async fn steps(&self) -> Result<BTreeSet<String>, StateError> {
        let table = Migrator::migration_table_name().to_string();
        let backend = self.backend();
        let there = match backend {
            DbBackend::Postgres => {
                "SELECT tablename AS version FROM pg_tables WHERE tablename = $1 AND schemaname = current_schema()"
            }
            _ => "SELECT name AS version FROM sqlite_master WHERE name = ?",
        };
        let there = Statement::from_sql_and_values(backend, there, [table.as_str().into()]);
        if self.writer().query_one_raw(there).await?.is_none() {
            return Ok(BTreeSet::new());
        }
        let all = Statement::from_string(backend, format!("SELECT version FROM {table}"));
        let steps = Step::find_by_statement(all).all(self.writer()).await?;
        Ok(steps.into_iter().map(|step| step.version).collect())
    }

    fn backend(&self) -> DbBackend {
        self.writer().get_database_backend()
    }
}

/// Deletes all but the last copies; their names begin with how many steps their schema had.
fn prune(directory: &Path) -> io::Result<()> {
    let mut copies = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|suffix| suffix == SUFFIX) {
            copies.push(path);
        }
    }
    copies.sort();
    let old = copies.len().saturating_sub(KEPT);
    copies.iter().take(old).try_for_each(|path| absent(path))
}

fn absent(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
