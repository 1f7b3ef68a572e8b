//! How much room the disk of the data directory has, looked at beside everything else.
//!
//! Below the reserve nothing new is accepted; what was accepted is still sealed. Below half the reserve nothing is
//! sealed or merged either. When next to nothing is left, because other programs filled the disk, the *ballast* is given
//! up: a file that was put aside so the state database can still be written and people can still sign in and revoke
//! keys. Once refused, half as much again as the reserve is wanted, so there is no going back and forth.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU8, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

use rustix::fs::{FallocateFlags, fallocate, statvfs};

/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// The reserve that is kept when none is set: at least this, or [`LEAST_SHARE`] of the disk.
const LEAST_RESERVE: u64 = 1 << 30;
/// Percent of the disk.
const LEAST_SHARE: u64 = 3;
/// Most bytes that are put aside for the state database.
const MAX_BALLAST: u64 = 64 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Room {
    /// Not even segments.
    Scarce = 0,
    /// Segments of what was accepted, nothing new.
    Low = 1,
    Enough = 2,
}

/// Watches the free space of one disk.
#[derive(Debug)]
pub struct Disk {
    directory: PathBuf,
    reserve: u64,
    room: AtomicU8,
    free: AtomicU64,
    /// Bytes that the ballast file holds now.
    ballast: Mutex<u64>,
}

impl Disk {
    /// Starts watching the disk that holds `directory`; ends when the last holder is gone. `reserve` 0 = the larger of
    /// 1 GiB and 3 % of the disk.
    pub fn watch(directory: &Path, reserve: u64) -> io::Result<Arc<Self>> {
        let disk = Arc::new(Self::new(directory, reserve));
        let watched = Arc::downgrade(&disk);
        thread::Builder::new()
            .name("disk".into())
            .spawn(move || watch(&watched))?;
        Ok(disk)
    }

    fn new(directory: &Path, reserve: u64) -> Self {
        let reserve = reserved_bytes(directory, reserve);
        let ballast = fs::metadata(directory.join(BALLAST)).map_or(0, |file| file.len());
        let disk = Self {
            directory: directory.to_owned(),
            reserve,
            room: AtomicU8::new(Room::Enough as u8),
            free: AtomicU64::new(u64::MAX),
            ballast: Mutex::new(ballast),
        };
        disk.look();
        disk
    }

    /// What may be written, as of the last look.
    pub fn room(&self) -> Room {
        match self.room.load(Relaxed) {
            0 => Room::Scarce,
            1 => Room::Low,
            _ => Room::Enough,
        }
    }

    /// Free bytes as of the last look.
    pub fn free(&self) -> u64 {
        self.free.load(Relaxed)
    }

    /// Bytes of the whole disk; the largest number when it cannot be asked.
    pub fn size(&self) -> u64 {
        disk_size(&self.directory).unwrap_or(u64::MAX)
    }

    /// Whether so little is free that nothing is kept for comfort.
    pub fn is_getting_full(&self) -> bool {
        self.free() / 2 < self.reserve
    }

    pub fn look(&self) -> Room {
        // A disk that cannot be asked is no reason to refuse events.
        let free = free_on(&self.directory).unwrap_or(u64::MAX);
        self.free.store(free, Relaxed);
        let before = self.room();
        let room = judged(free, self.reserve, before);
        self.room.store(room as u8, Relaxed);
        match (before, room) {
            (Room::Enough, Room::Low | Room::Scarce) => {
                tracing::error!(
                    free,
                    reserve = self.reserve,
                    "the disk is nearly full: events are refused"
                );
            }
            (Room::Low | Room::Scarce, Room::Enough) => {
                tracing::info!(free, "the disk has room again: events are taken");
            }
            _ => {}
        }
        self.trim_ballast(free);
        room
    }

    /// Puts the ballast aside while there is plenty, gives it up when there is next to nothing.
    fn trim_ballast(&self, free: u64) {
        let wanted = MAX_BALLAST.min(self.reserve / 4);
        let mut held = self.ballast.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.directory.join(BALLAST);
        if *held > 0 && free < wanted {
            match fs::remove_file(&path) {
                Ok(()) => {
                    tracing::error!(
                        bytes = *held,
                        "the ballast was given up for the state database"
                    );
                    *held = 0;
                }
                Err(error) => tracing::error!(%error, "the ballast cannot be given up"),
            }
        } else if *held == 0 && wanted > 0 && free / 2 > self.reserve {
            match create_ballast(&path, wanted) {
                Ok(()) => *held = wanted,
                Err(error) => {
                    tracing::debug!(%error, "no ballast can be put aside");
                }
            }
        }
    }
}

/// Name of the ballast file in the data directory.
const BALLAST: &str = "ballast";

/// A file whose bytes are really taken from the disk.
fn create_ballast(path: &Path, bytes: u64) -> io::Result<()> {
    let made = File::create(path)
        .and_then(|file| Ok(fallocate(&file, FallocateFlags::empty(), 0, bytes)?));
    if made.is_err() {
        let _ = fs::remove_file(path);
    }
    made
}

fn watch(disk: &Weak<Disk>) {
    while let Some(disk) = disk.upgrade() {
        disk.look();
        drop(disk);
        thread::park_timeout(LOOK);
    }
}

/// What so many free bytes allow, given what was allowed before.
fn judged(free: u64, reserve: u64, before: Room) -> Room {
    let wanted = if before == Room::Enough {
        reserve
    } else {
        reserve.saturating_add(reserve / 2)
    };
    if free >= wanted {
        Room::Enough
    } else if free >= reserve / 2 {
        Room::Low
    } else {
        Room::Scarce
    }
}

/// Bytes that stay free on the disk that holds `path`, by the setting: 0 = the larger of 1 GiB and 3 % of the disk.
pub fn reserved_bytes(path: &Path, reserve: u64) -> u64 {
    match reserve {
        0 => LEAST_RESERVE.max(disk_size(path).unwrap_or(0) / 100 * LEAST_SHARE),
        bytes => bytes,
    }
}

/// Free bytes for unprivileged users on the disk that holds `path`.
pub fn free_on(path: &Path) -> Option<u64> {
    let stat = statvfs(path).ok()?;
    Some(stat.f_bavail.saturating_mul(stat.f_frsize))
}

/// Size of the disk that holds `path`.
pub fn disk_size(path: &Path) -> Option<u64> {
    let stat = statvfs(path).ok()?;
    Some(stat.f_blocks.saturating_mul(stat.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_every_border() {
        use Room::{Enough, Low, Scarce};
        for (free, before, expected) in [
            (1_000, Enough, Enough),
            (999, Enough, Low),
            (500, Enough, Low),
            (499, Enough, Scarce),
            (1_499, Low, Low),
            (1_500, Low, Enough),
            (1_499, Scarce, Low),
            (1_500, Scarce, Enough),
            (0, Scarce, Scarce),
        ] {
            assert_eq!(judged(free, 1_000, before), expected, "{free} {before:?}");
        }
        assert_eq!(judged(0, 1, Enough), Low, "hardly a reserve");
        assert_eq!(judged(u64::MAX, u64::MAX, Low), Enough);
    }

    #[test]
    fn the_ballast_is_taken_from_the_disk_and_given_up_when_next_to_nothing_is_left() {
        let directory = tempfile::tempdir().unwrap();
        let disk = Disk::new(directory.path(), 4 << 20);
        let path = directory.path().join(BALLAST);
        assert_eq!(fs::metadata(&path).unwrap().len(), 1 << 20);
        disk.trim_ballast(1 << 20);
        assert!(path.exists(), "room enough for the state database");
        disk.trim_ballast((1 << 20) - 1);
        assert!(!path.exists());
        disk.trim_ballast(8 << 20);
        assert!(!path.exists(), "not while room is short");
        disk.look();
        assert!(path.exists());
    }

    #[test]
    fn without_a_reserve_the_disk_decides_and_there_is_a_ballast() {
        let directory = tempfile::tempdir().unwrap();
        let disk = Disk::new(directory.path(), 0);
        assert!(disk.reserve >= LEAST_RESERVE);
        let none = tempfile::tempdir().unwrap();
        assert_eq!(Disk::new(none.path(), 1).room(), Room::Enough);
        assert!(!none.path().join(BALLAST).exists());
    }
}
