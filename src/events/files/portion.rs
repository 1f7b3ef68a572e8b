//! Portions of rows by bytes. An event has none or tens of kilobytes of properties, so that a number of rows alone says
//! nothing of the memory that they take.

use duckdb::arrow::{array::Array, record_batch::RecordBatch};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};

/// Bytes of rows that one step of sealing or merging works on.
pub(in crate::events) const PORTION: usize = 8 << 20;
/// Fewer rows are not worth a step.
const FEW: usize = 64;

/// Bytes of the values of these rows.
pub(super) fn bytes_of(rows: &RecordBatch) -> usize {
    let columns = rows.columns().iter();
    columns
        .map(|column| column.to_data().get_slice_memory_size().unwrap_or(0))
        .sum()
}

/// How many rows of a file are read at a time, so that they take about so many `bytes` and are no more than `most`: as its
/// row group with the largest rows says.
pub(in crate::events) fn rows_at_a_time(
    file: &ParquetMetaData,
    most: usize,
    bytes: usize,
) -> usize {
    let each = file.row_groups().iter().map(bytes_of_a_row).max();
    let fitting = bytes / each.unwrap_or(1).max(1);
    fitting.clamp(FEW, most)
}

/// Bytes of a row, on average, once it is read. Texts that repeat take little in the file and their whole length here.
fn bytes_of_a_row(group: &RowGroupMetaData) -> usize {
    let rows = group.num_rows().max(1);
    let columns = group.columns().iter().map(|column| {
        let texts = column.unencoded_byte_array_data_bytes();
        texts.unwrap_or_else(|| column.uncompressed_size())
    });
    usize::try_from(columns.sum::<i64>() / rows).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use std::{fs::File, path::Path, sync::Arc};

    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::{
        super::{Cut, Segment, file::Apart, file_name, merge::Merge, write::SegmentFile},
        *,
    };
    use crate::events::{batch, event::Event};

    /// Bytes of the properties of a large event.
    const LARGE: usize = 30_000;

    fn event(time: i64, properties: usize) -> Event {
        Event {
            website: 1,
            time,
            properties: Some("x".repeat(properties)),
            ..Event::default()
        }
    }

    fn segment(directory: &Path, events: &[Event]) -> Arc<Segment> {
        let mut file = SegmentFile::create(directory, 0, 0, &Apart::default()).unwrap();
        for events in events.chunks(100) {
            file.push(&batch::columns(events).unwrap()).unwrap();
        }
        Arc::new(Segment::new(directory, file.finish((1, 1)).unwrap()))
    }

    fn metadata(directory: &Path, id: &str) -> Arc<ParquetMetaData> {
        let file = File::open(directory.join(file_name(id))).unwrap();
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        Arc::clone(builder.metadata())
    }

    #[test]
    fn large_rows_are_read_and_written_few_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path();
        // They repeat, so that their files are small.
        let large: Vec<Event> = (0..1_000).map(|time| event(time, LARGE)).collect();
        let sources: Vec<_> = (0..3).map(|_| segment(place, &large)).collect();
        assert!(sources[0].row.bytes < 100_000);
        let file = metadata(place, &sources[0].row.id);
        let rows = rows_at_a_time(&file, 2_048, PORTION);
        assert!((200..=PORTION / LARGE).contains(&rows), "{rows} at a time");

        let mut merge = Merge::open(&sources).unwrap();
        let (mut read, mut parts) = (0, 0);
        while let Some(rows) = merge.next_batch().unwrap() {
            assert!(bytes_of(&rows) <= PORTION + 2 * LARGE);
            read += rows.num_rows();
            parts += 1;
        }
        assert_eq!((read, parts > 3_000 * LARGE / PORTION), (3_000, true));

        let merged = super::super::merge(place, &sources, Cut::at(0), || false).unwrap();
        let file = metadata(place, &merged[0].id);
        let groups = file.row_groups().iter();
        let largest = groups
            .map(|group| bytes_of_a_row(group) * usize::try_from(group.num_rows()).unwrap())
            .max();
        assert!(largest <= Some(5 * PORTION), "{largest:?}");
    }

    #[test]
    fn small_rows_are_read_as_many_at_a_time_as_may_be() {
        let directory = tempfile::tempdir().unwrap();
        let small: Vec<Event> = (0..2_000).map(|time| event(time, 10)).collect();
        let segment = segment(directory.path(), &small);
        let file = metadata(directory.path(), &segment.row.id);
        assert_eq!(file.num_row_groups(), 1);
        assert_eq!(rows_at_a_time(&file, 2_048, PORTION), 2_048);
    }
}
