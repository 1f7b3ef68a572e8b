//! What is read back from the spool at start.

use std::{
    fs, io,
    ops::RangeInclusive,
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
    /// How many frames behind the cursor were handed over.
    pub frames: u64,
    /// Position of the next frame.
    pub next_lsn: Lsn,
    /// Number of the next file.
    pub next_number: u64,
    /// Older files with the last position that each may hold, oldest first.
    pub files: Vec<(PathBuf, Lsn)>,
    /// Damaged stretches inside files, kept in `quarantine/`.
    pub damaged: usize,
}

/// Reads every log file in `directory` and hands the valid frames behind `cursor`, which no segment holds yet, to
/// `take`, in order of their position; a file at a time, so a long log does not have to fit into memory.
///
/// Files that hold nothing beyond the cursor are deleted. A file with damage in its middle is copied to
/// `quarantine/`, its valid frames are used. A torn end belongs to a request that was never answered.
///
/// What is used is synced first: a frame that was written but not synced when the program was killed may be in the page
/// cache only, and from now on its duplicates are answered with success.
pub fn recover(
    directory: &Path,
    node: [u8; 16],
    cursor: Lsn,
    take: &mut dyn FnMut(Frame) -> io::Result<()>,
) -> io::Result<Recovered> {
    let mut found = Recovered {
        next_lsn: cursor + 1,
        next_number: 1,
        ..Recovered::default()
    };
    let mut files = Vec::new();
    for path in log_files(directory)? {
        match file::header(&path)? {
            Some(header) if header.node == node => files.push((header.first_lsn, path)),
            Some(_) => {
                tracing::error!(file = %path.display(), "the spool file is another node's; it is in `quarantine` now");
                found.damaged += 1;
                shelter(directory, &path)?;
            }
            None => {
                let mended = found.without_header(directory, &path, node)?;
                files.extend(mended.map(|header| (header.first_lsn, path)));
            }
        }
    }
    files.sort();
    let mut last = cursor;
    // A file that was copied back under another name begins where the first one does.
    for same in files.chunk_by(|one, other| one.0 == other.0) {
        let mut frames = Vec::new();
        for (_, path) in same {
            frames.append(&mut found.read(directory, path, cursor)?);
        }
        frames.sort_by_key(|frame| frame.lsn);
        for frame in frames {
            if frame.lsn > last {
                last = frame.lsn;
                found.frames += 1;
                take(frame)?;
            }
        }
    }
    sync_directory(directory)?;
    Ok(found)
}

impl Recovered {
    /// The header is synced before the first frame is written: a file with less than a header is a crash while it was
    /// made. Anything else was damaged by the disk: its header is repaired from a frame after it, and the file is
    /// kept for people to look at.
    fn without_header(
        &mut self,
        directory: &Path,
        path: &Path,
        node: [u8; 16],
    ) -> io::Result<Option<file::Header>> {
        let len = fs::metadata(path)?.len();
        if len <= file::HEADER as u64 {
            return fs::remove_file(path).map(|()| None);
        }
        self.damaged += 1;
        if let Some(first_lsn) = first_lsn(path)
            && let Some(number) = file::file_number(path, first_lsn)?
        {
            copy_to_quarantine(directory, path)?;
            let header = file::Header {
                node,
                number,
                first_lsn,
            };
            file::mend(path, &header)?;
            tracing::error!(file = %path.display(), "the spool file's header was damaged and is mended; a copy is in `quarantine`");
            return Ok(Some(header));
        }
        tracing::error!(file = %path.display(), "the spool file's header is damaged; it is in `quarantine` now");
        // Its positions may have been used; they are not given out again.
        let most = len / frame::SMALLEST as u64;
        let after = first_lsn(path).map_or(0, |first| first.saturating_add(most));
        self.next_lsn = self.next_lsn.max(after);
        shelter(directory, path).map(|()| None)
    }

    /// The valid frames of a file, which goes if nothing in it is behind the cursor.
    fn read(&mut self, directory: &Path, path: &Path, cursor: Lsn) -> io::Result<Vec<Frame>> {
        let scan = file::scan(path)?.unwrap_or_default();
        if !scan.damaged.is_empty() {
            copy_to_quarantine(directory, path)?;
            self.damaged += scan.damaged.len();
            tracing::error!(file = %path.display(), stretches = scan.damaged.len(), "the spool file is damaged; a copy is in `quarantine`");
        }
        self.next_number = self.next_number.max(scan.header.number.saturating_add(1));
        let last = scan.frames.iter().map(|frame| frame.lsn).max();
        if let Some(last) = last {
            self.next_lsn = self.next_lsn.max(last.saturating_add(1));
        }
        if last.is_none_or(|last| last <= cursor) {
            fs::remove_file(path)?;
            return Ok(Vec::new());
        }
        fs::File::open(path)?.sync_all()?;
        self.files.push((path.to_owned(), last.unwrap_or(cursor)));
        Ok(scan.frames)
    }
}

/// The frames at these positions, which were durable before, out of a log that goes on meanwhile; and whether some of
/// them are damaged now. Files that hold damage are copied to `quarantine/`.
///
/// # Errors
/// [`io::ErrorKind::NotFound`] when a file is gone: its frames are in a segment now.
pub fn reread(directory: &Path, lsns: &[RangeInclusive<Lsn>]) -> io::Result<(Vec<Frame>, bool)> {
    let (Some(first), Some(last)) = (lsns.first(), lsns.last()) else {
        return Ok((Vec::new(), false));
    };
    let wanted = |lsn| {
        let at = lsns.partition_point(|range| *range.end() < lsn);
        lsns.get(at).is_some_and(|range| range.contains(&lsn))
    };
    let mut files = log_files(directory)?;
    files.retain(|path| first_lsn(path).is_some());
    let mut frames: Vec<Frame> = Vec::new();
    let mut damaged = false;
    for (at, path) in files.iter().enumerate() {
        let begins = first_lsn(path).unwrap_or(Lsn::MAX);
        // A file ends where the next one begins.
        let ends = files.get(at + 1).and_then(|next| first_lsn(next));
        if begins > *last.end() || ends.is_some_and(|ends| ends <= *first.start()) {
            continue;
        }
        let scan = file::scan(path)?;
        if scan.as_ref().is_none_or(|scan| !scan.damaged.is_empty()) {
            copy_to_quarantine(directory, path)?;
            damaged = true;
        }
        let found = scan.into_iter().flat_map(|scan| scan.frames);
        frames.extend(found.filter(|frame| wanted(frame.lsn)));
    }
    let expected: u64 = lsns
        .iter()
        .map(|range| range.end() - range.start() + 1)
        .sum();
    if frames.len() as u64 == expected {
        return Ok((frames, false));
    }
    if damaged {
        return Ok((frames, true));
    }
    Err(io::ErrorKind::NotFound.into())
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

/// The first position that the log has files for; `None` without any file.
pub fn begins_at(directory: &Path) -> io::Result<Option<Lsn>> {
    let files = log_files(directory)?;
    Ok(files.iter().filter_map(|path| first_lsn(path)).min())
}

fn first_lsn(path: &Path) -> Option<Lsn> {
    path.file_stem()?.to_str()?.parse().ok()
}

/// Where a file is kept for people to look at.
fn quarantined(directory: &Path, path: &Path) -> io::Result<PathBuf> {
    let shelter = directory.join("quarantine");
    fs::create_dir_all(&shelter)?;
    Ok(shelter.join(path.file_name().unwrap_or_default()))
}

fn copy_to_quarantine(directory: &Path, path: &Path) -> io::Result<()> {
    let copy = quarantined(directory, path)?;
    if copy.exists() {
        return Ok(());
    }
    fs::copy(path, copy).map(drop)
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

/// Writes a small file so it is there whole or not at all.
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
    use crate::events::log::file::LogFile;

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

    /// [`recover`] with the positions of the frames.
    fn recover_all(directory: &Path, cursor: Lsn) -> (Recovered, Vec<Lsn>) {
        let mut lsns = Vec::new();
        let mut take = |frame: Frame| {
            lsns.push(frame.lsn);
            Ok(())
        };
        let found = recover(directory, NODE, cursor, &mut take).unwrap();
        assert_eq!(found.frames, lsns.len() as u64);
        (found, lsns)
    }

    #[test]
    fn an_empty_directory_begins_with_the_first_of_all() {
        let directory = tempfile::tempdir().unwrap();
        let (found, lsns) = recover_all(directory.path(), 0);
        assert!(lsns.is_empty());
        assert_eq!((found.next_lsn, found.next_number), (1, 1));
    }

    #[test]
    fn a_node_is_named_once_and_a_damaged_name_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let node = node_id(directory.path()).unwrap();
        assert_eq!(node_id(directory.path()).unwrap(), node);
        fs::write(directory.path().join("node_id"), &node[..9]).unwrap();
        let damaged = node_id(directory.path()).unwrap_err();
        assert_eq!(damaged.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn what_lies_behind_the_cursor_is_read_and_the_rest_deleted() {
        let directory = tempfile::tempdir().unwrap();
        let old = log(directory.path(), NODE, 1, 1, 4);
        log(directory.path(), NODE, 2, 5, 4);
        let (found, lsns) = recover_all(directory.path(), 6);
        assert_eq!(lsns, [7, 8]);
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
        let (found, lsns) = recover_all(directory.path(), 40);
        assert_eq!((lsns, found.next_lsn), (vec![], 41));
        assert!(log_files(directory.path()).unwrap().is_empty());
    }

    #[test]
    fn a_file_whose_making_was_cut_short_is_no_damage() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("00000000000000000001.seg"), "").unwrap();
        let torn = log(directory.path(), NODE, 1, 3, 0);
        let header = fs::read(&torn).unwrap();
        fs::write(&torn, &header[..20]).unwrap();
        let (found, _) = recover_all(directory.path(), 0);
        assert_eq!((found.damaged, found.next_lsn), (0, 1));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_damaged_header_and_another_nodes_file_are_set_aside() {
        let directory = tempfile::tempdir().unwrap();
        let damaged = log(directory.path(), NODE, 1, 1, 4);
        let mut bytes = fs::read(&damaged).unwrap();
        // The file's number is unknown.
        bytes[20] ^= 1;
        bytes[file::HEADER..].fill(0x11);
        fs::write(&damaged, bytes).unwrap();
        log(directory.path(), [8; 16], 2, 5, 4);
        let (found, lsns) = recover_all(directory.path(), 0);
        assert_eq!((lsns, found.damaged), (vec![], 2));
        let most = fs::metadata(quarantined(directory.path(), &damaged).unwrap());
        let most = most.unwrap().len() / frame::SMALLEST as u64;
        assert!(most >= 4, "the positions of its frames may be used");
        assert_eq!(found.next_lsn, 1 + most, "and no others are lost");
        let kept = fs::read_dir(directory.path().join("quarantine")).unwrap();
        assert_eq!(kept.count(), 2);
        assert!(log_files(directory.path()).unwrap().is_empty());
    }

    #[test]
    fn a_header_is_mended_from_the_frames_behind_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = log(directory.path(), NODE, 41, 7, 3);
        let whole = fs::read(&path).unwrap();
        let mut bytes = whole.clone();
        bytes[..file::HEADER].fill(0x55);
        fs::write(&path, &bytes).unwrap();
        let (found, lsns) = recover_all(directory.path(), 7);
        assert_eq!(
            (lsns, found.damaged, found.next_number),
            (vec![8, 9], 1, 42)
        );
        assert_eq!(fs::read(&path).unwrap(), whole);
        let kept = quarantined(directory.path(), &path).unwrap();
        assert_eq!(fs::read(kept).unwrap(), bytes);
    }

    #[test]
    fn durable_frames_are_read_again_without_those_of_a_failed_batch() {
        let directory = tempfile::tempdir().unwrap();
        log(directory.path(), NODE, 1, 1, 4);
        let second = log(directory.path(), NODE, 2, 5, 4);
        log(directory.path(), NODE, 3, 9, 4);
        let lsns = |ranges: &[RangeInclusive<Lsn>]| {
            reread(directory.path(), ranges)
                .map(|(frames, damaged)| (frames.iter().map(|f| f.lsn).collect(), damaged))
        };
        let read: (Vec<Lsn>, bool) = lsns(&[3..=3, 5..=6, 8..=9]).unwrap();
        assert_eq!(read, (vec![3, 5, 6, 8, 9], false));
        let mut bytes = fs::read(&second).unwrap();
        bytes[file::HEADER + 9] ^= 1;
        fs::write(&second, bytes).unwrap();
        assert_eq!(lsns(&[5..=6]).unwrap(), (vec![6], true));
        assert!(quarantined(directory.path(), &second).unwrap().exists());
        fs::remove_file(second).unwrap();
        let gone = lsns(&[3..=6]).unwrap_err();
        assert_eq!(gone.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_copied_file_counts_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = log(directory.path(), NODE, 1, 1, 3);
        fs::copy(path, directory.path().join("copy.seg")).unwrap();
        let (_, lsns) = recover_all(directory.path(), 0);
        assert_eq!(lsns, [1, 2, 3]);
    }
}
