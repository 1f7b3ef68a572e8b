//! Files on their way, in the data directory of one server. How long a file is says how much of it is uploaded.

use std::{
    collections::{HashMap, HashSet},
    io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use tokio::{
    fs::{self, File, OpenOptions},
    io::{AsyncSeekExt as _, AsyncWriteExt as _},
    sync::{Mutex as Lock, OwnedMutexGuard},
};

use super::ImportsError;
use crate::{clock::Clock, ids::ImportId};

#[derive(Debug)]
pub(super) struct Uploads {
    directory: PathBuf,
    clock: Clock,
    locks: Mutex<HashMap<ImportId, Arc<Lock<()>>>>,
}

/// A file that is being written by one caller.
#[derive(Debug)]
pub struct Upload {
    id: ImportId,
    file: File,
    begun: u64,
    length: u64,
    most: u64,
    now: SystemTime,
    _alone: OwnedMutexGuard<()>,
}

impl Uploads {
    pub(super) fn new(directory: PathBuf, clock: Clock) -> Self {
        Self {
            directory,
            clock,
            locks: Mutex::default(),
        }
    }

    pub(super) fn path(&self, id: &ImportId) -> PathBuf {
        self.directory.join(id.as_str())
    }

    /// Makes an empty file, for nobody else to read.
    pub(super) async fn create(&self, id: &ImportId) -> io::Result<()> {
        fs::create_dir_all(&self.directory).await?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        options.mode(0o600);
        let file = options.open(self.path(id)).await?.into_std().await;
        file.set_modified(self.clock.now().into())
    }

    /// Bytes that are there; none where the file is not.
    pub(super) async fn length(&self, id: &ImportId) -> u64 {
        let data = fs::metadata(self.path(id)).await;
        data.map_or(0, |data| data.len())
    }

    /// Opens a file to write on at this offset, which has to be its end; it may have at most so many bytes.
    pub(super) async fn open(
        &self,
        id: &ImportId,
        offset: u64,
        most: u64,
    ) -> Result<Upload, ImportsError> {
        let lock = {
            let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(locks.entry(id.clone()).or_default())
        };
        let busy =
            || ImportsError::Conflict(id.clone(), "The file is being uploaded already".to_owned());
        let alone = lock.try_lock_owned().map_err(|_| busy())?;
        let mut file = OpenOptions::new().write(true).open(self.path(id)).await?;
        let length = file.metadata().await?.len();
        if length != offset {
            let message = format!("{length} bytes are uploaded. Continue at offset {length}");
            return Err(ImportsError::Conflict(id.clone(), message));
        }
        file.seek(io::SeekFrom::Start(offset)).await?;
        Ok(Upload {
            id: id.clone(),
            file,
            begun: offset,
            length,
            most,
            now: self.clock.now().into(),
            _alone: alone,
        })
    }

    pub(super) async fn remove(&self, id: &ImportId) -> io::Result<()> {
        self.forget(id);
        match fs::remove_file(self.path(id)).await {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Forgets who writes to a file.
    fn forget(&self, id: &ImportId) {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        locks.remove(id);
    }

    /// The names of all files.
    pub(super) async fn list(&self) -> io::Result<HashSet<ImportId>> {
        let mut names = HashSet::new();
        let mut entries = match fs::read_dir(&self.directory).await {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(names),
            entries => entries?,
        };
        while let Some(entry) = entries.next_entry().await? {
            names.insert(ImportId::from(
                entry.file_name().to_string_lossy().into_owned(),
            ));
        }
        Ok(names)
    }

    /// When something was last written to a file, Unix ms.
    pub(super) async fn written_ms(&self, id: &ImportId) -> Option<i64> {
        let modified = fs::metadata(self.path(id)).await.ok()?.modified().ok()?;
        let since = modified.duration_since(UNIX_EPOCH).ok()?;
        i64::try_from(since.as_millis()).ok()
    }
}

impl Upload {
    /// Writes behind what is there. What is too much is refused, and with it all that this caller has written.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), ImportsError> {
        self.length += bytes.len() as u64;
        if self.length > self.most {
            self.file.set_len(self.begun).await?;
            let message = format!("The file may have at most {} bytes", self.most);
            return Err(ImportsError::TooLarge(message));
        }
        Ok(self.file.write_all(bytes).await?)
    }

    /// Makes it durable; how many bytes are there now.
    pub async fn finish(mut self) -> Result<u64, ImportsError> {
        self.file.flush().await?;
        let file = self.file.into_std().await;
        let now = self.now;
        let durable = move || {
            // By the program's clock: how long it was left alone follows from it.
            file.set_modified(now)?;
            file.sync_data()
        };
        tokio::task::spawn_blocking(durable)
            .await
            .map_err(io::Error::other)??;
        tracing::debug!(import = %self.id, bytes = self.length, "uploaded");
        Ok(self.length)
    }
}
