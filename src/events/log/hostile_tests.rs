//! The reader of log files on foreign bytes, and on a log that was patched somewhere: it neither panics nor takes
//! more memory than the file has bytes, and gives back only frames whose checksum is right, which are found anew here
//! without it. `PROPTEST_CASES` says how many files are tried.

use bytes::Bytes;
use proptest::{prelude::*, sample::Index};

use super::{
    Lsn,
    file::{self, Header, Scan},
    frame,
};

const NUMBER: u64 = 3;
const FIRST: Lsn = 10;

/// What is done to a log file.
#[derive(Debug, Clone)]
enum Patch {
    /// Bytes are others.
    Over(Index, Vec<u8>),
    /// Bytes come in between.
    In(Index, Vec<u8>),
    /// Bytes are gone.
    Out(Index, usize),
    /// A part of the file is there once more.
    Twice(Index, Index, usize),
    /// A number of four bytes is this one: lengths lie.
    Number(Index, u32),
}

fn patches() -> impl Strategy<Value = Vec<Patch>> {
    let bytes = || prop::collection::vec(any::<u8>(), 1..60);
    let length = prop_oneof![Just(0), Just(u32::MAX), Just(64 << 20), 0u32..400];
    let patch = prop_oneof![
        (any::<Index>(), bytes()).prop_map(|(at, bytes)| Patch::Over(at, bytes)),
        (any::<Index>(), bytes()).prop_map(|(at, bytes)| Patch::In(at, bytes)),
        (any::<Index>(), 1usize..90).prop_map(|(at, len)| Patch::Out(at, len)),
        (any::<Index>(), any::<Index>(), 1usize..200)
            .prop_map(|(from, to, len)| Patch::Twice(from, to, len)),
        (any::<Index>(), length).prop_map(|(at, number)| Patch::Number(at, number)),
    ];
    prop::collection::vec(patch, 0..5)
}

impl Patch {
    fn apply(&self, file: &mut Vec<u8>) {
        let place = |at: &Index| at.index(file.len() + 1);
        match self {
            Self::Over(at, bytes) => {
                let at = place(at);
                let end = file.len().min(at + bytes.len());
                file[at..end].copy_from_slice(&bytes[..end - at]);
            }
            Self::In(at, bytes) => {
                let at = place(at);
                file.splice(at..at, bytes.iter().copied());
            }
            Self::Out(at, len) => {
                let at = place(at);
                file.drain(at..file.len().min(at + len));
            }
            Self::Twice(from, to, len) => {
                let (from, to) = (place(from), place(to));
                let part = file[from..file.len().min(from + len)].to_vec();
                file.splice(to..to, part);
            }
            Self::Number(at, number) => {
                let at = place(at);
                let end = file.len().min(at + 4);
                file[at..end].copy_from_slice(&number.to_le_bytes()[..end - at]);
            }
        }
    }
}

fn log(sizes: &[usize]) -> Vec<u8> {
    let header = Header {
        node: [7; 16],
        number: NUMBER,
        first_lsn: FIRST,
    };
    let mut bytes = header.encode();
    for (lsn, size) in (FIRST..).zip(sizes) {
        frame::encode(&mut bytes, NUMBER, 1, lsn, 5, |out| {
            frame::push_record(out, None, &vec![lsn as u8; *size]);
        });
    }
    bytes
}

/// What is true of every scan of whatever.
fn judge(bytes: &Bytes) -> Option<Scan> {
    let scan = file::scan_bytes(bytes)?;
    let (mut at, mut last) = (file::HEADER, None);
    for frame in &scan.frames {
        assert!(last < Some(frame.lsn), "{} after {last:?}", frame.lsn);
        last = Some(frame.lsn);
        // The payload is a part of the file, so it takes no memory of its own.
        let begins = frame.payload.as_ptr() as usize - bytes.as_ptr() as usize - frame::HEADER;
        assert!(begins >= at, "frames overlap");
        let ends = begins + frame::HEADER + frame.payload.len();
        let number = scan.header.number.to_le_bytes();
        let sum = crc32c::crc32c(&[&number, &bytes[begins..ends]].concat());
        assert_eq!(bytes[ends..ends + frame::TRAILER], sum.to_le_bytes());
        assert_eq!(scan.damaged.contains(&(at..begins)), begins > at);
        at = ends + frame::TRAILER;
        frame::records(&frame.payload).for_each(drop);
    }
    assert_eq!(at + scan.torn, bytes.len());
    Some(scan)
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_no_frames(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        prop_assert!(judge(&Bytes::from(bytes.clone())).is_none());
        // The same behind a header that is right.
        let behind = [log(&[]), bytes].concat();
        prop_assert_eq!(judge(&Bytes::from(behind)).map(|scan| scan.frames.len()), Some(0));
    }

    #[test]
    fn a_patched_log_gives_back_only_what_was_written(
        sizes in prop::collection::vec(0usize..120, 0..8), patches in patches(),
    ) {
        let whole = log(&sizes);
        let mut patched = whole.clone();
        for patch in &patches {
            patch.apply(&mut patched);
        }
        let patched = Bytes::from(patched);
        let written = judge(&Bytes::from(whole)).map(|scan| scan.frames).unwrap_or_default();
        prop_assert_eq!(written.len(), sizes.len());
        if let Some(scan) = judge(&patched) {
            for frame in &scan.frames {
                prop_assert!(written.contains(frame), "{:?} was never written", frame);
            }
        }
    }
}
