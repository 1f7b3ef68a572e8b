//! From ClickHouse to segments.

use std::{collections::BTreeMap, path::Path};

use duckdb::arrow::record_batch::RecordBatch;

use super::{CarryError, Sums};
use crate::events::{
    clickhouse::{ClickHouse, Page},
    error::EngineError,
    log::Lsn,
    segments::{SegmentRow, SegmentWriter},
};

/// Rows of small websites that are asked for together.
const TOGETHER: u64 = 1 << 16;

/// Rows on their way into segments.
#[derive(Debug)]
pub struct Inward<'c> {
    pub from: &'c ClickHouse,
    /// Where the segments are to lie.
    pub directory: &'c Path,
    /// The end of the log that the rows stand for.
    pub cursor: Lsn,
}

impl Inward<'_> {
    /// Writes segments of the websites behind those that `done` has; `noted` gets those of which all websites are complete,
    /// as they become so, and how many rows were read since.
    ///
    /// # Errors
    /// Not everything is written. What was noted is.
    pub async fn fetch(
        &self,
        done: &[SegmentRow],
        mut noted: impl FnMut(Vec<SegmentRow>, u64) -> Result<(), CarryError>,
    ) -> Result<(), CarryError> {
        let counts = self.from.census().await?;
        let last = done.iter().map(|row| row.websites.1).max();
        let mut writer =
            SegmentWriter::start(self.directory, &counts, (self.cursor.min(1), self.cursor));
        read(self.from, &counts, last, |rows| {
            writer.push(rows)?;
            noted(writer.complete(), rows.num_rows() as u64)
        })
        .await?;
        noted(writer.finish()?, 0)
    }
}

/// What there is in ClickHouse, and how many rows have not fallen together with others yet.
pub async fn sums_of_clickhouse(from: &ClickHouse) -> Result<(Sums, u64), CarryError> {
    let mut sums = Sums::default();
    let counts = from.census().await?;
    read(from, &counts, None, |rows| {
        Ok(sums.add(rows).map_err(EngineError::from)?)
    })
    .await?;
    let all: u64 = counts.values().sum();
    let twice = all.saturating_sub(sums.rows());
    Ok((sums, twice))
}

/// Reads the rows of all websites behind one, page by page.
async fn read(
    from: &ClickHouse,
    counts: &BTreeMap<i64, u64>,
    last: Option<i64>,
    mut each: impl FnMut(&RecordBatch) -> Result<(), CarryError>,
) -> Result<(), CarryError> {
    for websites in together(counts, last) {
        let mut behind = None;
        loop {
            let Page { rows, next } = from.page(websites, behind.as_ref()).await?;
            each(&rows)?;
            behind = next;
            if behind.is_none() {
                break;
            }
        }
    }
    Ok(())
}

/// Websites behind one, as first and last of each run that is asked for together.
fn together(counts: &BTreeMap<i64, u64>, behind: Option<i64>) -> Vec<(i64, i64)> {
    let mut runs: Vec<((i64, i64), u64)> = Vec::new();
    let left = counts
        .iter()
        .filter(|(website, _)| behind.is_none_or(|last| **website > last));
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
