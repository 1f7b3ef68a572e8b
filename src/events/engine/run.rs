//! One statement over one snapshot.

use std::{io, path::Path, sync::Arc};

use duckdb::{Connection, params_from_iter, types::Value};

use super::{Cancel, Handle, cells, load, relation::relation};
use crate::events::{
    answer_budget::Charge,
    error::EngineError,
    relations,
    segments::{Segment, file_name},
    snapshot::Snapshot,
    statement::{Cell, Rows, Statement, row_bytes},
};

/// Names of columns, and rows.
type Named = (Vec<String>, Vec<Vec<Cell>>);

/// Bytes of rows that are charged at a time.
const CHARGED: usize = 64 << 10;

#[expect(
    missing_debug_implementations,
    reason = "connections have no such thing"
)]
pub struct Run<'a> {
    /// A connection of this life of the engine.
    pub connection: &'a Handle,
    pub epoch: u64,
    pub snapshot: &'a Snapshot,
    pub segments: &'a Path,
    /// The file without rows.
    pub empty_segment: &'a Path,
    /// Whether anybody still waits for the answer.
    pub wanted: &'a Cancel,
}

impl Run<'_> {
    /// Runs a statement over everything that the snapshot's generations hold by now, or the one that takes its place where
    /// memory is short.
    pub fn statement(
        &self,
        statement: &Statement,
        mut charge: Charge,
    ) -> Result<Rows, EngineError> {
        let spilling = statement.spilling.as_deref();
        let (columns, rows) = match (self.rows(statement, &mut charge), spilling) {
            (Err(error), Some(spilling)) if error.fills_tables() => {
                tracing::debug!(
                    "a statement counts in more memory than it may, and is asked in another form"
                );
                charge.clear();
                self.rows(spilling, &mut charge)?
            }
            (rows, _) => rows?,
        };
        let damaged = in_scope(self.snapshot, statement).filter(|segment| segment.is_damaged());
        Ok(Rows {
            columns,
            rows: Arc::new(rows),
            damaged: damaged.map(|segment| file_name(&segment.row.id)).collect(),
            charge,
        })
    }

    /// Names of columns, and rows. The engine gives them in pieces, and each is charged before the next one is asked for.
    fn rows(&self, statement: &Statement, charge: &mut Charge) -> Result<Named, EngineError> {
        let mut tail = Vec::with_capacity(self.snapshot.generations.len());
        // Seals begin with the oldest: in the same order, this would run beside them and meet what they take away.
        for generation in self.snapshot.generations.iter().rev() {
            if self.wanted.is_given_up() {
                return Err(io::Error::from(io::ErrorKind::Interrupted).into());
            }
            tail.push(load::catch_up(
                self.connection,
                self.epoch,
                generation,
                self.segments,
            )?);
        }
        let binds: Vec<Value> = statement.binds.iter().map(cells::bound).collect();
        self.connection.run(|connection, run| {
            let text = statement.text.replace(aggregates::RUN, run);
            let (scope, empty) = (&statement.scope, self.empty_segment);
            let text = relations::bind(&text, |rows, words| {
                relation(self.snapshot, &tail, scope, (rows, words), empty)
            });
            read(connection, &text, &binds, charge)
        })
    }
}

fn read(
    connection: &Connection,
    text: &str,
    binds: &[Value],
    charge: &mut Charge,
) -> Result<Named, EngineError> {
    let mut prepared = connection.prepare(text)?;
    // Its own iterator panics where the engine fails.
    drop(prepared.stream_arrow(params_from_iter(binds.iter()))?);
    let mut found = prepared.raw_query();
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while let Some(row) = found.next()? {
        let width = row.as_ref().column_count();
        let values = (0..width).map(|at| Ok(cells::cell(row.get::<_, Value>(at)?)));
        let row = values.collect::<Result<Vec<_>, duckdb::Error>>()?;
        bytes += row_bytes(&row);
        rows.push(row);
        if bytes > CHARGED {
            charge.add(bytes).map_err(EngineError::Refused)?;
            bytes = 0;
        }
    }
    charge.add(bytes).map_err(EngineError::Refused)?;
    drop(found);
    Ok((prepared.column_names(), rows))
}

/// The segments that may hold rows of a statement, damaged or not.
pub fn in_scope<'a>(
    snapshot: &'a Snapshot,
    statement: &'a Statement,
) -> impl Iterator<Item = &'a Arc<Segment>> {
    let asked = relations::named(&statement.text);
    snapshot.segments.iter().filter(move |segment| {
        let mut asked = asked.iter();
        asked.any(|rows| segment.may_hold(&statement.scope, *rows))
    })
}
