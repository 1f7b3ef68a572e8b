//! A large website's kinds of event lie in row groups of their own, and are read back in the order of all.

use std::{fs::File, path::Path, sync::Arc};

use duckdb::arrow::{
    array::AsArray, compute::concat_batches, datatypes::UInt8Type, record_batch::RecordBatch,
};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::{
    Cut, Rewrite, RowKey, Segment, SegmentRow, file_name, merge, merge::Merge, rewrite,
    write::SegmentFile,
};
use crate::events::{
    batch::{self, numbers},
    event::{Details, Event, Failure},
    extracts::Extract,
    files::{file::Apart, row_groups::streams},
};

/// Rows of the large website in each of two sources: together enough for row groups by kind.
const ROWS: i64 = 45_000;
/// The website between two small ones.
const LARGE: i64 = 5;

/// One event in ten is a custom one, one in a hundred an error; the others are views of pages.
fn event(website: i64, number: i64) -> Event {
    let (name, details) = match number {
        number if number % 100 == 7 => ("TypeError", Details::Error(Failure::default())),
        number if number % 10 == 3 => ("signup", Details::Custom),
        _ => ("screen_view", Details::default()),
    };
    Event {
        website,
        // Several of each millisecond.
        time: number / 3,
        received: number,
        visitor: (number / 20).cast_unsigned() + 1,
        session: (number / 20).cast_unsigned() + 1,
        name: name.into(),
        details,
        ..Event::default()
    }
}

fn source(directory: &Path, from: i64) -> Arc<Segment> {
    let mut file = SegmentFile::create(directory, 0, 0, &Apart::default()).unwrap();
    let small = |website| (0..50).map(move |number| event(website, from + 2 * number));
    let large = (0..ROWS).map(|number| event(LARGE, from + 2 * number));
    let events: Vec<Event> = small(LARGE - 1)
        .chain(large)
        .chain(small(LARGE + 1))
        .collect();
    for events in events.chunks(4_096) {
        file.push(&batch::columns(events).unwrap()).unwrap();
    }
    Arc::new(Segment::new(directory, file.finish((1, 1)).unwrap()))
}

/// All rows, in the order in which merges read them.
fn in_order(segment: &Segment) -> RecordBatch {
    let mut rows = Merge::open([segment]).unwrap();
    let mut batches = Vec::new();
    while let Some(rows) = rows.next_batch().unwrap() {
        batches.push(rows);
    }
    concat_batches(&batch::schema(), &batches).unwrap()
}

fn extract_rows(row: &SegmentRow) -> Vec<(Extract, u64)> {
    let extracts = row.extracts.iter();
    extracts.map(|row| (row.extract, row.rows)).collect()
}

/// The kinds of the rows of every row group.
fn kinds(directory: &Path, row: &SegmentRow) -> Vec<Vec<u8>> {
    let open = || File::open(directory.join(file_name(&row.id))).unwrap();
    let builder = || ParquetRecordBatchReaderBuilder::try_new(open()).unwrap();
    let groups = 0..builder().metadata().num_row_groups();
    let read = |group| {
        let rows = builder().with_row_groups(vec![group]).build().unwrap();
        let mut kinds: Vec<u8> = rows
            .flat_map(|rows| {
                let rows = rows.unwrap();
                let kinds = rows.column_by_name("kind").unwrap();
                kinds.as_primitive::<UInt8Type>().values().to_vec()
            })
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    };
    groups.map(read).collect()
}

/// How many streams of row groups a file has.
fn stream_count(segment: &Segment) -> usize {
    let file = File::open(&segment.path).unwrap();
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    streams(builder.metadata()).len()
}

#[test]
fn kinds_of_a_large_website_lie_apart_and_lose_neither_rows_nor_order() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path();
    let sources = [source(place, 0), source(place, 1)];
    let merged = merge(place, &sources, Cut::at(0), || false).unwrap();
    let [row] = &merged[..] else {
        panic!("one file is enough");
    };
    let kinds = kinds(place, row);
    let mixed = kinds.iter().filter(|kinds| kinds.len() > 1).count();
    assert_eq!(mixed, 2, "of the small websites: {kinds:?}");
    let of = |kind: u8| kinds.iter().filter(|kinds| **kinds == [kind]).count();
    assert!(of(1) >= 4 && of(2) >= 1 && of(5) == 1, "{kinds:?}");

    let segment = Segment::new(place, row.clone());
    assert_eq!(stream_count(&segment), 4);

    // What there is, in the order of websites and times.
    let rows = in_order(&segment);
    let keys = ["website", "time", "received"].map(|name| numbers(&rows, name).values().to_vec());
    let found: Vec<_> = (0..rows.num_rows())
        .map(|row| [keys[0][row], keys[1][row], keys[2][row]])
        .collect();
    let numbers = |website| if website == LARGE { 2 * ROWS } else { 100 };
    let expected: Vec<_> = (LARGE - 1..=LARGE + 1)
        .flat_map(|website| (0..numbers(website)).map(move |number| [website, number / 3, number]))
        .collect();
    assert!(found == expected);

    // Extracts are those of the order, not of the file: a visit's events come together.
    let again = merge(place, &[Arc::new(segment)], Cut::at(0), || false).unwrap();
    assert_eq!(extract_rows(&again[0]), extract_rows(row));
    let visits = row
        .extracts
        .iter()
        .find(|row| row.extract == Extract::Visits);
    assert!(visits.unwrap().rows < 2 * (2 * ROWS).cast_unsigned() / 20);
}

#[test]
fn a_file_without_some_of_its_rows_is_as_orderly() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path();
    let sources = [source(place, 0), source(place, 1)];
    let merged = merge(place, &sources, Cut::at(0), || false).unwrap();
    let segment = Segment::new(place, merged[0].clone());
    let keep = |key: &RowKey| !key.visitor.is_multiple_of(7);
    let (outcome, deleted) = rewrite(place, &segment, keep, || false).unwrap();
    let Rewrite::Rest(row) = outcome else {
        panic!("some rows stay");
    };
    assert_eq!(row.rows + deleted.values().sum::<u64>(), merged[0].rows);
    let rest = Segment::new(place, row);
    let (before, after) = (in_order(&segment), in_order(&rest));
    let stays = |row: usize| numbers(&before, "received").value(row) / 20 % 7 != 6;
    let received = |rows: &RecordBatch, keep: &dyn Fn(usize) -> bool| -> Vec<i64> {
        let values = numbers(rows, "received");
        (0..rows.num_rows())
            .filter(|row| keep(*row))
            .map(|row| values.value(row))
            .collect()
    };
    assert!(received(&after, &|_| true) == received(&before, &stays));
    assert_eq!(stream_count(&rest), 4);
}
