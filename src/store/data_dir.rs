//! The data directory belongs to one process at a time.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Read, Seek, Write},
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use rustix::fs::{FlockOperation, flock};

/// Why the directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// Another process has it.
    #[error("`{path}` is in use by process {holder}")]
    Held {
        path: String,
        /// The process that holds it.
        holder: String,
    },
    /// It cannot be made or written.
    #[error("`{path}` cannot be used: {cause}")]
    Unusable {
        path: String,
        /// What the system says.
        cause: io::Error,
    },
}

/// The exclusive right to a data directory; given back when dropped or when the process ends, however it ends.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    _lock: File,
}

impl DataDir {
    /// Makes the directory if needed and takes it.
    pub fn take(path: &Path) -> Result<Self, DataDirError> {
        let unusable = |cause| DataDirError::Unusable {
            path: path.display().to_string(),
            cause,
        };
        create(path).map_err(unusable)?;
        let mut lock = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path.join("pharos.lock"))
            .map_err(unusable)?;
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            let mut holder = String::new();
            let _ = lock.read_to_string(&mut holder);
            return Err(DataDirError::Held {
                path: path.display().to_string(),
                holder: holder.trim().to_owned(),
            });
        }
        let name = std::process::id().to_string();
        lock.set_len(0)
            .and_then(|()| lock.rewind())
            .map_err(unusable)?;
        lock.write_all(name.as_bytes()).map_err(unusable)?;
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Makes the directory for its owner's eyes only; one that exists keeps its permissions.
fn create(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_new_directory_is_its_owners_alone_and_one_that_exists_is_left_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let new = directory.path().join("parent/data");
        let _held = DataDir::take(&new).unwrap();
        assert_eq!(mode(&new), 0o700);
        assert_ne!(mode(new.parent().unwrap()), 0o700, "only the last one");
        let own = directory.path().join("own");
        fs::create_dir(&own).unwrap();
        fs::set_permissions(&own, fs::Permissions::from_mode(0o750)).unwrap();
        let _held = DataDir::take(&own).unwrap();
        assert_eq!(mode(&own), 0o750);
    }

    #[test]
    fn a_second_taker_is_told_who_holds_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data");
        let held = DataDir::take(&path).unwrap();
        let error = DataDir::take(&path).unwrap_err().to_string();
        assert!(
            error.contains(&format!("process {}", std::process::id())),
            "{error}"
        );
        drop(held);
        DataDir::take(&path).unwrap();
    }
}
