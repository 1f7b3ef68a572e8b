//! Table `event_segments`, the manifest of the event store, written by the domain `ingest`.

use sea_orm::entity::prelude::*;

/// An immutable file of event rows as the manifest knows it.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "event_segments")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Its path below the segment directory.
    #[sea_orm(unique)]
    pub file: String,
    /// The process that wrote it.
    pub node: String,
    /// The event table it belongs to.
    pub tbl: String,
    /// Smallest website key in it.
    pub website_min: i64,
    /// Largest website key in it.
    pub website_max: i64,
    /// Earliest event time in it, Unix milliseconds.
    pub time_min: i64,
    /// Latest event time in it, Unix milliseconds.
    pub time_max: i64,
    /// Whether it says who visitors are.
    pub aliases: bool,
    /// How many rows it holds.
    pub rows: i64,
    /// How large it is.
    pub bytes: i64,
    /// The first log position whose rows may be in it.
    pub first_lsn: i64,
    /// The last log position whose rows are in it.
    pub last_lsn: i64,
    /// How often it has been compacted.
    pub level: i32,
    /// How many bits the numbers of its websites have in common, because merges divide them so.
    pub depth: i32,
    /// Whose rows it holds; unknown in rows of older programs.
    pub held: Option<Vec<u8>>,
    /// The version of its columns.
    pub schema: i32,
    /// Checksum of the file.
    pub checksum: String,
    /// Its extracts, a JSON array; null for segments of earlier versions.
    #[sea_orm(nullable)]
    pub extracts: Option<String>,
    /// `active` or `quarantined`.
    pub state: String,
    pub created_at: DateTimeUtc,
}
