//! Loading generations into the engine, only when a query or a seal asks.

use std::{
    path::{Path, PathBuf},
    sync::PoisonError,
};

use duckdb::Connection;

use crate::events::{
    batch,
    error::EngineError,
    files::portion::PORTION,
    segments,
    tail::{Generation, Loaded, TailFrame, decode},
    versions,
};

/// Events that become one batch of columns, at most.
const CHUNK: usize = 4_096;

/// Where the engine finds the rows of a generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadedRows {
    Table(String),
    /// In a file, because the generation has waited long for its seal.
    File(PathBuf),
}

/// Brings the engine's copy of a generation up to what is durable now; `segments` is where files go.
///
/// One transaction, so another statement sees all of it or nothing and a failure changes nothing.
pub fn catch_up(
    connection: &Connection,
    epoch: u64,
    generation: &Generation,
    segments: &Path,
) -> Result<LoadedRows, EngineError> {
    let mut loaded = generation
        .loaded
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    if generation.is_let_go() {
        return turned(generation, &mut loaded, segments).map(LoadedRows::File);
    }
    let loaded_rows = LoadedRows::Table(generation.table());
    let fresh = loaded.epoch != epoch;
    let held = if fresh { 0 } else { loaded.frames };
    let frames = generation.frames_from(held)?;
    if frames.is_empty() && !fresh {
        return Ok(loaded_rows);
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
    Ok(loaded_rows)
}

/// The file that represents a generation. Tables of a long backlog do not fit into the engine's memory.
fn turned(
    generation: &Generation,
    loaded: &mut Loaded,
    segments: &Path,
) -> Result<PathBuf, EngineError> {
    if let Some(file) = &loaded.file {
        return Ok(file.clone());
    }
    let file = {
        let turning = &generation.shared.turning;
        let _one = turning.lock().unwrap_or_else(PoisonError::into_inner);
        segments::write_stand_in(segments, generation)?
    };
    loaded.file = Some(file.clone());
    if std::mem::take(&mut loaded.epoch) > 0 {
        generation.shared.retired.add([generation.table()]);
    }
    Ok(file)
}

/// Drops the tables of generations that are no longer in use.
pub fn drop_retired(connection: &Connection, generation: &Generation) -> Result<(), EngineError> {
    let tables = generation.shared.retired.take();
    for (at, table) in tables.iter().enumerate() {
        if let Err(error) = connection.execute_batch(&format!("DROP TABLE IF EXISTS {table}")) {
            generation.shared.retired.add(tables[at..].iter().cloned());
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
            versions::create_table(table)
        ))?;
    }
    append(connection, table, frames)
}

fn append(connection: &Connection, table: &str, frames: &[TailFrame]) -> Result<(), EngineError> {
    let mut appender = connection.appender(table)?;
    let (mut events, mut bytes) = (Vec::with_capacity(CHUNK), 0);
    for frame in frames {
        events.append(&mut decode(frame));
        bytes += frame.payload.len();
        if events.len() >= CHUNK || bytes >= PORTION {
            appender.append_record_batch(batch::columns(&events)?)?;
            events.clear();
            bytes = 0;
        }
    }
    if !events.is_empty() {
        appender.append_record_batch(batch::columns(&events)?)?;
    }
    Ok(appender.flush()?)
}
