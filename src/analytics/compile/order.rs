//! The order of rows: the request's, or the type's own.

use super::{Ask, Output};
use crate::analytics::{
    catalogue::{Show, codes_by_name},
    request::Request,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ordering {
    /// Expression over the statement's columns.
    pub(super) sql: String,
    pub(super) descending: bool,
}

impl Ordering {
    /// `ORDER BY …` with further columns that order equal rows.
    pub(super) fn clause(&self, ties: &[String]) -> String {
        let direction = if self.descending { "DESC" } else { "ASC" };
        let mut text = format!(" ORDER BY {} {direction}", self.sql);
        for tie in ties {
            text.push_str(", ");
            text.push_str(tie);
        }
        text
    }
}

/// The output that `sortBy` names, if this type has it.
pub(super) fn find_sorting_output<'a>(ask: &Ask<'_>, outputs: &'a [Output]) -> Option<&'a Output> {
    let name = ask.request.sort_by.as_deref()?;
    outputs.iter().find(|output| output.name == name)
}

/// Direction: as said; else falling when a column was named; else the type's own.
pub(super) fn descending(request: &Request, named: bool, own: bool) -> bool {
    request.descending.unwrap_or(named || own)
}

/// The expression that sorts a column as it is shown.
pub(super) fn expression(column: &str, show: Show) -> String {
    match show {
        Show::CountryName => format!(
            "strpos('{}', CASE WHEN {column} = '' THEN '??' ELSE {column} END)",
            codes_by_name()
        ),
        _ => column.to_owned(),
    }
}
