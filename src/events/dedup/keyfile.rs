//! Sorted keys of a stretch of the log: `dedup/<first lsn>-<last lsn>.keys`.
//!
//! ```text
//! page*   = key u128 × 255 (ascending, zeros behind the last) | crc32c u32 | 12 zeros
//! filter  = as [`Filter`] writes it
//! fences  = first key of every page, u128
//! footer  = magic 8 | keys u64 | first lsn u64 | last lsn u64 | oldest i64 | newest i64 | filter bytes u64
//!         | crc32c of filter, fences and footer u32
//! ```
//!
//! All numbers are little-endian. In memory are the filter and the fences; a look that the filter lets pass reads one
//! page, which carries its own checksum, so opening a file reads about a tenth of it.

use std::{
    fs::{self, File},
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use bytes::Buf;

use super::filter::{BLOCK, Filter};
use crate::events::log::{Key, Lsn};

pub(super) const MAGIC: &[u8; 8] = b"PHAROSK2";
pub(super) const FOOTER: usize = 8 + 8 * 6 + 4;
/// Bytes of a page, and of a key.
pub(super) const PAGE: usize = 4_096;
pub(super) const KEY: usize = 16;
pub(super) const KEYS: usize = (PAGE - KEY) / KEY;
/// Pages that are read at a time when all of them are.
const STRIDE: usize = 16;

/// What a file covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    pub keys: u64,
    /// First and last log position; it has every key of the frames in between.
    pub lsns: (Lsn, Lsn),
    /// When the oldest and the newest of its events were received, Unix ms.
    pub received: (i64, i64),
}

/// A file of sorted keys.
#[derive(Debug)]
pub struct KeyFile {
    pub(super) path: PathBuf,
    file: File,
    filter: Filter,
    fences: Vec<Key>,
    damaged: AtomicBool,
    pub facts: Facts,
}

impl KeyFile {
    /// A file that was just written.
    pub(super) fn new(
        path: PathBuf,
        filter: Filter,
        fences: Vec<Key>,
        facts: Facts,
    ) -> io::Result<Self> {
        Ok(Self {
            file: File::open(&path)?,
            path,
            filter,
            fences,
            damaged: AtomicBool::new(false),
            facts,
        })
    }

    /// Opens a key file; `None` when it is damaged, as far as can be seen without reading its pages.
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        let mut footer = [0; FOOTER];
        if len < FOOTER as u64 {
            return Ok(None);
        }
        file.read_exact_at(&mut footer, len - FOOTER as u64)?;
        let Some((facts, filter, crc)) = read_footer(&footer) else {
            return Ok(None);
        };
        let pages = facts.keys.div_ceil(KEYS as u64);
        let fences = pages.saturating_mul(KEY as u64);
        let before = pages.saturating_mul(PAGE as u64);
        let held = filter.saturating_add(fences);
        if before.saturating_add(held).saturating_add(FOOTER as u64) != len
            || !filter.is_multiple_of(BLOCK as u64)
            || filter == 0
        {
            return Ok(None);
        }
        let mut body = vec![0; held as usize];
        file.read_exact_at(&mut body, before)?;
        if checksum(&body, &footer) != crc {
            return Ok(None);
        }
        let (filter, fences) = body.split_at(filter as usize);
        let (filter, fences) = (Filter::decode(filter), keys_in(fences).collect());
        Self::new(path.to_owned(), filter, fences, facts).map(Some)
    }

    /// Whether the key is in the file. An unreadable page counts as "no": a duplicate is better than a loss.
    pub fn contains(&self, key: Key) -> bool {
        self.filter.may_contain(key)
            && self.search(key).unwrap_or_else(|error| {
                self.report(&error);
                false
            })
    }

    fn search(&self, key: Key) -> io::Result<bool> {
        let page = self.fences.partition_point(|first| *first <= key);
        let Some(page) = page.checked_sub(1) else {
            return Ok(false);
        };
        let mut bytes = [0; PAGE];
        self.file
            .read_exact_at(&mut bytes, page as u64 * PAGE as u64)?;
        let keys = self.page(page, &bytes)?;
        let (keys, _) = keys.as_chunks::<KEY>();
        Ok(keys
            .binary_search_by_key(&key, |bytes| Key::from_le_bytes(*bytes))
            .is_ok())
    }

    /// The bytes of a page's keys, its checksum verified.
    fn page<'a>(&self, page: usize, bytes: &'a [u8]) -> io::Result<&'a [u8]> {
        let (keys, mut rest) = bytes.split_at(KEYS * KEY);
        if rest.get_u32_le() != crc32c::crc32c(keys) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let before = page as u64 * KEYS as u64;
        let count = (self.facts.keys - before).min(KEYS as u64);
        Ok(&keys[..count as usize * KEY])
    }

    fn report(&self, error: &io::Error) {
        if !self.damaged.swap(true, Ordering::Relaxed) {
            tracing::error!(%error, file = %self.path.display(), "the key file is damaged: not all of its events' duplicates are recognised");
        }
    }

    /// Whether a page of it could not be read.
    pub fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Bytes in memory and on disk.
    pub fn bytes(&self) -> (u64, u64) {
        let memory = self.filter.bytes() + self.fences.len() * KEY;
        (memory as u64, (memory + self.fences.len() * PAGE) as u64)
    }

    /// Every key, ascending.
    pub(super) fn keys(&self) -> Keys<'_> {
        Keys {
            file: self,
            next_page: 0,
            held: Vec::new().into_iter(),
        }
    }

    pub fn delete(&self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(%error, file = %self.path.display(), "cannot delete a key file");
        }
    }
}

/// Reads a file from its beginning to its end. Pages that cannot be read are reported and left out.
pub(super) struct Keys<'a> {
    file: &'a KeyFile,
    next_page: usize,
    held: std::vec::IntoIter<Key>,
}

impl Iterator for Keys<'_> {
    type Item = Key;

    fn next(&mut self) -> Option<Key> {
        loop {
            if let Some(key) = self.held.next() {
                return Some(key);
            }
            let pages = (self.file.fences.len() - self.next_page).min(STRIDE);
            if pages == 0 {
                return None;
            }
            self.held = self.read(pages).into_iter();
            self.next_page += pages;
        }
    }
}

impl Keys<'_> {
    fn read(&self, pages: usize) -> Vec<Key> {
        let mut bytes = vec![0; pages * PAGE];
        let mut keys = Vec::with_capacity(pages * KEYS);
        let from = self.next_page as u64 * PAGE as u64;
        if let Err(error) = self.file.file.read_exact_at(&mut bytes, from) {
            self.file.report(&error);
            return keys;
        }
        for (at, page) in bytes.chunks_exact(PAGE).enumerate() {
            match self.file.page(self.next_page + at, page) {
                Ok(page) => keys.extend(keys_in(page)),
                Err(error) => self.file.report(&error),
            }
        }
        keys
    }
}

fn keys_in(bytes: &[u8]) -> impl Iterator<Item = Key> {
    let (keys, _) = bytes.as_chunks::<KEY>();
    keys.iter().map(|bytes| Key::from_le_bytes(*bytes))
}

/// Of filter and fences, and of the footer without its last field.
pub(super) fn checksum(body: &[u8], footer: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(body), &footer[..FOOTER - 4])
}

fn read_footer(mut footer: &[u8]) -> Option<(Facts, u64, u32)> {
    if !footer.starts_with(MAGIC) {
        return None;
    }
    footer.advance(MAGIC.len());
    let facts = Facts {
        keys: footer.get_u64_le(),
        lsns: (footer.get_u64_le(), footer.get_u64_le()),
        received: (footer.get_i64_le(), footer.get_i64_le()),
    };
    Some((facts, footer.get_u64_le(), footer.get_u32_le()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{
        dedup::{key, write::write},
        event::Trust,
    };

    fn facts(keys: u64) -> Facts {
        Facts {
            keys,
            lsns: (3, 12),
            received: (400, 500),
        }
    }

    fn some(count: u64) -> Vec<Key> {
        let key = |n: u64| key(&[1; 32], Trust::Client, 1, 1, &format!("e{n}"));
        (0..count).map(key).collect()
    }

    #[test]
    fn a_file_knows_its_keys_and_no_others_after_reopening() {
        for count in [1, 2, 254, 255, 256, 10_000] {
            let directory = tempfile::tempdir().unwrap();
            let keys = some(count);
            let written = write(directory.path(), (3, 12), (400, 500), keys.clone()).unwrap();
            let file = KeyFile::open(&written.path).unwrap().unwrap();
            assert_eq!(file.facts, facts(count));
            assert!(keys.iter().all(|key| file.contains(*key)));
            let strangers = (0..2_000).map(|n| key(&[2; 32], Trust::Client, 1, 1, &n.to_string()));
            assert_eq!(strangers.filter(|key| file.contains(*key)).count(), 0);
            let mut sorted = keys;
            sorted.sort_unstable();
            assert_eq!(file.keys().collect::<Vec<_>>(), sorted);
            let (_, disk) = file.bytes();
            assert_eq!(
                disk + FOOTER as u64,
                fs::metadata(&written.path).unwrap().len()
            );
        }
    }

    #[test]
    fn a_damaged_page_costs_its_own_keys_only() {
        let directory = tempfile::tempdir().unwrap();
        let mut keys = some(1_000);
        let file = write(directory.path(), (3, 12), (400, 500), keys.clone()).unwrap();
        let mut bytes = fs::read(&file.path).unwrap();
        bytes[PAGE + 100] ^= 1;
        fs::write(&file.path, bytes).unwrap();
        let file = KeyFile::open(&file.path).unwrap().unwrap();
        keys.sort_unstable();
        let known = |keys: &[Key]| keys.iter().filter(|key| file.contains(**key)).count();
        assert_eq!(known(&keys[..KEYS]), KEYS);
        assert_eq!(known(&keys[KEYS..2 * KEYS]), 0);
        assert_eq!(known(&keys[2 * KEYS..]), 1_000 - 2 * KEYS);
        assert!(file.is_damaged());
        assert_eq!(file.keys().count(), 1_000 - KEYS);
    }

    #[test]
    fn a_file_that_was_cut_or_whose_end_is_damaged_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let file = write(directory.path(), (3, 12), (400, 500), some(300)).unwrap();
        let whole = fs::read(&file.path).unwrap();
        for cut in (0..whole.len()).step_by(37) {
            fs::write(&file.path, &whole[..cut]).unwrap();
            assert!(
                KeyFile::open(&file.path).unwrap().is_none(),
                "cut at {cut} of {}",
                whole.len()
            );
        }
        for at in 2 * PAGE..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(&file.path, bytes).unwrap();
            assert!(
                KeyFile::open(&file.path).unwrap().is_none(),
                "flipped at {at}"
            );
        }
    }
}
