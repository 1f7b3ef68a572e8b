//! One log file: `spool/<20-digit first lsn>.seg`.
//!
//! A file starts with a checksummed header; its directory entry is synced before the first frame is written. A file is
//! never reopened for writing: every start begins a new one.

use std::{
    collections::HashSet,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use bytes::{Buf, Bytes};

use super::{Lsn, frame};

const MAGIC: &[u8; 8] = b"PHAROSSP";
const FORMAT: u32 = 1;
/// Bytes of the file header.
pub const HEADER: usize = 8 + 4 + 16 + 8 + 8 + 4;
/// A file whose number is unknown is tried with numbers below this.
const MAX_NUMBERS: u64 = 1 << 20;
/// With so many of its frames, should some be damaged as well.
const MAX_TRIED: usize = 8;
/// Places that look like frames: a file of frames has fewer; crafted events may add more.
const MAX_LOOKED_AT: usize = 1 << 18;

/// The log file that is being written.
#[derive(Debug)]
pub struct LogFile {
    file: File,
    pub path: PathBuf,
    /// Its number, part of every frame's checksum.
    pub number: u64,
    /// Bytes written so far.
    pub len: u64,
}

impl LogFile {
    /// Creates a file for frames from `first_lsn` on and makes its existence durable.
    pub fn create(
        directory: &Path,
        node: [u8; 16],
        number: u64,
        first_lsn: Lsn,
    ) -> io::Result<Self> {
        let path = directory.join(format!("{first_lsn:020}.seg"));
        let created = Self::begin(directory, &path, node, number, first_lsn);
        if created.is_err() {
            let _ = fs::remove_file(&path);
        }
        Ok(Self {
            file: created?,
            path,
            number,
            len: HEADER as u64,
        })
    }

    fn begin(
        directory: &Path,
        path: &Path,
        node: [u8; 16],
        number: u64,
        first_lsn: Lsn,
    ) -> io::Result<File> {
        // A file of that name can only hold frames that were never acknowledged: the log ends before it.
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)?;
        let header = Header {
            node,
            number,
            first_lsn,
        };
        file.write_all(&header.encode())?;
        file.sync_all()?;
        sync_directory(directory)?;
        Ok(file)
    }

    pub fn append(&mut self, frames: &[u8]) -> io::Result<()> {
        self.file.write_all(frames)?;
        self.len += frames.len() as u64;
        Ok(())
    }

    /// Waits until everything appended is on the disk. After an error the file must not be used again.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// Makes creations, renames and deletions in a directory durable.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

#[derive(Debug, Default)]
pub struct Scan {
    /// What it says of itself.
    pub header: Header,
    /// Its valid frames, in order.
    pub frames: Vec<frame::Frame>,
    /// Byte ranges in front of a later valid frame that hold none: damage, not a torn end.
    pub damaged: Vec<std::ops::Range<usize>>,
    /// Bytes after the last valid frame: the torn end of a write that was never acknowledged.
    pub torn: usize,
}

/// What a log file says of itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Header {
    /// The node that wrote it.
    pub node: [u8; 16],
    pub number: u64,
    /// First position that the file was made for.
    pub first_lsn: Lsn,
}

impl Header {
    /// The header's bytes, with its checksum.
    pub fn encode(&self) -> Vec<u8> {
        let mut header = Vec::with_capacity(HEADER);
        header.extend_from_slice(MAGIC);
        header.extend_from_slice(&FORMAT.to_le_bytes());
        header.extend_from_slice(&self.node);
        header.extend_from_slice(&self.number.to_le_bytes());
        header.extend_from_slice(&self.first_lsn.to_le_bytes());
        let crc = crc32c::crc32c(&header);
        header.extend_from_slice(&crc.to_le_bytes());
        header
    }
}

/// The number of a file whose header is damaged: the one with which most of its frames are valid. A damaged frame may fit
/// one of so many numbers, so frames vote.
pub fn file_number(path: &Path, first_lsn: Lsn) -> io::Result<Option<u64>> {
    let bytes = Bytes::from(fs::read(path)?);
    let mut frames: Vec<_> = (HEADER..bytes.len())
        .filter_map(|at| {
            let before = (at - HEADER) / frame::SMALLEST;
            let expected = first_lsn..=first_lsn.saturating_add(before as u64);
            Some((frame::claimed(&bytes, at, &expected)?, at, expected))
        })
        .take(MAX_LOOKED_AT)
        .collect();
    // Bytes inside of a frame may look like one; true ones follow each other without gaps, and small ones are likely to be whole.
    let starts: HashSet<usize> = frames.iter().map(|(_, at, _)| *at).collect();
    frames.sort_by_key(|(len, at, _)| {
        let end = at + frame::HEADER + len + frame::TRAILER;
        let stands_alone = end != bytes.len() && !starts.contains(&end);
        (stands_alone, *len)
    });
    frames.truncate(MAX_TRIED);
    let numbers: Vec<u64> = frames
        .iter()
        .filter_map(|(_, at, expected)| frame::file_number(&bytes, *at, expected, 1..MAX_NUMBERS))
        .collect();
    let votes = |number: &u64| numbers.iter().filter(|other| *other == number).count();
    Ok(numbers.iter().copied().max_by_key(votes))
}

/// Writes a file's header anew.
pub fn mend(path: &Path, header: &Header) -> io::Result<()> {
    let file = OpenOptions::new().write(true).open(path)?;
    file.write_all_at(&header.encode(), 0)?;
    file.sync_all()
}

/// Reads a log file's header; `None` when it is not valid.
pub fn header(path: &Path) -> io::Result<Option<Header>> {
    let mut bytes = [0; HEADER];
    match File::open(path)?.read_exact_at(&mut bytes, 0) {
        Ok(()) => Ok(read_header(&bytes)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

fn read_header(bytes: &[u8]) -> Option<Header> {
    let mut bytes = bytes.get(..HEADER)?;
    let crc = crc32c::crc32c(&bytes[..HEADER - 4]);
    if &bytes[..8] != MAGIC {
        return None;
    }
    bytes.advance(8);
    let format = bytes.get_u32_le();
    let mut header = Header::default();
    bytes.copy_to_slice(&mut header.node);
    header.number = bytes.get_u64_le();
    header.first_lsn = bytes.get_u64_le();
    (bytes.get_u32_le() == crc && format == FORMAT).then_some(header)
}

/// Reads a log file; `None` when not even its header is valid.
pub fn scan(path: &Path) -> io::Result<Option<Scan>> {
    let bytes = Bytes::from(fs::read(path)?);
    Ok(scan_bytes(&bytes))
}

/// [`scan`] over bytes in memory.
pub fn scan_bytes(bytes: &Bytes) -> Option<Scan> {
    let header = read_header(bytes)?;
    let Header {
        number, first_lsn, ..
    } = header;
    let mut scan = Scan {
        header,
        ..Scan::default()
    };
    let mut at = HEADER;
    let mut bad_from = None;
    let mut expected = first_lsn;
    while at < bytes.len() {
        // Positions in a file have no gaps. Behind damage every offset is tried; so narrow a range keeps bytes that
        // merely look like a header (a client may have sent them) from costing a checksum each.
        let furthest = bad_from.map_or(expected, |from| {
            expected.saturating_add(((at - from) / frame::SMALLEST) as u64)
        });
        if let Some((frame, next)) = frame::decode(bytes, at, number, &(expected..=furthest)) {
            expected = frame.lsn.saturating_add(1);
            if let Some(from) = bad_from.take() {
                scan.damaged.push(from..at);
            }
            scan.frames.push(frame);
            at = next;
        } else {
            bad_from.get_or_insert(at);
            at += 1;
        }
    }
    scan.torn = bad_from.map_or(0, |from| bytes.len() - from);
    Some(scan)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(frames: u64) -> (tempfile::TempDir, PathBuf, Vec<usize>) {
        let directory = tempfile::tempdir().unwrap();
        let mut log = LogFile::create(directory.path(), [7; 16], 3, 10).unwrap();
        let mut ends = vec![HEADER];
        for n in 0..frames {
            let mut out = Vec::new();
            frame::encode(&mut out, 3, 1, 10 + n, 5, |out| {
                out.extend_from_slice(&[n as u8; 20]);
            });
            log.append(&out).unwrap();
            ends.push(log.len as usize);
        }
        log.sync().unwrap();
        let path = log.path.clone();
        (directory, path, ends)
    }

    #[test]
    fn a_file_cut_anywhere_keeps_every_whole_frame() {
        let (_directory, path, ends) = written(5);
        let whole = fs::read(&path).unwrap();
        for cut in HEADER..=whole.len() {
            let scan = scan_bytes(&Bytes::copy_from_slice(&whole[..cut])).unwrap();
            let complete = ends.iter().filter(|end| **end <= cut).count() - 1;
            assert_eq!(scan.frames.len(), complete, "cut at {cut}");
            assert_eq!(scan.torn, cut - ends[complete]);
            assert!(scan.damaged.is_empty());
        }
    }

    #[test]
    fn damage_in_the_middle_is_told_from_a_torn_end() {
        let (_directory, path, ends) = written(5);
        let mut bytes = fs::read(&path).unwrap();
        bytes[ends[2] + 9] ^= 1;
        let scan = scan_bytes(&Bytes::from(bytes)).unwrap();
        let lsns: Vec<_> = scan.frames.iter().map(|frame| frame.lsn).collect();
        assert_eq!(lsns, [10, 11, 13, 14]);
        assert_eq!(scan.damaged, vec![ends[2]..ends[3]]);
        assert_eq!(scan.torn, 0);
    }

    #[test]
    fn a_damaged_header_is_no_log_file() {
        let (_directory, path, _) = written(1);
        let mut bytes = fs::read(&path).unwrap();
        bytes[20] ^= 1;
        assert!(scan_bytes(&Bytes::from(bytes)).is_none());
    }
}
