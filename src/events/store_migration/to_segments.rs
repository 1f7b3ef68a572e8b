//! From ClickHouse to segments.

use std::{collections::BTreeMap, path::Path};

use duckdb::arrow::record_batch::RecordBatch;

use super::{Checksums, CopyError};
use crate::events::{
    clickhouse::{ClickHouse, Page},
    error::EngineError,
    log::Lsn,
    segments::{SegmentRow, SegmentWriter},
};

/// Rows of small websites that one query reads together.
const TOGETHER: u64 = 1 << 16;

/// A copy from ClickHouse to segments.
#[derive(Debug)]
pub struct CopyToSegments<'c> {
    pub from: &'c ClickHouse,
    /// Of the segments.
    pub directory: &'c Path,
    /// The end of the log that the rows cover.
    pub cursor: Lsn,
}

impl CopyToSegments<'_> {
    /// Writes segments of the websites that come after those in `done`. Calls `record` with segments whose websites are
    /// complete, and the rows read since the last call.
    ///
    /// # Errors
    /// Some rows are not written; recorded segments are.
    pub async fn run(
        &self,
        done: &[SegmentRow],
        mut record: impl FnMut(Vec<SegmentRow>, u64) -> Result<(), CopyError>,
    ) -> Result<(), CopyError> {
        let counts = self.from.census().await?;
        let last = done.iter().map(|row| row.websites.1).max();
        let mut writer =
            SegmentWriter::start(self.directory, &counts, (self.cursor.min(1), self.cursor));
        read(self.from, &counts, last, |rows| {
            writer.push(rows)?;
            record(writer.complete(), rows.num_rows() as u64)
        })
        .await?;
        record(writer.finish()?, 0)
    }
}

/// The checksums of what ClickHouse holds, and the number of duplicate rows that it has not merged yet.
pub async fn clickhouse_checksums(from: &ClickHouse) -> Result<(Checksums, u64), CopyError> {
    let mut sums = Checksums::default();
    let counts = from.census().await?;
    read(from, &counts, None, |rows| {
        Ok(sums.add(rows).map_err(EngineError::from)?)
    })
    .await?;
    let all: u64 = counts.values().sum();
    let duplicates = all.saturating_sub(sums.rows());
    Ok((sums, duplicates))
}

/// Reads the rows of all websites after `last`, page by page.
async fn read(
    from: &ClickHouse,
    counts: &BTreeMap<i64, u64>,
    last: Option<i64>,
    mut each: impl FnMut(&RecordBatch) -> Result<(), CopyError>,
) -> Result<(), CopyError> {
    for websites in together(counts, last) {
        let mut cursor = None;
        loop {
            let Page { rows, next } = from.page(websites, cursor.as_ref()).await?;
            each(&rows)?;
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
    }
    Ok(())
}

/// The websites after `last`, as first and last of each run that one query reads.
fn together(counts: &BTreeMap<i64, u64>, last: Option<i64>) -> Vec<(i64, i64)> {
    let mut runs: Vec<((i64, i64), u64)> = Vec::new();
    let left = counts
        .iter()
        .filter(|(website, _)| last.is_none_or(|last| **website > last));
    for (website, count) in left {
        match runs.last_mut() {
            Some((run, rows)) if *rows + count <= TOGETHER => {
                run.1 = *website;
                *rows += count;
            }
            _ => runs.push(((*website, *website), *count)),
        }
    }
    runs.into_iter().map(|(run, _)| run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_websites_are_asked_for_together() {
        let counts = BTreeMap::from([(-3, 10), (0, 20), (4, TOGETHER), (9, 1), (12, 1)]);
        assert_eq!(together(&counts, None), [(-3, 0), (4, 4), (9, 12)]);
        assert_eq!(together(&counts, Some(0)), [(4, 4), (9, 12)]);
        assert_eq!(together(&counts, Some(9)), [(12, 12)]);
        assert!(together(&counts, Some(12)).is_empty());
    }
}
