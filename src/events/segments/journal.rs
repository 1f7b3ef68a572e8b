//! The data directory's own copy of the manifest, beside the segments: `manifest.journal`.
//!
//! The state database has the manifest. When it is rolled back (an old dump, a replica that was behind, a commit that
//! PostgreSQL forgot), this copy is newer, and says so: nothing may be deleted by the older one. It also has what is needed to
//! write the newer manifest into the state database again.
//!
//! The file is JSON lines. Each says what a commit added and removed; the first one adds everything. It is begun anew at every
//! start, and synced before anything that the commit made superfluous goes.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{Manifest, SegmentRow};
use crate::events::log::{Lsn, recovery::write_durably};

/// Its name in the directory of segments.
pub const FILE: &str = "manifest.journal";
/// Lines after which it is begun anew.
const MAX_LINES: usize = 4_096;

#[derive(Serialize, Deserialize)]
struct Line {
    version: u64,
    cursor: Lsn,
    added: Vec<SegmentRow>,
    removed: Vec<String>,
}

/// The journal of a running store.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    /// `None` after a failure: it is begun anew then.
    file: Option<File>,
    lines: usize,
    last: Manifest,
}

impl Journal {
    /// The last manifest that was noted in a directory of segments; `None` without a journal. A torn last line belongs to a
    /// commit that was not adopted.
    pub fn read(directory: &Path) -> io::Result<Option<Manifest>> {
        let bytes = match fs::read(directory.join(FILE)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut read: Option<Manifest> = None;
        for line in bytes.split(|byte| *byte == b'\n') {
            let Ok(line) = serde_json::from_slice::<Line>(line) else {
                break;
            };
            let manifest = read.get_or_insert_default();
            let stays = |row: &SegmentRow| !line.removed.contains(&row.id);
            manifest.segments.retain(stays);
            manifest.segments.extend(line.added);
            (manifest.version, manifest.cursor) = (line.version, line.cursor);
        }
        Ok(read)
    }

    /// Begins it with this manifest. On a disk that refuses, the earlier one stays until the next note.
    pub fn begin(directory: &Path, manifest: &Manifest) -> Self {
        let mut journal = Self {
            path: directory.join(FILE),
            file: None,
            lines: 0,
            last: Manifest::default(),
        };
        if let Err(error) = journal.begin_anew(manifest) {
            tracing::error!(%error, "the manifest's journal cannot be written");
        }
        journal
    }

    /// Notes a manifest that was committed; durable when it returns.
    ///
    /// # Errors
    /// The disk refuses; the next note writes all of it.
    pub fn note(&mut self, manifest: &Manifest) -> io::Result<()> {
        let Some(mut file) = self.file.take().filter(|_| self.lines < MAX_LINES) else {
            return self.begin_anew(manifest);
        };
        write!(file, "{}", line(&self.last, manifest)?)?;
        file.sync_data()?;
        self.file = Some(file);
        self.lines += 1;
        self.last = manifest.clone();
        Ok(())
    }

    fn begin_anew(&mut self, manifest: &Manifest) -> io::Result<()> {
        self.file = None;
        write_durably(&self.path, line(&Manifest::default(), manifest)?.as_bytes())?;
        self.file = Some(OpenOptions::new().append(true).open(&self.path)?);
        self.lines = 1;
        self.last = manifest.clone();
        Ok(())
    }
}

/// What leads from one manifest to the next, with its line's end.
fn line(from: &Manifest, to: &Manifest) -> io::Result<String> {
    let missing = |of: &Manifest, in_it: &Manifest| -> Vec<SegmentRow> {
        let known: std::collections::HashSet<_> =
            in_it.segments.iter().map(|row| &row.id).collect();
        let rows = of.segments.iter().filter(|row| !known.contains(&row.id));
        rows.cloned().collect()
    };
    let line = Line {
        version: to.version,
        cursor: to.cursor,
        added: missing(to, from),
        removed: missing(from, to).into_iter().map(|row| row.id).collect(),
    };
    Ok(serde_json::to_string(&line)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(version: u64, ids: &[&str]) -> Manifest {
        Manifest {
            segments: ids
                .iter()
                .map(|id| SegmentRow::example(id, 0, 1, 0))
                .collect(),
            cursor: version * 10,
            version,
        }
    }

    #[test]
    fn the_last_manifest_is_read_back_whatever_became_of_the_last_line() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path();
        assert_eq!(Journal::read(place).unwrap(), None);
        let mut journal = Journal::begin(place, &manifest(1, &["a"]));
        journal.note(&manifest(2, &["a", "b"])).unwrap();
        journal.note(&manifest(3, &["c"])).unwrap();
        assert_eq!(Journal::read(place).unwrap(), Some(manifest(3, &["c"])));
        journal.note(&manifest(4, &["c", "d"])).unwrap();
        let path = place.join(FILE);
        let whole = fs::read(&path).unwrap();
        for cut in 1..40 {
            fs::write(&path, &whole[..whole.len() - cut]).unwrap();
            let expected = if cut == 1 {
                manifest(4, &["c", "d"])
            } else {
                manifest(3, &["c"])
            };
            assert_eq!(Journal::read(place).unwrap(), Some(expected), "{cut}");
        }
        Journal::begin(place, &manifest(5, &[]));
        assert_eq!(Journal::read(place).unwrap(), Some(manifest(5, &[])));
    }

    #[test]
    fn a_long_journal_is_begun_anew() {
        let directory = tempfile::tempdir().unwrap();
        let mut journal = Journal::begin(directory.path(), &manifest(0, &[]));
        journal.lines = MAX_LINES;
        journal.note(&manifest(1, &["a"])).unwrap();
        let text = fs::read_to_string(directory.path().join(FILE)).unwrap();
        assert_eq!(text.lines().count(), 1);
        let read = Journal::read(directory.path()).unwrap();
        assert_eq!(read, Some(manifest(1, &["a"])));
    }
}
