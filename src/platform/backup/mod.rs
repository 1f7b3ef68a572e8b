//! Backups of the embedded stores: taken beside a running server, restored into an empty data directory.
//!
//! What is on `PostgreSQL` is written down as an embedded database, and read from one: a backup can be restored into either.
//!
//! A directory of backups holds one directory per backup, named by its time, and `segments/`, which all of them share:
//! sealed events never change, so a backup adds only those that are new. `backup.json` is written last and names every
//! file with its checksum; a directory without it is the rest of a backup that was cut off.
//!
//! Nothing is copied in the middle of a change: [`crate::events::backup`] says why that holds while the server goes on.

pub(super) mod files;
mod prune;
mod record;
mod restore;
mod take;

pub use prune::Pruned;
pub use record::{BackupFile, Record};
pub(super) use restore::ensure_unused;
pub use restore::{Restored, restore};
pub use take::{BackupReport, backup};

use std::path::Path;

use crate::{
    config::sections::Database,
    store::{StateDb, state},
};

/// The state database of a directory.
async fn open(data_dir: &Path) -> anyhow::Result<StateDb> {
    let options = state::Options {
        url: Database::EMBEDDED.to_owned(),
        data_dir: data_dir.to_owned(),
    };
    Ok(StateDb::open(&options).await?)
}
