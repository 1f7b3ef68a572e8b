use std::{collections::BTreeSet, path::Path};

use super::{
    super::{SegmentRow, tests::row},
    *,
};
use crate::events::extracts::{Extract, ExtractRow};

fn segment(row: SegmentRow) -> Arc<Segment> {
    Arc::new(Segment::new(Path::new("/nowhere"), row))
}

fn segments(count: usize, level: u32, rows: u64) -> Vec<Arc<Segment>> {
    let one = |n: usize| segment(row(&format!("{level}-{n}"), level, rows, n as i64 * 100));
    (0..count).map(one).collect()
}

#[test]
fn a_full_group_is_merged_oldest_first() {
    let mut all = segments(FAN_IN + 3, 0, 100);
    all.reverse();
    let chosen = choose(&all, false).unwrap();
    assert_eq!((chosen.sources.len(), chosen.cut.depth), (FAN_IN, 0));
    assert_eq!(chosen.sources[0].row.id, "0-0");
    assert!(choose(&segments(FAN_IN - 1, 0, 100), false).is_none());
}

#[test]
fn a_full_bucket_is_handed_down_and_no_other() {
    let fits = segments(3, 1, FULL / 4);
    assert!(choose(&fits, false).is_none());
    let chosen = choose(&segments(4, 1, FULL / 4), false).unwrap();
    assert_eq!((chosen.sources.len(), chosen.cut.depth), (4, STEP));
}

#[test]
fn buckets_are_apart() {
    let (left, right) = (1, i64::MAX);
    let all: Vec<_> = [(left, STEP), (right, STEP), (left, 2 * STEP)]
        .into_iter()
        .flat_map(|(website, depth)| {
            (0..3).map(move |n| {
                let mut row = row(&format!("{website}-{depth}-{n}"), 1, FULL / 4, 0);
                (row.websites, row.depth) = ((website, website), depth);
                segment(row)
            })
        })
        .collect();
    assert!(choose(&all, false).is_none());
    let tidied = choose(&all, true).unwrap();
    let ids: BTreeSet<&str> = tidied.sources.iter().map(|s| s.row.id.as_str()).collect();
    assert_eq!(ids.len(), 3);
    assert_eq!(tidied.cut.depth, tidied.sources[0].row.depth);
}

#[test]
fn files_of_one_large_website_are_left_alone() {
    let own = |rows| {
        let mut row = row("own", 1, rows, 0);
        row.websites = (7, 7);
        segment(row)
    };
    let with = |rows| {
        let mut all = segments(2, 1, SMALL);
        all.extend((0..4).map(|_| own(rows)));
        choose(&all, true).unwrap().sources.len()
    };
    assert_eq!(with(LARGE), 2);
    assert_eq!(with(LARGE - 1), 6, "handed down");
}

#[test]
fn at_rest_what_is_small_goes_together_and_what_is_large_waits_for_its_share() {
    let mut all = segments(2, 0, 100);
    all.extend(segments(1, 1, 100 * 2 * SHARE + 1));
    assert!(choose(&all, false).is_none());
    assert_eq!(choose(&all, true).unwrap().sources.len(), 2);
    all.extend(segments(1, 2, 1));
    assert_eq!(choose(&all, true).unwrap().sources.len(), 4);
}

#[test]
fn rows_are_written_again_only_so_often() {
    let at = |level| choose(&segments(3, level, 1_000), true).is_some();
    let most = u32::try_from(REWRITTEN).unwrap();
    assert!(at(most - 1) && !at(most));
}

/// A simulated store with nothing but a manifest: rows are spread evenly over the websites.
#[derive(Default)]
struct SimulatedStore {
    held: Vec<Arc<Segment>>,
    number: u32,
    written: u64,
}

impl SimulatedStore {
    /// Numbers of websites are multiples of this.
    const APART: u32 = BITS - 12;
    const WEBSITES: i64 = 1 << 12;

    fn add(&mut self, first: i64, depth: u32, level: u32, rows: u64) {
        self.number += 1;
        let mut row = row(
            &self.number.to_string(),
            level,
            rows,
            i64::from(self.number),
        );
        let last = first + (Self::WEBSITES >> depth) - 1;
        row.websites = (first << Self::APART, last << Self::APART);
        row.depth = depth;
        self.held.push(segment(row));
    }

    fn settle(&mut self, at_rest: bool) {
        while let Some(Choice { sources, cut }) = choose(&self.held, at_rest) {
            let (merged, depth) = (rows(&sources), cut.depth);
            assert!(merged < 8 * FULL, "no merge is large");
            self.written += merged;
            let is_source = |held: &Arc<Segment>| sources.iter().any(|s| Arc::ptr_eq(s, held));
            self.held.retain(|held| !is_source(held));
            let level = sources.iter().map(|source| source.row.level).max().unwrap() + 1;
            let source = &sources[0].row;
            let (first, deeper) = (source.websites.0 >> Self::APART, depth - source.depth);
            for part in 0..1 << deeper {
                let first = first + part * (Self::WEBSITES >> depth);
                self.add(first, depth, level, merged >> deeper);
            }
        }
    }

    fn count_files(&self, website: i64) -> usize {
        let website = website << Self::APART;
        let holds = |segment: &&Arc<Segment>| {
            let (low, high) = segment.row.websites;
            (low..=high).contains(&website)
        };
        self.held.iter().filter(holds).count()
    }
}

#[test]
fn a_website_lies_in_few_files_however_large_the_store_is() {
    const SEAL: u64 = 1 << 15;
    let mut store = SimulatedStore::default();
    let mut most = 0;
    for seals in 1..=50_000_000 / SEAL {
        store.add(0, 0, 0, SEAL);
        store.settle(false);
        most = most.max(store.count_files(1_234));
        assert!(store.written <= 3 * seals * SEAL, "written again too often");
    }
    assert!(most < 3 * FAN_IN, "{most} files");
    store.settle(true);
    let files = store.count_files(1_234);
    assert!(files <= 4, "{files} files at rest");
    assert!(store.written <= REWRITTEN * rows(&store.held));
}

#[test]
fn at_rest_a_segment_with_extracts_of_an_earlier_version_is_written_again() {
    let own = |id: &str, rows, version| {
        let mut row = row(id, 1, rows, 0);
        (row.websites, row.depth) = ((7, 7), STEP);
        let extract = ExtractRow {
            extract: Extract::Visits,
            version,
            rows: 1,
            bytes: 1,
            checksum: String::new(),
        };
        row.extracts = vec![extract];
        segment(row)
    };
    let (old, new) = (own("old", LARGE, 1), own("new", LARGE, VERSION));
    let all = [Arc::clone(&new), old, own("larger", 2 * LARGE, 1)];
    assert!(choose(&all, false).is_none());
    let chosen = choose(&all, true).unwrap();
    let ids: Vec<&str> = chosen.sources.iter().map(|s| s.row.id.as_str()).collect();
    assert_eq!((ids, chosen.cut.depth), (vec!["old"], STEP));
    assert!(choose(&[new], true).is_none());
}
