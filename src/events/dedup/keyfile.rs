//! The keys of one seal, sorted: `dedup/<20-digit last lsn>.keys`.
//!
//! ```text
//! magic 8 | newest received i64 | count u64 | crc32c of all keys u32 | key u128 × count (ascending)
//! ```

use std::{
    fs::{self, File},
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use bytes::Buf;

use super::{Key, filter::Filter};
use crate::events::spool::{Lsn, recovery::write_durably};

const MAGIC: &[u8; 8] = b"PHAROSKY";
const HEADER: usize = 8 + 8 + 8 + 4;
const KEY: usize = 16;

/// A sealed generation's keys: a small filter in memory, the keys on disk.
#[derive(Debug)]
pub struct KeyFile {
    path: PathBuf,
    file: File,
    filter: Filter,
    count: u64,
    /// When the newest of its events was received, Unix ms.
    pub newest: i64,
    /// Last log position it covers.
    pub last_lsn: Lsn,
}

impl KeyFile {
    /// Writes the keys durably.
    pub fn write(
        directory: &Path,
        last_lsn: Lsn,
        newest: i64,
        mut keys: Vec<Key>,
    ) -> io::Result<Self> {
        keys.sort_unstable();
        keys.dedup();
        let mut body = Vec::with_capacity(keys.len() * KEY);
        for key in &keys {
            body.extend_from_slice(&key.to_le_bytes());
        }
        let mut bytes = Vec::with_capacity(HEADER + body.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&newest.to_le_bytes());
        bytes.extend_from_slice(&(keys.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&crc32c::crc32c(&body).to_le_bytes());
        bytes.extend_from_slice(&body);
        let path = path_of(directory, last_lsn);
        write_durably(&path, &bytes)?;
        let file = File::open(&path)?;
        Ok(Self {
            file,
            filter: Filter::new(&keys),
            count: keys.len() as u64,
            path,
            newest,
            last_lsn,
        })
    }

    /// Opens a key file, verifying its checksum; `None` when it is damaged.
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        let bytes = fs::read(path)?;
        let mut header = &bytes[..];
        if bytes.len() < HEADER || &bytes[..8] != MAGIC {
            return Ok(None);
        }
        header.advance(8);
        let (newest, count, crc) = (
            header.get_i64_le(),
            header.get_u64_le(),
            header.get_u32_le(),
        );
        if header.len() as u64 != count.saturating_mul(KEY as u64) || crc32c::crc32c(header) != crc
        {
            return Ok(None);
        }
        let keys: Vec<Key> = header.chunks_exact(KEY).map(read_key).collect();
        let Some(last_lsn) = lsn_of(path) else {
            return Ok(None);
        };
        let file = File::open(path)?;
        Ok(Some(Self {
            file,
            filter: Filter::new(&keys),
            count,
            path: path.to_owned(),
            newest,
            last_lsn,
        }))
    }

    /// Whether the key is in the file. An unreadable file counts as "no": a duplicate is better than a loss.
    pub fn contains(&self, key: Key) -> bool {
        self.filter.may_contain(key) && self.search(key).unwrap_or(false)
    }

    fn search(&self, key: Key) -> io::Result<bool> {
        let (mut low, mut high) = (0, self.count);
        let mut buffer = [0; KEY];
        while low < high {
            let middle = low + (high - low) / 2;
            self.file
                .read_exact_at(&mut buffer, HEADER as u64 + middle * KEY as u64)?;
            match read_key(&buffer).cmp(&key) {
                std::cmp::Ordering::Equal => return Ok(true),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Ok(false)
    }

    /// How many keys are in it.
    pub(super) fn len(&self) -> u64 {
        self.count
    }

    /// Where it lies.
    pub(super) fn directory(&self) -> PathBuf {
        self.path.parent().map(Path::to_owned).unwrap_or_default()
    }

    /// Every key in it.
    pub(super) fn keys(&self) -> io::Result<Vec<Key>> {
        let mut body = vec![0; self.count as usize * KEY];
        self.file.read_exact_at(&mut body, HEADER as u64)?;
        Ok(body.chunks_exact(KEY).map(read_key).collect())
    }

    /// Removes the file; the keys in it are older than the window.
    pub fn delete(&self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(%error, file = %self.path.display(), "cannot delete an expired key file");
        }
    }
}

fn read_key(bytes: &[u8]) -> Key {
    bytes
        .iter()
        .rev()
        .fold(0, |key, byte| key << 8 | Key::from(*byte))
}

/// Where the keys of the generation that ends at `last_lsn` lie.
pub fn path_of(directory: &Path, last_lsn: Lsn) -> PathBuf {
    directory.join(format!("{last_lsn:020}.keys"))
}

fn lsn_of(path: &Path) -> Option<Lsn> {
    path.file_stem()?.to_str()?.parse().ok()
}

/// Opens the key files of a directory. Those behind `cursor` belong to a seal that was never committed and go, like
/// those whose newest key is older than `oldest`; damaged ones are reported and left out.
pub fn open_all(directory: &Path, cursor: Lsn, oldest: i64) -> io::Result<Vec<KeyFile>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("keys") => {}
            Some("tmp") => {
                // A crash while it was written.
                fs::remove_file(&path)?;
                continue;
            }
            _ => continue,
        }
        match KeyFile::open(&path)? {
            Some(file) if file.last_lsn <= cursor && file.newest >= oldest => files.push(file),
            Some(file) => file.delete(),
            None => {
                tracing::error!(file = %path.display(), "the key file is damaged: its events' duplicates are no longer recognised");
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_file_knows_its_keys_after_reopening() {
        let directory = tempfile::tempdir().unwrap();
        let keys: Vec<Key> = (0..1_000)
            .map(|n| super::super::key(&[1; 32], 1, 1, &format!("e{n}")))
            .collect();
        KeyFile::write(directory.path(), 12, 500, keys.clone()).unwrap();
        let files = open_all(directory.path(), 12, 500).unwrap();
        assert_eq!(files.len(), 1);
        assert!(keys.iter().all(|key| files[0].contains(*key)));
        assert!(!files[0].contains(super::super::key(&[1; 32], 1, 1, "stranger")));
    }

    #[test]
    fn files_of_an_uncommitted_seal_and_expired_ones_go() {
        let directory = tempfile::tempdir().unwrap();
        KeyFile::write(directory.path(), 20, 500, vec![1]).unwrap();
        KeyFile::write(directory.path(), 10, 499, vec![2]).unwrap();
        fs::write(directory.path().join("00000000000000000030.tmp"), "cut").unwrap();
        assert!(open_all(directory.path(), 12, 500).unwrap().is_empty());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let file = KeyFile::write(directory.path(), 3, 1, vec![1, 2, 3]).unwrap();
        let mut bytes = fs::read(&file.path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&file.path, bytes).unwrap();
        assert!(KeyFile::open(&file.path).unwrap().is_none());
    }
}
