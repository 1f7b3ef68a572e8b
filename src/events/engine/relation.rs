//! Where the rows of a logical relation are right now.

use std::{collections::BTreeMap, path::Path};

use super::{load::LoadedRows, quoted};
use crate::events::{
    extracts::QUARTER, relations::Stored, segments::Segment, snapshot::Snapshot, statement::Scope,
    versions, words::Words,
};

/// A file of more rows is not read alone: see [`mod@super::empty_segment`].
const ALONE: u64 = 40_960;

/// The rows in scope, with the columns that these words name: files that may hold some, then the tables of the tail. Numbers come
/// from resolved records and file names are ours, so nothing of a request is in this text.
pub(super) fn relation(
    snapshot: &Snapshot,
    tail: &[LoadedRows],
    scope: &Scope,
    (rows, words): (Stored, &Words<'_>),
    empty_segment: &Path,
) -> String {
    let wanted = (rows, words);
    let segments = snapshot.segments.iter();
    let segments = segments.filter(|held| !held.is_damaged() && held.may_hold(scope, rows));
    let mut parts = Vec::new();
    // Of those events.
    let mut files = Files::default();
    match rows {
        Stored::Extracted(extract) => {
            let (quarters, version) = (Quarters::from_scope(scope), extract.version_for(words));
            let mut prepared = Files::default();
            let mut edges = Files::default();
            for segment in segments {
                match segment.extract(extract, version) {
                    Some((_, file)) if quarters.any() => {
                        prepared.add(versions::SCHEMA, file, 0);
                        if quarters.are_cut_from(segment) {
                            edges.add(segment.row.schema, &segment.path, segment.row.rows);
                        }
                    }
                    _ => files.add(segment.row.schema, &segment.path, segment.row.rows),
                }
            }
            let predicate = predicate(snapshot, scope, &quarters.inside());
            for (_, from) in prepared.read() {
                let columns = extract.columns(words);
                parts.push(format!("SELECT {columns} FROM {from} WHERE {predicate}"));
            }
            let happened = Stored::Happened.condition(scope);
            let at_the_edges = format!("{happened} AND {}", quarters.outside());
            edges.accompany(empty_segment);
            push(
                &mut parts,
                wanted,
                &edges,
                &self::predicate(snapshot, scope, &at_the_edges),
            );
        }
        Stored::Happened | Stored::Received | Stored::Identified => {
            for segment in segments {
                files.add(segment.row.schema, &segment.path, segment.row.rows);
            }
        }
    }
    for place in tail {
        if let LoadedRows::File(path) = place {
            files.add(versions::SCHEMA, path, 0);
        }
    }
    files.accompany(empty_segment);
    let predicate = predicate(snapshot, scope, &rows.condition(scope));
    push(&mut parts, wanted, &files, &predicate);
    for place in tail {
        if let LoadedRows::Table(table) = place {
            parts.push(events(wanted, versions::SCHEMA, table, &predicate));
        }
    }
    format!("({})", parts.join(" UNION ALL "))
}

/// Files of events, by the version of their columns.
#[derive(Default)]
struct Files(BTreeMap<i32, Read>);

#[derive(Default)]
struct Read {
    names: Vec<String>,
    rows: u64,
}

impl Files {
    fn add(&mut self, version: i32, path: &Path, rows: u64) {
        let read = self.0.entry(version).or_default();
        read.names.push(quoted(&path.to_string_lossy()));
        read.rows += rows;
    }

    /// Reads a file that has no rows together with a large one that would be read alone.
    fn accompany(&mut self, empty_segment: &Path) {
        for read in self.0.values_mut() {
            if read.names.len() == 1 && read.rows > ALONE {
                read.names.push(quoted(&empty_segment.to_string_lossy()));
            }
        }
    }

    fn read(&self) -> impl Iterator<Item = (i32, String)> {
        let read = |names: &[String]| format!("read_parquet([{}])", names.join(", "));
        self.0
            .iter()
            .map(move |(version, files)| (*version, read(&files.names)))
    }
}

fn push(parts: &mut Vec<String>, rows: (Stored, &Words<'_>), files: &Files, predicate: &str) {
    for (version, from) in files.read() {
        parts.push(events(rows, version, &from, predicate));
    }
}

/// Rows that are made of events, with the columns that these words name.
fn events(
    (rows, words): (Stored, &Words<'_>),
    version: i32,
    from: &str,
    predicate: &str,
) -> String {
    match rows {
        Stored::Extracted(extract) => extract.event_relation(words, (version, from), predicate),
        Stored::Happened | Stored::Received | Stored::Identified => {
            let columns = versions::named_selection(version, words);
            format!("SELECT {columns} FROM {from} WHERE {predicate}")
        }
    }
}

fn predicate(snapshot: &Snapshot, scope: &Scope, condition: &str) -> String {
    format!("{} AND {condition}", snapshot.transfers.condition(scope))
}

/// The whole quarters of an hour of a scope, which is what extracts can answer for.
struct Quarters {
    from: i64,
    to: i64,
    scope: (i64, i64),
}

impl Quarters {
    fn from_scope(scope: &Scope) -> Self {
        let from = scope.from.max(0);
        Self {
            from: from
                .saturating_add(QUARTER - 1)
                .div_euclid(QUARTER)
                .saturating_mul(QUARTER),
            to: scope.to.div_euclid(QUARTER).saturating_mul(QUARTER),
            scope: (from, scope.to),
        }
    }

    fn any(&self) -> bool {
        self.from < self.to
    }

    /// Whether a segment may have events in scope outside of them.
    fn are_cut_from(&self, segment: &Segment) -> bool {
        let (first, last) = segment.row.times;
        let before = self.scope.0 < self.from && first < self.from;
        let after = self.to < self.scope.1 && last >= self.to;
        before || after
    }

    fn inside(&self) -> String {
        format!("time >= {} AND time < {}", self.from, self.to)
    }

    fn outside(&self) -> String {
        format!("(time < {} OR time >= {})", self.from, self.to)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::events::segments::SegmentRow;

    #[test]
    fn a_large_file_is_not_read_alone() {
        let directory = tempfile::tempdir().unwrap();
        let options = super::super::Options {
            segments: directory.path().join("segments"),
            spill: directory.path().join("spill"),
            memory: 64 << 20,
            threads: 1,
            concurrent: 1,
        };
        let empty_segment = super::super::empty_segment(&options.spill);
        let segments = options.segments.clone();
        let root = super::super::Root::open(options).unwrap();
        let (_, connection) = root.connect().unwrap();
        // The engine may see it, and it has every column and no row.
        let file = quoted(&empty_segment.to_string_lossy());
        let count = format!("SELECT count(time) + count(website) FROM read_parquet([{file}])");
        let count = connection.query_row(&count, [], |row| row.get::<_, i64>(0));
        assert_eq!(count.unwrap(), 0);
        let scope = Scope {
            organization: 1,
            website: Some(15),
            from: 0,
            to: 1_000,
        };
        let words = Words::new("SELECT time FROM {events}");
        let read = |rows: &[u64]| {
            let rows = rows
                .iter()
                .map(|rows| SegmentRow::example("a", 0, *rows, 0));
            let snapshot = Snapshot {
                segments: rows
                    .map(|row| Arc::new(Segment::new(&segments, row)))
                    .collect(),
                ..Snapshot::default()
            };
            relation(
                &snapshot,
                &[],
                &scope,
                (Stored::Happened, &words),
                &empty_segment,
            )
        };
        assert!(read(&[ALONE + 1]).contains("nothing.parquet"));
        assert!(!read(&[ALONE]).contains("nothing.parquet"));
        assert!(!read(&[ALONE, ALONE]).contains("nothing.parquet"));
    }
}
