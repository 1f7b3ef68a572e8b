//! How the store is set up.

use std::{path::PathBuf, time::Duration};

use super::shipper::Remote;
use crate::events::failpoint::Failpoints;

/// How the store is set up.
#[derive(Debug, Clone)]
pub struct Options {
    pub data_dir: PathBuf,
    /// Whether answers wait for the disk.
    pub sync: bool,
    /// How long duplicates are recognised.
    pub dedup_window: Duration,
    /// Free bytes below which nothing is accepted; 0 = the larger of 1 GiB and 3 % of the disk.
    pub reserve: u64,
    /// Rows after which the tail is sealed.
    pub seal_rows: u64,
    /// Bytes after which the tail is sealed.
    pub seal_bytes: u64,
    /// Unsealed bytes beyond which nothing is accepted; 0 = a tenth of the disk, at most 8 GiB.
    pub backlog: u64,
    /// Engine memory, bytes.
    pub memory: u64,
    /// Bytes of cached answers; 0 = none.
    pub result_cache: u64,
    pub threads: usize,
    /// Statements at a time.
    pub concurrent: usize,
    /// How long a statement may take.
    pub deadline: Duration,
    /// The ClickHouse that holds the rows; `None` = segments in the data directory.
    pub remote: Option<Remote>,
    /// For how long files are kept after they were merged into others; zero = they go at once.
    pub keep_replaced: Duration,
    /// What drills let go wrong.
    pub failpoints: Failpoints,
}

impl Options {
    /// The defaults of the configuration, over one directory.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            sync: true,
            dedup_window: Duration::from_hours(24),
            reserve: 0,
            seal_rows: 1 << 15,
            seal_bytes: 32 << 20,
            backlog: 0,
            memory: 192 << 20,
            result_cache: 16 << 20,
            threads: 2,
            concurrent: 4,
            deadline: Duration::from_secs(15),
            remote: None,
            keep_replaced: Duration::from_hours(24),
            failpoints: Failpoints::default(),
        }
    }

    /// Where the engine may spill.
    pub(super) fn spill(&self) -> PathBuf {
        self.data_dir.join("spill")
    }
}
