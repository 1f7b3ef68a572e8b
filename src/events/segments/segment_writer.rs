//! The files that sorted rows are written to, one after the other, cut at borders of buckets and around large websites.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use duckdb::arrow::record_batch::RecordBatch;

use super::{Cut, SegmentRow, compaction::Bucket, write::SegmentFile};
use crate::events::{batch::numbers, error::EngineError, files::file::Apart, log::Lsn};

/// Where a row goes: its bucket, and its website if that has a file of its own.
type OutputFile = (Bucket, Option<i64>);

/// Files in the making. Unless they are finished or [complete](SegmentWriter::complete), none of them stays.
pub(in crate::events) struct SegmentWriter<'d> {
    directory: &'d Path,
    level: u32,
    cut: Cut,
    lsns: (Lsn, Lsn),
    /// Websites that get files of their own, and those that get row groups.
    large: BTreeSet<i64>,
    apart: Apart,
    open: Option<(OutputFile, SegmentFile)>,
    done: Vec<SegmentRow>,
    /// The website of the last row.
    last: Option<i64>,
}

impl<'d> SegmentWriter<'d> {
    /// Files for rows that will have been merged `level` times, of so many rows of every website.
    pub(super) fn new(
        directory: &'d Path,
        level: u32,
        cut: Cut,
        lsns: (Lsn, Lsn),
        mut counts: BTreeMap<i64, u64>,
    ) -> Self {
        let apart = Apart::from_counts(&counts);
        counts.retain(|_, rows| *rows >= cut.large);
        Self {
            directory,
            level,
            cut,
            lsns,
            large: counts.into_keys().collect(),
            apart,
            open: None,
            done: Vec::new(),
            last: None,
        }
    }

    /// Files for all rows of a store, of so many of every website, which represent this stretch of the log: cut as merges
    /// would have cut them in time.
    pub(in crate::events) fn start(
        directory: &'d Path,
        counts: &BTreeMap<i64, u64>,
        lsns: (Lsn, Lsn),
    ) -> Self {
        let cut = Cut::for_rows(counts.values().sum());
        Self::new(directory, 1, cut, lsns, counts.clone())
    }

    /// Takes the files out to whose websites no row will be added any more. They stay.
    pub(in crate::events) fn complete(&mut self) -> Vec<SegmentRow> {
        let last = self.last;
        let is_complete = |row: &mut SegmentRow| Some(row.websites.1) != last;
        self.done.extract_if(.., is_complete).collect()
    }

    /// Adds rows, which sort behind those that were added before.
    pub(in crate::events) fn push(&mut self, batch: &RecordBatch) -> Result<(), EngineError> {
        let websites = numbers(batch, "website");
        let (mut from, mut at) = (0, 0);
        for run in websites.values().chunk_by(|a, b| a == b) {
            let website = run.first().copied().unwrap_or(0);
            let own = self.large.contains(&website).then_some(website);
            let output = (Bucket::new(website, self.cut.depth), own);
            let is_full = |file: &SegmentFile| own.is_some() && file.rows() >= 2 * self.cut.large;
            let ends = |(open, file): &(OutputFile, SegmentFile)| *open != output || is_full(file);
            if self.open.as_ref().is_some_and(ends) {
                self.add(batch, from, at)?;
                self.close()?;
                from = at;
            }
            if self.open.is_none() {
                let (level, depth) = (self.level, self.cut.depth);
                let file = SegmentFile::create(self.directory, level, depth, &self.apart)?;
                self.open = Some((output, file));
            }
            self.last = Some(website);
            at += run.len();
        }
        self.add(batch, from, at)
    }

    fn add(&mut self, batch: &RecordBatch, from: usize, to: usize) -> Result<(), EngineError> {
        match &mut self.open {
            Some((_, file)) if to > from => file.push(&batch.slice(from, to - from)),
            _ => Ok(()),
        }
    }

    fn close(&mut self) -> Result<(), EngineError> {
        if let Some((_, file)) = self.open.take() {
            self.done.push(file.finish(self.lsns)?);
        }
        Ok(())
    }

    /// The rest of the files.
    pub(in crate::events) fn finish(mut self) -> Result<Vec<SegmentRow>, EngineError> {
        self.close()?;
        Ok(std::mem::take(&mut self.done))
    }
}

impl Drop for SegmentWriter<'_> {
    fn drop(&mut self) {
        for file in self.done.iter().flat_map(SegmentRow::files) {
            // What stays is named by no manifest, and goes at start.
            let _ = fs::remove_file(self.directory.join(file));
        }
    }
}
