//! From segments to ClickHouse.

use std::{fs::File, path::Path};

use duckdb::arrow::record_batch::RecordBatch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde::{Deserialize, Serialize};

use super::{Checksums, CopyError};
use crate::events::{
    batch,
    clickhouse::{Batch, ClickHouse, EncodedRows},
    error::EngineError,
    files::portion::{PORTION, rows_at_a_time},
    segments::{Manifest, Segment, SegmentRow},
};

/// Rows of a batch, at most.
const MAX_ROWS: usize = 1 << 15;

/// ClickHouse has all segments before this one, in the order of their ids, and its first `rows` rows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyPosition {
    /// The segment's id; empty before the first one.
    pub segment: String,
    pub rows: u64,
}

/// A copy from segments to ClickHouse.
///
/// A batch is named by its segment and rows, so ClickHouse recognizes a repetition, and a row's key depends on its position
/// alone. A batch with an unknown outcome is therefore safe to send again.
#[derive(Debug)]
pub struct CopyToClickHouse<'c> {
    pub directory: &'c Path,
    pub manifest: &'c Manifest,
    pub to: &'c ClickHouse,
    /// Distinguishes this migration from others into the same tables.
    pub name: &'c str,
}

impl CopyToClickHouse<'_> {
    /// Sends what comes after `sent`, and calls `record` after every batch with the new position and the batch's rows.
    ///
    /// # Errors
    /// Some rows are not copied; those before the last recorded position are.
    pub async fn run(
        &self,
        sent: &CopyPosition,
        mut record: impl FnMut(CopyPosition, u64) -> Result<(), CopyError>,
    ) -> Result<(), CopyError> {
        let mut rows: Vec<&SegmentRow> = self.manifest.segments.iter().collect();
        rows.sort_by(|a, b| a.id.cmp(&b.id));
        for row in rows.into_iter().filter(|row| row.id >= sent.segment) {
            let skipped = if row.id == sent.segment { sent.rows } else { 0 };
            let mut from = 0;
            for batch in read_segment(self.directory, row)? {
                let batch = batch?;
                let to = from + batch.num_rows() as u64;
                if to > skipped {
                    self.push(&row.id, (from, to), &batch).await?;
                    let sent = CopyPosition {
                        segment: row.id.clone(),
                        rows: to,
                    };
                    record(sent, to - from)?;
                }
                from = to;
            }
        }
        Ok(())
    }

    async fn push(
        &self,
        segment: &str,
        (from, to): (u64, u64),
        rows: &RecordBatch,
    ) -> Result<(), CopyError> {
        let encoded = EncodedRows::from_rows(rows).map_err(EngineError::from)?;
        let mut batch = Batch::default();
        batch.push_encoded(&encoded, |row| key(segment, from + u64::from(row)));
        let batch = batch.finish();
        let token = format!("{}:{segment}:{from}-{to}", self.name);
        Ok(self.to.insert(&batch, 0..batch.len(), &token).await?)
    }
}

/// The checksums of what segments hold.
pub fn segment_checksums(
    directory: &Path,
    segments: &[SegmentRow],
) -> Result<Checksums, CopyError> {
    let mut sums = Checksums::default();
    for row in segments {
        for batch in read_segment(directory, row)? {
            sums.add(&batch?).map_err(EngineError::from)?;
        }
    }
    Ok(sums)
}

/// The rows of an intact segment, with today's columns.
fn read_segment(
    directory: &Path,
    row: &SegmentRow,
) -> Result<impl Iterator<Item = Result<RecordBatch, EngineError>>, CopyError> {
    let segment = Segment::new(directory, row.clone());
    if row.quarantined || !segment.is_whole()? {
        return Err(CopyError::Damaged(row.id.clone()));
    }
    let file = File::open(&segment.path)?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).map_err(EngineError::from)?;
    let rows = rows_at_a_time(reader.metadata(), MAX_ROWS, 2 * PORTION);
    let reader = reader.with_batch_size(rows).build();
    let reader = reader.map_err(EngineError::from)?;
    Ok(reader.map(|rows| Ok(batch::completed(&rows?)?)))
}

/// A row's key: its position.
fn key(segment: &str, row: u64) -> u128 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(segment.as_bytes());
    hasher.update(&row.to_le_bytes());
    let mut key = [0; 16];
    hasher.finalize_xof().fill(&mut key);
    u128::from_le_bytes(key)
}
