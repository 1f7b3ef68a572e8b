//! `pharos migrate-store`: migrates an installation between the embedded stores and PostgreSQL and ClickHouse.
//!
//! Copy, compare, switch. The stores that are left stay as they are until everything was read again on both sides and is
//! the same, and are put aside then, not deleted. How far it is is in the data directory ([`super::migration_journal`]): a migration that was
//! cut off is continued, and until it is done no server starts there.
//!
//! What stays in the data directory in any case: `instance.key`, the log with all that is not sealed or shipped, and the keys of
//! duplicates.

mod events;
mod ready;
mod state;
mod switch;

use super::{
    drills,
    migration_journal::{Journal, MigrationReport, Plan, Stage, ensure_settled},
    offline::{block_on, offline, seal_all},
    stores::take_data_dir,
};
use crate::{
    config::Settings,
    events::{
        failpoint::Failpoints,
        store::{EventStore, Options},
    },
    store::data_dir::DataDir,
};

/// Below the data directory: stores that were left.
const ASIDE: &str = "before-move";

/// Migrates what `from` and `to` have in different stores, or continues a migration that was cut off.
///
/// # Errors
/// A [`super::CommandError`] where the operator can help it, or what the stores say. Nothing is switched.
pub fn migrate_store(from: &Settings, to: &Settings) -> anyhow::Result<MigrationReport> {
    let plan = Plan::between(from, to)?;
    let lock = take_data_dir(&plan.data_dir)?;
    let begun = Journal::read(&plan.data_dir)?.filter(Journal::is_under_way);
    let (lock, journal) = match begun {
        Some(journal) => {
            journal.ensure_for(&plan)?;
            (lock, journal)
        }
        None => begin(&plan, lock)?,
    };
    let moved = block_on(go_on(&plan, journal));
    drop(lock);
    moved
}

/// Looks whether it can be done, and has everything sealed or shipped.
fn begin(plan: &Plan<'_>, lock: DataDir) -> anyhow::Result<(DataDir, Journal)> {
    ensure_settled(&plan.data_dir, plan.from)?;
    block_on(ready::look(plan))?;
    // The stores take it themselves.
    drop(lock);
    offline(plan.from, async |_, domains| {
        Ok(seal_all(&domains.ingest).await?)
    })?;
    let lock = take_data_dir(&plan.data_dir)?;
    let journal = Journal::new(plan);
    journal.write(&plan.data_dir)?;
    Ok((lock, journal))
}

async fn go_on(plan: &Plan<'_>, mut journal: Journal) -> anyhow::Result<MigrationReport> {
    let node = EventStore::node_id(&plan.data_dir)?;
    if journal.stage == Stage::Copying {
        let mut found = MigrationReport {
            state_from: journal.from.state.clone(),
            state_to: journal.to.state.clone(),
            events_from: journal.from.events.clone(),
            events_to: journal.to.events.clone(),
            ..MigrationReport::default()
        };
        let states = state::States::open(plan, &mut journal).await?;
        states.copy(plan, &mut journal).await?;
        let events = events::EventMigration::open(plan, &states.from, &node).await?;
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
