//! One statement over one snapshot.

use duckdb::{Connection, params_from_iter, types::Value};

use super::{EngineError, cells, load, quoted};
use crate::events::{
    relations::{self, Stored},
    snapshot::Snapshot,
    statement::{Rows, Scope, Statement},
};

/// Runs a statement over everything that the snapshot's generations hold by now.
pub fn run(
    connection: &Connection,
    epoch: u64,
    snapshot: &Snapshot,
    statement: &Statement,
) -> Result<Rows, EngineError> {
    for generation in &snapshot.generations {
        load::catch_up(connection, epoch, generation)?;
    }
    let text = relations::bind(&statement.text, |rows| {
        relation(snapshot, &statement.scope, rows)
    });
    let binds: Vec<Value> = statement.binds.iter().map(cells::bound).collect();
    let mut prepared = connection.prepare(&text)?;
    let mut found = prepared.query(params_from_iter(binds.iter()))?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        let width = row.as_ref().column_count();
        let values = (0..width).map(|at| Ok(cells::cell(row.get::<_, Value>(at)?)));
        rows.push(values.collect::<Result<Vec<_>, duckdb::Error>>()?);
    }
    drop(found);
    Ok(Rows {
        columns: prepared.column_names(),
        rows,
    })
}

/// The rows in scope: segments that may hold some, then the tail. Numbers come from resolved records and file names
/// are ours, so nothing of a request is in this text.
fn relation(snapshot: &Snapshot, scope: &Scope, rows: Stored) -> String {
    let predicate = predicate(scope, rows);
    let files: Vec<String> = snapshot
        .segments
        .iter()
        .filter(|segment| segment.may_hold(scope, rows))
        .map(|segment| quoted(&segment.path.to_string_lossy()))
        .collect();
    let mut parts = Vec::new();
    if !files.is_empty() {
        parts.push(format!(
            "SELECT * FROM read_parquet([{}]) WHERE {predicate}",
            files.join(", ")
        ));
    }
    for generation in &snapshot.generations {
        parts.push(format!(
            "SELECT * FROM {} WHERE {predicate}",
            generation.table()
        ));
    }
    format!("({})", parts.join(" UNION ALL "))
}

fn predicate(scope: &Scope, rows: Stored) -> String {
    let website = scope
        .website
        .map_or(String::new(), |website| format!("website = {website} AND "));
    let condition = rows.condition(scope);
    format!(
        "{website}organization = {} AND {condition}",
        scope.organization
    )
}
