//! One statement over one snapshot.

use duckdb::{Connection, params_from_iter, types::Value};

use super::{EngineError, cells, load, quoted};
use crate::events::{
    relations,
    segments::Segment,
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
    let text = text(snapshot, statement);
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

/// The statement as the engine reads it. Numbers come from resolved records and file names are ours, so nothing of a
/// request is in what is put into the text.
fn text(snapshot: &Snapshot, statement: &Statement) -> String {
    let scope = &statement.scope;
    let of = tenant(scope);
    let from = scope.from.max(0);
    let happened = format!("{of} AND time >= {from} AND time < {}", scope.to);
    let events = relation(snapshot, |segment| segment.may_hold(scope), &happened);
    if !relations::asks_who(&statement.text) {
        return relations::bind(&statement.text, &events, "");
    }
    let identified = format!("{of} AND {}", relations::identified(from));
    let identified = relation(snapshot, |segment| segment.may_identify(scope), &identified);
    relations::bind(&statement.text, &events, &identified)
}

/// The stored rows that meet a condition: of segments that may hold some, then of the tail.
fn relation(snapshot: &Snapshot, may_hold: impl Fn(&Segment) -> bool, condition: &str) -> String {
    let files: Vec<String> = snapshot
        .segments
        .iter()
        .filter(|segment| may_hold(segment))
        .map(|segment| quoted(&segment.path.to_string_lossy()))
        .collect();
    let mut parts = Vec::new();
    if !files.is_empty() {
        parts.push(format!(
            "SELECT * FROM read_parquet([{}]) WHERE {condition}",
            files.join(", ")
        ));
    }
    for generation in &snapshot.generations {
        parts.push(format!(
            "SELECT * FROM {} WHERE {condition}",
            generation.table()
        ));
    }
    format!("({})", parts.join(" UNION ALL "))
}

fn tenant(scope: &Scope) -> String {
    let website = scope
        .website
        .map_or(String::new(), |website| format!("website = {website} AND "));
    format!("{website}organization = {}", scope.organization)
}
