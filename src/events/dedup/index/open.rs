//! What an earlier life left in the directory.

use std::{fs, io, path::Path, sync::Arc, time::UNIX_EPOCH};

use super::Files;
use crate::events::{dedup::KeyFile, log::Lsn};

/// Opens the key files of a directory, in the order of the log. Those that end behind `cursor`, those that left the window
/// before `oldest`, and parts of a merged one go; damaged ones are set aside.
pub(super) fn open_all(directory: &Path, cursor: Lsn, oldest: i64) -> io::Result<Files> {
    let mut files = Files::default();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("keys") => {}
            Some("tmp") => {
                // A crash while it was written.
                fs::remove_file(&path)?;
                continue;
            }
            _ => continue,
        }
        match KeyFile::open(&path)? {
            Some(file) if file.facts.lsns.1 <= cursor && file.facts.received.1 >= oldest => {
                files.list.push(Arc::new(file));
            }
            Some(file) => file.delete(),
            None => {
                let written = fs::metadata(&path)?.modified()?.duration_since(UNIX_EPOCH);
                let written = written.map_or(0, |since| since.as_millis() as i64);
                files.gap = files.gap.max(written);
                shelter(directory, &path)?;
                tracing::error!(file = %path.display(), "the key file is damaged: its events' duplicates are no longer recognised; it is in `quarantine` now");
            }
        }
    }
    // A file before its parts.
    files
        .list
        .sort_by_key(|file| (file.facts.lsns.0, std::cmp::Reverse(file.facts.lsns.1)));
    let mut covered = 0;
    files.list.retain(|file| {
        let keep = file.facts.lsns.1 > covered;
        if keep {
            covered = file.facts.lsns.1;
        } else {
            file.delete();
        }
        keep
    });
    Ok(files)
}

fn shelter(directory: &Path, path: &Path) -> io::Result<()> {
    let shelter = directory.join("quarantine");
    fs::create_dir_all(&shelter)?;
    fs::rename(path, shelter.join(path.file_name().unwrap_or_default()))
}
