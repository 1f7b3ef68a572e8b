//! The results of a probe on its disk, until the server has them.
//!
//! Segments of records: length, checksum, a result as JSON. Each start of the program begins a spool with a name of its own, so
//! a disk that was put back never gives one number to two results. Results of a spool are counted from 1; a segment is named
//! after its spool and its first result. What an earlier start has left is sent under its own name and numbers, by which the
//! server knows what it has. A result is synced before it is sent.

mod segment_file;

use std::{
    collections::VecDeque,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use self::segment_file::{read, read_file, remove_file};

/// Bytes after which another segment begins.
const SEGMENT_BYTES: u64 = 256 << 10;
/// Bytes of one request.
const BATCH_BYTES: usize = 1 << 20;
const EXTENSION: &str = "log";

#[derive(Debug)]
struct Segment {
    /// The name of its spool.
    spool: String,
    /// The number of its first result.
    first: i64,
    count: i64,
    bytes: u64,
}

impl Segment {
    /// The segment of a file. What was written in part is cut off.
    fn open(path: &Path) -> io::Result<Option<Self>> {
        let Some((spool, first)) = parse_name(path) else {
            return Ok(None);
        };
        let bytes = fs::read(path)?;
        let (records, whole) = read(&bytes);
        if whole < bytes.len() {
            let file = OpenOptions::new().write(true).open(path)?;
            file.set_len(whole as u64)?;
            file.sync_all()?;
        }
        Ok(Some(Self {
            spool,
            first,
            count: records.len() as i64,
            bytes: whole as u64,
        }))
    }

    /// Begins a segment.
    fn create(directory: &Path, spool: String, first: i64) -> io::Result<(Self, File)> {
        let segment = Self {
            spool,
            first,
            count: 0,
            bytes: 0,
        };
        let path = segment.path(directory);
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        File::open(directory)?.sync_all()?;
        Ok((segment, file))
    }

    fn path(&self, directory: &Path) -> PathBuf {
        let (spool, first) = (&self.spool, self.first);
        directory.join(format!("{spool}-{first:020}.{EXTENSION}"))
    }

    /// The number of its last result.
    fn last(&self) -> i64 {
        self.first + self.count - 1
    }
}

/// The spool and the first result that the name of a file says.
fn parse_name(path: &Path) -> Option<(String, i64)> {
    if path.extension()? != EXTENSION {
        return None;
    }
    let (spool, first) = path.file_stem()?.to_str()?.rsplit_once('-')?;
    Some((spool.to_owned(), first.parse().ok()?))
}

/// Results in their order.
#[derive(Debug)]
pub(super) struct Spool {
    directory: PathBuf,
    /// Those that earlier starts have left, then those of this one: never empty.
    segments: VecDeque<Segment>,
    /// The last segment.
    file: File,
    /// The last result that the server has of the first segment's spool.
    acknowledged: i64,
    max_bytes: u64,
}

/// Results for one request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Batch {
    pub(super) spool: String,
    pub(super) first: i64,
    /// As JSON.
    pub(super) reports: Vec<String>,
}

impl Spool {
    /// Begins a spool in a directory, behind what earlier ones have left there.
    pub(super) fn open(directory: &Path, max_bytes: u64) -> io::Result<Self> {
        let mut left = Vec::new();
        for entry in fs::read_dir(directory)? {
            left.extend(Segment::open(&entry?.path())?);
        }
        left.sort_by(|a, b| (&a.spool, a.first).cmp(&(&b.spool, b.first)));
        let name = uuid::Uuid::now_v7().to_string();
        let (segment, file) = Segment::create(directory, name, 1)?;
        let mut segments = VecDeque::from(left);
        segments.push_back(segment);
        Ok(Self {
            directory: directory.to_owned(),
            segments,
            file,
            acknowledged: 0,
            max_bytes,
        })
    }

    /// Appends results, synced. Gives how many older ones were dropped for lack of space.
    ///
    /// # Errors
    /// Nothing was appended.
    pub(super) fn append(&mut self, reports: &[String]) -> io::Result<u64> {
        self.rotate()?;
        let mut buffer = Vec::new();
        for report in reports {
            buffer.extend((report.len() as u32).to_le_bytes());
            buffer.extend(crc32c::crc32c(report.as_bytes()).to_le_bytes());
            buffer.extend(report.as_bytes());
        }
        let Some(last) = self.segments.back_mut() else {
            return Ok(0);
        };
        let written = self.file.write_all(&buffer);
        if let Err(error) = written.and_then(|()| self.file.sync_data()) {
            // Half of a record would hide those behind it.
            self.file.set_len(last.bytes)?;
            return Err(error);
        }
        last.count += reports.len() as i64;
        last.bytes += buffer.len() as u64;
        // They are appended, whatever becomes of the older ones.
        Ok(self.make_room().unwrap_or_else(|error| {
            tracing::warn!(%error, "old results of the probe cannot be deleted");
            0
        }))
    }

    /// The first results that the server does not have, at most so many, of one spool. Those that can't be read are a gap.
    pub(super) fn next_batch(&mut self, most: usize) -> io::Result<Option<Batch>> {
        loop {
            self.remove_acknowledged()?;
            let batch = self.read_batch(most)?;
            if batch.is_some() || !self.skip_damaged()? {
                return Ok(batch);
            }
        }
    }

    fn read_batch(&self, most: usize) -> io::Result<Option<Batch>> {
        let Some(segment) = self.segments.front() else {
            return Ok(None);
        };
        let bytes = read_file(&segment.path(&self.directory))?;
        let (records, _) = read(&bytes);
        let first = segment.first.max(self.acknowledged + 1);
        let (mut reports, mut size) = (Vec::new(), 0);
        let skipped = (first - segment.first) as usize;
        for record in records.into_iter().skip(skipped).take(most) {
            size += record.len();
            if size > BATCH_BYTES && !reports.is_empty() {
                break;
            }
            reports.push(String::from_utf8_lossy(record).into_owned());
        }
        Ok((!reports.is_empty()).then(|| Batch {
            spool: segment.spool.clone(),
            first,
            reports,
        }))
    }

    /// Gives up what is left of the first segment, if the server does not have all of it. Whether that is so.
    fn skip_damaged(&mut self) -> io::Result<bool> {
        let Some(segment) = self.segments.front() else {
            return Ok(false);
        };
        let last = segment.last();
        let lost = last - self.acknowledged.max(segment.first - 1);
        if lost <= 0 {
            return Ok(false);
        }
        tracing::error!(lost, "results on the disk are damaged, and lost");
        if self.segments.len() == 1 {
            // What comes now would be behind the damage.
            self.begin_segment()?;
        }
        self.acknowledged = last;
        Ok(true)
    }

    /// All results that are on the disk, oldest first.
    pub(super) fn read_all(&self) -> io::Result<Vec<String>> {
        let mut all = Vec::new();
        for segment in &self.segments {
            let bytes = read_file(&segment.path(&self.directory))?;
            let (records, _) = read(&bytes);
            let texts = records.into_iter().map(String::from_utf8_lossy);
            all.extend(texts.map(std::borrow::Cow::into_owned));
        }
        Ok(all)
    }

    /// The server has all results of a spool up to this one.
    pub(super) fn acknowledge(&mut self, spool: &str, last: i64) -> io::Result<()> {
        let is_first = |first: &Segment| first.spool == spool;
        if !self.segments.front().is_some_and(is_first) {
            return Ok(());
        }
        let mut newest_first = self.segments.iter().rev();
        let Some(newest) = newest_first.find(|segment| segment.spool == spool) else {
            return Ok(());
        };
        // It may have more than a disk that was put back.
        self.acknowledged = self.acknowledged.max(last.min(newest.last()));
        self.remove_acknowledged()
    }

    /// Removes what the server has, but for the last segment.
    fn remove_acknowledged(&mut self) -> io::Result<()> {
        while let [first, _, ..] = self.segments.make_contiguous() {
            if first.count > 0 && first.last() > self.acknowledged {
                break;
            }
            self.remove_first()?;
        }
        Ok(())
    }

    /// Begins another segment once this one is large.
    fn rotate(&mut self) -> io::Result<()> {
        let is_large = |last: &Segment| last.bytes >= SEGMENT_BYTES;
        if self.segments.back().is_some_and(is_large) {
            self.begin_segment()?;
        }
        Ok(())
    }

    fn begin_segment(&mut self) -> io::Result<()> {
        let Some(last) = self.segments.back() else {
            return Ok(());
        };
        let (name, first) = (last.spool.clone(), last.last() + 1);
        let (segment, file) = Segment::create(&self.directory, name, first)?;
        self.segments.push_back(segment);
        self.file = file;
        Ok(())
    }

    /// Drops the oldest segments beyond the bound.
    fn make_room(&mut self) -> io::Result<u64> {
        let mut dropped = 0;
        while self.segments.len() > 1 && self.bytes() > self.max_bytes {
            if let Some(first) = self.segments.front() {
                let known = (self.acknowledged + 1 - first.first).clamp(0, first.count);
                dropped += (first.count - known).unsigned_abs();
            }
            self.remove_first()?;
        }
        Ok(dropped)
    }

    fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.bytes).sum()
    }

    fn remove_first(&mut self) -> io::Result<()> {
        let Some(first) = self.segments.front() else {
            return Ok(());
        };
        remove_file(&first.path(&self.directory))?;
        let gone = self.segments.pop_front();
        let next = gone.zip(self.segments.front());
        if next.is_some_and(|(gone, next)| gone.spool != next.spool) {
            self.acknowledged = 0;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
