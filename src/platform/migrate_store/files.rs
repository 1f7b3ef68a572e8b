//! Files that may not be there.

use std::{fs, io, path::Path};

/// Removes a file that may not be there.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path).or_else(gone)
}

pub(super) fn gone(error: io::Error) -> io::Result<()> {
    match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    }
}
