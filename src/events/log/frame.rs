//! Frames on disk and the records inside them.
//!
//! ```text
//! frame  = len u32 | version u8 | flags u8 | lsn u64 | received i64 | payload | crc32c u32
//! payload = record*          record = has_key u8 | [key u128] | len u32 | event (postcard)
//! ```
//!
//! All numbers are little-endian. The checksum covers the file's number, the header and the payload.

use std::ops::{Range, RangeInclusive};

use bytes::{Buf, Bytes};

use super::Lsn;
use crate::events::log::Key;

/// Bytes before a frame's payload.
pub const HEADER: usize = 4 + 1 + 1 + 8 + 8;
/// Bytes after it.
pub const TRAILER: usize = 4;
/// Most bytes before a record's event.
pub const RECORD_HEADER: usize = 1 + 16 + 4;
/// No frame is smaller: it has a record of at least a flag and a length.
pub const SMALLEST: usize = HEADER + TRAILER + 5;
/// No frame is larger: a request body is capped far below.
pub const MAX_PAYLOAD: usize = 64 << 20;

/// A frame that was read back, checksum verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Schema version of the events inside.
    pub version: u8,
    /// Position in the log.
    pub lsn: Lsn,
    /// When the request was received, Unix ms.
    pub received: i64,
    pub payload: Bytes,
}

/// Appends one frame to `out`; gives the place of its payload there, which `write` appends.
pub fn encode(
    out: &mut Vec<u8>,
    file_number: u64,
    version: u8,
    lsn: Lsn,
    received: i64,
    write: impl FnOnce(&mut Vec<u8>),
) -> Range<usize> {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    out.push(version);
    out.push(0);
    out.extend_from_slice(&lsn.to_le_bytes());
    out.extend_from_slice(&received.to_le_bytes());
    let payload = out.len();
    write(out);
    let len = (out.len() - payload) as u32;
    out[start..start + 4].copy_from_slice(&len.to_le_bytes());
    let end = out.len();
    let crc = checksum(file_number, &out[start..]);
    out.extend_from_slice(&crc.to_le_bytes());
    payload..end
}

fn checksum(file_number: u64, bytes: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&file_number.to_le_bytes()), bytes)
}

/// A frame whose checksum is not verified yet.
struct Unverified {
    frame: Frame,
    /// What its checksum covers besides the file's number.
    covered: Range<usize>,
    checksum: u32,
}

/// Reads the frame that starts at `at` in the file of this number, with the offset behind it; `None` if there is no
/// valid frame of one of the `expected` positions.
pub fn decode(
    bytes: &Bytes,
    at: usize,
    file_number: u64,
    expected: &RangeInclusive<Lsn>,
) -> Option<(Frame, usize)> {
    let found = unverified(bytes, at, expected)?;
    let next = found.covered.end + TRAILER;
    (found.checksum == checksum(file_number, &bytes[found.covered])).then_some((found.frame, next))
}

fn unverified(bytes: &Bytes, at: usize, expected: &RangeInclusive<Lsn>) -> Option<Unverified> {
    let mut header = bytes.get(at..at + HEADER)?;
    let len = header.get_u32_le() as usize;
    let version = header.get_u8();
    let flags = header.get_u8();
    let lsn = header.get_u64_le();
    let received = header.get_i64_le();
    // Cheap doubts first: behind damage every offset is tried, and a checksum over megabytes for each is too much.
    if len > MAX_PAYLOAD || flags != 0 || !expected.contains(&lsn) {
        return None;
    }
    let end = at + HEADER + len;
    let checksum = bytes.get(end..end + TRAILER)?.get_u32_le();
    let payload = bytes.slice(at + HEADER..end);
    let frame = Frame {
        version,
        lsn,
        received,
        payload,
    };
    Some(Unverified {
        frame,
        covered: at..end,
        checksum,
    })
}

/// The first of these numbers of files in which the frame at `at`, of one of the `expected` positions, is
/// valid.
///
/// A checksum is linear in every bit that it covers, so the bytes are gone through once, however many numbers are tried: a
/// megabyte for each of a million numbers would keep a start waiting for minutes.
pub fn file_number(
    bytes: &Bytes,
    at: usize,
    expected: &RangeInclusive<Lsn>,
    mut numbers: Range<u64>,
) -> Option<u64> {
    let found = unverified(bytes, at, expected)?;
    let len = found.covered.len();
    let wanted = found.checksum ^ crc32c::crc32c(&bytes[found.covered]);
    let carried = |number: u64| {
        let front = crc32c::crc32c(&number.to_le_bytes());
        crc32c::crc32c_combine(front, 0, len)
    };
    let zero = carried(0);
    let bits: [u32; 64] = std::array::from_fn(|bit| carried(1 << bit) ^ zero);
    numbers.find(|number| {
        let mut rest = *number;
        let mut sum = zero;
        while rest != 0 {
            sum ^= bits[rest.trailing_zeros() as usize];
            rest &= rest - 1;
        }
        sum == wanted
    })
}

/// The length of the frame of one of the `expected` positions that may start at `at`, as far as is known without
/// its checksum.
pub fn claimed(bytes: &Bytes, at: usize, expected: &RangeInclusive<Lsn>) -> Option<usize> {
    unverified(bytes, at, expected).map(|found| found.frame.payload.len())
}

/// One event inside a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its deduplication key.
    pub key: Option<Key>,
    /// The key that an earlier program gave it, if that was another. Never written.
    pub untold: Option<Key>,
    pub event: Bytes,
}

/// Appends one record to a payload.
pub fn push_record(out: &mut Vec<u8>, key: Option<Key>, event: &[u8]) {
    match key {
        Some(key) => {
            out.push(1);
            out.extend_from_slice(&key.to_le_bytes());
        }
        None => out.push(0),
    }
    out.extend_from_slice(&(event.len() as u32).to_le_bytes());
    out.extend_from_slice(event);
}

/// The records of a payload; stops at the first that does not fit.
pub fn records(payload: &Bytes) -> impl Iterator<Item = Record> + use<> {
    let mut rest = payload.clone();
    std::iter::from_fn(move || {
        let keyed = rest.try_get_u8().ok()?;
        let key = if keyed == 1 {
            Some(rest.try_get_u128_le().ok()?)
        } else {
            None
        };
        let len = rest.try_get_u32_le().ok()? as usize;
        (len <= rest.len()).then(|| Record {
            key,
            untold: None,
            event: rest.split_to(len),
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ANY: RangeInclusive<Lsn> = 0..=Lsn::MAX;

    fn payload(parts: &[(Option<Key>, Vec<u8>)]) -> Vec<u8> {
        let mut out = Vec::new();
        for (key, event) in parts {
            push_record(&mut out, *key, event);
        }
        out
    }

    #[test]
    fn the_widest_record_is_as_wide_as_is_said() {
        let mut out = Vec::new();
        push_record(&mut out, Some(7), &[]);
        assert_eq!(out.len(), RECORD_HEADER);
    }

    #[test]
    fn what_another_version_would_mark_is_no_frame_even_with_its_checksum() {
        let mut out = Vec::new();
        encode(&mut out, 3, 1, 7, 8, |out| push_record(out, None, b"{}"));
        let marked = |place: usize, byte: u8| {
            let mut out = out.clone();
            out[place] = byte;
            let end = out.len() - TRAILER;
            let sum = checksum(3, &out[..end]);
            out[end..].copy_from_slice(&sum.to_le_bytes());
            decode(&Bytes::from(out), 0, 3, &(7..=7))
        };
        assert!(marked(5, 0).is_some());
        assert!(marked(5, 1).is_none(), "flags");
        assert!(marked(6, 6).is_none(), "another position");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            parts in prop::collection::vec((prop::option::of(any::<u128>()), prop::collection::vec(any::<u8>(), 0..50)), 0..8),
            lsn: u64, received: i64, number: u64,
        ) {
            let mut out = vec![9; 3];
            let body = payload(&parts);
            encode(&mut out, number, 1, lsn, received, |out| { out.extend_from_slice(&body); });
            let bytes = Bytes::from(out);
            let (frame, end) = decode(&bytes, 3, number, &(lsn..=lsn)).expect("a valid frame");
            prop_assert_eq!(end, bytes.len());
            prop_assert_eq!((frame.lsn, frame.received, frame.version), (lsn, received, 1));
            let read: Vec<_> = records(&frame.payload).map(|r| (r.key, r.event.to_vec())).collect();
            prop_assert_eq!(read, parts);
        }

        #[test]
        fn a_flipped_bit_or_another_file_is_never_a_frame(
            body in prop::collection::vec(any::<u8>(), 0..80), at in 0usize..200, bit in 0u8..8, number: u64,
        ) {
            let mut out = Vec::new();
            encode(&mut out, number, 1, 7, 8, |out| { out.extend_from_slice(&body); });
            prop_assert!(decode(&Bytes::from(out.clone()), 0, number.wrapping_add(1), &ANY).is_none());
            let at = at % out.len();
            out[at] ^= 1 << bit;
            prop_assert!(decode(&Bytes::from(out), 0, number, &ANY).is_none());
        }

        #[test]
        fn a_files_number_is_found_by_a_frame_of_it(
            body in prop::collection::vec(any::<u8>(), 0..80), number in 1u64..2_000, lsn: u64,
        ) {
            let mut out = vec![9; 3];
            encode(&mut out, number, 1, lsn, 8, |out| { out.extend_from_slice(&body); });
            let bytes = Bytes::from(out);
            let found = |lsn, numbers| file_number(&bytes, 3, &(lsn..=lsn), numbers);
            prop_assert_eq!(found(lsn, 1..2_000), Some(number));
            prop_assert_eq!(found(lsn, 1..number), None);
            prop_assert_eq!(found(lsn.wrapping_add(1), 1..2_000), None);
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), at in 0usize..400) {
            let bytes = Bytes::from(bytes);
            let _ = decode(&bytes, at, 1, &ANY);
            let _ = records(&bytes).count();
        }
    }
}
