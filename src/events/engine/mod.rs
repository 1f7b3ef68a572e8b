//! The query engine: an in-memory DuckDB that owns no durable state.
//!
//! It reads segments from disk and loads generations of the tail on demand, so it can be thrown away and reopened at
//! any time (its *epoch* then grows and every tail table is loaded anew): when it is beyond use, and when it remembers
//! too much of files that are gone. Statements run on a few own threads at lower
//! priority than the listeners; seals and compactions on one of still lower priority. The engine sees no file but the
//! segments and its own spill directory.

mod cells;
mod empty_segment;
pub mod load;
mod pool;
mod queue;
mod relation;
mod run;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use aggregates::Database;

use super::error::EngineError;

pub use aggregates::Handle;
pub use empty_segment::empty_segment;
pub use pool::{Cancel, Pool};
pub use run::{Run, in_scope};

/// Deleted files whose footers the engine may still hold, some hundred kilobytes each. It forgets nothing by
/// itself before it has no memory left.
const MAX_GONE: usize = 64;

/// Tables of ids ([`aggregates`]) may take this part of the engine's memory, beside it.
const OF_MEMORY: u64 = 3;

/// How the engine may use the machine.
#[derive(Debug, Clone)]
pub struct Options {
    pub segments: PathBuf,
    pub spill: PathBuf,
    /// Memory ceiling, bytes (`query.memory`).
    pub memory: u64,
    /// Threads of one statement (`query.threads`).
    pub threads: usize,
    /// Statements at a time (`query.concurrent`).
    pub concurrent: usize,
}

/// The engine's root: makes connections, reopens itself when it is beyond use.
pub struct Root {
    options: Options,
    database: Mutex<Arc<Database>>,
    epoch: AtomicU64,
    /// Files that are gone since the instance was opened.
    gone: AtomicUsize,
}

impl Root {
    pub fn open(options: Options) -> Result<Self, EngineError> {
        // What an earlier process left.
        let _ = fs::remove_dir_all(&options.spill);
        empty_segment::write(&options.spill)?;
        let database = Mutex::new(open(&options, 1)?);
        Ok(Self {
            options,
            database,
            epoch: AtomicU64::new(1),
            gone: AtomicUsize::new(0),
        })
    }

    /// The engine's current life.
    pub fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// A connection with the epoch it belongs to.
    pub fn connect(&self) -> Result<(u64, Handle), EngineError> {
        let root = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        Ok((self.epoch(), root.connect()?))
    }

    /// Throws the instance of `epoch` away and opens a fresh one; does nothing if that has happened already.
    pub fn reopen(&self, epoch: u64) -> Result<(), EngineError> {
        if self.renew(epoch)? {
            tracing::error!("the query engine was beyond use and is opened anew");
        }
        Ok(())
    }

    /// Files are gone that the instance of `epoch` may have read. Now and then that is too much to remember, and a fresh one takes
    /// over; statements that run end where they began.
    pub fn forget(&self, epoch: u64, files: usize) -> Result<(), EngineError> {
        if self.gone.fetch_add(files, Ordering::AcqRel) + files < MAX_GONE {
            return Ok(());
        }
        if self.renew(epoch)? {
            tracing::debug!("the query engine is opened anew, to forget files that are gone");
        }
        Ok(())
    }

    /// Whether it was this call that opened it.
    fn renew(&self, epoch: u64) -> Result<bool, EngineError> {
        let mut root = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        if self.epoch() != epoch {
            return Ok(false);
        }
        *root = open(&self.options, epoch + 1)?;
        self.epoch.fetch_add(1, Ordering::AcqRel);
        self.gone.store(0, Ordering::Release);
        Ok(true)
    }
}

/// Footers of files are kept; what is in the files is not, because the machine keeps it in its own memory already.
fn open(options: &Options, epoch: u64) -> Result<Arc<Database>, EngineError> {
    fs::create_dir_all(&options.segments)?;
    // An instance that is going away tidies its directory up; it must not be the next one's.
    let spill = options.spill.join(epoch.to_string());
    fs::create_dir_all(&spill)?;
    let of_tables = options.memory / OF_MEMORY;
    let settings = [
        ("threads", options.threads.max(1).to_string()),
        ("memory_limit", format!("{}B", options.memory)),
        ("autoinstall_known_extensions", "false".to_owned()),
        ("autoload_known_extensions", "false".to_owned()),
    ];
    let database = Database::open(&settings, of_tables as usize)?;
    database.connect()?.execute_batch(&format!(
        "SET temp_directory = {spill};
         SET max_temp_directory_size = '4GB';
         SET preserve_insertion_order = false;
         SET GLOBAL parquet_metadata_cache = true;
         SET GLOBAL enable_external_file_cache = false;
         SET enable_progress_bar = false;
         SET allowed_directories = [{segments}, {spill}];
         SET allowed_paths = [{empty_segment}];
         SET enable_external_access = false;
         SET lock_configuration = true;",
        spill = quoted(&directory(&spill)),
        segments = quoted(&directory(&options.segments)),
        empty_segment = quoted(&empty_segment(&options.spill).to_string_lossy()),
    ))?;
    Ok(database)
}

fn directory(path: &Path) -> String {
    format!("{}/", path.to_string_lossy())
}

/// A path as an SQL text literal. Paths are ours (data directory and generated names), never a caller's.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_connection_keeps_footers_and_nothing_else_of_files() {
        let directory = tempfile::tempdir().unwrap();
        let root = Root::open(Options {
            segments: directory.path().join("segments"),
            spill: directory.path().join("spill"),
            memory: 64 << 20,
            threads: 1,
            concurrent: 1,
        });
        let (_, connection) = root.unwrap().connect().unwrap();
        let kept = |setting: &str| {
            let ask = format!("SELECT current_setting('{setting}')");
            connection.query_row(&ask, [], |row| row.get::<_, bool>(0))
        };
        assert!(kept("parquet_metadata_cache").unwrap());
        assert!(!kept("enable_external_file_cache").unwrap());
    }
}
