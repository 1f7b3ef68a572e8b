//! What is read back from the spool at start.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    Lsn,
    file::{self, sync_directory},
    frame::Frame,
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
pub fn recover(directory: &Path, cursor: Lsn) -> io::Result<Recovered> {
    let mut found = Recovered {
        next_lsn: cursor + 1,
        next_number: 1,
        ..Recovered::default()
    };
    for path in log_files(directory)? {
        let Some(scan) = file::scan(&path)? else {
            // The header is synced before the first frame is written, so nothing acknowledged can be in here,
            // unless the disk damaged it: keep the bytes for people to look at.
            quarantine(directory, &path)?;
            fs::remove_file(&path)?;
            found.damaged += 1;
            continue;
        };
        if !scan.damaged.is_empty() {
            quarantine(directory, &path)?;
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
        found.files.push((path, last.unwrap_or(cursor)));
        found
            .frames
            .extend(scan.frames.into_iter().filter(|frame| frame.lsn > cursor));
    }
    sync_directory(directory)?;
    found.frames.sort_by_key(|frame| frame.lsn);
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

fn quarantine(directory: &Path, path: &Path) -> io::Result<()> {
    let shelter = directory.join("quarantine");
    fs::create_dir_all(&shelter)?;
    if let Some(name) = path.file_name() {
        fs::copy(path, shelter.join(name))?;
    }
    Ok(())
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
    let file = fs::File::create(&temporary)?;
    io::Write::write_all(&mut &file, bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    path.parent().map_or(Ok(()), sync_directory)
}
