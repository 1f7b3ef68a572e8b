//! Deleting old backups.

use std::{collections::HashSet, io, path::Path};

use serde::Serialize;

use super::{
    Record, files,
    record::{self},
};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Pruned {
    pub backups: usize,
    /// Segments' files that no backup names any more.
    pub segments: usize,
}

/// Keeps the last `most` backups, at least one, and the segments that they name.
pub(super) fn keep(directory: &Path, most: usize) -> anyhow::Result<Pruned> {
    let mut names = record::all(directory)?;
    let old = names.len().saturating_sub(most.max(1));
    let mut pruned = Pruned::default();
    for name in names.drain(..old) {
        // Without its record it is no backup any more, however far deleting it comes.
        files::remove(&directory.join(&name).join(record::FILE))?;
        files::remove(&directory.join(&name))?;
        pruned.backups += 1;
    }
    if pruned.backups == 0 {
        return Ok(pruned);
    }
    let mut named = HashSet::new();
    for name in names {
        let record = Record::read(directory, &name)?;
        named.extend(record.files.into_iter().map(|file| file.path));
    }
    for file in below_if_there(directory, "segments")? {
        if !named.contains(&file) {
            files::remove(&directory.join(&file))?;
            pruned.segments += 1;
        }
    }
    Ok(pruned)
}

fn below_if_there(directory: &Path, place: &str) -> io::Result<Vec<std::path::PathBuf>> {
    if directory.join(place).is_dir() {
        files::below(directory, place)
    } else {
        Ok(Vec::new())
    }
}
