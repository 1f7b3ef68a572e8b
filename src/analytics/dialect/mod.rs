//! The few places where engines spell things differently.
//!
//! Statements are written in DuckDB's SQL and a few functions that no engine has ([`duck`]); they avoid what only one
//! engine can do where there is another way (`CASE` instead of `FILTER`, bound zone shifts instead of date functions).
//! [`Dialect::spell`] turns a finished text, of which no request has written a character, into one engine's.

mod calls;
mod duck;

use crate::events::statement::Bind;

/// An engine's way of spelling.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The embedded engine's.
    #[default]
    DuckDb,
}

impl Dialect {
    /// The statement as this engine wants it.
    pub(super) fn spell(self, text: &str) -> String {
        match self {
            Self::DuckDb => duck::spell(text),
        }
    }
}

/// SQL text under construction together with its bound values, so that their orders agree.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Sql {
    /// The text so far.
    pub(super) text: String,
    /// The values of its `?`, in order.
    pub(super) binds: Vec<Bind>,
}

impl Sql {
    /// Text that no request can influence.
    pub(super) fn of(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            binds: Vec::new(),
        }
    }

    /// Appends text that no request can influence.
    pub(super) fn push(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// Appends a placeholder and its value. Numbers carry their type: engines guess wrong in `CASE`.
    pub(super) fn bind(&mut self, value: Bind) -> &mut Self {
        self.push(match value {
            Bind::Int(_) => "CAST(? AS BIGINT)",
            Bind::Hash(_) => "CAST(? AS UBIGINT)",
            Bind::Float(_) => "CAST(? AS DOUBLE)",
            Bind::Text(_) => "?",
        });
        self.binds.push(value);
        self
    }

    /// Appends another piece with its values.
    pub(super) fn append(&mut self, other: &Self) -> &mut Self {
        self.push(&other.text);
        self.binds.extend_from_slice(&other.binds);
        self
    }
}

/// The value (never null) that several events began with.
pub(super) fn first(value: &Sql) -> Sql {
    let mut sql = Sql::of("opening(");
    sql.append(value).push(")");
    sql
}

/// Whether a text has a bound piece in it, literally.
pub(super) const CONTAINS: &str = "contains";

/// Whether a text begins with a bound piece, literally.
pub(super) const STARTS_WITH: &str = "starts_with";

/// Whether a text ends with a bound piece, literally.
pub(super) const ENDS_WITH: &str = "ends_with";

/// The keys of a JSON object held as text; none for anything else.
pub(super) fn json_keys(column: &str) -> String {
    format!("json_keys(CASE WHEN json_valid({column}) THEN {column} ELSE '{{}}' END)")
}
