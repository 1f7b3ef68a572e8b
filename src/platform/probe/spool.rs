//! The results of a probe on its disk, until the server has them.
//!
//! Segments of records: length, checksum, a result as JSON. Results are counted from 1; a segment is named after its first
//! one. The last segment stays although all of it is acknowledged, because it says where the count is. A result is synced
//! before it is sent.

use std::{
    collections::VecDeque,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// Bytes after which another segment begins.
const SEGMENT_BYTES: u64 = 256 << 10;
/// Bytes of one request.
const BATCH_BYTES: usize = 1 << 20;
/// Bytes in front of a result.
const HEAD: usize = 8;
const ID: &str = "spool.id";
const EXTENSION: &str = "log";

#[derive(Debug)]
struct Segment {
    /// The number of its first result.
    first: i64,
    count: i64,
    bytes: u64,
}

/// Results in their order.
#[derive(Debug)]
pub(super) struct Spool {
    directory: PathBuf,
    id: String,
    /// Never empty.
    segments: VecDeque<Segment>,
    file: File,
    /// The last result that the server has.
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
    /// Opens the spool of a directory, or begins one. What was written in part is cut off.
    pub(super) fn open(directory: &Path, max_bytes: u64) -> io::Result<Self> {
        let mut firsts = Vec::new();
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            let is_segment = path.extension().is_some_and(|own| own == EXTENSION);
            let first = path
                .file_stem()
                .and_then(|stem| stem.to_str()?.parse::<i64>().ok());
            firsts.extend(first.filter(|_| is_segment));
        }
        firsts.sort_unstable();
        let id = fs::read_to_string(directory.join(ID)).unwrap_or_default();
        if firsts.is_empty() || id.is_empty() {
            return Self::begin(directory, &firsts, max_bytes);
        }
        let mut segments = VecDeque::new();
        for first in firsts {
            let path = segment_path(directory, first);
            let bytes = fs::read(&path)?;
            let (records, whole) = read(&bytes);
            if whole < bytes.len() {
                let file = OpenOptions::new().write(true).open(&path)?;
                file.set_len(whole as u64)?;
                file.sync_all()?;
            }
            segments.push_back(Segment {
                first,
                count: records.len() as i64,
                bytes: whole as u64,
            });
        }
        let last = segments.back().map_or(1, |last| last.first);
        let file = append_to(&segment_path(directory, last))?;
        Ok(Self {
            directory: directory.to_owned(),
            id,
            segments,
            file,
            acknowledged: 0,
            max_bytes,
        })
    }

    /// Begins to count anew, under another name.
    fn begin(directory: &Path, old: &[i64], max_bytes: u64) -> io::Result<Self> {
        for first in old {
            fs::remove_file(segment_path(directory, *first))?;
        }
        let file = append_to(&segment_path(directory, 1))?;
        let id = uuid::Uuid::now_v7().to_string();
        let beside = directory.join("spool.new");
        let mut named = File::create(&beside)?;
        named.write_all(id.as_bytes())?;
        named.sync_all()?;
        fs::rename(&beside, directory.join(ID))?;
        File::open(directory)?.sync_all()?;
        Ok(Self {
            directory: directory.to_owned(),
            id,
            segments: VecDeque::from([Segment {
                first: 1,
                count: 0,
                bytes: 0,
            }]),
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

    /// The first results that the server does not have, at most so many.
    pub(super) fn next_batch(&self, most: usize) -> io::Result<Option<Batch>> {
        let from = self.acknowledged + 1;
        let segment = self
            .segments
            .iter()
            .find(|segment| segment.first + segment.count > from);
        let Some(segment) = segment else {
            return Ok(None);
        };
        let bytes = fs::read(segment_path(&self.directory, segment.first))?;
        let (records, _) = read(&bytes);
        let first = segment.first.max(from);
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
            spool: self.id.clone(),
            first,
            reports,
        }))
    }

    /// All results that are on the disk, oldest first.
    pub(super) fn read_all(&self) -> io::Result<Vec<String>> {
        let mut all = Vec::new();
        for segment in &self.segments {
            let bytes = fs::read(segment_path(&self.directory, segment.first))?;
            let (records, _) = read(&bytes);
            let texts = records.into_iter().map(String::from_utf8_lossy);
            all.extend(texts.map(std::borrow::Cow::into_owned));
        }
        Ok(all)
    }

    /// The server has all results up to this one.
    pub(super) fn acknowledge(&mut self, last: i64) -> io::Result<()> {
        if last > self.last() {
            // The server knows more than this disk, which was put back: what comes now would be taken for what it has.
            let old: Vec<i64> = self.segments.iter().map(|segment| segment.first).collect();
            *self = Self::begin(&self.directory, &old, self.max_bytes)?;
            return Ok(());
        }
        self.acknowledged = self.acknowledged.max(last);
        while let [first, _, ..] = self.segments.make_contiguous() {
            if first.first + first.count - 1 > self.acknowledged {
                break;
            }
            self.remove_first()?;
        }
        Ok(())
    }

    /// The number of the last result.
    fn last(&self) -> i64 {
        self.segments
            .back()
            .map_or(0, |last| last.first + last.count - 1)
    }

    /// Begins another segment once this one is large.
    fn rotate(&mut self) -> io::Result<()> {
        let is_large = |last: &Segment| last.bytes >= SEGMENT_BYTES;
        if !self.segments.back().is_some_and(is_large) {
            return Ok(());
        }
        let first = self.last() + 1;
        self.file = append_to(&segment_path(&self.directory, first))?;
        File::open(&self.directory)?.sync_all()?;
        self.segments.push_back(Segment {
            first,
            count: 0,
            bytes: 0,
        });
        // An acknowledged one was kept only for its number.
        self.acknowledge(self.acknowledged)
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
        if let Some(first) = self.segments.front() {
            fs::remove_file(segment_path(&self.directory, first.first))?;
            self.segments.pop_front();
        }
        Ok(())
    }
}

fn segment_path(directory: &Path, first: i64) -> PathBuf {
    directory.join(format!("{first:020}.{EXTENSION}"))
}

fn append_to(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

/// The records of a segment, and how many bytes are whole records.
fn read(bytes: &[u8]) -> (Vec<&[u8]>, usize) {
    let (mut records, mut at) = (Vec::new(), 0);
    while let Some((record, next)) = read_record(bytes, at) {
        records.push(record);
        at = next;
    }
    (records, at)
}

fn read_record(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let head = bytes.get(at..at + HEAD)?;
    let number = |part: &[u8]| part.try_into().map(u32::from_le_bytes).ok();
    let (length, sum) = (number(&head[..4])?, number(&head[4..])?);
    let end = (at + HEAD).checked_add(length as usize)?;
    let record = bytes.get(at + HEAD..end)?;
    (crc32c::crc32c(record) == sum).then_some((record, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: u64 = 1 << 30;

    fn texts(numbers: std::ops::RangeInclusive<i64>) -> Vec<String> {
        numbers.map(|number| format!("\"{number}\"")).collect()
    }

    fn next(spool: &Spool, most: usize) -> Option<(i64, Vec<String>)> {
        let batch = spool.next_batch(most).unwrap()?;
        Some((batch.first, batch.reports))
    }

    #[test]
    fn results_are_there_after_a_restart_until_they_are_acknowledged() {
        let directory = tempfile::tempdir().unwrap();
        let mut spool = Spool::open(directory.path(), LARGE).unwrap();
        assert_eq!(next(&spool, 10), None);
        spool.append(&texts(1..=3)).unwrap();
        assert_eq!(next(&spool, 2), Some((1, texts(1..=2))));
        spool.acknowledge(2).unwrap();
        assert_eq!(next(&spool, 2), Some((3, texts(3..=3))));
        assert_eq!(spool.read_all().unwrap(), texts(1..=3));
        let id = spool.id.clone();
        drop(spool);
        let mut spool = Spool::open(directory.path(), LARGE).unwrap();
        assert_eq!(spool.id, id);
        // What the server has is not written here: it says so.
        assert_eq!(next(&spool, 9), Some((1, texts(1..=3))));
        spool.acknowledge(3).unwrap();
        assert_eq!(next(&spool, 9), None);
        drop(spool);
        let mut spool = Spool::open(directory.path(), LARGE).unwrap();
        spool.append(&texts(4..=4)).unwrap();
        spool.acknowledge(3).unwrap();
        assert_eq!(next(&spool, 9), Some((4, texts(4..=4))));
    }

    #[test]
    fn a_record_that_was_written_in_part_is_cut_off() {
        let directory = tempfile::tempdir().unwrap();
        let mut spool = Spool::open(directory.path(), LARGE).unwrap();
        spool.append(&texts(1..=2)).unwrap();
        drop(spool);
        let path = segment_path(directory.path(), 1);
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let mut spool = Spool::open(directory.path(), LARGE).unwrap();
            let left = next(&spool, 9).map_or(0, |(_, reports)| reports.len());
            assert_eq!(left, length * 2 / whole.len());
            spool.append(&texts(9..=9)).unwrap();
            let (_, reports) = next(&spool, 9).unwrap();
            assert_eq!(reports.len(), left + 1);
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
        assert_eq!(next(&spool, 9).unwrap().0, 5);
        spool.acknowledge(5).unwrap();
        assert_eq!(next(&spool, 9).unwrap().0, 6);
        let files = fs::read_dir(directory.path()).unwrap().count();
        assert_eq!(files, 2, "one segment and the name");
    }

    #[test]
    fn a_disk_that_was_put_back_begins_to_count_anew() {
        let directory = tempfile::tempdir().unwrap();
        let mut spool = Spool::open(directory.path(), LARGE).unwrap();
        spool.append(&texts(1..=1)).unwrap();
        let id = spool.id.clone();
        spool.acknowledge(40).unwrap();
        assert_ne!(spool.id, id);
        spool.append(&texts(1..=1)).unwrap();
        assert_eq!(next(&spool, 9), Some((1, texts(1..=1))));
    }
}
