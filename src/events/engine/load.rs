//! Loading generations into the engine, only when a query or a seal asks.

use std::sync::PoisonError;

use duckdb::Connection;

use super::{EngineError, batch};
use crate::events::{
    tables,
    tail::{Generation, decode},
};

/// Events that become one batch of columns.
const CHUNK: usize = 4_096;

/// Brings the engine's copy of a generation up to what is durable now.
///
/// A failure leaves nothing half-loaded: the table is dropped and loaded anew by whoever asks next.
pub fn catch_up(
    connection: &Connection,
    epoch: u64,
    generation: &Generation,
) -> Result<(), EngineError> {
    let mut loaded = generation
        .loaded
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let table = generation.table();
    if loaded.epoch != epoch {
        connection.execute_batch(&format!(
            "DROP TABLE IF EXISTS {table}; {};",
            tables::create_table(&table)
        ))?;
        loaded.epoch = epoch;
        loaded.frames = 0;
    }
    let frames = generation.frames_from(loaded.frames);
    if frames.is_empty() {
        return Ok(());
    }
    let appended = append(connection, &table, &frames);
    match appended {
        Ok(()) => loaded.frames += frames.len(),
        Err(_) => loaded.epoch = 0,
    }
    appended
}

fn append(
    connection: &Connection,
    table: &str,
    frames: &[crate::events::tail::TailFrame],
) -> Result<(), EngineError> {
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
