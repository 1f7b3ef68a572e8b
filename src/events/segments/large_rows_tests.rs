//! Segments of large rows are read and written a few rows at a time, those of small rows many at a time.

use std::{fs::File, path::Path, sync::Arc};

use parquet::{
    arrow::arrow_reader::ParquetRecordBatchReaderBuilder, file::metadata::ParquetMetaData,
};

use super::{Cut, Segment, file_name, merge::Merge, write::SegmentFile};
use crate::events::{
    batch,
    event::Event,
    files::{
        file::Apart,
        portion::{PORTION, byte_size, bytes_of_a_row, rows_at_a_time},
    },
};

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
    // They repeat, so their files are small.
    let large: Vec<Event> = (0..1_000).map(|time| event(time, LARGE)).collect();
    let sources: Vec<_> = (0..3).map(|_| segment(place, &large)).collect();
    assert!(sources[0].row.bytes < 100_000);
    let file = metadata(place, &sources[0].row.id);
    let rows = rows_at_a_time(&file, 2_048, PORTION);
    assert!((200..=PORTION / LARGE).contains(&rows), "{rows} at a time");

    let mut merge = Merge::open(sources.iter().map(Arc::as_ref)).unwrap();
    let (mut read, mut parts) = (0, 0);
    while let Some(rows) = merge.next_batch().unwrap() {
        assert!(byte_size(&rows) <= PORTION + 2 * LARGE);
        read += rows.num_rows();
        parts += 1;
    }
    assert_eq!((read, parts > 3_000 * LARGE / PORTION), (3_000, true));

    let merged = super::merge(place, &sources, Cut::at(0), || false).unwrap();
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
