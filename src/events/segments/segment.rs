//! A segment in use, and whether its file is still what was written.

use std::{
    fs::{self, File, Metadata},
    io,
    os::unix::fs::{FileExt, MetadataExt},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use super::{SegmentRow, file_name, write};
use crate::events::{
    event::{MOST_AHEAD, TIMELESS},
    relations::Stored,
    statement::Scope,
};

/// How Parquet files begin and end.
const PARQUET: [u8; 4] = *b"PAR1";
/// How long a file that nobody touched is believed to be what it was: disks forget silently.
const TRUSTED: Duration = Duration::from_hours(24);

/// How closely to look at a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// At its length and its ends.
    AtAGlance,
    /// At every byte, unless that was done and the file was not touched since.
    IfTouched,
    /// As [`Look::IfTouched`], but again after a day.
    WhenDue,
    /// At every byte.
    Again,
}

/// What changes when somebody touches a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    len: u64,
    inode: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(facts: &Metadata) -> Self {
        Self {
            len: facts.len(),
            inode: facts.ino(),
            modified: (facts.mtime(), facts.mtime_nsec()),
            changed: (facts.ctime(), facts.ctime_nsec()),
        }
    }
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
    /// The file when every byte of it was right, and when that was.
    sound: Mutex<Option<(Stamp, Instant)>>,
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
            sound: Mutex::default(),
        }
    }

    /// Whether its file was found damaged; answers leave it out.
    pub fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Whether nobody has looked at every byte of it yet.
    pub fn is_unverified(&self) -> bool {
        let sound = self.sound.lock().unwrap_or_else(PoisonError::into_inner);
        sound.is_none() && !self.is_damaged()
    }

    /// Looks at the file. Whether damage was found that was not known before.
    pub fn inspect(&self, look: Look) -> bool {
        let Err(error) = self.look(look) else {
            return false;
        };
        if !is_damage(&error) {
            // Too many open files, say: that is no word about this one.
            tracing::warn!(file = %self.path.display(), %error, "a segment cannot be looked at");
            return false;
        }
        let new = !self.damaged.swap(true, Ordering::Relaxed);
        if new {
            tracing::error!(file = %self.path.display(), events = self.row.rows, %error, "a segment is damaged; answers go on without it");
        }
        new
    }

    /// Whether the file is there and every byte of it is right.
    pub fn is_whole(&self) -> io::Result<bool> {
        match self.look(Look::Again) {
            Ok(()) => Ok(true),
            Err(error) if is_damage(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn look(&self, look: Look) -> io::Result<()> {
        if look == Look::AtAGlance {
            return self.at_a_glance();
        }
        let mut sound = self.sound.lock().unwrap_or_else(PoisonError::into_inner);
        // Before it is read: whoever touches it meanwhile makes it due again.
        let stamp = Stamp::of(&fs::metadata(&self.path)?);
        let known = sound.filter(|(held, since)| {
            *held == stamp && (look == Look::IfTouched || since.elapsed() < TRUSTED)
        });
        if look != Look::Again && known.is_some() {
            return Ok(());
        }
        *sound = None;
        self.at_a_glance()?;
        self.at_every_byte()?;
        *sound = Some((stamp, Instant::now()));
        Ok(())
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

    /// Whether it holds or, while it is damaged, held such rows of this scope, as far as is known.
    pub fn may_hold(&self, scope: &Scope, rows: Stored) -> bool {
        let (from, to) = self.row.times;
        let (low, high) = self.row.websites;
        let timely = match rows {
            Stored::Happened => to != TIMELESS && from < scope.to && to >= scope.from,
            // Events are received long after they happened, but never long before.
            Stored::Received => to != TIMELESS && from < scope.to.saturating_add(MOST_AHEAD),
            Stored::Identified => self.row.aliases,
        };
        timely
            && scope
                .website
                .is_none_or(|website| (low..=high).contains(&website))
    }
}

/// Whether the file is to blame, and not the machine.
fn is_damage(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
    )
}

impl Drop for Segment {
    fn drop(&mut self) {
        if self.dropped.load(Ordering::Acquire)
            && let Err(error) = fs::remove_file(&self.path)
            && !self.is_damaged()
        {
            tracing::warn!(%error, file = %self.path.display(), "cannot delete a replaced segment");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{tests::row, write::checksum},
        *,
    };

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
    fn a_file_is_read_again_only_when_somebody_touched_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.parquet");
        fs::write(&path, b"PAR1 some bytes PAR1").unwrap();
        let mut facts = row("a", 0, 1, 0);
        facts.bytes = 20;
        facts.checksum = checksum(&path).unwrap();
        let segment = Segment::new(directory.path(), facts);
        assert!(!segment.inspect(Look::IfTouched));
        assert!(segment.sound.lock().unwrap().is_some());

        // Ends and length stay.
        fs::write(&path, b"PAR1 some_bytes PAR1").unwrap();
        assert!(!segment.inspect(Look::AtAGlance));
        assert!(segment.inspect(Look::IfTouched) && segment.is_damaged());
        assert!(!segment.inspect(Look::Again), "known already");
        assert!(!segment.is_whole().unwrap());
        fs::write(&path, b"PAR1 some bytes PAR1").unwrap();
        assert!(segment.is_whole().unwrap());
        fs::remove_file(&path).unwrap();
        assert!(!segment.is_whole().unwrap());
    }
}
