//! What the query layer asks of an event store, and what it gets back.
//!
//! A statement's text is written against logical relations ([`super::relations`]), above all `{events}`. The store
//! replaces them by whatever holds the rows right now (segments and the unsealed tail), already narrowed to [`Scope`]:
//! tenant, websites and time. Values that come from a request are always bound, never part of the text.

use std::sync::Arc;

use super::answer_budget::Charge;

/// The owner and the time range of the rows that a statement may see. Built from resolved records, never from raw input.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Scope {
    /// The organization that owns the rows.
    pub organization: i64,
    /// One website, or every row of the organization (its events without a website included).
    pub website: Option<i64>,
    /// First millisecond, inclusive.
    pub from: i64,
    /// Last millisecond, exclusive.
    pub to: i64,
}

/// A value bound to a `?` of the text, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Bind {
    /// 64-bit signed.
    Int(i64),
    /// 64-bit unsigned (identity hashes).
    Hash(u64),
    Float(f64),
    Text(String),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// SQL with logical relations and `?` for bound values.
    pub text: String,
    pub binds: Vec<Bind>,
    pub scope: Scope,
    /// The same for an engine that lacks the memory for this one, where that is another statement.
    pub spilling: Option<Box<Statement>>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Unknown.
    Null,
    Int(i64),
    /// Unsigned 64-bit beyond `i64` (identity hashes).
    Hash(u64),
    /// Any float; never NaN.
    Float(f64),
    Bool(bool),
    Text(String),
    List(Vec<Cell>),
    /// A struct, fields in order.
    Struct(Vec<(String, Cell)>),
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rows {
    /// Column names as the statement gives them.
    pub columns: Vec<String>,
    /// Values, one per column. Shared with the cache of answers.
    pub rows: Arc<Vec<Vec<Cell>>>,
    /// Files that may have held further rows and are damaged.
    pub damaged: Vec<String>,
    /// The memory that they take.
    pub charge: Charge,
}

impl Rows {
    /// Bytes that they take in memory.
    pub fn bytes(&self) -> usize {
        let rows = self.rows.iter().map(|row| row_bytes(row)).sum::<usize>();
        let names = self.columns.iter().chain(&self.damaged);
        rows + names
            .map(|name| name.len() + size_of::<String>())
            .sum::<usize>()
    }
}

/// Bytes that a row takes in memory.
pub fn row_bytes(cells: &[Cell]) -> usize {
    let inside = |cell: &Cell| match cell {
        Cell::Text(text) => text.len(),
        Cell::List(list) => row_bytes(list),
        Cell::Struct(fields) => fields
            .iter()
            .map(|(name, cell)| {
                name.len() + size_of::<String>() + row_bytes(std::slice::from_ref(cell))
            })
            .sum(),
        _ => 0,
    };
    size_of::<Vec<Cell>>() + size_of_val(cells) + cells.iter().map(inside).sum::<usize>()
}

/// What a statement would read, by the manifest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reads {
    /// Segments that may hold rows in scope.
    pub segments: Vec<ReadSegment>,
    /// Segments that hold none for sure, and are not touched.
    pub skipped: usize,
    /// Rows that no segment holds yet; all of them are looked at.
    pub tail_rows: u64,
}

/// A segment that a statement would read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadSegment {
    pub file: String,
    /// Rows in it, of all owners.
    pub rows: u64,
    /// Whether it is damaged, so answers miss its rows.
    pub damaged: bool,
}

/// Why a statement gave no rows.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// It took longer than the deadline.
    #[error("the query took longer than {0} seconds")]
    Deadline(u64),
    /// It wanted more memory than it may have.
    #[error("the query needs more memory than `query.memory` allows")]
    Memory,
    /// The engine is being reopened or every slot is taken for too long.
    #[error("the query engine is not available: {0}")]
    Unavailable(String),
    /// Too many statements about the same rows run, and none of them ended in time.
    #[error("too many queries of this target are in progress")]
    Busy,
    /// Its rows take more memory than an answer may.
    #[error("the rows take more memory than an answer may")]
    TooLarge,
    /// Other answers hold the memory; the statement can run again when they are sent.
    #[error("other answers hold the memory")]
    Full,
    /// What is known of the people in the rows cannot be read.
    #[error("profiles cannot be read: {0}")]
    Profiles(String),
    /// The statement itself failed: a bug.
    #[error("the query failed: {0}")]
    Engine(String),
}
