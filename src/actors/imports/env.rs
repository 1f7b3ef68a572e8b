//! What the domain needs.

use std::{path::PathBuf, time::Duration};

use crate::{
    actors::{kit::Handle, profiles::Profiles, websites::Websites},
    clock::Clock,
    events::store::EventStore,
    store::StateDb,
};

#[derive(Clone)]
pub struct ImportsEnv {
    pub db: StateDb,
    pub clock: Clock,
    pub events: EventStore,
    pub websites: Handle<Websites>,
    pub profiles: Handle<Profiles>,
    pub options: ImportOptions,
}

#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// Where uploads are kept.
    pub directory: PathBuf,
    /// Whether this process works on imports: a command that has the stores to itself does not.
    pub is_serving: bool,
    /// Bytes of a file.
    pub max_bytes: u64,
    /// A city or country `.mmdb`, for files with addresses.
    pub geo_database: Option<PathBuf>,
}

#[cfg(test)]
impl ImportOptions {
    /// Of a program that imports nothing.
    pub fn for_tests() -> Self {
        Self {
            directory: std::env::temp_dir().join("no-uploads"),
            is_serving: false,
            max_bytes: 0,
            geo_database: None,
        }
    }
}

/// For how long an upload is kept that nothing happens to.
pub(super) const KEPT: Duration = Duration::from_hours(24);
