//! Versions of the event table: what has been added to [`COLUMNS`] since a segment was written.
//!
//! Columns are never taken away, and one that comes after a release says since which version of the table it is there:
//! segments of earlier versions are read as if they had it, with 0 or null in it, and get it when they are merged.

use super::{
    column::Column,
    tables::COLUMNS,
    words::{Words, listed},
};

/// Version of the column list; every segment carries the version it was written with.
pub const SCHEMA: i32 = newest(COLUMNS);

/// The statement that creates a tail table of this shape.
pub fn create_table(name: &str) -> String {
    let columns: Vec<String> = COLUMNS
        .iter()
        .map(|column| format!("{} {}", column.name, column.read.duckdb_type()))
        .collect();
    format!("CREATE TABLE {name} ({})", columns.join(", "))
}

const fn newest(columns: &[Column]) -> i32 {
    let (mut newest, mut at) = (1, 0);
    while at < columns.len() {
        if columns[at].since > newest {
            newest = columns[at].since;
        }
        at += 1;
    }
    newest
}

/// What to select, so rows of a file of this version of the table have the columns of today.
pub fn selection(version: i32) -> String {
    if version == SCHEMA {
        return "*".to_owned();
    }
    select(COLUMNS, version)
}

/// The same of the columns that these words name.
pub fn named_selection(version: i32, words: &Words<'_>) -> String {
    let named = COLUMNS.iter().filter(|column| words.has(column.name));
    listed(named.map(|column| column.in_version(version)))
}

fn select(columns: &[Column], version: i32) -> String {
    let columns = columns.iter().map(|column| column.in_version(version));
    columns.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::column::{
        Read::{Hash, Int, Text},
        column,
    };

    #[test]
    fn rows_of_an_earlier_version_have_the_columns_of_today() {
        let added = |name, read| Column {
            since: 2,
            ..column(name, read, "")
        };
        let today = [
            column("time", Int(|e| e.time), ""),
            added("visits", Hash(|e| e.visitor)),
            column("name", Text(|e| Some(&e.name)), ""),
            added("city", Text(|e| e.city.as_deref())),
        ];
        assert_eq!(newest(&today), 2);
        let engine = duckdb::Connection::open_in_memory().unwrap();
        let asked = format!(
            "CREATE TABLE old (name VARCHAR, time BIGINT); INSERT INTO old VALUES ('a', 7); \
             CREATE TABLE now (time BIGINT, visits UBIGINT NOT NULL, name VARCHAR, city VARCHAR); \
             INSERT INTO now SELECT {} FROM old; INSERT INTO now SELECT {} FROM now",
            select(&today, 1),
            select(&today, 2),
        );
        engine.execute_batch(&asked).unwrap();
        let rows: i64 = engine
            .query_row(
                "SELECT count(*) FROM now WHERE time = 7 AND visits = 0 AND name = 'a' AND city IS NULL",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(rows, 2);
    }
}
