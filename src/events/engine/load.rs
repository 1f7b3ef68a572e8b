//! Loading generations into the engine, only when a query or a seal asks.

use std::sync::PoisonError;

use duckdb::Connection;

use super::{EngineError, batch};
use crate::events::{
    tables,
    tail::{Generation, TailFrame, decode},
};

/// Events that become one batch of columns.
const CHUNK: usize = 4_096;

/// Brings the engine's copy of a generation up to what is durable now.
///
/// One transaction, so that another statement sees all of it or nothing and a failure changes nothing.
pub fn catch_up(
    connection: &Connection,
    epoch: u64,
    generation: &Generation,
) -> Result<(), EngineError> {
    let mut loaded = generation
        .loaded
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let fresh = loaded.epoch != epoch;
    let held = if fresh { 0 } else { loaded.frames };
    let frames = generation.frames_from(held);
    if frames.is_empty() && !fresh {
        return Ok(());
    }
    if fresh {
        // A new table comes: a good moment to drop those of generations that are gone.
        drop_retired(connection, generation)?;
    }
    let table = generation.table();
    connection.execute_batch("BEGIN")?;
    let done = fill(connection, &table, fresh, &frames)
        .and_then(|()| Ok(connection.execute_batch("COMMIT")?));
    if let Err(error) = done {
        // After a failed commit there is nothing to roll back, and the engine says so.
        let _ = connection.execute_batch("ROLLBACK");
        return Err(error);
    }
    loaded.epoch = epoch;
    loaded.frames = held + frames.len();
    Ok(())
}

/// Drops the tables of generations that nobody holds any more.
pub fn drop_retired(connection: &Connection, generation: &Generation) -> Result<(), EngineError> {
    let tables = generation.retired.take();
    for (at, table) in tables.iter().enumerate() {
        if let Err(error) = connection.execute_batch(&format!("DROP TABLE IF EXISTS {table}")) {
            generation.retired.add(tables[at..].iter().cloned());
            return Err(error.into());
        }
    }
    Ok(())
}

fn fill(
    connection: &Connection,
    table: &str,
    fresh: bool,
    frames: &[TailFrame],
) -> Result<(), EngineError> {
    if fresh {
        connection.execute_batch(&format!(
            "DROP TABLE IF EXISTS {table}; {};",
            tables::create_table(table)
        ))?;
    }
    append(connection, table, frames)
}

fn append(connection: &Connection, table: &str, frames: &[TailFrame]) -> Result<(), EngineError> {
    let mut appender = connection.appender(table)?;
    let mut events = Vec::with_capacity(CHUNK);
    for frame in frames {
        events.append(&mut decode(frame));
        if events.len() >= CHUNK {
            appender.append_record_batch(batch::columns(&events)?)?;
            events.clear();
        }
    }
    if !events.is_empty() {
        appender.append_record_batch(batch::columns(&events)?)?;
    }
    Ok(appender.flush()?)
}
