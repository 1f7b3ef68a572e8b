//! Which segments to merge. Every file that holds rows of a website costs its questions the same few tenths of a
//! millisecond, however few the rows, so a website's rows have to lie in few files, however large the store.
//!
//! Websites are divided into *buckets* by the first bits of their numbers, which are random. Seals lie in the one bucket
//! of depth 0, which is everybody's. Sixteen small segments of a bucket become one; a bucket that holds more than
//! [`FULL`] rows hands all of them down to the eight below it, in one merge whose output is cut at their borders. So
//! rows sink as the store grows, no merge is larger than a bucket, and a website's rows lie on the one way down to it:
//! each step has few files, and there is one more step when the store is eight times as large.
//!
//! A website that brings [`LARGE`] rows to a merge gets files of its own, which are never merged again: they are as
//! good as they can be, and others need not read past them.
//!
//! *At rest*, when nothing was sealed for a while, the files of a bucket become one, smallest first, so a row is
//! written again only together with a fair share of others, and only while the rows of the store were written again
//! [`REWRITTEN`] times on average at most. Without rest it is once for the first group and once a step: three times for
//! fifty million rows. What is left then is written again alone if its extracts lack figures of today.

use std::{collections::BTreeMap, sync::Arc};

use super::Segment;
use crate::events::extracts::VERSION;

/// So many small segments of a bucket become one.
pub const FAN_IN: usize = 16;
/// Segments with fewer rows are small.
const SMALL: u64 = 1 << 17;
/// Rows of a bucket beyond which it hands them down.
const FULL: u64 = 1 << 21;
/// Bits that a bucket below has more.
const STEP: u32 = 3;
/// Numbers of websites have 63 bits.
const BITS: u32 = 63;
/// Rows of a website in one merge that are worth files of their own.
const LARGE: u64 = 1 << 20;
/// How often rows are written again on average, at most, for the sake of merges at rest.
const REWRITTEN: u64 = 6;
/// A merge at rest takes a segment that is at most so many times as large as all smaller ones together.
const SHARE: u64 = 4;

/// The websites whose numbers begin with the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bucket {
    /// How many bits.
    pub(super) depth: u32,
    prefix: u64,
}

impl Bucket {
    pub(super) fn new(website: i64, depth: u32) -> Self {
        let depth = depth.min(BITS);
        Self {
            depth,
            // All bits away are too many for a shift.
            prefix: website
                .cast_unsigned()
                .checked_shr(BITS - depth)
                .filter(|_| depth > 0)
                .unwrap_or(0),
        }
    }
}

#[derive(Debug)]
pub struct Choice {
    /// The segments that become new ones.
    pub sources: Vec<Arc<Segment>>,
    /// Where the new ones are cut.
    pub cut: Cut,
}

/// Where the files of a merge end, unless it is where the rows do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Bits of the buckets that they are for: a file has rows of one bucket.
    pub depth: u32,
    /// Rows of a website that get files of their own.
    pub large: u64,
}

impl Cut {
    /// Into buckets that are not full with so many rows in all.
    pub(super) fn for_rows(rows: u64) -> Self {
        let (mut depth, mut each) = (0, rows);
        while each >= FULL && depth + STEP < BITS {
            depth += STEP;
            each >>= STEP;
        }
        Self::at(depth)
    }

    /// At the borders of the buckets of this depth.
    pub(super) fn at(depth: u32) -> Self {
        Self {
            depth,
            large: LARGE,
        }
    }
}

/// What to merge next: seals before what they became, and what is worth it only at rest after everything else.
pub fn choose(segments: &[Arc<Segment>], at_rest: bool) -> Option<Choice> {
    let mut buckets: BTreeMap<Bucket, Vec<&Arc<Segment>>> = BTreeMap::new();
    for segment in segments {
        if !segment.is_damaged() && !is_final(segment) {
            let bucket = Bucket::new(segment.row.websites.0, segment.row.depth);
            buckets.entry(bucket).or_default().push(segment);
        }
    }
    let due = buckets.iter().find_map(|(bucket, held)| {
        let small = held.iter().filter(|segment| segment.row.rows < SMALL);
        let large = held.iter().filter(|segment| segment.row.rows >= SMALL);
        group(small.copied(), bucket.depth).or_else(|| handed_down(large.copied(), bucket.depth))
    });
    due.or_else(|| {
        let worth_it = || tidier(&buckets, segments).or_else(|| outdated(segments));
        at_rest.then(worth_it).flatten()
    })
}

/// The smallest segment whose extracts are of an earlier version.
fn outdated(segments: &[Arc<Segment>]) -> Option<Choice> {
    let is_outdated = |segment: &&Arc<Segment>| {
        let mut extracts = segment.row.extracts.iter();
        !segment.is_damaged() && extracts.any(|extract| extract.version < VERSION)
    };
    let segments = segments.iter().filter(is_outdated);
    let segment = segments.min_by_key(|segment| segment.row.rows)?;
    Some(Choice {
        sources: vec![Arc::clone(segment)],
        cut: Cut::at(segment.row.depth),
    })
}

/// Whether no merge could make it better.
fn is_final(segment: &Segment) -> bool {
    let (low, high) = segment.row.websites;
    low == high && segment.row.rows >= LARGE
}

/// The oldest of enough small ones: neighbours in time make files that a question about a few days can skip.
fn group<'s>(small: impl Iterator<Item = &'s Arc<Segment>>, depth: u32) -> Option<Choice> {
    let sources = oldest(small);
    (sources.len() == FAN_IN).then_some(Choice {
        sources,
        cut: Cut::at(depth),
    })
}

fn handed_down<'s>(large: impl Iterator<Item = &'s Arc<Segment>>, depth: u32) -> Option<Choice> {
    let sources = oldest(large);
    let rows: u64 = sources.iter().map(|segment| segment.row.rows).sum();
    let is_due = rows >= FULL && depth < BITS;
    is_due.then_some(Choice {
        sources,
        cut: Cut::at((depth + STEP).min(BITS)),
    })
}

fn oldest<'s>(segments: impl Iterator<Item = &'s Arc<Segment>>) -> Vec<Arc<Segment>> {
    let mut sorted: Vec<_> = segments.cloned().collect();
    sorted.sort_by_key(|segment| segment.row.times);
    sorted.truncate(FAN_IN);
    sorted
}

/// The merge within a bucket that saves a file for the fewest rows, if rows may be written again.
fn tidier(buckets: &BTreeMap<Bucket, Vec<&Arc<Segment>>>, all: &[Arc<Segment>]) -> Option<Choice> {
    let choices = buckets
        .iter()
        .filter_map(|(bucket, held)| smallest(held, bucket.depth));
    let choice = choices.min_by_key(|choice| {
        let saved = choice.sources.len() as u64 - 1;
        rows(&choice.sources) / saved.max(1)
    })?;
    let written = |segments: &[Arc<Segment>]| {
        let rows = segments.iter().map(|segment| &segment.row);
        rows.map(|row| row.rows * u64::from(row.level)).sum::<u64>()
    };
    let level = choice
        .sources
        .iter()
        .map(|segment| segment.row.level)
        .max()?;
    let after =
        written(all) - written(&choice.sources) + rows(&choice.sources) * u64::from(level + 1);
    (after <= REWRITTEN * rows(all)).then_some(choice)
}

/// As many of a bucket, smallest first, as are worth one file.
fn smallest(held: &[&Arc<Segment>], depth: u32) -> Option<Choice> {
    let mut sorted = held.to_vec();
    sorted.sort_by_key(|segment| segment.row.rows);
    sorted.truncate(FAN_IN);
    let (mut before, mut count) = (0, 0);
    for (at, segment) in sorted.iter().enumerate() {
        if segment.row.rows <= SHARE * before && before + segment.row.rows < FULL {
            count = at + 1;
        }
        before += segment.row.rows;
    }
    (count > 1).then(|| Choice {
        sources: sorted[..count]
            .iter()
            .map(|held| Arc::clone(held))
            .collect(),
        cut: Cut::at(depth),
    })
}

fn rows(segments: &[Arc<Segment>]) -> u64 {
    segments.iter().map(|segment| segment.row.rows).sum()
}

#[cfg(test)]
mod tests;
