//! The few places where engines spell things differently.
//!
//! The catalogue's texts keep to what both engines understand where they can (`CASE` instead of `FILTER`, bound
//! zone shifts instead of date functions); what remains (`quantile_cont`, `arg_max`, `list`) is to be translated
//! here when the second engine comes.

use crate::events::statement::Bind;

/// SQL text under construction together with its bound values, so that their orders agree.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Sql {
    /// The text so far.
    pub(super) text: String,
    /// The values of its `?`, in order.
    pub(super) binds: Vec<Bind>,
}

impl Sql {
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

/// Whole division of two whole numbers (of times after 1970: never negative).
pub(super) const DIVIDE: &str = " // ";

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
