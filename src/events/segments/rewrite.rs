//! A segment without some of its rows.

use std::{collections::BTreeMap, fs::File, io, path::Path};

use duckdb::arrow::{
    array::{Array as _, AsArray, BooleanArray},
    compute::{cast, filter_record_batch},
    datatypes::{DataType, Int64Type, UInt8Type, UInt64Type},
    record_batch::RecordBatch,
};
use parquet::arrow::{
    ProjectionMask,
    arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder},
};

use super::{Segment, SegmentRow, counts, merge::Merge, write::SegmentFile};
use crate::events::{
    error::EngineError,
    files::{
        file::{Apart, ROW_GROUP},
        portion::{PORTION, rows_at_a_time},
    },
};

/// The columns of [`RowKey`], and the kind.
const KEY_COLUMNS: [&str; 6] = [
    "organization",
    "website",
    "time",
    "visitor",
    "profile",
    "kind",
];

/// The fields that decide whether a row is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowKey {
    pub organization: i64,
    /// Number of the website; 0 = none.
    pub website: i64,
    /// Unix ms.
    pub time: i64,
    /// Hash of the visitor; 0 = none.
    pub visitor: u64,
    /// Id of the profile, if the row carries one.
    pub profile: Option<String>,
}

/// A segment without the rows that are not kept.
#[derive(Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// Every row is kept, and nothing was written.
    Same,
    /// No row is kept.
    Empty,
    Rest(SegmentRow),
}

/// Numbers of rows, by kind ([`kind`](crate::events::column::kind)).
pub type RowCounts = BTreeMap<i64, u64>;

/// Counts the rows of a segment that `keep` rejects.
pub fn count_deleted(
    segment: &Segment,
    keep: impl Fn(&RowKey) -> bool,
) -> Result<RowCounts, EngineError> {
    let mut deleted = RowCounts::new();
    for batch in reader(segment)? {
        let batch = batch?;
        let stays = mask(&batch, &keep);
        let kinds = batch.column_by_name(KEY_COLUMNS[5]);
        let kinds = kinds.and_then(|array| array.as_primitive_opt::<UInt8Type>());
        for row in (0..batch.num_rows()).filter(|row| !stays.value(*row)) {
            let kind = kinds.map_or(0, |kinds| i64::from(kinds.value(row)));
            *deleted.entry(kind).or_default() += 1;
        }
    }
    Ok(deleted)
}

/// Writes the rows of a segment that `keep` accepts, by website and time, and counts the others. Fails when the program is
/// `stopped` meanwhile.
pub fn rewrite(
    directory: &Path,
    segment: &Segment,
    keep: impl Fn(&RowKey) -> bool,
    stopped: impl Fn() -> bool,
) -> Result<(Rewrite, RowCounts), EngineError> {
    let deleted = count_deleted(segment, &keep)?;
    let count: u64 = deleted.values().sum();
    if count == 0 {
        return Ok((Rewrite::Same, deleted));
    }
    if count == segment.row.rows {
        return Ok((Rewrite::Empty, deleted));
    }
    let (level, depth) = (segment.row.level, segment.row.depth);
    let apart = Apart::from_counts(&counts([segment]));
    let mut file = SegmentFile::create(directory, level, depth, &apart)?;
    let mut rows = Merge::open([segment])?;
    while let Some(rows) = rows.next_batch()? {
        if stopped() {
            return Err(io::Error::from(io::ErrorKind::Interrupted).into());
        }
        let rest = filter_record_batch(&rows, &mask(&rows, &keep))?;
        if rest.num_rows() > 0 {
            file.push(&rest)?;
        }
    }
    Ok((Rewrite::Rest(file.finish(segment.row.lsns)?), deleted))
}

/// The keys of a segment's rows, as they lie in its file.
fn reader(segment: &Segment) -> Result<ParquetRecordBatchReader, EngineError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(&segment.path)?)?;
    let wanted = ProjectionMask::columns(builder.parquet_schema(), KEY_COLUMNS);
    let builder = builder.with_projection(wanted);
    let rows = rows_at_a_time(builder.metadata(), ROW_GROUP, PORTION);
    Ok(builder.with_batch_size(rows).build()?)
}

fn mask(batch: &RecordBatch, keep: impl Fn(&RowKey) -> bool) -> BooleanArray {
    let number = |name: &str| {
        let array = batch.column_by_name(name);
        array.and_then(|array| array.as_primitive_opt::<Int64Type>())
    };
    let numbers = [KEY_COLUMNS[0], KEY_COLUMNS[1], KEY_COLUMNS[2]].map(number);
    // A file without these columns is none of ours: all of it stays.
    let [Some(organizations), Some(websites), Some(times)] = numbers else {
        return BooleanArray::from(vec![true; batch.num_rows()]);
    };
    let visitors = batch.column_by_name(KEY_COLUMNS[3]);
    let visitors = visitors.and_then(|array| array.as_primitive_opt::<UInt64Type>());
    let profiles = batch.column_by_name(KEY_COLUMNS[4]);
    let profiles = profiles.and_then(|array| cast(array, &DataType::Utf8).ok());
    let profiles = profiles
        .as_ref()
        .and_then(|array| array.as_string_opt::<i32>());
    let key = |row: usize| RowKey {
        organization: organizations.value(row),
        website: websites.value(row),
        time: times.value(row),
        visitor: visitors.map_or(0, |visitors| visitors.value(row)),
        profile: profiles
            .filter(|profiles| profiles.is_valid(row) && !profiles.value(row).is_empty())
            .map(|profiles| profiles.value(row).to_owned()),
    };
    (0..batch.num_rows())
        .map(|row| Some(keep(&key(row))))
        .collect()
}
