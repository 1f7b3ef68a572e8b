//! A segment in use: its file and its extracts.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicI64, Ordering},
};

pub use super::checked_file::Look;
use super::{
    SegmentRow,
    aside::{REPLACED, set_aside},
    checked_file::CheckedFile,
    file_name,
};
use crate::events::{
    event::{MAX_AHEAD, TIMELESS},
    extracts::{Extract, ExtractRow},
    relations::Stored,
    statement::Scope,
};

#[derive(Debug)]
pub struct Segment {
    pub row: SegmentRow,
    pub path: PathBuf,
    file: CheckedFile,
    extracts: Vec<(ExtractRow, CheckedFile)>,
    /// What becomes of its files: [`STAYS`], [`GOES`], or since when (Unix ms) they are replaced.
    dropped: AtomicI64,
}

/// The manifest names it.
const STAYS: i64 = i64::MIN;
/// Its files are deleted.
const GOES: i64 = i64::MIN + 1;

impl Segment {
    /// A segment whose files lie in `directory`.
    pub fn new(directory: &Path, row: SegmentRow) -> Self {
        let path = directory.join(file_name(&row.id));
        let extracts = row.extracts.iter().map(|extract| {
            let path = directory.join(extract.extract.file_name(&row.id));
            let file = CheckedFile::new(path, extract.bytes, &extract.checksum, false);
            (extract.clone(), file)
        });
        Self {
            file: CheckedFile::new(path.clone(), row.bytes, &row.checksum, row.quarantined),
            extracts: extracts.collect(),
            row,
            path,
            dropped: AtomicI64::new(STAYS),
        }
    }

    /// Whether its file was found damaged; answers leave it out.
    pub fn is_damaged(&self) -> bool {
        self.file.is_damaged()
    }

    /// Whether not every byte was verified yet.
    pub fn is_unverified(&self) -> bool {
        self.file.is_unverified()
    }

    /// An extract with the figures of this version and its file, if it has one that is not damaged.
    pub fn extract(&self, wanted: Extract, version: u32) -> Option<(&ExtractRow, &Path)> {
        let mut extracts = self.extracts.iter();
        let (row, file) = extracts.find(|(row, _)| row.extract == wanted)?;
        (row.version >= version && !file.is_damaged()).then_some((row, &file.path))
    }

    /// Looks at the files. Whether damage to events was found that was not known before; without an extract, answers read
    /// the events.
    pub fn inspect(&self, look: Look) -> bool {
        for (_, file) in &self.extracts {
            if let Some(error) = file.inspect(look) {
                tracing::error!(file = %file.path.display(), %error, "an extract is damaged; answers are made of its segment's events until it is merged");
            }
        }
        let Some(error) = self.file.inspect(look) else {
            return false;
        };
        tracing::error!(file = %self.path.display(), events = self.row.rows, %error, "a segment is damaged; answers go on without it");
        true
    }

    /// Whether the file is there and every byte of it is right.
    pub fn is_whole(&self) -> io::Result<bool> {
        self.file.is_whole()
    }

    /// The manifest no longer names it: its files go with the last holder, or are set aside as replaced since then (Unix
    /// ms).
    pub fn drop_file(&self, replaced: Option<i64>) {
        self.dropped
            .store(replaced.unwrap_or(GOES), Ordering::Release);
    }

    /// Whether it holds or, while it is damaged, held such rows of this scope, as far as is known.
    pub fn may_hold(&self, scope: &Scope, rows: Stored) -> bool {
        let (from, to) = self.row.times;
        let (low, high) = self.row.websites;
        let timely = match rows {
            Stored::Happened | Stored::Extracted(_) => {
                to != TIMELESS && from < scope.to && to >= scope.from
            }
            // Events are received long after they happened, but never long before.
            Stored::Received => to != TIMELESS && from < scope.to.saturating_add(MAX_AHEAD),
            Stored::Identified => self.row.aliases,
        };
        timely
            && scope.website.is_none_or(|website| {
                (low..=high).contains(&website) && self.row.tenants.may_hold(website)
            })
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        let dropped = self.dropped.load(Ordering::Acquire);
        if dropped == STAYS {
            return;
        }
        let extracts = self.extracts.iter().map(|(_, file)| file);
        for file in std::iter::once(&self.file).chain(extracts) {
            let gone = match dropped {
                GOES => fs::remove_file(&file.path),
                since => set_aside(&file.path, REPLACED, since),
            };
            if let Err(error) = gone
                && !file.is_damaged()
            {
                tracing::warn!(%error, file = %file.path.display(), "cannot remove a file of a replaced segment");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::row, *};

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
        assert!(received(scope(None, 0, 101 - MAX_AHEAD)), "ahead of time");
        assert!(!received(scope(None, 0, 100 - MAX_AHEAD)));
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
}
