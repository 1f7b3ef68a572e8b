//! What is going on and in no storage: how far files were read, and who wants an end.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use crate::ids::ImportId;

/// Imports that a worker reads.
#[derive(Debug, Default)]
pub(super) struct LiveImports(Mutex<HashMap<ImportId, Progress>>);

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    /// Bytes that were read.
    pub(super) read: u64,
    /// Whether it is to end.
    pub(super) is_cancelled: bool,
}

impl LiveImports {
    pub(super) fn begin(&self, id: &ImportId) {
        self.with(|all| all.insert(id.clone(), Progress::default()));
    }

    /// Notes how far the file was read; whether it is to be read on.
    pub(super) fn note(&self, id: &ImportId, read: u64) -> bool {
        self.with(|all| {
            let progress = all.entry(id.clone()).or_default();
            progress.read = read;
            !progress.is_cancelled
        })
    }

    pub(super) fn cancel(&self, id: &ImportId) {
        self.with(|all| {
            if let Some(progress) = all.get_mut(id) {
                progress.is_cancelled = true;
            }
        });
    }

    pub(super) fn end(&self, id: &ImportId) {
        self.with(|all| all.remove(id));
    }

    /// Bytes that were read.
    pub(super) fn read(&self, id: &ImportId) -> u64 {
        self.with(|all| all.get(id).map_or(0, |progress| progress.read))
    }

    fn with<T>(&self, change: impl FnOnce(&mut HashMap<ImportId, Progress>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
