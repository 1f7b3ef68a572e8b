//! The installation's own secret: 32 random bytes in the data directory, drawn at the first start.
//!
//! It never encrypts anything itself; every purpose has a key derived from it. A copy of the database alone cannot be
//! read without it, and processes that share a database need the same file.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

/// The file inside the data directory.
pub const FILE: &str = "instance.key";

/// The secret; cheap to clone, never printed.
#[derive(Clone)]
pub struct InstanceSecret([u8; 32]);

impl std::fmt::Debug for InstanceSecret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("InstanceSecret(…)")
    }
}

/// Why there is no secret.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The file cannot be read or written.
    #[error("`{path}` cannot be used: {cause}")]
    Unusable {
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// The file holds something else.
    #[error(
        "`{path}` does not hold a key of 32 bytes; put the right file back: what was encrypted with it cannot be read \
         without it"
    )]
    Damaged { path: PathBuf },
}

impl InstanceSecret {
    /// Reads the secret of a data directory; draws one if there is none.
    ///
    /// # Errors
    /// The file cannot be used, or holds something else.
    pub fn open(data_dir: &Path) -> Result<Self, SecretError> {
        let path = data_dir.join(FILE);
        let unusable = |cause| SecretError::Unusable {
            path: path.clone(),
            cause,
        };
        match fs::read(&path) {
            Ok(bytes) => {
                Ok(Self(bytes.try_into().map_err(|_| {
                    SecretError::Damaged { path: path.clone() }
                })?))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                draw(data_dir, &path).map_err(unusable)
            }
            Err(error) => Err(unusable(error)),
        }
    }

    /// A secret for tests and for stores that end with the process.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The key for one purpose; `purpose` is a constant that no other purpose uses.
    pub fn key_for(&self, purpose: &'static str) -> [u8; 32] {
        blake3::derive_key(purpose, &self.0)
    }
}

/// Writes it whole or not at all: under another name first, and durably.
fn draw(data_dir: &Path, path: &Path) -> io::Result<InstanceSecret> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(io::Error::other)?;
    let temporary = data_dir.join(format!("{FILE}.tmp"));
    let _ = fs::remove_file(&temporary);
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&temporary)?;
    file.write_all(&secret)?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    File::open(data_dir)?.sync_all()?;
    Ok(InstanceSecret(secret))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn it_is_drawn_once_for_its_owner_alone() {
        let directory = tempfile::tempdir().unwrap();
        let first = InstanceSecret::open(directory.path()).unwrap();
        let again = InstanceSecret::open(directory.path()).unwrap();
        assert_eq!(first.key_for("a"), again.key_for("a"));
        assert_ne!(first.key_for("a"), first.key_for("b"));
        let file = directory.path().join(FILE);
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(format!("{first:?}"), "InstanceSecret(…)");

        fs::write(&file, [1; 31]).unwrap();
        let error = InstanceSecret::open(directory.path()).unwrap_err();
        assert!(matches!(error, SecretError::Damaged { .. }), "{error}");
    }
}
