//! Sections about where data lives and how it is taken in and queried.

use serde::{Deserialize, Serialize};

use crate::config::{Bytes, Secret};

/// `[storage]`: the disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Storage {
    /// Home of everything embedded; relative to the working directory.
    pub data_dir: String,
    /// Free bytes below which ingestion is refused; 0 = max(1 GiB, 3 % of the disk).
    pub reserve_bytes: u64,
}

/// `[database]`: the state database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Database {
    /// `sqlite` = a file in the data directory, or `postgres://…`.
    pub url: Secret,
}

impl Database {
    /// The `url` of the one in the data directory.
    pub const EMBEDDED: &str = "sqlite";

    /// Whether it is in the data directory.
    pub fn is_embedded(&self) -> bool {
        self.url.expose() == Self::EMBEDDED
    }
}

/// `[redis]`: coordination between replicas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Redis {
    /// Empty = limits and caches live in the process.
    pub url: Secret,
    /// What ingestion does while Redis is away.
    pub ingest_degraded: IngestDegraded,
    /// How long Redis may take for one answer, milliseconds.
    pub timeout_ms: u32,
}

/// What ingestion does while Redis is away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IngestDegraded {
    /// Refuse with 503.
    Refuse,
    /// Go on with per-process limits.
    Local,
}

/// `[events]`: the event store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Events {
    /// Which store answers queries.
    pub store: EventStore,
    /// Address of ClickHouse with user, password and database.
    pub clickhouse_url: Secret,
    /// Cluster on which Replicated and Distributed tables are made; empty = plain tables.
    pub clickhouse_cluster: String,
    /// Days after which events are deleted; 0 = kept.
    pub retention_days: u32,
    /// Hours for which files are kept after they were merged into others; 0 = they go at once.
    pub keep_replaced_hours: u32,
}

/// Which store answers queries about events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventStore {
    /// Parquet segments in the data directory.
    Embedded,
    Clickhouse,
}

/// `[ingest]`: when an event counts as accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ingest {
    /// When an event may be answered with success.
    pub ack: Ack,
    /// Hours for which a repeated `eventId` is recognized.
    pub dedup_hours: u32,
    /// Bytes of a file of events that is imported into the running server.
    pub import_bytes: Bytes,
    /// What happens when the disk refuses to sync.
    pub on_fsync_error: OnFsyncError,
    /// Whether `Sec-GPC: 1` keeps an event from being stored.
    pub honour_gpc: bool,
    /// Whether `DNT: 1` keeps an event from being stored.
    pub honour_dnt: bool,
}

/// When an event may be answered with success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ack {
    /// It is on disk.
    Fsync,
    /// It is in memory; a crash loses it. For benchmarks.
    Memory,
    /// ClickHouse has it.
    Remote,
}

/// What happens when the disk refuses to sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnFsyncError {
    /// Ingestion answers 503, everything else goes on.
    Close,
    Exit,
}

/// `[query]`: the ceiling of the query engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// Memory of the engine.
    pub memory: Bytes,
    /// Room for answers that are given again while nothing changes; 0 = none.
    pub cache: Bytes,
    /// Seconds after which a query is interrupted.
    pub deadline_seconds: u32,
    /// Threads of the engine; 0 = one per core, see [`Query::thread_count`].
    pub threads: u32,
    /// Queries that run at the same time.
    pub concurrent: u32,
}

/// `[geo]`: from address to country.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Geo {
    /// A `.mmdb` file; empty = the built-in country table. Reloadable.
    pub database: String,
    /// Header in which a trusted proxy says the client's country; empty = none.
    pub country_header: String,
    /// The same for the region.
    pub region_header: String,
    /// The same for the city.
    pub city_header: String,
}
