//! A disk that forgets: what was written and not synced is kept, cut, dropped sector by sector or replaced by stale bytes,
//! and bits of what was synced flip. Whatever it does, the log gives back every frame that was answered with success and
//! nothing that was never written. `PROPTEST_CASES` says how many histories are tried.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use bytes::Bytes;
use proptest::{prelude::*, sample::Index};
use tempfile::TempDir;

use super::{
    Lsn,
    file::{self, Header},
    frame::{self, Frame},
    recovery::recover,
};

const NODE: [u8; 16] = [7; 16];
/// What a disk writes at once.
const SECTOR: usize = 64;

/// What happens to a log.
#[derive(Debug, Clone)]
enum Step {
    /// Frames of these sizes are written; the sync works or fails.
    Batch(Vec<usize>, bool),
    /// The file ends.
    Roll,
    /// Everything acknowledged so far is in a segment.
    Seal,
    /// The power fails, and this becomes of each sector that was not synced.
    Cut(Vec<Fate>, Index),
    /// The power fails after a bit of what was synced has flipped.
    Rot(Index, Index, u8),
}

#[derive(Debug, Clone, Copy)]
enum Fate {
    Kept,
    Zeros,
    Stale,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let fate = prop_oneof![3 => Just(Fate::Kept), 1 => Just(Fate::Zeros), 1 => Just(Fate::Stale)];
    let fates = prop::collection::vec(fate, 1..6);
    let step = prop_oneof![
        6 => (prop::collection::vec(0usize..200, 1..4), prop::bool::weighted(0.8))
            .prop_map(|(sizes, synced)| Step::Batch(sizes, synced)),
        2 => Just(Step::Roll),
        1 => Just(Step::Seal),
        2 => (fates, any::<Index>()).prop_map(|(fates, cut)| Step::Cut(fates, cut)),
        1 => (any::<Index>(), any::<Index>(), 0u8..8).prop_map(|(file, at, bit)| Step::Rot(file, at, bit)),
    ];
    prop::collection::vec(step, 1..25)
}

/// A file of the log, as the program believes it to be.
#[derive(Debug)]
struct SimFile {
    first: Lsn,
    number: u64,
    bytes: Vec<u8>,
    /// So many of them are on the disk for certain.
    durable: usize,
}

/// The disk, and what a perfect log would know.
#[derive(Debug, Default)]
struct SimDisk {
    files: Vec<SimFile>,
    /// Whether the last of them is written to still.
    open: bool,
    next_lsn: Lsn,
    next_number: u64,
    cursor: Lsn,
    /// Answered with success.
    acknowledged: BTreeMap<Lsn, Vec<u8>>,
    /// Ever written, under a position that may have been given out twice.
    written: BTreeSet<(Lsn, Vec<u8>)>,
    /// Grows, so no two payloads are alike.
    payloads: u8,
}

impl SimDisk {
    fn step(&mut self, step: &Step) {
        match step {
            Step::Batch(sizes, synced) => self.batch(sizes, *synced),
            Step::Roll => self.open = false,
            Step::Seal => self.seal(),
            Step::Cut(fates, cut) => {
                let images = self.files.iter().enumerate();
                let images: Vec<_> = images
                    .map(|(at, file)| self.image(at, file, fates, *cut))
                    .collect();
                self.restart(&images, &BTreeSet::new());
            }
            Step::Rot(file, at, bit) => self.rot(file, at, *bit),
        }
    }

    fn batch(&mut self, sizes: &[usize], synced: bool) {
        if !self.open {
            let header = Header {
                node: NODE,
                number: self.next_number,
                first_lsn: self.next_lsn,
            };
            // A file exists durably before its first frame.
            let bytes = header.encode();
            self.files.push(SimFile {
                first: self.next_lsn,
                number: self.next_number,
                durable: bytes.len(),
                bytes,
            });
            self.next_number += 1;
            self.open = true;
        }
        let file = self.files.last_mut().unwrap();
        let mut frames = Vec::new();
        for size in sizes {
            self.payloads = self.payloads.wrapping_add(1);
            let mut payload = Vec::new();
            frame::push_record(&mut payload, None, &vec![self.payloads; *size]);
            let lsn = self.next_lsn;
            frame::encode(&mut file.bytes, file.number, 1, lsn, 5, |out| {
                out.extend_from_slice(&payload);
            });
            self.written.insert((lsn, payload.clone()));
            frames.push((lsn, payload));
            self.next_lsn += 1;
        }
        if synced {
            file.durable = file.bytes.len();
            self.acknowledged.extend(frames);
        } else {
            // No writer is left.
            self.open = false;
        }
    }

    fn seal(&mut self) {
        self.open = false;
        let Some(last) = self.acknowledged.keys().next_back() else {
            return;
        };
        self.cursor = *last;
        let cursor = self.cursor;
        let ends: Vec<Lsn> = (self.files.iter().skip(1).map(|file| file.first - 1))
            .chain([self.next_lsn - 1])
            .collect();
        let mut ends = ends.into_iter();
        self.files
            .retain(|_| ends.next().is_some_and(|end| end > cursor));
        self.acknowledged.clear();
    }

    /// A file after a power cut.
    fn image(&self, at: usize, file: &SimFile, fates: &[Fate], cut: Index) -> Vec<u8> {
        let unsynced = file.bytes.len() - file.durable;
        let len = file.durable + cut.index(unsynced + 1);
        let mut image = file.bytes[..len].to_vec();
        let stale = &self.files[(at + self.files.len() - 1) % self.files.len()].bytes;
        for (byte, value) in image.iter_mut().enumerate().skip(file.durable) {
            match fates[byte / SECTOR % fates.len()] {
                Fate::Kept => {}
                Fate::Zeros => *value = 0,
                Fate::Stale => *value = stale.get(byte).copied().unwrap_or(0xa5),
            }
        }
        image
    }

    /// A bit of what was synced is another: the frame that it belongs to may be lost, and no other.
    fn rot(&mut self, file: &Index, at: &Index, bit: u8) {
        if self.files.is_empty() {
            return;
        }
        let chosen = file.index(self.files.len());
        let mut images: Vec<Vec<u8>> = self.files.iter().map(|file| file.bytes.clone()).collect();
        let (held, image) = (&self.files[chosen], &mut images[chosen]);
        let at = at.index(image.len());
        image[at] ^= 1 << bit;
        let mut lost = BTreeSet::new();
        let bytes = Bytes::from(held.bytes.clone());
        // Found anew: there may be older damage in front of a frame.
        for frame in file::scan_bytes(&bytes).unwrap().frames {
            let payload = frame.payload.as_ptr() as usize - bytes.as_ptr() as usize;
            let begins = payload - frame::HEADER;
            let ends = payload + frame.payload.len() + frame::TRAILER;
            if (begins..ends).contains(&at) {
                lost.insert(frame.lsn);
            }
        }
        self.restart(&images, &lost);
    }

    /// The program starts over these files; frames of the `lost` may be missing.
    fn restart(&mut self, images: &[Vec<u8>], lost: &BTreeSet<Lsn>) {
        let directory = scratch();
        for (file, image) in self.files.iter().zip(images) {
            let path = directory.path().join(format!("{:020}.seg", file.first));
            fs::write(path, image).unwrap();
        }
        let mut frames: Vec<Frame> = Vec::new();
        let mut take = |frame| {
            frames.push(frame);
            Ok(())
        };
        let found = recover(directory.path(), NODE, self.cursor, &mut take).unwrap();
        let mut before = self.cursor;
        for frame in &frames {
            assert!(frame.lsn > before, "{} after {before}", frame.lsn);
            before = frame.lsn;
            let known = (frame.lsn, frame.payload.to_vec());
            assert!(self.written.contains(&known), "{known:?} was never written");
        }
        for (lsn, payload) in &self.acknowledged {
            let at = frames.binary_search_by_key(lsn, |frame| frame.lsn);
            let held = at.ok().map(|at| frames[at].payload.to_vec());
            assert!(
                held.as_ref() == Some(payload) || lost.contains(lsn) && held.is_none(),
                "{lsn} was acknowledged, and {held:?} came back"
            );
        }
        assert!(found.next_lsn > before.max(self.cursor));
        self.next_number = self.next_number.max(found.next_number);
        self.next_lsn = found.next_lsn;
        self.take_over(directory.path(), &frames);
    }

    /// What was read back is synced, and counts like everything that was acknowledged.
    fn take_over(&mut self, directory: &Path, frames: &[Frame]) {
        self.open = false;
        self.files.clear();
        for path in super::recovery::log_files(directory).unwrap() {
            let bytes = fs::read(&path).unwrap();
            let header = file::header(&path).unwrap().unwrap();
            self.files.push(SimFile {
                first: header.first_lsn,
                number: header.number,
                durable: bytes.len(),
                bytes,
            });
        }
        self.acknowledged = frames
            .iter()
            .map(|frame| (frame.lsn, frame.payload.to_vec()))
            .collect();
    }
}

proptest! {
    #[test]
    fn a_disk_that_forgets_costs_nothing_that_was_acknowledged(steps in steps(), last: Index) {
        let mut disk = SimDisk { next_lsn: 1, next_number: 1, ..SimDisk::default() };
        for step in &steps {
            disk.step(step);
        }
        disk.step(&Step::Cut(vec![Fate::Zeros], last));
    }
}

/// The model notices a disk that lies: a whole frame of a synced file is gone without an error.
#[test]
#[should_panic(expected = "was acknowledged, and None came back")]
fn the_model_notices_what_is_lost() {
    let mut disk = SimDisk {
        next_lsn: 1,
        next_number: 1,
        ..SimDisk::default()
    };
    disk.step(&Step::Batch(vec![10, 20], true));
    let mut image = disk.files[0].bytes.clone();
    image.truncate(image.len() - 1);
    disk.restart(&[image], &BTreeSet::new());
}

/// The model notices a reader that returns what was never written.
#[test]
#[should_panic(expected = "was never written")]
fn the_model_notices_what_is_made_up() {
    let mut disk = SimDisk {
        next_lsn: 1,
        next_number: 1,
        ..SimDisk::default()
    };
    disk.step(&Step::Batch(vec![10], true));
    disk.written.clear();
    disk.step(&Step::Cut(vec![Fate::Kept], any_index()));
}

/// In memory where that is possible: what a real disk does is simulated here.
fn scratch() -> TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

fn any_index() -> Index {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let tree = any::<Index>().new_tree(&mut runner).unwrap();
    proptest::strategy::ValueTree::current(&tree)
}
