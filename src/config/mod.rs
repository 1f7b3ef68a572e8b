//! Settings: what `config/pharos.toml`, a file and the environment say together.
//!
//! The embedded `config/pharos.toml` holds every setting and *is* the defaults; the structs of [`sections`] name
//! the same keys, and a test keeps the two equal. On top of it comes the operator's file, then variables named
//! `PHAROS__SECTION__KEY`. Nothing else in the program reads the environment, and only `platform` and the command
//! line import this module. A section that a module below uses as it is belongs to that module; the others become its `Options`.
//!
//! [`Settings::load`] reports every mistake at once, each with its place. Settings that exist are valid.

mod bytes;
mod check;
mod layers;
mod merge;
mod mistake;
mod reload;
mod secret;
pub mod sections;
mod shape;
#[cfg(test)]
mod tests;
mod urls;

use std::{
    ffi::OsString,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use self::sections::{
    Acme, Agent, Alarms, Auth, Database, Egress, Events, Geo, Ingest, Limits, Log, Mail, Monitors,
    Plans, Provision, Query, Redis, Server, Signup, Storage, Telemetry,
};
pub use self::{
    bytes::Bytes,
    mistake::{LoadError, Mistake, Mistakes, Origin, join_lines, line_at},
    reload::Reloaded,
    secret::Secret,
};
pub use crate::http::Urls;

/// The built-in defaults, which document every setting.
pub const DEFAULTS: &str = include_str!("../../config/pharos.toml");

/// Where the operator's file is looked for when none is named.
pub const USUAL_FILE: &str = "config/pharos.toml";

/// Variables that say where stores are begin so.
const OF_STORES: [&str; 3] = [
    "PHAROS__DATABASE__",
    "PHAROS__EVENTS__STORE",
    "PHAROS__EVENTS__CLICKHOUSE_",
];

/// Everything that can be set. Values are checked: a `Settings` that exists is one the program can run with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub server: Server,
    pub acme: Acme,
    pub storage: Storage,
    pub database: Database,
    pub redis: Redis,
    pub events: Events,
    pub ingest: Ingest,
    pub query: Query,
    pub monitors: Monitors,
    pub limits: Limits,
    pub egress: Egress,
    pub geo: Geo,
    pub plans: Plans,
    pub mail: Mail,
    pub alarms: Alarms,
    pub signup: Signup,
    pub auth: Auth,
    pub agent: Agent,
    pub log: Log,
    pub telemetry: Telemetry,
    pub provision: Provision,
}

impl Settings {
    /// Reads `file` (else `./config/pharos.toml` if it is there) and the environment.
    ///
    /// # Errors
    /// The named file cannot be read, or all mistakes in it and in the environment.
    pub fn load(file: Option<&Path>) -> Result<Self, LoadError> {
        let text = match file {
            Some(path) => Some((path, read(path)?)),
            None => read_usual()?.map(|text| (Path::new(USUAL_FILE), text)),
        };
        let text = text.as_ref().map(|(path, text)| (*path, text.as_slice()));
        Ok(Self::parse(text, environment())?)
    }

    /// [`Settings::load`] of a file that says where the stores are to be, which the environment may say of those that there
    /// are: what it says of stores does not count.
    ///
    /// # Errors
    /// As there.
    pub fn load_elsewhere(file: &Path) -> Result<Self, LoadError> {
        let text = read(file)?;
        let is_of_stores = |name: &OsString| {
            let name = name.to_string_lossy();
            OF_STORES.iter().any(|stores| name.starts_with(stores))
        };
        let others = environment().filter(|(name, _)| !is_of_stores(name));
        Ok(Self::parse(Some((file, text.as_slice())), others)?)
    }

    /// Puts the layers together: defaults, then the text of a file, then variables. Pure.
    ///
    /// # Errors
    /// Every mistake of every layer.
    pub fn parse(
        file: Option<(&Path, &[u8])>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self, Mistakes> {
        merge::settings(file, environment)
    }
}

/// The file that [`Settings::load`] reads: the named one, else the usual one.
pub fn file_to_watch(file: Option<&Path>) -> PathBuf {
    file.unwrap_or(Path::new(USUAL_FILE)).to_path_buf()
}

fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    fs::read(path).map_err(|source| LoadError::Unreadable {
        path: path.to_path_buf(),
        source,
    })
}

fn read_usual() -> Result<Option<Vec<u8>>, LoadError> {
    match read(Path::new(USUAL_FILE)) {
        Ok(text) => Ok(Some(text)),
        Err(LoadError::Unreadable { source, .. }) if source.kind() == ErrorKind::NotFound => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// What a variable of the environment says, for declarations that name it instead of a secret.
#[expect(clippy::disallowed_methods, reason = "this is the one place that may")]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The only other look at the environment in the program.
#[expect(clippy::disallowed_methods, reason = "this is the one place that may")]
fn environment() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os()
}
