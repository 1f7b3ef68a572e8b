//! Files on their way into a backup and out of it.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use super::record::BackupFile;
use crate::{
    events::{backup::link_or_copy, log::file::sync_directory},
    platform::progress::Progress,
};

/// Bytes that are read at a time.
const CHUNK: usize = 256 << 10;

/// Copies a file durably; what was copied, under the name that it has in a data directory.
pub(super) fn copy(
    from: &Path,
    to: &Path,
    name: &Path,
    progress: &mut Progress,
) -> io::Result<BackupFile> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut out = File::create(to)?;
    let kept = read(from, name, progress, |chunk| out.write_all(chunk))?;
    out.set_permissions(fs::metadata(from)?.permissions())?;
    out.sync_all()?;
    Ok(kept)
}

/// Puts a file that never changes beside others: as a second name where that can be, else as a copy. Nothing is done about
/// one that is there.
pub(super) fn share(
    from: &Path,
    to: &Path,
    name: &Path,
    progress: &mut Progress,
) -> io::Result<BackupFile> {
    let kept = read(from, name, progress, |_| Ok(()))?;
    if fs::metadata(to).is_ok_and(|there| there.len() == kept.bytes) {
        return Ok(kept);
    }
    let Some(parent) = to.parent() else {
        return Ok(kept);
    };
    fs::create_dir_all(parent)?;
    let temporary = to.with_extension("tmp");
    remove(&temporary)?;
    link_or_copy(from, &temporary)?;
    File::open(&temporary)?.sync_all()?;
    fs::rename(&temporary, to)?;
    sync_directory(parent)?;
    Ok(kept)
}

/// Reads a file and says what it is.
pub(super) fn read(
    path: &Path,
    name: &Path,
    progress: &mut Progress,
    mut take: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<BackupFile> {
    let (mut hasher, mut bytes) = (blake3::Hasher::new(), 0);
    let mut file = File::open(path)?;
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = file.read(&mut chunk)?;
        if count == 0 {
            break;
        }
        hasher.update(&chunk[..count]);
        take(&chunk[..count])?;
        bytes += count as u64;
        progress.advance(count as u64);
    }
    Ok(BackupFile {
        path: name.to_owned(),
        bytes,
        blake3: hasher.finalize().to_hex().to_string(),
    })
}

/// Removes a file or a directory with everything in it, if it is there.
pub(in crate::platform) fn remove(path: &Path) -> io::Result<()> {
    let removed = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    removed.or_else(ignore_missing)
}

/// A file that is not there is as good as removed.
pub(in crate::platform) fn ignore_missing(error: io::Error) -> io::Result<()> {
    match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    }
}

/// Files below a directory, by their names from `base` on.
pub(super) fn below(base: &Path, place: &str) -> io::Result<Vec<PathBuf>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(base.join(place))? {
        let name = entry?.file_name();
        names.push(Path::new(place).join(name));
    }
    names.sort_unstable();
    Ok(names)
}
