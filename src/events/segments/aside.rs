//! Files that the manifest does not name and that are kept all the same, in folders beside the segments.
//!
//! `replaced/` has the files whose rows are in other segments now: for a while, so a state database that was rolled back by a
//! merge finds what it names. `strays/` has whole files whose rows may be nowhere else: until people
//! have looked at them.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::{Manifest, SegmentRow, journal};
use crate::events::log::file::sync_directory;

/// Folder of files that were replaced.
pub const REPLACED: &str = "replaced";
/// Folder of files that belong to no known segment.
pub const STRAYS: &str = "strays";

/// What lies in a folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FolderStats {
    pub files: u64,
    pub bytes: u64,
}

/// Moves a file of a segment into a folder, since `now` (Unix ms).
pub(super) fn set_aside(path: &Path, folder: &str, now: i64) -> io::Result<()> {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(());
    };
    let folder = directory.join(folder);
    fs::create_dir_all(&folder)?;
    let since = UNIX_EPOCH + Duration::from_millis(now.max(0).unsigned_abs());
    fs::File::open(path)?.set_modified(since)?;
    fs::rename(path, folder.join(name))
}

/// Files that the manifest does not name.
pub fn strays(directory: &Path, manifest: &Manifest) -> io::Result<Vec<PathBuf>> {
    let known: HashSet<String> = manifest
        .segments
        .iter()
        .flat_map(SegmentRow::files)
        .chain([journal::FILE.to_owned()])
        .collect();
    let mut strays = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let is_known = path
            .file_name()
            .is_some_and(|name| known.contains(name.to_string_lossy().as_ref()));
        if !is_known && !path.is_dir() {
            strays.push(path);
        }
    }
    Ok(strays)
}

/// Whether a file is whole: it has its name only once it is.
pub fn is_whole(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "parquet")
}

/// Deletes strays that were never finished, and moves the others into a folder; how many of these there were.
pub fn clear_strays(
    directory: &Path,
    manifest: &Manifest,
    folder: &str,
    now: i64,
) -> io::Result<usize> {
    let mut moved = 0;
    for path in strays(directory, manifest)? {
        if is_whole(&path) {
            set_aside(&path, folder, now)?;
            tracing::warn!(file = %path.display(), folder, "a file of events that the state database does not know was set aside");
            moved += 1;
        } else {
            fs::remove_file(&path)?;
        }
    }
    if moved > 0 {
        sync_directory(&directory.join(folder))?;
        sync_directory(directory)?;
    }
    Ok(moved)
}

/// Takes files back that the manifest names and that were set aside; how many.
pub fn take_back(directory: &Path, manifest: &Manifest) -> io::Result<usize> {
    let mut taken = 0;
    let sound = manifest.segments.iter().filter(|row| !row.quarantined);
    for file in sound.flat_map(SegmentRow::files) {
        let place = directory.join(&file);
        if place.exists() {
            continue;
        }
        let folders = [REPLACED, STRAYS].map(|folder| directory.join(folder).join(&file));
        if let Some(found) = folders.iter().find(|path| path.exists()) {
            fs::rename(found, &place)?;
            taken += 1;
        }
    }
    if taken > 0 {
        sync_directory(directory)?;
        tracing::warn!(
            files = taken,
            "files that were set aside are needed again and were taken back"
        );
    }
    Ok(taken)
}

/// Deletes what was replaced before `before`, Unix ms; how many files.
pub fn expire(directory: &Path, before: i64) -> io::Result<usize> {
    let mut gone = 0;
    for path in files(&directory.join(REPLACED))? {
        let since = fs::metadata(&path).and_then(|facts| facts.modified());
        let is_old = since.is_ok_and(|since| unix_ms(since) <= before);
        if is_old {
            fs::remove_file(&path)?;
            gone += 1;
        }
    }
    Ok(gone)
}

/// What lies in a folder.
pub fn folder_stats(directory: &Path, folder: &str) -> io::Result<FolderStats> {
    let mut stats = FolderStats::default();
    for path in files(&directory.join(folder))? {
        stats.files += 1;
        // One that went just now has no bytes.
        stats.bytes += fs::metadata(&path).map_or(0, |facts| facts.len());
    }
    Ok(stats)
}

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    entries.map(|entry| Ok(entry?.path())).collect()
}

fn unix_ms(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{super::tests::row, *};

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> = files(directory)
            .unwrap()
            .into_iter()
            .filter(|path| path.is_file())
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn strays_are_set_aside_and_taken_back_when_they_are_named_again() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path();
        for name in ["a.parquet", "b.parquet", "c.parquet.tmp", journal::FILE] {
            fs::write(place.join(name), name).unwrap();
        }
        let of = |ids: &[&str]| Manifest {
            segments: ids.iter().map(|id| row(id, 0, 1, 0)).collect(),
            ..Manifest::default()
        };
        assert_eq!(clear_strays(place, &of(&["a"]), STRAYS, 5).unwrap(), 1);
        assert_eq!(names(place), ["a.parquet", journal::FILE]);
        assert_eq!(names(&place.join(STRAYS)), ["b.parquet"]);
        assert_eq!(
            expire(place, i64::MAX).unwrap(),
            0,
            "only what was replaced"
        );
        let kept = folder_stats(place, STRAYS).unwrap();
        assert_eq!((kept.files, kept.bytes), (1, 9));
        assert_eq!(take_back(place, &of(&["a", "b"])).unwrap(), 1);
        assert_eq!(fs::read(place.join("b.parquet")).unwrap(), b"b.parquet");
        assert_eq!(take_back(place, &of(&["a", "b"])).unwrap(), 0);
    }

    #[test]
    fn what_was_replaced_goes_when_its_time_is_over() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path();
        for (name, at) in [("a.parquet", 1_000), ("b.parquet", 2_000)] {
            fs::write(place.join(name), name).unwrap();
            set_aside(&place.join(name), REPLACED, at).unwrap();
        }
        assert_eq!(expire(place, 999).unwrap(), 0);
        assert_eq!(expire(place, 1_000).unwrap(), 1);
        assert_eq!(names(&place.join(REPLACED)), ["b.parquet"]);
    }
}
