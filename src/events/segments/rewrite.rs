//! A segment without some of its rows.

use std::{fs::File, io, path::Path};

use duckdb::arrow::{
    array::{AsArray, BooleanArray},
    compute::filter_record_batch,
    datatypes::Int64Type,
    record_batch::RecordBatch,
};
use parquet::arrow::{
    ProjectionMask,
    arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder},
};

use super::{
    Segment, SegmentRow, counts,
    file::{Apart, ROW_GROUP},
    write::SegmentFile,
};
use crate::events::engine::{EngineError, batch};

/// The columns that decide.
const DECIDING: [&str; 3] = ["organization", "website", "time"];

/// What decides whether a row is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decides {
    /// Number of the organization.
    pub organization: i64,
    /// Number of the website; 0 = none.
    pub website: i64,
    /// Unix ms.
    pub time: i64,
}

/// What a segment is without the rows that are not kept.
#[derive(Debug, PartialEq, Eq)]
pub enum Rewritten {
    /// Every row is kept, and nothing was written.
    Same,
    /// No row is kept.
    Nothing,
    /// The rest.
    Rest(SegmentRow),
}

/// Writes the rows of a segment that `keep` wants, by website and time, unless the program is `stopped` meanwhile.
pub fn rewrite(
    directory: &Path,
    segment: &Segment,
    keep: impl Fn(Decides) -> bool,
    stopped: impl Fn() -> bool,
) -> Result<Rewritten, EngineError> {
    let mut kept = 0;
    for batch in reader(segment, Some(&DECIDING))? {
        kept += mask(&batch?, &keep).true_count() as u64;
    }
    if kept == segment.row.rows {
        return Ok(Rewritten::Same);
    }
    if kept == 0 {
        return Ok(Rewritten::Nothing);
    }
    let (level, depth) = (segment.row.level, segment.row.depth);
    let apart = Apart::of(&counts([segment]));
    let mut file = SegmentFile::create(directory, level, depth, &apart)?;
    for rows in reader(segment, None)? {
        if stopped() {
            return Err(io::Error::from(io::ErrorKind::Interrupted).into());
        }
        let rows = rows?;
        let rest = filter_record_batch(&rows, &mask(&rows, &keep))?;
        if rest.num_rows() > 0 {
            file.push(&batch::completed(&rest)?)?;
        }
    }
    Ok(Rewritten::Rest(file.finish(segment.row.lsns)?))
}

fn reader(
    segment: &Segment,
    columns: Option<&[&str]>,
) -> Result<ParquetRecordBatchReader, EngineError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(&segment.path)?)?;
    let wanted = match columns {
        Some(names) => ProjectionMask::columns(builder.parquet_schema(), names.iter().copied()),
        None => ProjectionMask::all(),
    };
    let builder = builder.with_projection(wanted);
    Ok(builder.with_batch_size(ROW_GROUP).build()?)
}

fn mask(batch: &RecordBatch, keep: impl Fn(Decides) -> bool) -> BooleanArray {
    let [organizations, websites, times] = DECIDING.map(|name| {
        let array = batch.column_by_name(name);
        let numbers = array.and_then(|array| array.as_primitive_opt::<Int64Type>());
        numbers
            .map(|array| array.values().to_vec())
            .unwrap_or_default()
    });
    let rows = organizations.into_iter().zip(websites).zip(times);
    // A file without these columns is none of ours: all of it stays.
    if rows.len() < batch.num_rows() {
        return BooleanArray::from(vec![true; batch.num_rows()]);
    }
    let decides = |((organization, website), time)| Decides {
        organization,
        website,
        time,
    };
    rows.map(|row| Some(keep(decides(row)))).collect()
}
