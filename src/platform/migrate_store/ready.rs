//! Whether a migration can begin: the stores to leave are whole and not in use, the others are empty.

use crate::{
    actors::ingest::{load_manifest, other_manifests},
    events::{segments, store::EventStore},
    platform::{CommandError, Stores, backup, clickhouse, migration_journal::Plan},
    store::{StateDb, state},
};

/// Looks at all of it.
///
/// # Errors
/// A refusal that says what is in the way.
pub(super) async fn look(plan: &Plan<'_>) -> anyhow::Result<()> {
    let state = Stores::state_beside(plan.from).await?;
    let node = EventStore::node_id(&plan.data_dir)?;
    if let Some(other) = state.in_use_by().await?.filter(|owner| *owner != node) {
        return CommandError::refuse(
            format!(
                "a server runs on the state database: the one whose `spool/node_id` is {other}"
            ),
            "stop every server first; one that was killed is forgotten after five seconds",
        );
    }
    sources(plan, &state, &node).await?;
    state.close().await?;
    destinations(plan).await
}

async fn sources(plan: &Plan<'_>, state: &StateDb, node: &str) -> anyhow::Result<()> {
    if other_manifests(state.reader(), node).await? {
        return CommandError::refuse(
            "events of other servers are in segments, in data directories of their own",
            "`pharos migrate-store` moves the stores of one server",
        );
    }
    let manifest = load_manifest(state.reader(), node).await?;
    let damaged = manifest.segments.iter().find(|row| row.quarantined);
    match damaged.filter(|_| plan.events) {
        None => Ok(()),
        Some(row) => CommandError::refuse(
            format!("the segment `{}` is damaged", segments::file_name(&row.id)),
            "restore a sound copy of the file from a backup; the server picks it up automatically",
        ),
    }
}

async fn destinations(plan: &Plan<'_>) -> anyhow::Result<()> {
    if plan.state {
        if !plan.to.database.is_embedded() {
            backup::ensure_unused(plan.to).await?;
        } else if plan.data_dir.join(state::FILE).exists() {
            return Err(occupied(state::FILE).into());
        }
    }
    if !plan.events {
        return Ok(());
    }
    let Some(engine) = clickhouse::ready(plan.to).await? else {
        let directory = plan.data_dir.join("segments");
        if directory.is_dir() && segments::any(&directory)? {
            return Err(occupied("segments").into());
        }
        return Ok(());
    };
    let there: u64 = engine.census().await?.values().sum();
    if there == 0 {
        return Ok(());
    }
    CommandError::refuse(
        format!("there are {there} events in ClickHouse already"),
        "name an empty database in `events.clickhouse_url`, or run `TRUNCATE TABLE pharos_events` if you don't need them",
    )
}

fn occupied(name: &str) -> CommandError {
    CommandError::new(
        format!("the data directory has `{name}` already"),
        "move it away if you don't need it",
    )
}
