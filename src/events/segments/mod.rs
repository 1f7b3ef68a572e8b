//! Segments: immutable Parquet files, sorted by (website, time); of large websites each [kind of event](super::files::row_groups)
//! by itself.
//!
//! The *manifest* (rows in the state database, kept by the ingest domain) says which files count and up to which log
//! position they cover the spool. A file that the manifest does not name does not exist: it is a leftover of a crash
//! and is set [`aside`] at start. So is a file that is no longer named, for a while, when the last snapshot that holds it is
//! dropped. The data directory has a copy of the manifest of its own, the [`journal`], by which a start notices that the state
//! database is older than the files.
//!
//! A file is what it was when it was written, or it is damaged: answers leave it out and say so, the storekeeper moves it
//! to `quarantine/`, and it counts again when a sound copy of it lies under its name.

pub mod aside;
#[cfg(test)]
mod by_kind_tests;
mod checked_file;
mod compaction;
pub mod journal;
#[cfg(test)]
mod large_rows_tests;
mod merge;
pub mod retention_policy;
mod rewrite;
mod seal;
mod segment;
mod segment_writer;
mod tenant_index;
mod write;

use std::{collections::BTreeMap, fs, io, path::Path, sync::Arc};

pub use compaction::{Choice, Cut, FAN_IN, choose};
pub use merge::merge;
pub use retention_policy::{RetentionPolicy, Verdict};
pub use rewrite::{Rewrite, RowCounts, RowKey, count_deleted, rewrite};
pub use seal::{SealOutput, seal, write_stand_in};
pub use segment::{Look, Segment};
pub(in crate::events) use segment_writer::SegmentWriter;
pub use tenant_index::TenantIndex;

use serde::{Deserialize, Serialize};

use super::extracts::{Extract, ExtractRow};
use crate::events::log::Lsn;

/// What the manifest says of a segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentRow {
    /// Its id; the file is `<id>.parquet`.
    pub id: String,
    /// Smallest and largest website key in it.
    pub websites: (i64, i64),
    /// First and last event time in it, Unix ms; `TIMELESS` twice when nothing happened in it.
    pub times: (i64, i64),
    /// Whether it says who visitors are.
    pub aliases: bool,
    pub rows: u64,
    /// Bytes on disk.
    pub bytes: u64,
    /// First and last log position whose rows are in it.
    pub lsns: (Lsn, Lsn),
    /// How often its rows were merged.
    pub level: u32,
    /// How many bits the numbers of its websites have in common, because merges divide them so.
    pub depth: u32,
    #[serde(rename = "held", with = "tenant_index::written")]
    pub tenants: Arc<TenantIndex>,
    /// Version of the columns.
    pub schema: i32,
    /// BLAKE3 of the file, hex.
    pub checksum: String,
    /// Its extracts; none for segments of earlier versions.
    pub extracts: Vec<ExtractRow>,
    /// Whether the file was found damaged and is left out of answers.
    pub quarantined: bool,
}

#[cfg(test)]
impl SegmentRow {
    /// Of websites 10 to 20, not quite a tenth of a second long.
    pub fn example(id: &str, level: u32, rows: u64, from: i64) -> Self {
        Self {
            id: id.into(),
            websites: (10, 20),
            times: (from, from + 99),
            aliases: false,
            rows,
            bytes: rows * 20,
            lsns: (1, 2),
            level,
            depth: 0,
            tenants: Arc::default(),
            schema: 1,
            checksum: String::new(),
            extracts: Vec::new(),
            quarantined: false,
        }
    }
}

/// The committed truth about segments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    pub segments: Vec<SegmentRow>,
    /// The segments cover the log up to here.
    pub cursor: Lsn,
    /// How often it was changed: of two, the one with more is the newer.
    pub version: u64,
}

/// Whether a manifest has the rows of those segments, beside what was sealed behind their `cursor`: merges keep every
/// row, and whatever else happens to segments does not.
pub fn keeps_rows(before: &[Arc<Segment>], cursor: Lsn, manifest: &Manifest) -> bool {
    let after = manifest.segments.iter().filter(|row| row.lsns.0 <= cursor);
    let after: u64 = after.map(|row| row.rows).sum();
    let before: u64 = before.iter().map(|segment| segment.row.rows).sum();
    before == after
}

pub fn same_damage(before: &[Arc<Segment>], cursor: Lsn, manifest: &Manifest) -> bool {
    let damaged = |segments: &mut dyn Iterator<Item = &SegmentRow>| {
        let quarantined = segments.filter(|row| row.quarantined);
        let mut ids: Vec<_> = quarantined.map(|row| row.id.clone()).collect();
        ids.sort_unstable();
        ids
    };
    let mut tenants = before.iter().map(|segment| &segment.row);
    let mut after = manifest.segments.iter().filter(|row| row.lsns.0 <= cursor);
    damaged(&mut tenants) == damaged(&mut after)
}

/// Where damaged files are kept for people to look at.
pub const QUARANTINE: &str = "quarantine";

pub fn file_name(id: &str) -> String {
    format!("{id}.parquet")
}

impl SegmentRow {
    pub fn files(&self) -> impl Iterator<Item = String> {
        let extracts = self.extracts.iter().map(|row| row.extract);
        let extracts = extracts.map(|extract: Extract| extract.file_name(&self.id));
        std::iter::once(file_name(&self.id)).chain(extracts)
    }
}

/// Rows of every website in these segments, as far as the manifest counts them.
fn counts<'s>(segments: impl IntoIterator<Item = &'s Segment>) -> BTreeMap<i64, u64> {
    let mut counts = BTreeMap::new();
    let known = segments.into_iter();
    for (website, rows) in known
        .filter_map(|known| known.row.tenants.exactly())
        .flatten()
    {
        *counts.entry(*website).or_default() += rows;
    }
    counts
}

/// Whether there are any segment files.
pub fn any(directory: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "parquet")
        {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn row(id: &str, level: u32, rows: u64, from: i64) -> SegmentRow {
        SegmentRow::example(id, level, rows, from)
    }
}
