//! What of the event store a backup takes, while the store goes on.
//!
//! The store never changes a sealed file, it only makes new ones and deletes old ones; the log's last file grows at its end.
//! So a backup first *holds* every file under a second name, then copies the state database with the manifest in it, then
//! holds what is new. Whatever that manifest needs is held by then, unless a file was made and deleted in between, which
//! [`log_is_whole`] and [`missing`] notice; then try again.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use parquet::file::reader::{FileReader, SerializedFileReader};

use super::segments::{Manifest, SegmentRow};
use crate::events::log::{Lsn, file, recovery};

/// Where the store keeps its files, below the data directory.
pub const PLACES: [&str; 3] = ["spool", "segments", "dedup"];
/// Files that come and go under the pass over a directory before it is given up.
const PASSES: usize = 64;

/// Gives every file of the store a second name below `staging`, which lies on the same disk. What is held already stays.
pub fn hold(data_dir: &Path, staging: &Path) -> io::Result<()> {
    for place in PLACES {
        let (from, to) = (data_dir.join(place), staging.join(place));
        fs::create_dir_all(&to)?;
        let mut passes = 0;
        // A directory that changes while it is read may not show a file that was there all the time.
        while !hold_all(&from, &to)? {
            passes += 1;
            if passes == PASSES {
                let message = format!("`{}` does not keep still", from.display());
                return Err(io::Error::other(message));
            }
        }
    }
    Ok(())
}

/// Whether none of the files went away meanwhile.
fn hold_all(from: &Path, to: &Path) -> io::Result<bool> {
    let mut all = true;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let Some(name) = path.file_name().filter(|_| is_kept(&path)) else {
            continue;
        };
        let held = to.join(name);
        if held.exists() {
            continue;
        }
        match link_or_copy(&path, &held) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => all = false,
            done => done?,
        }
    }
    Ok(all)
}

/// Whether a file of the store counts: the others are in the making, or set aside.
fn is_kept(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let named = path.file_name().and_then(|name| name.to_str());
    path.is_file()
        && (matches!(extension, Some("seg" | "parquet" | "keys"))
            || matches!(named, Some("node_id" | "secret" | "trusted_from")))
}

/// A second name for a file, or a copy where the disk knows no second names.
pub fn link_or_copy(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(error),
        Err(_) => fs::copy(from, to).map(drop),
        Ok(()) => Ok(()),
    }
}

/// Whether the log that is held begins where the segments end and has no gap: `false` when one has to try again.
pub fn log_is_whole(staging: &Path, cursor: Lsn) -> io::Result<bool> {
    let mut numbers = Vec::new();
    let mut begins = Lsn::MAX;
    for path in recovery::log_files(&staging.join("spool"))? {
        // A file without a header is just being made.
        if let Some(header) = file::header(&path)? {
            numbers.push(header.number);
            begins = begins.min(header.first_lsn);
        }
    }
    numbers.sort_unstable();
    let gapless = numbers.windows(2).all(|pair| pair[1] == pair[0] + 1);
    Ok(gapless && begins <= cursor + 1)
}

/// Files that the manifest names and `staging` does not hold. Damaged segments are in quarantine.
pub fn missing(staging: &Path, manifest: &Manifest) -> Vec<String> {
    let segments = staging.join("segments");
    let names = files(manifest);
    names.filter(|name| !segments.join(name).exists()).collect()
}

/// Names of the segments' files that count.
pub fn files(manifest: &Manifest) -> impl Iterator<Item = String> {
    let sound = manifest.segments.iter().filter(|row| !row.quarantined);
    sound.flat_map(SegmentRow::files)
}

/// BLAKE3 of every segment's files, hex, by name, as the manifest has them.
pub fn checksums(manifest: &Manifest) -> impl Iterator<Item = (String, &str)> {
    manifest.segments.iter().flat_map(|row| {
        let extracts = row.extracts.iter().map(|extract| &*extract.checksum);
        let sums = std::iter::once(&*row.checksum).chain(extracts);
        row.files().zip(sums)
    })
}

/// Requests in the log behind the segments.
pub fn requests_behind(spool: &Path, cursor: Lsn) -> io::Result<u64> {
    let mut behind = 0;
    for path in recovery::log_files(spool)? {
        let frames = file::scan(&path)?.unwrap_or_default().frames;
        behind += frames.iter().filter(|frame| frame.lsn > cursor).count() as u64;
    }
    Ok(behind)
}

/// Rows of a segment's file, as it says itself.
pub fn rows(path: &Path) -> anyhow::Result<u64> {
    let reader = SerializedFileReader::new(File::open(path)?)?;
    Ok(u64::try_from(reader.metadata().file_metadata().num_rows())?)
}

/// Where a segment's file is, below a data directory.
pub fn segment_path(name: &str) -> PathBuf {
    Path::new("segments").join(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::log::file::LogFile;

    fn log(data: &Path, number: u64, first: Lsn) {
        LogFile::create(&data.join("spool"), [7; 16], number, first).unwrap();
    }

    #[test]
    fn what_is_held_outlives_the_store_and_leftovers_are_not_held() {
        let directory = tempfile::tempdir().unwrap();
        let (data, staging) = (directory.path().join("data"), directory.path().join("held"));
        for place in PLACES {
            fs::create_dir_all(data.join(place).join("quarantine")).unwrap();
        }
        let kept = [
            "segments/a.parquet",
            "dedup/a.keys",
            "dedup/secret",
            "spool/node_id",
        ];
        for name in kept
            .iter()
            .chain(&["segments/b.parquet.tmp", "dedup/x.tmp"])
        {
            fs::write(data.join(name), name).unwrap();
        }
        hold(&data, &staging).unwrap();
        fs::remove_dir_all(&data).unwrap();
        for name in kept {
            assert_eq!(fs::read_to_string(staging.join(name)).unwrap(), name);
        }
        assert_eq!(fs::read_dir(staging.join("segments")).unwrap().count(), 1);
        assert_eq!(fs::read_dir(staging.join("dedup")).unwrap().count(), 2);
    }

    #[test]
    fn a_log_with_a_gap_or_a_late_beginning_is_not_whole() {
        let directory = tempfile::tempdir().unwrap();
        let staging = directory.path();
        fs::create_dir_all(staging.join("spool")).unwrap();
        log(staging, 4, 10);
        log(staging, 5, 20);
        assert!(log_is_whole(staging, 9).unwrap());
        assert!(log_is_whole(staging, 15).unwrap());
        assert!(!log_is_whole(staging, 8).unwrap(), "position 9 is nowhere");
        fs::write(staging.join("spool/00000000000000000021.seg"), "").unwrap();
        assert!(log_is_whole(staging, 9).unwrap(), "just being made");
        log(staging, 7, 30);
        assert!(!log_is_whole(staging, 9).unwrap(), "file 6 is nowhere");
    }

    #[test]
    fn damaged_segments_are_not_missed() {
        let directory = tempfile::tempdir().unwrap();
        let staging = directory.path();
        fs::create_dir_all(staging.join("segments")).unwrap();
        fs::write(staging.join("segments/a.parquet"), "x").unwrap();
        let row = |id| SegmentRow::example(id, 0, 1, 0);
        let damaged = SegmentRow {
            quarantined: true,
            ..row("c")
        };
        let manifest = Manifest {
            segments: vec![row("a"), row("b"), damaged],
            cursor: 0,
            ..Manifest::default()
        };
        assert_eq!(missing(staging, &manifest), ["b.parquet"]);
        assert_eq!(checksums(&manifest).count(), 3);
    }
}
