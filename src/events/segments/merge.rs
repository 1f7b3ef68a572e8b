//! Several segments as new ones: each is sorted, so a merge reads every row once and holds few of them.

use std::{cmp::Reverse, collections::BinaryHeap, fs::File, io, path::Path, sync::Arc};

use duckdb::arrow::{
    array::{Array, Int64Array},
    compute::interleave,
    record_batch::RecordBatch,
};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};

use super::{Cut, Segment, SegmentRow, counts, segment_writer::SegmentWriter};
use crate::events::{
    batch::{self, numbers},
    error::EngineError,
    files::{
        file::ROW_GROUP,
        portion::{PORTION, byte_size, rows_at_a_time},
        row_groups::streams,
    },
};

/// Rows that are read of a segment at a time, at most.
const STRIDE: usize = 2_048;
/// Bytes of all segments that are read and not written yet.
const READ: usize = 4 * PORTION;
/// The columns that segments are sorted by.
const ORDER: [&str; 3] = ["website", "time", "received"];

/// What a row is sorted by, and the source it comes from, so equal rows keep the order of their segments.
type SortKey = ([i64; 3], usize);

/// Writes the rows of several segments as new ones, cut at borders of buckets and around large websites,
/// unless the program is `stopped` meanwhile.
pub fn merge(
    directory: &Path,
    segments: &[Arc<Segment>],
    cut: Cut,
    stopped: impl Fn() -> bool,
) -> Result<Vec<SegmentRow>, EngineError> {
    let rows = || segments.iter().map(|segment| &segment.row);
    let lsns = (
        rows().map(|row| row.lsns.0).min().unwrap_or(0),
        rows().map(|row| row.lsns.1).max().unwrap_or(0),
    );
    let level = rows().map(|row| row.level).max().unwrap_or(0) + 1;
    let counts = counts(segments.iter().map(Arc::as_ref));
    let mut writer = SegmentWriter::new(directory, level, cut, lsns, counts);
    let mut merge = Merge::open(segments.iter().map(Arc::as_ref))?;
    while let Some(batch) = merge.next_batch()? {
        writer.push(&batch)?;
        if stopped() {
            return Err(io::Error::from(io::ErrorKind::Interrupted).into());
        }
    }
    writer.finish()
}

/// The rows of several segments, in order.
pub(super) struct Merge {
    sources: Vec<Source>,
    /// The next row of every source that has one.
    heads: BinaryHeap<Reverse<SortKey>>,
    /// Batches that the coming output refers to.
    held: Vec<RecordBatch>,
}

/// A segment that is being read, or the row groups of one kind of event in it.
struct Source {
    reader: ParquetRecordBatchReader,
    order: [Int64Array; 3],
    /// Where its current batch is in [`Merge::held`].
    batch: usize,
    row: usize,
    /// Bytes of a row of its current batch, on average.
    row_bytes: usize,
}

impl Merge {
    pub(super) fn open<'s>(
        segments: impl IntoIterator<Item = &'s Segment>,
    ) -> Result<Self, EngineError> {
        let mut merge = Self {
            sources: Vec::new(),
            heads: BinaryHeap::new(),
            held: Vec::new(),
        };
        let mut found = Vec::new();
        for segment in segments {
            let file = File::open(&segment.path)?;
            let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::default())?;
            for groups in streams(metadata.metadata()) {
                found.push((file.try_clone()?, metadata.clone(), groups));
            }
        }
        let each = READ / found.len().max(1);
        for (file, metadata, groups) in found {
            let stride = rows_at_a_time(metadata.metadata(), STRIDE, each);
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata);
            merge.sources.push(Source {
                reader: builder
                    .with_row_groups(groups)
                    .with_batch_size(stride)
                    .build()?,
                order: [(); 3].map(|()| Int64Array::from(Vec::<i64>::new())),
                batch: 0,
                row: 0,
                row_bytes: 0,
            });
        }
        for source in 0..merge.sources.len() {
            merge.advance(source)?;
        }
        Ok(merge)
    }

    /// The next rows in order, as many as a row group or a portion holds; `None` at the end.
    pub(super) fn next_batch(&mut self) -> Result<Option<RecordBatch>, EngineError> {
        let (mut taken, mut bytes) = (Vec::with_capacity(ROW_GROUP), 0);
        while taken.len() < ROW_GROUP && bytes < PORTION {
            let Some(Reverse((_, at))) = self.heads.pop() else {
                break;
            };
            let source = &mut self.sources[at];
            taken.push((source.batch, source.row));
            bytes += source.row_bytes;
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
            source.row_bytes = byte_size(&batch) / batch.num_rows().max(1);
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

    /// Drops the batches whose rows are all written.
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

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::{
        super::{compaction::Bucket, file_name, write::SegmentFile},
        *,
    };
    use crate::events::{event::Event, files::file::Apart};

    /// A segment of these rows: websites and times.
    fn segment(directory: &Path, rows: &[(i64, i64)]) -> Arc<Segment> {
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        let event = |(website, time): &(i64, i64)| Event {
            website: *website,
            time: *time,
            ..Event::default()
        };
        let events: Vec<Event> = rows.iter().map(event).collect();
        let mut file = SegmentFile::create(directory, 0, 0, &Apart::default()).unwrap();
        file.push(&batch::columns(&events).unwrap()).unwrap();
        Arc::new(Segment::new(directory, file.finish((1, 1)).unwrap()))
    }

    /// What lies in a file, in its order.
    fn read(directory: &Path, row: &SegmentRow) -> Vec<(i64, i64)> {
        let file = File::open(directory.join(file_name(&row.id))).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let batches = reader.build().unwrap().map(Result::unwrap);
        let rows = batches.map(|batch| {
            let columns = ["website", "time"].map(|name| numbers(&batch, name).values().to_vec());
            let [websites, times] = columns;
            websites.into_iter().zip(times).collect::<Vec<_>>()
        });
        rows.flatten().collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        /// Every row is there once, files are sorted, cut where they should be, and say whose rows they hold.
        #[test]
        fn nothing_is_lost_and_everybody_knows_where_it_is(
            sources in prop::collection::vec(prop::collection::vec((0_i64..8, 0_i64..99), 1..60), 1..4),
            depth in 0_u32..4,
            large in 8_u64..40,
        ) {
            let directory = tempfile::tempdir().unwrap();
            let spread = |(website, time): &(i64, i64)| (website << 60, *time);
            let sources: Vec<Vec<(i64, i64)>> = sources
                .iter()
                .map(|rows| rows.iter().map(spread).collect())
                .collect();
            let held: Vec<_> = sources.iter().map(|rows| segment(directory.path(), rows)).collect();
            let cut = Cut { depth, large };
            let merged = merge(directory.path(), &held, cut, || false).unwrap();

            let mut expected = sources.concat();
            expected.sort_unstable();
            let found: Vec<Vec<_>> = merged.iter().map(|row| read(directory.path(), row)).collect();
            prop_assert_eq!(found.concat(), expected.clone());
            let count = |website| expected.iter().filter(|row| row.0 == website).count() as u64;
            for (row, rows) in merged.iter().zip(&found) {
                let mut counted = std::collections::BTreeMap::<i64, u64>::new();
                for (website, _) in rows {
                    *counted.entry(*website).or_default() += 1;
                }
                let counted: Vec<_> = counted.into_iter().collect();
                prop_assert_eq!(row.tenants.exactly(), Some(&counted[..]));
                prop_assert_eq!(row.websites, (counted[0].0, counted[counted.len() - 1].0));
                let bucket = Bucket::new(row.websites.0, depth);
                prop_assert_eq!(bucket, Bucket::new(row.websites.1, depth));
                prop_assert_eq!((row.level, row.depth), (1, depth));
                let has_large = counted.iter().any(|(website, _)| count(*website) >= large);
                prop_assert!(!has_large || counted.len() == 1);
            }
            let mut writer: Vec<_> = merged.iter().map(|row| (row.websites, row.times)).collect();
            writer.dedup();
            prop_assert_eq!(writer.len(), merged.len());
        }
    }

    #[test]
    fn a_merge_that_is_stopped_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        let rows: Vec<_> = (0..2 * ROW_GROUP as i64).map(|n| (n << 46, n)).collect();
        let sources = [segment(directory.path(), &rows)];
        let asked = std::cell::Cell::new(0);
        let cut = Cut {
            depth: 3,
            large: u64::MAX,
        };
        let outcome = merge(directory.path(), &sources[..], cut, || {
            asked.set(asked.get() + 1);
            asked.get() > 1
        });
        assert!(outcome.is_err());
        let left = fs::read_dir(directory.path()).unwrap().count();
        assert_eq!(left, sources[0].row.files().count());
    }
}
