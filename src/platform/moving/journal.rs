//! `moved.json` in the data directory: which move is under way, and how far it is; or which one was the last.

use std::{fs, io, path::Path};

use serde::{Deserialize, Serialize};

use super::{
    Moved,
    place::{Place, Plan},
    refused,
};
use crate::{
    config::Settings,
    events::{carry::Sent, log::recovery::write_durably, segments::SegmentRow},
};

/// Its name.
const FILE: &str = "moved.json";

/// How far a move is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stage {
    /// The stores that are left are untouched.
    Copying,
    /// Everything was compared, and takes its place.
    Switching,
    /// It is over.
    Done,
}

/// One move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Journal {
    /// What tells it from others.
    pub(super) name: String,
    pub(super) from: Place,
    pub(super) to: Place,
    pub(super) stage: Stage,
    /// Whether state is there, as far as is known.
    pub(super) state_copied: bool,
    /// Whether events are there.
    pub(super) events_copied: bool,
    /// How far ClickHouse has the segments.
    pub(super) sent: Sent,
    /// Segments that were written.
    pub(super) written: Vec<SegmentRow>,
    /// The log that the events stand for ends here.
    pub(super) cursor: u64,
    /// What was found when both sides were compared.
    pub(super) found: Option<Moved>,
}

impl Journal {
    /// A move that begins.
    pub(super) fn new(plan: &Plan<'_>) -> Self {
        Self {
            name: super::named_now(),
            from: Place::of(plan.from),
            to: Place::of(plan.to),
            stage: Stage::Copying,
            state_copied: false,
            events_copied: false,
            sent: Sent::default(),
            written: Vec::new(),
            cursor: 0,
            found: None,
        }
    }

    /// Reads it; `None` when nothing was ever moved.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn read(data_dir: &Path) -> anyhow::Result<Option<Self>> {
        let path = data_dir.join(FILE);
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| {
                refused(
                    format!("`{}` is damaged: {error}", path.display()),
                    "it says where the stores of this directory are: put it back from a copy, or ask for help",
                )
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes it; on disk when this returns.
    pub(super) fn write(&self, data_dir: &Path) -> io::Result<()> {
        write_durably(&data_dir.join(FILE), &serde_json::to_vec(self)?)
    }

    /// Whether it has to be gone on with.
    pub(super) fn is_under_way(&self) -> bool {
        self.stage != Stage::Done
    }

    /// Refuses to go on with another move.
    pub(super) fn ensure_for(&self, plan: &Plan<'_>) -> anyhow::Result<()> {
        if self.from == Place::of(plan.from) && self.to == Place::of(plan.to) {
            return Ok(());
        }
        Err(refused(
            format!("another move is under way, {}", self.way()),
            self.hint(),
        ))
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
                "{on}; or give it up: delete `{FILE}` and `{}` in the data directory, and empty the stores that it went to",
                super::STAGING
            ),
            Stage::Switching | Stage::Done => on.to_owned(),
        }
    }
}

/// Refuses to open the stores of a data directory that is being moved, or whose stores are elsewhere by now.
///
/// # Errors
/// A refusal that says what to do.
pub(in crate::platform) fn ensure_settled(
    data_dir: &Path,
    settings: &Settings,
) -> anyhow::Result<()> {
    let Some(journal) = Journal::read(data_dir)? else {
        return Ok(());
    };
    if journal.is_under_way() {
        return Err(refused(
            format!("the stores are being moved, {}", journal.way()),
            journal.hint(),
        ));
    }
    let asked = Place::of(settings).kinds();
    if asked == journal.to.kinds() {
        return Ok(());
    }
    Err(refused(
        format!("the stores were moved, {}", journal.way()),
        "start with the configuration that they were moved to, or move them back with `pharos migrate-store`",
    ))
}
