//! `pharos migrate-store`: moves an installation between the embedded stores and PostgreSQL and ClickHouse.
//!
//! Copy, compare, switch. The stores that are left stay as they are until everything was read again on both sides and is
//! the same, and are put aside then, not deleted. How far it is stands in the data directory ([`journal`]): a move that was cut
//! off is gone on with, and until it is done no server starts there.
//!
//! What stays in the data directory in any case: `instance.key`, the log with all that is not sealed or shipped, and the keys of
//! duplicates.

mod events;
mod files;
mod journal;
mod place;
mod ready;
mod state;
mod switch;

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};

pub(super) use self::journal::ensure_settled;
use self::{
    journal::{Journal, Stage},
    place::Plan,
};
use super::{
    CommandError,
    backup::wait,
    commands::{offline, seal_all},
    drills,
    stores::refusal,
};
use crate::{
    clock::{Clock, iso_ms},
    config::Settings,
    events::{
        failpoint::Failpoints,
        store::{EventStore, Options},
    },
    store::data_dir::DataDir,
};

/// Below the data directory: what is copied there until all of it is there and right.
const STAGING: &str = "moving.tmp";
/// Below the data directory: stores that were left.
const ASIDE: &str = "before-move";

/// What a move came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Moved {
    /// Where state was, without passwords.
    pub state_from: String,
    /// Where it is.
    pub state_to: String,
    /// Where events were.
    pub events_from: String,
    /// Where they are.
    pub events_to: String,
    /// Every table that was moved.
    pub tables: BTreeMap<String, Counted>,
    /// All events that were moved, by kind.
    pub kinds: BTreeMap<String, Counted>,
    /// The same of every website, by its number in rows.
    pub websites: BTreeMap<i64, BTreeMap<String, Counted>>,
    /// What is not the same on both sides; nothing is switched if there is anything.
    pub wrong: Vec<String>,
    /// Where the embedded stores were put, if they were left.
    pub aside: Option<PathBuf>,
}

/// Rows that are the same on both sides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// How many.
    pub rows: u64,
    /// A checksum of all of them in any order, hex.
    pub checksum: String,
}

impl Counted {
    fn new(rows: u64, digest: u128) -> Self {
        Self {
            rows,
            checksum: format!("{digest:032x}"),
        }
    }
}

/// Moves what `from` and `to` have in different stores, or goes on with a move that was cut off.
///
/// # Errors
/// A [`CommandError`] where the operator can help it, or what the stores say. Nothing is switched.
pub fn migrate_store(from: &Settings, to: &Settings) -> anyhow::Result<Moved> {
    let plan = Plan::of(from, to)?;
    let lock = DataDir::take(&plan.data_dir).map_err(|error| refusal(&error))?;
    let begun = Journal::read(&plan.data_dir)?.filter(Journal::is_under_way);
    let (lock, journal) = match begun {
        Some(journal) => {
            journal.ensure_for(&plan)?;
            (lock, journal)
        }
        None => begin(&plan, lock)?,
    };
    let moved = wait(go_on(&plan, journal));
    drop(lock);
    moved
}

/// Looks whether it can be done, and has everything sealed or shipped.
fn begin(plan: &Plan<'_>, lock: DataDir) -> anyhow::Result<(DataDir, Journal)> {
    ensure_settled(&plan.data_dir, plan.from)?;
    wait(ready::look(plan))?;
    // The stores take it themselves.
    drop(lock);
    offline(plan.from, async |_, domains| {
        Ok(seal_all(&domains.ingest).await?)
    })?;
    let lock = DataDir::take(&plan.data_dir).map_err(|error| refusal(&error))?;
    let journal = Journal::new(plan);
    journal.write(&plan.data_dir)?;
    Ok((lock, journal))
}

async fn go_on(plan: &Plan<'_>, mut journal: Journal) -> anyhow::Result<Moved> {
    let node = EventStore::node_of(&plan.data_dir)?;
    if journal.stage == Stage::Copying {
        let mut found = Moved {
            state_from: journal.from.state.clone(),
            state_to: journal.to.state.clone(),
            events_from: journal.from.events.clone(),
            events_to: journal.to.events.clone(),
            ..Moved::default()
        };
        let states = state::States::open(plan, &mut journal).await?;
        states.copy(plan, &mut journal).await?;
        let events = events::Side::open(plan, &states.from, &node).await?;
        events.copy(plan, &mut journal).await?;
        pass("move-compare")?;
        states.compare(&mut found).await?;
        events.compare(&journal, &mut found).await?;
        states.close().await?;
        if !found.wrong.is_empty() {
            return Ok(found);
        }
        journal.found = Some(found);
        journal.stage = Stage::Switching;
        journal.write(&plan.data_dir)?;
    }
    switch::switch(plan, &mut journal, &node).await?;
    Ok(journal.found.unwrap_or_default())
}

/// A place where a drill may stop it.
fn pass(place: &str) -> std::io::Result<()> {
    points().pass(place, || false)
}

fn points() -> Failpoints {
    drills::options(Options::new("")).failpoints
}

/// The name of a directory that nothing has yet.
fn named_now() -> String {
    iso_ms(Clock::system().now_ms()).replace(':', "-")
}

/// In the way of a move.
fn refused(what: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
    let (what, hint) = (what.into(), hint.into());
    CommandError { what, hint }.into()
}
