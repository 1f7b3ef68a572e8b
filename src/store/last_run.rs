//! When the server last ran, by which a clock that is far ahead is noticed: what is deleted by age is not deleted by such a
//! clock.
//!
//! The time is in the file `last_run` of the data directory (Unix ms) and follows the clock while that is plausible. Once the
//! clock is not, the file stays as it is, whatever is stored meanwhile, until the clock is set or an operator confirms it.

use std::{
    fmt, fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering::Relaxed},
    },
};

use crate::clock::{Clock, iso_ms};

/// The file in the data directory.
pub const FILE: &str = "last_run";
/// A server may be off for so long before its clock is doubted, in days.
pub const MAX_DAYS_OFF: i64 = 30;
/// The same, milliseconds.
const MAX_OFF: i64 = MAX_DAYS_OFF * 86_400_000;
/// How often the file is written, milliseconds.
const WRITTEN_EVERY: i64 = 3_600_000;

/// The clock is implausibly far ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockAhead {
    /// What the clock says, Unix ms.
    pub now: i64,
    /// When the server last ran, Unix ms.
    pub last: i64,
}

impl std::error::Error for ClockAhead {}

impl fmt::Display for ClockAhead {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (now, last) = (iso_ms(self.now), iso_ms(self.last));
        write!(
            formatter,
            "nothing is deleted by age: the clock says {now}, and the server last ran on {last}. Set the clock; if it is right, run `pharos confirm-clock`"
        )
    }
}

/// When the server last ran; cheap to clone.
#[derive(Debug, Clone)]
pub struct LastRun(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    clock: Clock,
    last: AtomicI64,
    written: AtomicI64,
}

impl LastRun {
    /// Reads the file, or begins it with the time of the newest thing that is stored; without any, with now.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn open(data_dir: &Path, clock: Clock, newest: Option<i64>) -> io::Result<Self> {
        let last = read(data_dir)?.unwrap_or_else(|| {
            let now = clock.now_ms();
            let first = newest.unwrap_or(now).min(now);
            if let Err(error) = write(data_dir, first) {
                tracing::warn!(%error, "the time of this run cannot be noted");
            }
            first
        });
        Ok(Self(Arc::new(Inner {
            path: data_dir.to_owned(),
            clock,
            last: AtomicI64::new(last),
            written: AtomicI64::new(last),
        })))
    }

    /// One that has no directory, begun now.
    #[cfg(test)]
    pub fn in_memory(clock: Clock) -> Self {
        let now = clock.now_ms();
        Self(Arc::new(Inner {
            path: PathBuf::from("/nowhere"),
            clock,
            last: AtomicI64::new(now),
            written: AtomicI64::new(now),
        }))
    }

    /// Whether the clock is plausible, and notes it then. To be called now and then, and before anything is deleted by age.
    ///
    /// # Errors
    /// The clock is far ahead of the last run.
    pub fn check(&self) -> Result<(), ClockAhead> {
        let Inner { path, clock, .. } = &*self.0;
        let now = clock.now_ms();
        if let Err(ahead) = compare(now, self.0.last.load(Relaxed)) {
            // It may have been confirmed meanwhile.
            let confirmed = read(path).ok().flatten().unwrap_or(ahead.last);
            compare(now, confirmed)?;
        }
        self.0.last.store(now, Relaxed);
        if now.abs_diff(self.0.written.load(Relaxed)) >= WRITTEN_EVERY.unsigned_abs() {
            match write(path, now) {
                Ok(()) => self.0.written.store(now, Relaxed),
                Err(error) => tracing::warn!(%error, "the time of this run cannot be noted"),
            }
        }
        Ok(())
    }
}

/// Whether a clock that says `now` is plausible behind the last run.
///
/// # Errors
/// It is far ahead.
pub fn compare(now: i64, last: i64) -> Result<(), ClockAhead> {
    if now - last > MAX_OFF {
        return Err(ClockAhead { now, last });
    }
    Ok(())
}

/// What the file says; `None` without one.
///
/// # Errors
/// It cannot be read.
pub fn read(data_dir: &Path) -> io::Result<Option<i64>> {
    let path = data_dir.join(FILE);
    match fs::read_to_string(&path) {
        Ok(text) => text.trim().parse().map(Some).map_err(|_| {
            let message = format!("`{}` is damaged: delete it", path.display());
            io::Error::new(io::ErrorKind::InvalidData, message)
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes the file: this time is plausible. A running server notices.
///
/// # Errors
/// The disk refuses.
pub fn write(data_dir: &Path, now: i64) -> io::Result<()> {
    let path = data_dir.join(FILE);
    let temporary = path.with_extension("tmp");
    let mut file = fs::File::create(&temporary)?;
    file.write_all(now.to_string().as_bytes())?;
    file.sync_all()?;
    fs::rename(&temporary, &path)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const NOW: i64 = 1_790_000_000_000;
    const DAY: Duration = Duration::from_hours(24);

    fn open(directory: &Path, clock: &Clock, newest: Option<i64>) -> LastRun {
        LastRun::open(directory, clock.clone(), newest).unwrap()
    }

    #[test]
    fn a_month_off_is_plausible_and_more_is_not_until_it_is_confirmed() {
        let directory = tempfile::tempdir().unwrap();
        let clock = Clock::fixed(NOW);
        open(directory.path(), &clock, None).check().unwrap();
        clock.advance(DAY * 30);
        let run = open(directory.path(), &clock, None);
        run.check().unwrap();
        clock.advance(DAY * 30 + Duration::from_millis(1));
        let ahead = run.check().unwrap_err();
        assert_eq!(ahead.now - ahead.last, MAX_OFF + 1);
        let again = open(directory.path(), &clock, Some(clock.now_ms()));
        assert!(again.check().is_err(), "also when something new is stored");
        write(directory.path(), clock.now_ms()).unwrap();
        run.check().unwrap();
        again.check().unwrap();
    }

    #[test]
    fn a_running_server_follows_its_clock_back_and_forth() {
        let directory = tempfile::tempdir().unwrap();
        let clock = Clock::fixed(NOW);
        let run = open(directory.path(), &clock, None);
        for _ in 0..100 {
            clock.advance(DAY);
            run.check().unwrap();
        }
        assert_eq!(read(directory.path()).unwrap(), Some(clock.now_ms()));
        let earlier = Clock::fixed(NOW);
        open(directory.path(), &earlier, None).check().unwrap();
        assert_eq!(read(directory.path()).unwrap(), Some(NOW));
    }

    #[test]
    fn without_a_file_the_newest_that_is_stored_tells() {
        let directory = tempfile::tempdir().unwrap();
        let clock = Clock::fixed(NOW);
        let newest = NOW - MAX_OFF - 1;
        let run = open(directory.path(), &clock, Some(newest));
        assert_eq!(run.check().unwrap_err().last, newest);
    }
}
