//! The few places where engines spell things differently.
//!
//! Statements are written once, in SQL that DuckDB and ClickHouse read alike, with [`Word`]s for what they do not. They
//! avoid what only one engine can do where there is another way (`CASE` instead of `FILTER`, bound zone shifts instead of
//! date functions). [`Dialect::spell`] turns a finished text, of which no request has written a character, into one
//! engine's; a word that an engine cannot spell does not compile.

mod calls;
mod clickhouse;
mod duck;
mod word;

use word::Word;

use crate::events::{
    clickhouse::{placeholder, placeholders},
    statement::Bind,
};

/// An engine's way of spelling.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The embedded engine's. Bound values take the place of each `?`, in order.
    #[default]
    DuckDb,
    /// ClickHouse's. Bound values are parameters of the request ([`crate::events::clickhouse::parameters`]).
    ClickHouse,
}

impl Dialect {
    /// The statement as this engine wants it; `binds` are the values of the `?` of the text, in order.
    pub(super) fn spell(self, text: &str, binds: &[Bind]) -> String {
        let text = placeholders(text, |at| match self {
            Self::DuckDb => duck::placeholder(binds.get(at)),
            Self::ClickHouse => placeholder(at, binds.get(at)),
        });
        let text = calls::rewrite(&text, &|name, arguments| {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let word = Word::named(name, &arguments)?;
            Some(match self {
                Self::DuckDb => duck::spell(word),
                Self::ClickHouse => clickhouse::spell(word),
            })
        });
        match self {
            Self::DuckDb => text,
            Self::ClickHouse => clickhouse::standard(text),
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

    /// Appends a placeholder and its value.
    pub(super) fn bind(&mut self, value: Bind) -> &mut Self {
        self.push("?");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bound_values_are_named_by_their_place_and_type() {
        let mut sql = Sql::of("SELECT '?' WHERE contains(name, ");
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
