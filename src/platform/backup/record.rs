//! The manifest of a backup: `backup.json`, written last. A backup without it is incomplete.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{events::log::recovery::write_durably, platform::CommandError};

pub(super) const FILE: &str = "backup.json";
/// The name of a backup that is not complete ends so.
pub(super) const PARTIAL: &str = ".partial";
/// The form that this program writes, and the only one so far.
pub(super) const FORM: u32 = 1;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Version of this form.
    pub form: u32,
    /// Version of the program that wrote it.
    pub program: String,
    /// When, ISO 8601.
    pub taken_at: String,
    /// The segments cover the log up to here.
    pub cursor: u64,
    /// Events (rows of every kind) in segments.
    pub events: u64,
    /// Requests whose events are only in the log.
    pub requests: u64,
    /// Rows of every table of the state database.
    pub tables: BTreeMap<String, u64>,
    pub files: Vec<BackupFile>,
    /// Files that the installation itself had damaged or lost; its answers were without them, too.
    pub left_out: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupFile {
    /// Where it lies below a data directory.
    pub path: PathBuf,
    pub bytes: u64,
    /// Its BLAKE3, hex.
    pub blake3: String,
}

impl BackupFile {
    /// Where it lies in a directory of backups: segments never change, so all backups share them.
    pub(super) fn place(&self, directory: &Path, backup: &str) -> PathBuf {
        if self.is_shared() {
            directory.join(&self.path)
        } else {
            directory.join(backup).join(&self.path)
        }
    }

    /// Whether other backups have it, too.
    pub(super) fn is_shared(&self) -> bool {
        self.path.starts_with("segments")
    }
}

impl Record {
    /// Size of everything together.
    pub(super) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    pub(super) fn write(&self, backup: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_vec_pretty(self)?;
        Ok(write_durably(&backup.join(FILE), &text)?)
    }

    /// Reads what a backup of `directory` says of itself.
    pub(super) fn read(directory: &Path, backup: &str) -> anyhow::Result<Self> {
        let path = directory.join(backup).join(FILE);
        let damaged = |why: String| {
            CommandError::new(
                format!("`{}` cannot be read: {why}", path.display()),
                "choose another backup with `--at`, or copy this one anew from where it is kept",
            )
        };
        let bytes = fs::read(&path).map_err(|error| damaged(error.to_string()))?;
        let record: Self =
            serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        let strange = |file: &&BackupFile| {
            file.path
                .components()
                .any(|part| !matches!(part, std::path::Component::Normal(_)))
        };
        if let Some(file) = record.files.iter().find(strange) {
            let why = format!(
                "it names `{}`, which is not inside of a backup",
                file.path.display()
            );
            return Err(damaged(why).into());
        }
        if record.form != FORM {
            let why = format!(
                "it has form {}, and this program reads form {FORM}",
                record.form
            );
            return Err(damaged(why).into());
        }
        Ok(record)
    }
}

/// The complete backups of a directory, oldest first.
pub(super) fn all(directory: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.ends_with(PARTIAL) && entry.path().join(FILE).is_file() {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}
