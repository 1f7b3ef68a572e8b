//! What is read back from the spool at start.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    Lsn,
    file::{self, sync_directory},
    frame::{self, Frame},
};

/// The log as it was found.
#[derive(Debug, Default)]
pub struct Recovered {
    /// Valid frames behind the cursor, in order of their position: what no segment holds yet.
    pub frames: Vec<Frame>,
    /// Position of the next frame.
    pub next_lsn: Lsn,
    /// Number of the next file.
    pub next_number: u64,
    /// Older files with the last position that each may hold, oldest first.
    pub files: Vec<(PathBuf, Lsn)>,
    /// Damaged stretches inside files, kept in `quarantine/`.
    pub damaged: usize,
}

/// Reads every log file in `directory`; frames up to `cursor` are in segments already and are skipped.
///
/// Files that hold nothing beyond the cursor are deleted. A file with damage in its middle is copied to
/// `quarantine/`, its valid frames are used. A torn end belongs to a request that was never answered.
///
/// What is used is synced first: a frame that was written but not synced when the program was killed may be in the page
/// cache only, and from now on its duplicates are answered with success.
pub fn recover(directory: &Path, node: [u8; 16], cursor: Lsn) -> io::Result<Recovered> {
    let mut found = Recovered {
        next_lsn: cursor + 1,
        next_number: 1,
        ..Recovered::default()
    };
    for path in log_files(directory)? {
        let Some(scan) = file::scan(&path)? else {
            // The header is synced before the first frame is written: a file with less than a header is a crash
            // while it was made. Anything else was damaged by the disk: keep it for people to look at.
            let len = fs::metadata(&path)?.len();
            if len <= file::HEADER as u64 {
                fs::remove_file(&path)?;
            } else {
                tracing::error!(file = %path.display(), "the spool file's header is damaged; it is in `quarantine` now");
                found.damaged += 1;
                // Its positions may have been used; they are not given out again.
                let most = len / frame::SMALLEST as u64;
                let after = first_lsn_of(&path).map_or(0, |first| first.saturating_add(most));
                found.next_lsn = found.next_lsn.max(after);
                shelter(directory, &path)?;
            }
            continue;
        };
        if scan.node != node {
            tracing::error!(file = %path.display(), "the spool file is another node's; it is in `quarantine` now");
            found.damaged += 1;
            shelter(directory, &path)?;
            continue;
        }
        if !scan.damaged.is_empty() {
            copy_to_quarantine(directory, &path)?;
            found.damaged += scan.damaged.len();
            tracing::error!(file = %path.display(), stretches = scan.damaged.len(), "the spool file is damaged; a copy is in `quarantine`");
        }
        found.next_number = found.next_number.max(scan.number + 1);
        let last = scan.frames.iter().map(|frame| frame.lsn).max();
        if let Some(last) = last {
            found.next_lsn = found.next_lsn.max(last + 1);
        }
        if last.is_none_or(|last| last <= cursor) {
            fs::remove_file(&path)?;
            continue;
        }
        fs::File::open(&path)?.sync_all()?;
        found.files.push((path, last.unwrap_or(cursor)));
        found
            .frames
            .extend(scan.frames.into_iter().filter(|frame| frame.lsn > cursor));
    }
    sync_directory(directory)?;
    found.frames.sort_by_key(|frame| frame.lsn);
    // A file that somebody copied back under another name.
    found.frames.dedup_by_key(|frame| frame.lsn);
    Ok(found)
}

/// The log files of a directory, oldest first.
pub fn log_files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "seg") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn first_lsn_of(path: &Path) -> Option<Lsn> {
    path.file_stem()?.to_str()?.parse().ok()
}

/// Where a file is kept for people to look at.
fn quarantined(directory: &Path, path: &Path) -> io::Result<PathBuf> {
    let shelter = directory.join("quarantine");
    fs::create_dir_all(&shelter)?;
    Ok(shelter.join(path.file_name().unwrap_or_default()))
}

fn copy_to_quarantine(directory: &Path, path: &Path) -> io::Result<()> {
    fs::copy(path, quarantined(directory, path)?).map(drop)
}

/// Moves a file out of the way.
fn shelter(directory: &Path, path: &Path) -> io::Result<()> {
    fs::rename(path, quarantined(directory, path)?)
}

/// Reads the node's id, or makes one that stays for good.
pub fn node_id(directory: &Path) -> io::Result<[u8; 16]> {
    let path = directory.join("node_id");
    match fs::read(&path) {
        Ok(bytes) => <[u8; 16]>::try_from(bytes.as_slice()).map_err(|_| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("`{}` is damaged", path.display()),
            )
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let node = *uuid::Uuid::new_v4().as_bytes();
            write_durably(&path, &node)?;
            Ok(node)
        }
        Err(error) => Err(error),
    }
}

/// Writes a small file so that it is there whole or not at all.
pub fn write_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension("tmp");
    let written = fs::File::create(&temporary).and_then(|mut file| {
        io::Write::write_all(&mut file, bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    });
    if let Err(error) = written {
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    path.parent().map_or(Ok(()), sync_directory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::spool::file::LogFile;

    const NODE: [u8; 16] = [7; 16];

    /// A log file with one-record frames at these positions.
    fn log(directory: &Path, node: [u8; 16], number: u64, first: Lsn, frames: u64) -> PathBuf {
        let mut log = LogFile::create(directory, node, number, first).unwrap();
        for lsn in first..first + frames {
            let (mut out, mut payload) = (Vec::new(), Vec::new());
            frame::push_record(&mut payload, None, b"x");
            frame::encode(&mut out, number, 1, lsn, 5, |out| {
                out.extend_from_slice(&payload);
            });
            log.append(&out).unwrap();
        }
        log.path
    }

    fn lsns(found: &Recovered) -> Vec<Lsn> {
        found.frames.iter().map(|frame| frame.lsn).collect()
    }

    #[test]
    fn what_lies_behind_the_cursor_is_read_and_the_rest_deleted() {
        let directory = tempfile::tempdir().unwrap();
        let old = log(directory.path(), NODE, 1, 1, 4);
        log(directory.path(), NODE, 2, 5, 4);
        let found = recover(directory.path(), NODE, 6).unwrap();
        assert_eq!(lsns(&found), [7, 8]);
        assert_eq!(
            (found.next_lsn, found.next_number, found.damaged),
            (9, 3, 0)
        );
        assert!(!old.exists());
    }

    #[test]
    fn a_cursor_beyond_every_frame_is_where_the_log_goes_on() {
        let directory = tempfile::tempdir().unwrap();
        log(directory.path(), NODE, 1, 1, 4);
        let found = recover(directory.path(), NODE, 40).unwrap();
        assert_eq!((lsns(&found), found.next_lsn), (vec![], 41));
        assert!(log_files(directory.path()).unwrap().is_empty());
    }

    #[test]
    fn a_file_whose_making_was_cut_short_is_no_damage() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("00000000000000000001.seg"), "").unwrap();
        let torn = log(directory.path(), NODE, 1, 3, 0);
        let header = fs::read(&torn).unwrap();
        fs::write(&torn, &header[..20]).unwrap();
        let found = recover(directory.path(), NODE, 0).unwrap();
        assert_eq!((found.damaged, found.next_lsn), (0, 1));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_damaged_header_and_another_nodes_file_are_set_aside() {
        let directory = tempfile::tempdir().unwrap();
        let damaged = log(directory.path(), NODE, 1, 1, 4);
        let mut bytes = fs::read(&damaged).unwrap();
        bytes[20] ^= 1;
        fs::write(&damaged, bytes).unwrap();
        log(directory.path(), [8; 16], 2, 5, 4);
        let found = recover(directory.path(), NODE, 0).unwrap();
        assert_eq!((lsns(&found), found.damaged), (vec![], 2));
        assert!(found.next_lsn > 4, "{} was used before", found.next_lsn);
        let kept = fs::read_dir(directory.path().join("quarantine")).unwrap();
        assert_eq!(kept.count(), 2);
        assert!(log_files(directory.path()).unwrap().is_empty());
    }

    #[test]
    fn a_copied_file_counts_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = log(directory.path(), NODE, 1, 1, 3);
        fs::copy(path, directory.path().join("copy.seg")).unwrap();
        let found = recover(directory.path(), NODE, 0).unwrap();
        assert_eq!(lsns(&found), [1, 2, 3]);
    }
}
