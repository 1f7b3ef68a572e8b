//! A file whose bytes are known, and whether they are still what was written.

use std::{
    fs::{self, File, Metadata},
    io,
    os::unix::fs::{FileExt, MetadataExt},
    path::PathBuf,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crate::events::files::file;

/// How Parquet files begin and end.
const PARQUET: [u8; 4] = *b"PAR1";
/// How long an untouched file is trusted: disks forget silently.
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

/// What changes when a file is touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    len: u64,
    inode: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn new(metadata: &Metadata) -> Self {
        Self {
            len: metadata.len(),
            inode: metadata.ino(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// A file that was written once.
#[derive(Debug)]
pub(super) struct CheckedFile {
    pub(super) path: PathBuf,
    bytes: u64,
    checksum: String,
    damaged: AtomicBool,
    /// The file when every byte of it was right, and when that was.
    sound: Mutex<Option<(Stamp, Instant)>>,
}

impl CheckedFile {
    pub(super) fn new(path: PathBuf, bytes: u64, checksum: &str, damaged: bool) -> Self {
        Self {
            path,
            bytes,
            checksum: checksum.to_owned(),
            damaged: AtomicBool::new(damaged),
            sound: Mutex::default(),
        }
    }

    pub(super) fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Whether not every byte was verified yet.
    pub(super) fn is_unverified(&self) -> bool {
        let sound = self.sound.lock().unwrap_or_else(PoisonError::into_inner);
        sound.is_none() && !self.is_damaged()
    }

    /// Inspects the file. Returns damage that was not known before.
    pub(super) fn inspect(&self, look: Look) -> Option<io::Error> {
        let error = self.look(look).err()?;
        if !is_damage(&error) {
            // Too many open files, for example, which says nothing about this one.
            tracing::warn!(file = %self.path.display(), %error, "a file cannot be looked at");
            return None;
        }
        if self.damaged.swap(true, Ordering::Relaxed) {
            return None;
        }
        Some(error)
    }

    /// Whether the file is there and every byte of it is right.
    pub(super) fn is_whole(&self) -> io::Result<bool> {
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
        // Before it is read: a change meanwhile makes it due again.
        let stamp = Stamp::new(&fs::metadata(&self.path)?);
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
        if len == self.bytes && len >= 8 {
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
        if file::checksum(&self.path)? == self.checksum {
            return Ok(());
        }
        Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "its checksum is wrong",
        ))
    }
}

/// Whether the file is to blame, and not the machine.
fn is_damage(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::files::file::checksum;

    #[test]
    fn a_file_is_read_again_only_when_somebody_touched_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.parquet");
        fs::write(&path, b"PAR1 some bytes PAR1").unwrap();
        let file = CheckedFile::new(path.clone(), 20, &checksum(&path).unwrap(), false);
        let finds = |look| file.inspect(look).is_some();
        assert!(!finds(Look::IfTouched));
        assert!(!file.is_unverified());

        // Ends and length stay.
        fs::write(&path, b"PAR1 some_bytes PAR1").unwrap();
        assert!(!finds(Look::AtAGlance));
        assert!(finds(Look::IfTouched) && file.is_damaged());
        assert!(!finds(Look::Again), "known already");
        assert!(!file.is_whole().unwrap());
        fs::write(&path, b"PAR1 some bytes PAR1").unwrap();
        assert!(file.is_whole().unwrap());
        fs::remove_file(&path).unwrap();
        assert!(!file.is_whole().unwrap());
    }
}
