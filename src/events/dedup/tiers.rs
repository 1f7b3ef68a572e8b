//! Which key files to merge.
//!
//! Every file costs every key a look, and every merge writes its keys again. So four neighbours of about one size become
//! one, which keeps the number of files at a few per power of four. The window is cut into eighths, and no file reaches
//! from one into another: a file can go when its eighth has left the window. What is left of an eighth that is over
//! becomes one file, or a few: a filter says "perhaps" too often in files that are larger than it was made for.

use std::ops::Range;

use super::filter;

/// So many neighbours of a size become one.
const FAN_IN: usize = 4;
/// Files of up to this many keys are of one size.
const SMALLEST: u64 = 1 << 12;
/// Parts of the window.
const PARTS: i64 = 8;
/// Files of more keys do not come about while memory has room for exact filters: [`filter::ROOM`] is the most that a filter
/// of ten bits a key holds, and beyond it looks cost a page of the file.
const LARGEST: u64 = filter::ROOM;
/// While the window has no more keys than this, their filters take 100 MB at most.
const AFFORDED: u64 = 80_000_000;

/// What of a file matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) keys: u64,
    /// When the newest of its events was received, Unix ms.
    pub(super) newest: i64,
}

/// The neighbours to merge next, out of all files in the order of the log; `window` and `now` in ms.
pub(super) fn choose(parts: &[Part], window: i64, now: i64) -> Option<Range<usize>> {
    let length = (window / PARTS).max(1);
    let part_of = |part: &Part| part.newest.div_euclid(length);
    let current = now.div_euclid(length);
    let all: u64 = parts.iter().map(|part| part.keys).sum();
    let largest = if all > AFFORDED { u64::MAX } else { LARGEST };
    let mut start = 0;
    for stretch in parts.chunk_by(|one, next| part_of(one) == part_of(next)) {
        let found = if part_of(&stretch[0]) < current {
            together(stretch, largest, |some| some.len() > 1)
        } else {
            alike(stretch, largest)
        };
        if let Some(found) = found {
            return Some(start + found.start..start + found.end);
        }
        start += stretch.len();
    }
    None
}

/// The first neighbours that are worth it and one file of at most so many keys; as many of them as that allows.
fn together(parts: &[Part], largest: u64, worth: impl Fn(&[Part]) -> bool) -> Option<Range<usize>> {
    (0..parts.len()).find_map(|start| {
        let mut keys = 0_u64;
        let fitting = parts[start..].iter().take_while(|part| {
            keys = keys.saturating_add(part.keys);
            keys <= largest
        });
        let end = start + fitting.count();
        worth(&parts[start..end]).then_some(start..end)
    })
}

/// Neighbours that are not larger than a size, enough of them of just this size; the smallest such size first.
fn alike(parts: &[Part], largest: u64) -> Option<Range<usize>> {
    let sizes = parts.iter().map(size).max()?;
    (0..=sizes).find_map(|most| {
        let mut start = 0;
        for run in parts.chunk_by(|one, next| (size(one) <= most) == (size(next) <= most)) {
            let end = start + run.len();
            let of_it = |some: &[Part]| some.iter().filter(|part| size(part) == most).count();
            if of_it(run) >= FAN_IN
                && let Some(found) = together(run, largest, |some| of_it(some) > 1)
            {
                return Some(start + found.start..start + found.end);
            }
            start = end;
        }
        None
    })
}

/// Powers of four above the smallest size.
fn size(part: &Part) -> u32 {
    part.keys.div_ceil(SMALLEST).max(1).ilog(FAN_IN as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: i64 = 86_400_000;
    const EIGHTH: i64 = WINDOW / PARTS;

    fn part(keys: u64, newest: i64) -> Part {
        Part { keys, newest }
    }

    /// Merges until nothing is left to do; how many keys were written again.
    fn settle(parts: &mut Vec<Part>, now: i64) -> u64 {
        let mut written = 0;
        while let Some(range) = choose(parts, WINDOW, now) {
            assert!(range.len() > 1);
            let run = &parts[range.clone()];
            let merged = part(
                run.iter().map(|part| part.keys).sum(),
                run.last().unwrap().newest,
            );
            written += merged.keys;
            parts.splice(range, [merged]);
        }
        written
    }

    #[test]
    fn four_neighbours_of_a_size_are_merged_and_three_are_not() {
        let now = EIGHTH / 2;
        assert_eq!(choose(&[part(10, 0); 3], WINDOW, now), None);
        assert_eq!(choose(&[part(10, 0); 5], WINDOW, now), Some(0..5));
        let mixed = [
            part(1 << 20, 0),
            part(10, 0),
            part(9, 0),
            part(8, 0),
            part(7, 0),
        ];
        assert_eq!(choose(&mixed, WINDOW, now), Some(1..5));
    }

    #[test]
    fn nothing_is_merged_across_parts_of_the_window_and_what_is_over_becomes_one() {
        let now = EIGHTH + 1;
        let parts = [
            part(10, 5),
            part(1 << 20, 6),
            part(10, EIGHTH),
            part(10, EIGHTH + 1),
        ];
        assert_eq!(choose(&parts, WINDOW, now), Some(0..2));
        assert_eq!(choose(&parts[1..], WINDOW, now), None);
    }

    #[test]
    fn a_day_of_fifty_million_keys_is_few_files_and_few_rewrites() {
        let (generations, keys) = (1_526_u64, 1_u64 << 15);
        let (mut parts, mut written, mut most) = (Vec::new(), 0, 0);
        for generation in 0..generations {
            let now = (generation as i64) * WINDOW / generations as i64;
            parts.push(part(keys, now));
            written += settle(&mut parts, now);
            most = most.max(parts.len());
        }
        assert!(most <= 20, "{most} files");
        assert!(
            written < 5 * generations * keys,
            "{written} keys written again"
        );
        assert!(parts.iter().all(|part| part.keys <= LARGEST));
        assert!(settle(&mut parts, 2 * WINDOW) > 0);
        assert!(parts.len() <= 2 * PARTS as usize, "{} files", parts.len());
        assert_eq!(settle(&mut parts, 2 * WINDOW), 0);
    }

    #[test]
    fn more_keys_than_memory_has_filters_for_are_fewer_files() {
        let (mut parts, mut most) = (Vec::new(), 0);
        for _ in 0..2_000 {
            parts.push(part(1 << 18, EIGHTH / 2));
            settle(&mut parts, EIGHTH - 1);
            most = most.max(parts.len());
        }
        assert!(most <= 30, "{most} files");
        let filters: u64 = parts
            .iter()
            .map(|part| part.keys.min(LARGEST) * 10 / 8)
            .sum();
        assert!(filters <= 150_000_000, "{filters} bytes");
    }

    #[test]
    fn uneven_files_do_not_pile_up_either() {
        let (mut parts, mut most) = (Vec::new(), 0);
        for n in 0..2_000_u64 {
            parts.push(part(1 + (n * 7_919) % 40_000, EIGHTH / 2));
            settle(&mut parts, EIGHTH - 1);
            most = most.max(parts.len());
        }
        assert!(most <= 20, "{most} files");
    }
}
