//! From segments to ClickHouse.

use std::{fs::File, path::Path};

use duckdb::arrow::record_batch::RecordBatch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde::{Deserialize, Serialize};

use super::{CarryError, Sums};
use crate::events::{
    batch,
    clickhouse::{Batch, ClickHouse, Packed},
    error::EngineError,
    files::portion::{PORTION, rows_at_a_time},
    segments::{Manifest, Segment, SegmentRow},
};

/// Rows that are sent at a time, at most.
const AT_A_TIME: usize = 1 << 15;

/// How far it is: ClickHouse has all segments before this one, in the order of their ids, and so many rows of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// The segment's id; empty before the first one.
    pub segment: String,
    /// Its first rows that are there.
    pub rows: u64,
}

/// Segments on their way.
///
/// Every batch has a name that says which rows of which segment it is, under which ClickHouse knows it again, and every row
/// a key that its place decides; so the one batch of which nobody knows whether it arrived is sent again without harm.
#[derive(Debug)]
pub struct Outward<'c> {
    pub directory: &'c Path,
    pub manifest: &'c Manifest,
    pub to: &'c ClickHouse,
    /// What tells this move from others that may have gone to the same tables.
    pub name: &'c str,
}

impl Outward<'_> {
    /// Sends what is behind `sent`; `noted` gets how far it is after every batch, and how many rows that was.
    ///
    /// # Errors
    /// Not everything is there. What was noted is.
    pub async fn send(
        &self,
        sent: &Sent,
        mut noted: impl FnMut(Sent, u64) -> Result<(), CarryError>,
    ) -> Result<(), CarryError> {
        let mut rows: Vec<&SegmentRow> = self.manifest.segments.iter().collect();
        rows.sort_by(|a, b| a.id.cmp(&b.id));
        for row in rows.into_iter().filter(|row| row.id >= sent.segment) {
            let skipped = if row.id == sent.segment { sent.rows } else { 0 };
            let mut from = 0;
            for batch in rows_of(self.directory, row)? {
                let batch = batch?;
                let to = from + batch.num_rows() as u64;
                if to > skipped {
                    self.push(&row.id, (from, to), &batch).await?;
                    let sent = Sent {
                        segment: row.id.clone(),
                        rows: to,
                    };
                    noted(sent, to - from)?;
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
    ) -> Result<(), CarryError> {
        let packed = Packed::from_rows(rows).map_err(EngineError::from)?;
        let mut batch = Batch::default();
        batch.push_packed(&packed, |row| key(segment, from + u64::from(row)));
        let batch = batch.finish();
        let token = format!("{}:{segment}:{from}-{to}", self.name);
        Ok(self.to.insert(&batch, 0..batch.len(), &token).await?)
    }
}

/// What there is in segments.
pub fn sums_of_segments(directory: &Path, segments: &[SegmentRow]) -> Result<Sums, CarryError> {
    let mut sums = Sums::default();
    for row in segments {
        for batch in rows_of(directory, row)? {
            sums.add(&batch?).map_err(EngineError::from)?;
        }
    }
    Ok(sums)
}

/// The rows of a segment that is whole, with today's columns.
fn rows_of(
    directory: &Path,
    row: &SegmentRow,
) -> Result<impl Iterator<Item = Result<RecordBatch, EngineError>>, CarryError> {
    let segment = Segment::new(directory, row.clone());
    if row.quarantined || !segment.is_whole()? {
        return Err(CarryError::Damaged(row.id.clone()));
    }
    let file = File::open(&segment.path)?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).map_err(EngineError::from)?;
    let rows = rows_at_a_time(reader.metadata(), AT_A_TIME, 2 * PORTION);
    let reader = reader.with_batch_size(rows).build();
    let reader = reader.map_err(EngineError::from)?;
    Ok(reader.map(|rows| Ok(batch::completed(&rows?)?)))
}

/// What tells a row from all others: where it was.
fn key(segment: &str, row: u64) -> u128 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(segment.as_bytes());
    hasher.update(&row.to_le_bytes());
    let mut key = [0; 16];
    hasher.finalize_xof().fill(&mut key);
    u128::from_le_bytes(key)
}
