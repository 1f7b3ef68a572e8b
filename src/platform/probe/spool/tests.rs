//! Results on a disk that is cut off, damaged, full or put back.

use super::*;

const LARGE: u64 = 1 << 30;

fn open(directory: &Path) -> Spool {
    Spool::open(directory, LARGE).unwrap()
}

fn texts(numbers: std::ops::RangeInclusive<i64>) -> Vec<String> {
    numbers.map(|number| format!("\"{number}\"")).collect()
}

fn next(spool: &mut Spool, most: usize) -> Option<(i64, Vec<String>)> {
    let batch = spool.next_batch(most).unwrap()?;
    Some((batch.first, batch.reports))
}

/// What the server answers to the next batch, which it has up to this number.
fn acknowledge(spool: &mut Spool, last: i64) -> String {
    let name = spool.next_batch(1).unwrap().unwrap().spool;
    spool.acknowledge(&name, last).unwrap();
    name
}

#[test]
fn results_are_there_after_a_restart_until_they_are_acknowledged() {
    let directory = tempfile::tempdir().unwrap();
    let mut spool = open(directory.path());
    assert_eq!(next(&mut spool, 10), None);
    spool.append(&texts(1..=3)).unwrap();
    assert_eq!(next(&mut spool, 2), Some((1, texts(1..=2))));
    let name = acknowledge(&mut spool, 2);
    assert_eq!(next(&mut spool, 2), Some((3, texts(3..=3))));
    assert_eq!(spool.read_all().unwrap(), texts(1..=3));
    drop(spool);
    let mut spool = open(directory.path());
    spool.append(&texts(4..=4)).unwrap();
    // What the server has is not written here: it says so.
    assert_eq!(next(&mut spool, 9), Some((1, texts(1..=3))));
    assert_eq!(acknowledge(&mut spool, 3), name, "as it was called");
    assert_eq!(next(&mut spool, 9), Some((1, texts(4..=4))));
    assert_ne!(acknowledge(&mut spool, 1), name);
    assert_eq!(next(&mut spool, 9), None);
    spool.append(&texts(5..=5)).unwrap();
    assert_eq!(next(&mut spool, 9), Some((2, texts(5..=5))));
}

#[test]
fn an_answer_about_another_spool_acknowledges_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let mut spool = open(directory.path());
    spool.append(&texts(1..=1)).unwrap();
    spool.acknowledge("another", 1).unwrap();
    assert_eq!(next(&mut spool, 9), Some((1, texts(1..=1))));
}

#[test]
fn a_record_that_was_written_in_part_is_cut_off() {
    let written = tempfile::tempdir().unwrap();
    let mut spool = open(written.path());
    spool.append(&texts(1..=2)).unwrap();
    let path = spool.segments[0].path(written.path());
    let (name, whole) = (path.file_name().unwrap(), fs::read(&path).unwrap());
    for length in 0..whole.len() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join(name), &whole[..length]).unwrap();
        let mut spool = open(directory.path());
        spool.append(&texts(9..=9)).unwrap();
        let left = length * 2 / whole.len();
        if left > 0 {
            let (_, reports) = next(&mut spool, 9).unwrap();
            assert_eq!(reports.len(), left);
            acknowledge(&mut spool, 2);
        }
        assert_eq!(next(&mut spool, 9), Some((1, texts(9..=9))));
    }
}

#[test]
fn the_oldest_results_go_when_there_is_no_space() {
    let directory = tempfile::tempdir().unwrap();
    let mut spool = Spool::open(directory.path(), 3 * SEGMENT_BYTES).unwrap();
    let large = vec!["x".repeat(SEGMENT_BYTES as usize)];
    let mut dropped = 0;
    for _ in 0..6 {
        dropped += spool.append(&large).unwrap();
    }
    assert_eq!(dropped, 4);
    assert_eq!(next(&mut spool, 9).unwrap().0, 5);
    acknowledge(&mut spool, 5);
    assert_eq!(next(&mut spool, 9).unwrap().0, 6);
    let files = fs::read_dir(directory.path()).unwrap().count();
    assert_eq!(files, 1);
}

/// Changes a byte of the second of two results, in the segment that is written to.
fn damage(spool: &Spool) {
    let path = spool.segments[0].path(&spool.directory);
    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&path, bytes).unwrap();
}

#[test]
fn damage_costs_the_results_behind_it_and_none_that_follow() {
    let directory = tempfile::tempdir().unwrap();
    let mut spool = open(directory.path());
    spool.append(&texts(1..=2)).unwrap();
    damage(&spool);
    assert_eq!(next(&mut spool, 9), Some((1, texts(1..=1))));
    acknowledge(&mut spool, 1);
    assert_eq!(next(&mut spool, 9), None);
    spool.append(&texts(3..=4)).unwrap();
    // The server counts the one between as lost.
    assert_eq!(next(&mut spool, 9), Some((3, texts(3..=4))));
    acknowledge(&mut spool, 4);
    spool.append(&texts(5..=5)).unwrap();
    assert_eq!(next(&mut spool, 9), Some((5, texts(5..=5))));
}

#[test]
fn damage_in_a_full_segment_is_passed_over() {
    let directory = tempfile::tempdir().unwrap();
    let mut spool = open(directory.path());
    spool.append(&["x".repeat(SEGMENT_BYTES as usize)]).unwrap();
    spool.append(&texts(2..=2)).unwrap();
    damage(&spool);
    assert_eq!(next(&mut spool, 9), Some((2, texts(2..=2))));
}

#[test]
fn a_file_that_vanishes_costs_its_results_and_none_that_follow() {
    let directory = tempfile::tempdir().unwrap();
    let mut spool = open(directory.path());
    spool.append(&["x".repeat(SEGMENT_BYTES as usize)]).unwrap();
    spool.append(&texts(2..=2)).unwrap();
    fs::remove_file(spool.segments[0].path(directory.path())).unwrap();
    assert_eq!(spool.read_all().unwrap(), texts(2..=2));
    assert_eq!(next(&mut spool, 9), Some((2, texts(2..=2))));
    // So does the file that is written to.
    fs::remove_file(spool.segments[0].path(directory.path())).unwrap();
    assert_eq!(next(&mut spool, 9), None);
    spool.append(&texts(3..=3)).unwrap();
    assert_eq!(next(&mut spool, 9), Some((3, texts(3..=3))));
}

#[test]
fn a_file_that_vanishes_does_not_keep_the_others_from_being_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let mut spool = Spool::open(directory.path(), 2 * SEGMENT_BYTES).unwrap();
    let large = vec!["x".repeat(SEGMENT_BYTES as usize)];
    spool.append(&large).unwrap();
    fs::remove_file(spool.segments[0].path(directory.path())).unwrap();
    let dropped: u64 = (0..3).map(|_| spool.append(&large).unwrap()).sum();
    assert_eq!(dropped, 3);
    let files = fs::read_dir(directory.path()).unwrap().count();
    assert_eq!((files, spool.segments.len()), (1, 1));
}

#[test]
fn a_disk_that_was_put_back_loses_nothing_and_names_nothing_twice() {
    let directory = tempfile::tempdir().unwrap();
    let mut spool = open(directory.path());
    spool.append(&texts(1..=1)).unwrap();
    let path = spool.segments[0].path(directory.path());
    let image = fs::read(&path).unwrap();
    spool.append(&texts(2..=40)).unwrap();
    let before = acknowledge(&mut spool, 40);
    drop(spool);
    fs::write(&path, image).unwrap();

    let mut spool = open(directory.path());
    spool.append(&texts(50..=52)).unwrap();
    // The server has more under the old name than is left.
    assert_eq!(acknowledge(&mut spool, 40), before);
    let batch = spool.next_batch(9).unwrap().unwrap();
    assert_ne!(batch.spool, before);
    assert_eq!((batch.first, batch.reports), (1, texts(50..=52)));
}
