//! `moved.json` in the data directory: which migration of stores is under way, and how far it is; or which one was the last.

mod plan;

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

pub(super) use self::plan::{Plan, StoreLocation};
use super::CommandError;
use crate::{
    clock::{Clock, iso_ms},
    config::Settings,
    events::{log::recovery::write_durably, segments::SegmentRow, store_migration::CopyPosition},
};

/// Below the data directory: what is copied there until all of it is there and right.
pub(super) const STAGING: &str = "moving.tmp";
const FILE: &str = "moved.json";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stage {
    /// The stores that are left are untouched.
    Copying,
    /// Everything was compared, and takes its place.
    Switching,
    Done,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Journal {
    /// The time it began, as the name of a directory.
    pub(super) name: String,
    pub(super) from: StoreLocation,
    pub(super) to: StoreLocation,
    pub(super) stage: Stage,
    /// Whether state is there, as far as is known.
    pub(super) state_copied: bool,
    pub(super) events_copied: bool,
    /// How far ClickHouse has the segments.
    pub(super) sent: CopyPosition,
    pub(super) written: Vec<SegmentRow>,
    /// The log that the events cover ends here.
    pub(super) cursor: u64,
    /// What was found when both sides were compared.
    pub(super) found: Option<MigrationReport>,
}

impl Journal {
    /// A migration that begins.
    pub(super) fn new(plan: &Plan<'_>) -> Self {
        Self {
            name: iso_ms(Clock::system().now_ms()).replace(':', "-"),
            from: StoreLocation::from_settings(plan.from),
            to: StoreLocation::from_settings(plan.to),
            stage: Stage::Copying,
            state_copied: false,
            events_copied: false,
            sent: CopyPosition::default(),
            written: Vec::new(),
            cursor: 0,
            found: None,
        }
    }

    /// Reads it; `None` when nothing was ever migrated.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn read(data_dir: &Path) -> anyhow::Result<Option<Self>> {
        let path = data_dir.join(FILE);
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| {
                CommandError::new(
                    format!("`{}` is damaged: {error}", path.display()),
                    "it says where the stores of this directory are: put it back from a copy, or ask for help",
                )
                .into()
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes it; on disk when this returns.
    pub(super) fn write(&self, data_dir: &Path) -> io::Result<()> {
        write_durably(&data_dir.join(FILE), &serde_json::to_vec(self)?)
    }

    /// Whether it has to be continued.
    pub(super) fn is_under_way(&self) -> bool {
        self.stage != Stage::Done
    }

    /// Refuses to continue another migration.
    pub(super) fn ensure_for(&self, plan: &Plan<'_>) -> anyhow::Result<()> {
        if self.from == StoreLocation::from_settings(plan.from)
            && self.to == StoreLocation::from_settings(plan.to)
        {
            return Ok(());
        }
        CommandError::refuse(
            format!("another move is under way, {}", self.way()),
            self.hint(),
        )
    }

    fn way(&self) -> String {
        let (from, to) = (&self.from, &self.to);
        format!(
            "of state from {} to {} and of events from {} to {}",
            from.state, to.state, from.events, to.events
        )
    }

    fn hint(&self) -> String {
        let on = "run `pharos migrate-store` again with the same two files, which goes on";
        match self.stage {
            Stage::Copying => format!(
                "{on}; or give it up: delete `{FILE}` and `{STAGING}` in the data directory, and empty the stores that it went to"
            ),
            Stage::Switching | Stage::Done => on.to_owned(),
        }
    }
}

/// What a migration came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MigrationReport {
    /// Where state was, without passwords.
    pub state_from: String,
    pub state_to: String,
    pub events_from: String,
    pub events_to: String,
    /// Every table that was migrated.
    pub tables: BTreeMap<String, RowSum>,
    /// All events that were migrated, by kind.
    pub kinds: BTreeMap<String, RowSum>,
    /// The same of every website, by its number in rows.
    pub websites: BTreeMap<i64, BTreeMap<String, RowSum>>,
    /// What is not the same on both sides; nothing is switched if there is anything.
    pub wrong: Vec<String>,
    /// Where the embedded stores were put, if they were left.
    pub aside: Option<PathBuf>,
}

/// Rows that are the same on both sides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowSum {
    pub rows: u64,
    /// A checksum of all of them in any order, hex.
    pub checksum: String,
}

impl RowSum {
    pub(super) fn new(rows: u64, digest: u128) -> Self {
        Self {
            rows,
            checksum: format!("{digest:032x}"),
        }
    }
}

/// Refuses to open the stores of a data directory whose stores are being migrated, or whose stores are elsewhere by now.
///
/// # Errors
/// A refusal that says what to do.
pub(super) fn ensure_settled(data_dir: &Path, settings: &Settings) -> anyhow::Result<()> {
    let Some(journal) = Journal::read(data_dir)? else {
        return Ok(());
    };
    if journal.is_under_way() {
        return CommandError::refuse(
            format!("the stores are being moved, {}", journal.way()),
            journal.hint(),
        );
    }
    let asked = StoreLocation::from_settings(settings).kinds();
    if asked == journal.to.kinds() {
        return Ok(());
    }
    CommandError::refuse(
        format!("the stores were moved, {}", journal.way()),
        "start with the configuration that they were moved to, or move them back with `pharos migrate-store`",
    )
}
