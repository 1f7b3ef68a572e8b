//! The file of a segment: its bytes, which may have vanished, and the records in them.

use std::{fs, io, path::Path};

/// Bytes in front of a result.
const HEAD: usize = 8;

/// The bytes of a file; none if it has vanished, whose results are damaged like any that can't be read.
pub(super) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        bytes => bytes,
    }
}

/// Removes a file, which may have vanished.
pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// The records of a segment, and how many bytes are whole records.
pub(super) fn read(bytes: &[u8]) -> (Vec<&[u8]>, usize) {
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
