//! Key files in the making: from a generation's set, or from several files that become one.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    filter::Filter,
    keyfile::{FOOTER, Facts, KEY, KEYS, KeyFile, MAGIC, PAGE, checksum},
};
use crate::events::log::{Key, Lsn, file::sync_directory};

/// Keys after which a merge asks whether to go on.
const BETWEEN: u64 = 1 << 14;

/// A key file that is being written. Dropped before [`Writer::finish`], it leaves nothing behind.
struct Writer {
    path: PathBuf,
    temporary: PathBuf,
    file: BufWriter<File>,
    page: Vec<u8>,
    filter: Filter,
    fences: Vec<Key>,
    facts: Facts,
    last: Option<Key>,
}

impl Writer {
    /// Begins a file for at most `facts.keys` keys.
    fn create(directory: &Path, facts: Facts) -> io::Result<Self> {
        let (first, last) = facts.lsns;
        let path = directory.join(format!("{first:020}-{last:020}.keys"));
        let temporary = path.with_extension("tmp");
        Ok(Self {
            file: BufWriter::with_capacity(16 * PAGE, File::create(&temporary)?),
            path,
            temporary,
            page: Vec::with_capacity(PAGE),
            filter: Filter::for_keys(facts.keys),
            fences: Vec::with_capacity((facts.keys / KEYS as u64) as usize + 1),
            facts: Facts { keys: 0, ..facts },
            last: None,
        })
    }

    /// Adds a key that is not smaller than the one before.
    fn push(&mut self, key: Key) -> io::Result<()> {
        if self.last == Some(key) {
            return Ok(());
        }
        self.last = Some(key);
        if self.page.is_empty() {
            self.fences.push(key);
        }
        self.page.extend_from_slice(&key.to_le_bytes());
        self.filter.insert(key);
        self.facts.keys += 1;
        if self.page.len() == KEYS * KEY {
            self.end_page()?;
        }
        Ok(())
    }

    fn end_page(&mut self) -> io::Result<()> {
        self.page.resize(KEYS * KEY, 0);
        let crc = crc32c::crc32c(&self.page);
        self.page.extend_from_slice(&crc.to_le_bytes());
        self.page.resize(PAGE, 0);
        self.file.write_all(&self.page)?;
        self.page.clear();
        Ok(())
    }

    /// Makes the file durable under its name.
    fn finish(mut self) -> io::Result<KeyFile> {
        if !self.page.is_empty() {
            self.end_page()?;
        }
        let mut body = self.filter.encode();
        for fence in &self.fences {
            body.extend_from_slice(&fence.to_le_bytes());
        }
        let Facts {
            keys,
            lsns,
            received,
        } = self.facts;
        let mut footer = Vec::with_capacity(FOOTER);
        footer.extend_from_slice(MAGIC);
        for number in [keys, lsns.0, lsns.1, received.0 as u64, received.1 as u64] {
            footer.extend_from_slice(&number.to_le_bytes());
        }
        footer.extend_from_slice(&(self.filter.bytes() as u64).to_le_bytes());
        footer.extend_from_slice(&[0; 4]);
        let crc = checksum(&body, &footer);
        footer[FOOTER - 4..].copy_from_slice(&crc.to_le_bytes());
        self.file.write_all(&body)?;
        self.file.write_all(&footer)?;
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        fs::rename(&self.temporary, &self.path)?;
        if let Some(directory) = self.path.parent() {
            sync_directory(directory)?;
        }
        let filter = std::mem::replace(&mut self.filter, Filter::for_keys(0));
        let fences = std::mem::take(&mut self.fences);
        KeyFile::new(self.path.clone(), filter, fences, self.facts)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // After a rename there is nothing of that name any more.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Writes keys durably as one file.
pub(super) fn write(
    directory: &Path,
    lsns: (Lsn, Lsn),
    received: (i64, i64),
    mut keys: Vec<Key>,
) -> io::Result<KeyFile> {
    keys.sort_unstable();
    let facts = Facts {
        keys: keys.len() as u64,
        lsns,
        received,
    };
    let mut writer = Writer::create(directory, facts)?;
    for key in keys {
        writer.push(key)?;
    }
    writer.finish()
}

/// Writes the keys of neighbouring files as one; `None` when `go_on`, which is asked now and then, says no. Memory does
/// not depend on the number of keys, but for the filter and the fences.
pub(super) fn merge(
    directory: &Path,
    parts: &[Arc<KeyFile>],
    mut go_on: impl FnMut() -> bool,
) -> io::Result<Option<KeyFile>> {
    let of = |read: fn(&Facts) -> (i64, i64)| {
        let bounds = parts.iter().map(|part| read(&part.facts));
        bounds.fold((i64::MAX, i64::MIN), |all, one| {
            (all.0.min(one.0), all.1.max(one.1))
        })
    };
    let (first, last) = of(|facts| (facts.lsns.0 as i64, facts.lsns.1 as i64));
    let facts = Facts {
        keys: parts.iter().map(|part| part.facts.keys).sum(),
        lsns: (first as u64, last as u64),
        received: of(|facts| facts.received),
    };
    let mut writer = Writer::create(directory, facts)?;
    let mut sources: Vec<_> = parts.iter().map(|part| part.keys()).collect();
    let mut heads = BinaryHeap::with_capacity(parts.len());
    for (at, source) in sources.iter_mut().enumerate() {
        heads.extend(source.next().map(|key| Reverse((key, at))));
    }
    let mut taken = 0_u64;
    while let Some(Reverse((key, at))) = heads.pop() {
        writer.push(key)?;
        heads.extend(sources[at].next().map(|key| Reverse((key, at))));
        taken += 1;
        if taken.is_multiple_of(BETWEEN) && !go_on() {
            return Ok(None);
        }
    }
    writer.finish().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{dedup::key, event::Trust};

    fn some(from: u64, to: u64) -> Vec<Key> {
        (from..to)
            .map(|n| key(&[1; 32], Trust::Client, 1, 1, &n.to_string()))
            .collect()
    }

    fn part(directory: &Path, lsns: (Lsn, Lsn), keys: Vec<Key>) -> Arc<KeyFile> {
        let received = (lsns.0 as i64 * 10, lsns.1 as i64 * 10);
        Arc::new(write(directory, lsns, received, keys).unwrap())
    }

    #[test]
    fn a_merged_file_has_every_key_once_and_covers_all_of_its_parts() {
        let directory = tempfile::tempdir().unwrap();
        let parts = [
            part(directory.path(), (1, 4), some(0, 700)),
            part(directory.path(), (5, 5), some(600, 601)),
            part(directory.path(), (6, 9), some(500, 1_500)),
        ];
        let merged = merge(directory.path(), &parts, || true).unwrap().unwrap();
        let mut all = some(0, 1_500);
        all.sort_unstable();
        assert_eq!(merged.keys().collect::<Vec<_>>(), all);
        assert_eq!(
            merged.facts,
            Facts {
                keys: 1_500,
                lsns: (1, 9),
                received: (10, 90)
            }
        );
        assert!(all.iter().all(|key| merged.contains(*key)));
    }

    #[test]
    fn a_merge_that_is_stopped_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        let many = BETWEEN / 2 + 1;
        let parts = [
            part(directory.path(), (1, 4), some(0, many)),
            part(directory.path(), (5, 9), some(many, 2 * many)),
        ];
        let stopped = merge(directory.path(), &parts, || false).unwrap();
        assert!(stopped.is_none());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
    }
}
