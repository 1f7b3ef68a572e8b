//! What was known stays known.

use std::fs;

use super::*;
use crate::events::{
    dedup::{RecentKeys, key},
    event::Trust,
    log::Key,
};

const NOW: i64 = 1_790_000_000_000;
const DAY: i64 = 86_400_000;

fn index(directory: &Path, cursor: Lsn, clock: &Clock) -> DedupIndex {
    DedupIndex::start(directory, cursor, DAY, clock.clone()).unwrap()
}

fn some(generation: u64, count: u64) -> Vec<Key> {
    (0..count)
        .map(|n| key(&[1; 32], Trust::Client, 1, 1, &format!("{generation}-{n}")))
        .collect()
}

/// One generation of one frame with so many keys.
fn fill(seen: &mut RecentKeys, generation: u64, received: i64, count: u64) {
    for key in some(generation, count) {
        seen.insert(key);
    }
    seen.freeze(generation, generation, (received, received));
}

fn files(directory: &Path) -> usize {
    fs::read_dir(directory).unwrap().count()
}

#[test]
fn keys_stay_known_through_files_merges_and_restarts_until_they_leave_the_window() {
    let directory = tempfile::tempdir().unwrap();
    let clock = Clock::fixed(NOW);
    let held = index(directory.path(), 0, &clock);
    let mut seen = RecentKeys::new(&held, 1);
    for generation in 1..=50 {
        fill(&mut seen, generation, NOW, 300);
        held.confirm(generation).unwrap();
        held.sealed(generation);
    }
    held.confirm(50).unwrap();
    seen.refresh();
    let known = |seen: &RecentKeys| {
        (1..=50).all(|generation| {
            some(generation, 300)
                .into_iter()
                .all(|key| seen.contains(key))
        })
    };
    assert!(known(&seen) && !seen.contains(7));
    held.stop();
    assert!(files(directory.path()) < 10, "merged");

    let held = index(directory.path(), 50, &clock);
    let mut seen = RecentKeys::new(&held, 51);
    assert!(known(&seen));
    let figures = held.figures();
    assert_eq!(
        (figures.window, figures.files),
        (DAY, files(directory.path()))
    );

    clock.advance(Duration::from_hours(25));
    fill(&mut seen, 51, NOW + 25 * DAY / 24, 1);
    held.confirm(51).unwrap();
    held.stop();
    seen.refresh();
    assert_eq!(files(directory.path()), 1);
    assert!(seen.contains(some(51, 1)[0]) && !seen.contains(some(1, 1)[0]));
}

#[test]
fn files_that_end_behind_the_cursor_and_parts_of_a_merged_one_go_at_start() {
    let directory = tempfile::tempdir().unwrap();
    let write = |lsns| {
        write::write(directory.path(), lsns, (NOW, NOW), some(lsns.0, 3)).unwrap();
    };
    for lsns in [
        (1, 4),
        (1, 9),
        (5, 9),
        (10, 10),
        (8, 14),
        (11, 12),
        (13, 20),
    ] {
        write(lsns);
    }
    fs::write(directory.path().join("x.tmp"), "cut").unwrap();
    let found = open_all(directory.path(), 10, NOW).unwrap();
    let lsns: Vec<_> = found.list.iter().map(|file| file.facts.lsns).collect();
    assert_eq!(lsns, [(1, 9), (10, 10)]);
    assert_eq!(files(directory.path()), 2);
    assert!(
        open_all(directory.path(), 10, NOW + 1)
            .unwrap()
            .list
            .is_empty()
    );
}

#[test]
fn a_damaged_file_is_set_aside_and_shortens_the_window_that_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let file = write::write(directory.path(), (1, 4), (NOW, NOW), some(1, 3)).unwrap();
    fs::write(&file.path, "garbage").unwrap();
    let held = index(directory.path(), 9, &Clock::fixed(NOW));
    assert_eq!(held.figures().files, 0);
    assert!(held.figures().window < DAY, "{:?}", held.figures());
    held.stop();
    assert_eq!(files(&directory.path().join("quarantine")), 1);
}

#[test]
fn keys_that_cannot_be_written_stay_known_and_are_not_confirmed() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("dedup");
    fs::create_dir(&place).unwrap();
    let held = index(&place, 0, &Clock::fixed(NOW));
    let mut seen = RecentKeys::new(&held, 1);
    fs::remove_dir(&place).unwrap();
    fill(&mut seen, 1, NOW, 3);
    assert!(held.confirm(1).is_err());
    seen.refresh();
    assert!(seen.contains(some(1, 1)[0]));
    fs::create_dir(&place).unwrap();
    held.confirm(1).unwrap();
    seen.refresh();
    assert!(seen.contains(some(1, 1)[0]));
    held.stop();
    assert_eq!(files(&place), 1);
}
