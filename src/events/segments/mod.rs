//! Segments: immutable Parquet files, sorted by (website, time).
//!
//! The *manifest* (rows in the state database, kept by the ingest domain) says which files count and up to which log
//! position they cover the spool. A file that the manifest does not name does not exist: it is a leftover of a crash
//! and is deleted at start. A file that is no longer named goes when the last snapshot that holds it is dropped.

mod compaction;
mod merge;
mod seal;
mod write;

use std::{
    fs::{self, File},
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

pub use compaction::{FAN_IN, choose};
pub use merge::merge;
pub use seal::{Written, seal};

use super::{
    event::{MOST_AHEAD, TIMELESS},
    relations::Stored,
    spool::Lsn,
    statement::Scope,
};

/// How Parquet files begin and end.
const PARQUET: [u8; 4] = *b"PAR1";

/// What the manifest says of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentRow {
    /// Its id; the file is `<id>.parquet`.
    pub id: String,
    /// Smallest and largest website key in it.
    pub websites: (i64, i64),
    /// First and last event time in it, Unix ms; [`TIMELESS`] twice when nothing happened in it.
    pub times: (i64, i64),
    /// Whether it says who visitors are.
    pub aliases: bool,
    /// Rows.
    pub rows: u64,
    /// Bytes on disk.
    pub bytes: u64,
    /// First and last log position whose rows are in it.
    pub lsns: (Lsn, Lsn),
    /// How often its rows were merged.
    pub level: u32,
    /// Version of the columns.
    pub schema: i32,
    /// BLAKE3 of the file, hex.
    pub checksum: String,
    /// Whether the file was found damaged and is left out of answers.
    pub quarantined: bool,
}

/// The committed truth about segments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Every segment.
    pub segments: Vec<SegmentRow>,
    /// The segments cover the log up to here.
    pub cursor: Lsn,
}

/// A segment in use.
#[derive(Debug)]
pub struct Segment {
    /// What the manifest says.
    pub row: SegmentRow,
    /// Its file.
    pub path: PathBuf,
    dropped: AtomicBool,
    damaged: AtomicBool,
}

impl Segment {
    /// A segment whose file lies in `directory`.
    pub fn new(directory: &Path, row: SegmentRow) -> Self {
        let path = directory.join(file_name(&row.id));
        Self {
            damaged: AtomicBool::new(row.quarantined),
            row,
            path,
            dropped: AtomicBool::new(false),
        }
    }

    /// Whether its file was found damaged; answers leave it out.
    pub fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Looks at the file: at its ends, or (`deep`) at every byte. Whether damage was found that was not known before.
    pub fn inspect(&self, deep: bool) -> bool {
        let checked = self
            .at_a_glance()
            .and_then(|()| if deep { self.at_every_byte() } else { Ok(()) });
        let Err(error) = checked else {
            return false;
        };
        let damage = [
            io::ErrorKind::NotFound,
            io::ErrorKind::InvalidData,
            io::ErrorKind::UnexpectedEof,
        ];
        if !damage.contains(&error.kind()) {
            // Too many open files, say: that is no word about this one.
            tracing::warn!(file = %self.path.display(), %error, "a segment cannot be looked at");
            return false;
        }
        tracing::error!(file = %self.path.display(), events = self.row.rows, %error, "a segment is damaged; answers go on without it");
        !self.damaged.swap(true, Ordering::Relaxed)
    }

    fn at_a_glance(&self) -> io::Result<()> {
        let file = File::open(&self.path)?;
        let len = file.metadata()?.len();
        let (mut head, mut tail) = ([0; 4], [0; 4]);
        if len == self.row.bytes && len >= 8 {
            file.read_exact_at(&mut head, 0)?;
            file.read_exact_at(&mut tail, len - 4)?;
        }
        if head == PARQUET && tail == PARQUET {
            return Ok(());
        }
        Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "its length or its ends are wrong",
        ))
    }

    fn at_every_byte(&self) -> io::Result<()> {
        if write::checksum(&self.path)? == self.row.checksum {
            return Ok(());
        }
        Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "its checksum is wrong",
        ))
    }

    /// The manifest no longer names it: its file goes with the last holder.
    pub fn drop_file(&self) {
        self.dropped.store(true, Ordering::Release);
    }

    /// Whether it can hold such rows of this scope.
    pub fn may_hold(&self, scope: &Scope, rows: Stored) -> bool {
        let (from, to) = self.row.times;
        let (low, high) = self.row.websites;
        let timely = match rows {
            Stored::Happened => to != TIMELESS && from < scope.to && to >= scope.from,
            // Events are received long after they happened, but never long before.
            Stored::Received => to != TIMELESS && from < scope.to.saturating_add(MOST_AHEAD),
            Stored::Identified => self.row.aliases,
        };
        !self.is_damaged()
            && timely
            && scope
                .website
                .is_none_or(|website| (low..=high).contains(&website))
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        if self.dropped.load(Ordering::Acquire)
            && let Err(error) = fs::remove_file(&self.path)
        {
            tracing::warn!(%error, file = %self.path.display(), "cannot delete a replaced segment");
        }
    }
}

/// Name of a segment's file.
pub fn file_name(id: &str) -> String {
    format!("{id}.parquet")
}

/// Whether there are any segment files.
pub fn any(directory: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "parquet")
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Deletes what the manifest does not name: leftovers of seals and compactions that never committed.
pub fn delete_strays(directory: &Path, manifest: &Manifest) -> io::Result<usize> {
    let mut deleted = 0;
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let known = path.is_dir()
            || manifest.segments.iter().any(|row| {
                path.file_name()
                    .is_some_and(|name| *name == *file_name(&row.id))
            });
        if !known {
            fs::remove_file(&path)?;
            deleted += 1;
        }
    }
    Ok(deleted)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn row(id: &str, level: u32, rows: u64, from: i64) -> SegmentRow {
        SegmentRow {
            id: id.into(),
            websites: (10, 20),
            times: (from, from + 99),
            aliases: false,
            rows,
            bytes: rows * 20,
            lsns: (1, 2),
            level,
            schema: 1,
            checksum: String::new(),
            quarantined: false,
        }
    }

    #[test]
    fn a_segment_is_read_only_where_website_and_time_overlap() {
        let segment = Segment::new(Path::new("/nowhere"), row("a", 0, 1, 100));
        let scope = |website, from, to| Scope {
            organization: 1,
            website,
            from,
            to,
        };
        let happened = |scope| segment.may_hold(&scope, Stored::Happened);
        assert!(happened(scope(Some(10), 199, 500)));
        assert!(happened(scope(None, 0, 101)));
        assert!(!happened(scope(Some(10), 200, 500)));
        assert!(!happened(scope(Some(10), 0, 100)));
        assert!(!happened(scope(Some(21), 0, 500)));
        let received = |scope| segment.may_hold(&scope, Stored::Received);
        assert!(received(scope(Some(10), 1_000_000, 1_000_001)), "late");
        assert!(received(scope(None, 0, 101 - MOST_AHEAD)), "ahead of time");
        assert!(!received(scope(None, 0, 100 - MOST_AHEAD)));
        assert!(!received(scope(Some(21), 0, 500)));
        assert!(!segment.may_hold(&scope(None, 0, 500), Stored::Identified));
    }

    #[test]
    fn aliases_are_read_wherever_the_website_is_and_events_never_with_them() {
        let only_aliases = SegmentRow {
            times: (TIMELESS, TIMELESS),
            aliases: true,
            ..row("a", 0, 1, 100)
        };
        let segment = Segment::new(Path::new("/nowhere"), only_aliases);
        let scope = |website| Scope {
            organization: 1,
            website,
            from: i64::MIN,
            to: i64::MAX,
        };
        assert!(!segment.may_hold(&scope(None), Stored::Happened));
        assert!(!segment.may_hold(&scope(None), Stored::Received));
        assert!(segment.may_hold(&scope(Some(10)), Stored::Identified));
        assert!(!segment.may_hold(&scope(Some(21)), Stored::Identified));
    }

    #[test]
    fn strays_go_and_named_files_stay() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["a.parquet", "b.parquet", "c.parquet.tmp"] {
            fs::write(directory.path().join(name), "x").unwrap();
        }
        let manifest = Manifest {
            segments: vec![row("a", 0, 1, 0)],
            cursor: 0,
        };
        assert_eq!(delete_strays(directory.path(), &manifest).unwrap(), 2);
        assert!(directory.path().join("a.parquet").exists());
    }
}
