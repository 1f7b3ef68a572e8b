//! The smallest store: one in-memory table.

use std::sync::Mutex;

use aggregates::{Database, Handle, RUN};
use duckdb::{
    appender_params_from_iter, params_from_iter,
    types::{TimeUnit, Value},
};

use crate::{
    analytics::run::Source,
    events::{
        event::Event,
        extracts::{Extract, QUARTER},
        relations::{self, Stored},
        statement::{Bind, Cell, QueryError, Rows, Statement},
        tables::{COLUMNS, Read},
        versions::{SCHEMA, create_table, named_selection},
        words::Words,
    },
};

pub(super) struct Bare {
    pub(super) connection: Mutex<Handle>,
    /// Every statement that ran.
    pub(super) ran: Mutex<Vec<Statement>>,
}

impl Bare {
    pub(super) fn new(events: &[Event]) -> Self {
        let database = Database::open(&[], 64 << 20).unwrap();
        let connection = database.connect().unwrap();
        connection.execute_batch(&create_table("t")).unwrap();
        {
            let mut appender = connection.appender("t").unwrap();
            for event in events {
                let values = COLUMNS.iter().map(|column| stored(column.read, event));
                appender
                    .append_row(appender_params_from_iter(values))
                    .unwrap();
            }
        }
        Self {
            connection: Mutex::new(connection),
            ran: Mutex::default(),
        }
    }

    /// The rows of a statement, which are those of the one that takes its place where memory is short.
    fn run(&self, statement: &Statement) -> duckdb::Result<Rows> {
        let rows = self.run_one(statement)?;
        if let Some(spilling) = &statement.spilling {
            let same = self.run_one(spilling)?;
            assert_eq!(rows.columns, same.columns, "{}", statement.text);
            // Not every statement says in which order.
            let sorted = |rows: &Rows| {
                let mut rows: Vec<String> =
                    rows.rows.iter().map(|row| format!("{row:?}")).collect();
                rows.sort();
                rows
            };
            let (text, other) = (&statement.text, &spilling.text);
            assert_eq!(sorted(&rows), sorted(&same), "{text}\n{other}");
        }
        Ok(rows)
    }

    fn run_one(&self, statement: &Statement) -> duckdb::Result<Rows> {
        let scope = &statement.scope;
        let website = scope.website.map(|key| format!("website = {key} AND "));
        let website = website.unwrap_or_default();
        let stored = |rows: Stored, words: &Words<'_>| {
            let (of, meets) = (scope.organization, rows.condition(scope));
            let predicate = format!("{website} organization = {of} AND {meets}");
            if let Stored::Extracted(extract) = rows {
                return extracted(extract, words, &predicate);
            }
            let columns = named_selection(SCHEMA, words);
            format!("(SELECT {columns} FROM t WHERE {predicate})")
        };
        let handle = self.connection.lock().unwrap();
        handle.run(|connection, run| {
            let text = relations::bind(&statement.text.replace(RUN, run), stored);
            let mut prepared = connection.prepare(&text)?;
            let binds = statement.binds.iter().map(|bind| match bind {
                Bind::Int(whole) => Value::BigInt(*whole),
                Bind::Hash(hash) => Value::UBigInt(*hash),
                Bind::Float(number) => Value::Double(*number),
                Bind::Text(text) => Value::Text(text.clone()),
            });
            let mut found = prepared.query(params_from_iter(binds))?;
            let columns = found.as_ref().unwrap().column_names();
            let mut rows = Vec::new();
            while let Some(row) = found.next()? {
                let cells = (0..columns.len()).map(|index| row.get(index).map(cell));
                rows.push(cells.collect::<duckdb::Result<_>>()?);
            }
            Ok(Rows {
                columns,
                rows: rows.into(),
                ..Rows::default()
            })
        })
    }
}

impl Source for Bare {
    async fn query(&self, statement: Statement) -> Result<Rows, QueryError> {
        let rows = self.run(&statement);
        self.ran.lock().unwrap().push(statement);
        rows.map_err(|error| {
            eprintln!("{error}");
            QueryError::Engine(error.to_string())
        })
    }
}

/// An extract as it is defined, row by row.
fn extracted(extract: Extract, words: &Words<'_>, predicate: &str) -> String {
    let columns = extract.columns(words);
    let columns: Vec<String> = columns
        .split(", ")
        .map(|column| match column {
            "time" => format!("time - time % {QUARTER} AS time"),
            "seen" | "happened" | "acted" => {
                format!("CAST(sum({column}) AS INTEGER) AS {column}")
            }
            "opened" => "min(opened) AS opened".to_owned(),
            shared if extract.has(shared) => shared.to_owned(),
            sum => format!("sum({sum}) AS {sum}"),
        })
        .collect();
    let events = extract.event_relation(words, (SCHEMA, "t"), predicate);
    format!(
        "(SELECT {} FROM ({events}) GROUP BY ALL)",
        columns.join(", ")
    )
}

fn stored(read: Read, event: &Event) -> Value {
    fn or_null<T>(value: Option<T>, of: fn(T) -> Value) -> Value {
        value.map_or(Value::Null, of)
    }
    match read {
        Read::Int(of) => Value::BigInt(of(event)),
        Read::Hash(of) => Value::UBigInt(of(event)),
        Read::Tiny(of) => Value::UTinyInt(of(event)),
        Read::Count(of) => or_null(of(event), Value::UInt),
        Read::Float(of) => or_null(of(event), Value::Float),
        Read::Double(of) => or_null(of(event), Value::Double),
        Read::Text(of) => or_null(of(event).map(str::to_owned), Value::Text),
    }
}

fn cell(value: Value) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Boolean(truth) => Cell::Bool(truth),
        Value::TinyInt(whole) => Cell::Int(whole.into()),
        Value::UTinyInt(whole) => Cell::Int(whole.into()),
        Value::Int(whole) => Cell::Int(whole.into()),
        Value::UInt(whole) => Cell::Int(whole.into()),
        Value::BigInt(whole) => Cell::Int(whole),
        Value::UBigInt(hash) => Cell::Hash(hash),
        Value::HugeInt(whole) => Cell::Int(whole.try_into().unwrap()),
        Value::Float(number) => Cell::Float(number.into()),
        Value::Double(number) => Cell::Float(number),
        Value::Timestamp(TimeUnit::Millisecond, ms) => Cell::Int(ms),
        Value::Text(text) => Cell::Text(text),
        Value::List(list) => Cell::List(list.into_iter().map(cell).collect()),
        Value::Struct(fields) => Cell::Struct(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), cell(value.clone())))
                .collect(),
        ),
        other => panic!("no cell for {other:?}"),
    }
}
