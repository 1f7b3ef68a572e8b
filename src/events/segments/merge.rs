//! Several segments as one: each is sorted, so that a merge reads every row once and holds few of them.

use std::{cmp::Reverse, collections::BinaryHeap, fs::File, io, path::Path, sync::Arc};

use duckdb::arrow::{
    array::{Array, AsArray, Int64Array},
    compute::interleave,
    datatypes::Int64Type,
    record_batch::RecordBatch,
};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};

use super::{Segment, SegmentRow, file::ROW_GROUP, write::SegmentFile};
use crate::events::engine::{EngineError, batch};

/// Rows that are read of a segment at a time.
const STRIDE: usize = 2_048;
/// The columns that segments are sorted by.
const ORDER: [&str; 3] = ["website", "time", "received"];

/// What a row is sorted by, and the source it comes from, so that equal rows keep the order of their segments.
type Place = ([i64; 3], usize);

/// Writes the rows of several segments as one, unless the program is `stopped` meanwhile.
pub fn merge(
    directory: &Path,
    segments: &[Arc<Segment>],
    stopped: impl Fn() -> bool,
) -> Result<SegmentRow, EngineError> {
    let rows = || segments.iter().map(|segment| &segment.row);
    let level = rows().map(|row| row.level).max().unwrap_or(0) + 1;
    let mut file = SegmentFile::create(directory, level)?;
    let mut merge = Merge::open(segments)?;
    while let Some(batch) = merge.next_batch()? {
        if stopped() {
            return Err(io::Error::from(io::ErrorKind::Interrupted).into());
        }
        file.push(&batch)?;
    }
    let first = rows().map(|row| row.lsns.0).min().unwrap_or(0);
    let last = rows().map(|row| row.lsns.1).max().unwrap_or(0);
    file.finish((first, last))
}

struct Merge {
    sources: Vec<Source>,
    /// The next row of every source that has one.
    heads: BinaryHeap<Reverse<Place>>,
    /// Batches that the coming output refers to.
    held: Vec<RecordBatch>,
}

/// A segment that is being read.
struct Source {
    reader: ParquetRecordBatchReader,
    order: [Int64Array; 3],
    /// Where its current batch is in [`Merge::held`].
    batch: usize,
    row: usize,
}

impl Merge {
    fn open(segments: &[Arc<Segment>]) -> Result<Self, EngineError> {
        let mut merge = Self {
            sources: Vec::with_capacity(segments.len()),
            heads: BinaryHeap::new(),
            held: Vec::new(),
        };
        for segment in segments {
            let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(&segment.path)?)?;
            merge.sources.push(Source {
                reader: builder.with_batch_size(STRIDE).build()?,
                order: [(); 3].map(|()| Int64Array::from(Vec::<i64>::new())),
                batch: 0,
                row: 0,
            });
        }
        for source in 0..merge.sources.len() {
            merge.advance(source)?;
        }
        Ok(merge)
    }

    /// The next rows in order, as many as a row group holds; `None` at the end.
    fn next_batch(&mut self) -> Result<Option<RecordBatch>, EngineError> {
        let mut taken = Vec::with_capacity(ROW_GROUP);
        while taken.len() < ROW_GROUP {
            let Some(Reverse((_, at))) = self.heads.pop() else {
                break;
            };
            let source = &mut self.sources[at];
            taken.push((source.batch, source.row));
            source.row += 1;
            self.advance(at)?;
        }
        if taken.is_empty() {
            return Ok(None);
        }
        let width = batch::schema().fields().len();
        let columns = (0..width).map(|column| {
            let arrays: Vec<&dyn Array> = self
                .held
                .iter()
                .map(|batch| batch.column(column).as_ref())
                .collect();
            interleave(&arrays, &taken)
        });
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        self.let_go();
        Ok(Some(RecordBatch::try_new(batch::schema(), columns)?))
    }

    /// Puts a source's next row forward, reading on where its batch is used up.
    fn advance(&mut self, at: usize) -> Result<(), EngineError> {
        let source = &mut self.sources[at];
        if source.row >= source.order[0].len() {
            let Some(batch) = source.reader.next().transpose()? else {
                return Ok(());
            };
            let batch = batch::completed(&batch)?;
            source.order = ORDER.map(|name| numbers(&batch, name));
            source.batch = self.held.len();
            source.row = 0;
            self.held.push(batch);
        }
        let key = [0, 1, 2].map(|column| {
            source.order[column]
                .values()
                .get(source.row)
                .copied()
                .unwrap_or(0)
        });
        self.heads.push(Reverse((key, at)));
        Ok(())
    }

    /// Forgets the batches of which every row is written.
    fn let_go(&mut self) {
        let old = std::mem::take(&mut self.held);
        for source in &mut self.sources {
            if let Some(batch) = old.get(source.batch) {
                source.batch = self.held.len();
                self.held.push(batch.clone());
            }
        }
    }
}

fn numbers(batch: &RecordBatch, column: &str) -> Int64Array {
    let array = batch
        .column_by_name(column)
        .and_then(|array| array.as_primitive_opt::<Int64Type>());
    array
        .cloned()
        .unwrap_or_else(|| Int64Array::from(vec![0; batch.num_rows()]))
}
