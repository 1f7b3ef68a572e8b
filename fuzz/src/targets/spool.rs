//! What reads the spool: records, log files, and the recovery of a directory.
//!
//! No fuzzer guesses checksums. So a log is written first, of what the input says, and then damaged as it says: what was
//! not touched must be found, and nothing may be found that was not written.

use std::{collections::BTreeMap, fs, ops::Range, path::Path};

use bytes::Bytes;
use pharos::events::{
    event::Event,
    log::{
        Lsn,
        file::{self, Header, Scan},
        frame::{self, Frame},
        recovery,
    },
    tail::{self, TailFrame},
};

const NODE: [u8; 16] = [7; 16];
const MAX_FRAMES: u8 = 12;
const MAX_FILES: u8 = 4;
/// Flipped bits that a checksum over this little never misses.
const MAX_DAMAGE: u8 = 3;

/// The payload of a frame, and a whole file, as they are.
pub fn records(bytes: &[u8]) {
    let payload = Bytes::copy_from_slice(bytes);
    file::scan_bytes(&payload);
    let taken = frame::records(&payload).map(|record| record.event.len() + 5);
    assert!(taken.sum::<usize>() <= payload.len());
    let read = TailFrame::from(Frame {
        version: 1,
        lsn: 1,
        received: 0,
        payload,
    });
    let events = tail::decode(&read);
    assert!(events.len() <= read.rows as usize);
    for event in events {
        let written = postcard::to_allocvec(&event).unwrap();
        let again: Event = postcard::from_bytes(&written).unwrap();
        assert_eq!(postcard::to_allocvec(&again).unwrap(), written);
    }
}

/// One log file.
pub fn log(bytes: &[u8]) {
    let mut script = Script(bytes);
    let log = Log::written(&mut script, 1);
    let now = log.damaged(&mut script);
    let scan = file::scan_bytes(&Bytes::from(now.clone()));
    if !log.has_header(&now) {
        return;
    }
    let scan = scan.unwrap();
    assert_eq!(scan.header, log.header);
    assert!(scan.frames.is_sorted_by_key(|frame| frame.lsn));
    let found: BTreeMap<Lsn, &Frame> = scan.frames.iter().map(|frame| (frame.lsn, frame)).collect();
    assert_eq!(found.len(), scan.frames.len(), "a position is there twice");
    for (lsn, frame) in &found {
        assert_eq!(
            frame.payload, log.frames[lsn].1,
            "nobody wrote this at {lsn}"
        );
    }
    for lsn in log.intact(&now) {
        assert!(found.contains_key(&lsn), "{lsn} is lost");
    }
    every_byte_is_accounted_for(&scan, now.len());
}

fn every_byte_is_accounted_for(scan: &Scan, len: usize) {
    let frames = scan
        .frames
        .iter()
        .map(|frame| frame::HEADER + frame.payload.len() + frame::TRAILER);
    let damaged = scan.damaged.iter().map(Range::len);
    assert_eq!(
        file::HEADER + frames.sum::<usize>() + damaged.sum::<usize>() + scan.torn,
        len
    );
}

/// A directory of them.
pub fn recovery(bytes: &[u8]) {
    let mut script = Script(bytes);
    let directory = tempfile::tempdir().unwrap();
    let mut written = BTreeMap::new();
    let mut doubtful = Vec::new();
    let mut intact = Vec::new();
    let mut first = 1;
    let files = 1 + script.byte() % MAX_FILES;
    let cursor = Lsn::from(script.byte() % 32);
    for _ in 0..files {
        let log = Log::written(&mut script, first);
        first = log.behind();
        let now = log.damaged(&mut script);
        let path = directory
            .path()
            .join(format!("{:020}.seg", log.header.first_lsn));
        fs::write(&path, &now).unwrap();
        if log.has_header(&now) && log.header.node == NODE {
            intact.extend(log.intact(&now).filter(|lsn| *lsn > cursor));
            if script.byte() == 1 {
                let copy = directory.path().join(format!("copy-{first}.seg"));
                fs::copy(path, copy).unwrap();
            }
        }
        if !log.has_header(&now) {
            // Its number is looked for: among a million of them a damaged frame may fit one.
            doubtful.extend(log.frames.keys().copied());
        }
        written.extend(
            log.frames
                .into_iter()
                .map(|(lsn, (_, payload))| (lsn, payload)),
        );
    }
    let found = recovered(directory.path(), cursor);
    for (lsn, payload) in &found {
        let is_right = payload == &written[lsn] || doubtful.contains(lsn);
        assert!(is_right, "nobody wrote this at {lsn}");
    }
    for lsn in intact {
        assert!(found.contains_key(&lsn), "{lsn} is lost");
    }
    assert_eq!(
        recovered(directory.path(), cursor),
        found,
        "another start finds the same"
    );
    is_read_again(directory.path(), &found);
}

/// What a start finds, by position.
fn recovered(directory: &Path, cursor: Lsn) -> BTreeMap<Lsn, Bytes> {
    let mut found = BTreeMap::new();
    let mut last = cursor;
    let mut take = |frame: Frame| {
        assert!(frame.lsn > last, "{} comes after {last}", frame.lsn);
        last = frame.lsn;
        found.insert(frame.lsn, frame.payload);
        Ok(())
    };
    let said = recovery::recover(directory, NODE, cursor, &mut take).unwrap();
    assert_eq!(said.frames, found.len() as u64);
    assert!(said.next_lsn > last);
    found
}

fn is_read_again(directory: &Path, found: &BTreeMap<Lsn, Bytes>) {
    let lsns: Vec<_> = found.keys().map(|lsn| *lsn..=*lsn).collect();
    let (frames, damaged) = recovery::reread(directory, &lsns).unwrap();
    let frames: BTreeMap<_, _> = frames
        .into_iter()
        .map(|frame| (frame.lsn, frame.payload))
        .collect();
    assert_eq!((&frames, damaged), (found, false));
}

/// The input, read as what to do. Behind its end are zeros.
struct Script<'a>(&'a [u8]);

impl Script<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::from(u16::from_le_bytes([self.byte(), self.byte()])) % limit.max(1)
    }
}

/// A log file as it was written.
struct Log {
    header: Header,
    bytes: Vec<u8>,
    /// Where each frame lies, and its payload.
    frames: BTreeMap<Lsn, (Range<usize>, Bytes)>,
}

impl Log {
    fn written(script: &mut Script<'_>, first: Lsn) -> Self {
        let header = Header {
            node: if script.byte() == 1 { [8; 16] } else { NODE },
            number: 1 + u64::from(script.byte()),
            first_lsn: first,
        };
        let mut log = Self {
            header,
            bytes: header.encode(),
            frames: BTreeMap::new(),
        };
        for _ in 0..script.byte() % MAX_FRAMES {
            let lsn = log.behind();
            let start = log.bytes.len();
            // A header has zeros: where there is none, nothing looks like a frame.
            let payload: Vec<u8> = (0..5 + script.byte() % 60)
                .map(|_| script.byte().max(1))
                .collect();
            frame::encode(&mut log.bytes, header.number, 1, lsn, 5, |out| {
                out.extend_from_slice(&payload);
            });
            let place = start..log.bytes.len();
            log.frames.insert(lsn, (place, payload.into()));
        }
        log
    }

    /// The position behind the last frame.
    fn behind(&self) -> Lsn {
        self.header.first_lsn + self.frames.len() as u64
    }

    /// The file after the disk did to it what the input says.
    fn damaged(&self, script: &mut Script<'_>) -> Vec<u8> {
        let mut now = self.bytes.clone();
        for _ in 0..script.byte() % (MAX_DAMAGE + 1) {
            let what = script.byte() % 4;
            let at = script.below(now.len());
            let many = usize::from(script.byte());
            match what {
                _ if now.is_empty() => {}
                0 => now[at] ^= 1 << (many % 8),
                1 => now.truncate(at),
                2 => {
                    let end = now.len().min(at + many);
                    now[at..end].fill(0);
                }
                // A block that was part of this file before.
                _ => {
                    let stale = self.frames.values().nth(many % usize::from(MAX_FRAMES));
                    let stale = stale.map_or(0..0, |(place, _)| place.clone());
                    now.extend_from_slice(&self.bytes[stale]);
                }
            }
        }
        now
    }

    fn has_header(&self, now: &[u8]) -> bool {
        now.get(..file::HEADER) == Some(&self.bytes[..file::HEADER])
    }

    /// The positions of frames that nothing happened to.
    fn intact(&self, now: &[u8]) -> impl Iterator<Item = Lsn> {
        let is_whole =
            |place: &Range<usize>| now.get(place.clone()) == Some(&self.bytes[place.clone()]);
        let whole = self
            .frames
            .iter()
            .filter(move |(_, (place, _))| is_whole(place));
        whole.map(|(lsn, _)| *lsn)
    }
}
