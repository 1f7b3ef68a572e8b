//! The few places where engines spell things differently.
//!
//! Statements are written once, in SQL that DuckDB and ClickHouse read alike, with [words](word) for what they do not. They
//! avoid what only one engine can do where there is another way (`CASE` instead of `FILTER`, bound zone shifts instead of
//! date functions). [`Dialect::spell`] turns a finished text, which no request has written a character of, into one
//! engine's; a word that one engine cannot spell does not compile.

mod calls;
mod word;

use crate::events::{
    clickhouse::{placeholder, placeholders},
    statement::Bind,
};

/// Settings that make ClickHouse answer as standard SQL does, whatever the session's own: aggregates
/// of nothing, casts of nothing and what a join does not find are null; a name is a column where there is one, and an alias
/// elsewhere. Records carry the names of their fields.
const SETTINGS: &str = "aggregate_functions_null_for_empty = 1, cast_keep_nullable = 1, \
    enable_named_columns_in_function_tuple = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1";

/// An engine's way of spelling. ClickHouse's is that of the version that the tests ask (`scripts/clickhouse`): 26.9.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The embedded engine's. Bound values take the place of each `?`, in order.
    #[default]
    DuckDb,
    /// The same without aggregates of our own, which hold what they count in memory: the engine's write to disk what they have no
    /// memory for.
    Spilling,
    /// ClickHouse's. Bound values are parameters of the request ([`crate::events::clickhouse::parameters`]).
    ClickHouse,
}

impl Dialect {
    /// The statement as this engine wants it; `binds` are the values of the `?` of the text, in order.
    pub(super) fn spell(self, text: &str, binds: &[Bind]) -> String {
        let text = placeholders(text, |at| match self {
            Self::DuckDb | Self::Spilling => typed_placeholder(binds.get(at)),
            Self::ClickHouse => placeholder(at, binds.get(at)),
        });
        let text = calls::rewrite(&text, &|name, arguments| {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            word::spell(self, name, &arguments)
        });
        match self {
            Self::DuckDb | Self::Spilling => text,
            Self::ClickHouse => text + " SETTINGS " + SETTINGS,
        }
    }

    /// Whether it is the embedded engine's.
    pub(super) fn is_embedded(self) -> bool {
        self != Self::ClickHouse
    }
}

/// A placeholder of `DuckDB`. Numbers carry their type: the engine guesses wrong in `CASE`.
fn typed_placeholder(value: Option<&Bind>) -> String {
    let text = match value {
        Some(Bind::Int(_)) => "CAST(? AS BIGINT)",
        Some(Bind::Hash(_)) => "CAST(? AS UBIGINT)",
        Some(Bind::Float(_)) => "CAST(? AS DOUBLE)",
        Some(Bind::Text(_)) | None => "?",
    };
    text.to_owned()
}

/// SQL text under construction together with its bound values: their orders agree.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Sql {
    pub(super) text: String,
    /// The values of its `?`, in order.
    pub(super) binds: Vec<Bind>,
}

impl Sql {
    /// Text that no request can influence.
    pub(super) fn new(text: &str) -> Self {
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

    /// Appends a placeholder and its value.
    pub(super) fn bind(&mut self, value: Bind) -> &mut Self {
        self.push("?");
        self.binds.push(value);
        self
    }

    /// Appends pieces with a separator between them.
    pub(super) fn join(
        &mut self,
        separator: &str,
        pieces: impl IntoIterator<Item = Self>,
    ) -> &mut Self {
        for (index, piece) in pieces.into_iter().enumerate() {
            self.push(if index > 0 { separator } else { "" })
                .append(&piece);
        }
        self
    }

    /// Appends another piece with its values.
    pub(super) fn append(&mut self, other: &Self) -> &mut Self {
        self.push(&other.text);
        self.binds.extend_from_slice(&other.binds);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bound_values_are_named_by_their_place_and_type() {
        let mut sql = Sql::new("SELECT '?' WHERE contains(name, ");
        sql.bind(Bind::Text("a".into())).push(") AND time > ");
        sql.bind(Bind::Int(1)).push(" AND visitor = ");
        sql.bind(Bind::Hash(2)).push(" AND value < ");
        sql.bind(Bind::Float(0.5));
        let spelled = |dialect: Dialect| dialect.spell(&sql.text, &sql.binds);
        assert_eq!(
            spelled(Dialect::DuckDb),
            "SELECT '?' WHERE contains(name, ?) AND time > CAST(? AS BIGINT) AND visitor = CAST(? AS UBIGINT) \
             AND value < CAST(? AS DOUBLE)"
        );
        let text = spelled(Dialect::ClickHouse);
        let (text, settings) = text.split_once(" SETTINGS ").unwrap();
        assert_eq!(
            text,
            "SELECT '?' WHERE (position(name, {p1:String}) > 0) AND time > {p2:Int64} AND visitor = {p3:UInt64} \
             AND value < {p4:Float64}"
        );
        assert!(settings.contains("join_use_nulls = 1"), "{settings}");
    }
}
