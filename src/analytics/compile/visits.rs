//! What the first view of a visit, and the person behind it, say.

use crate::{
    analytics::{catalogue::BOT_VERDICT, compile::Ask, dialect::Sql},
    events::{extracts::Extract, statement::Bind},
};

/// Where these columns of whole visits are, and the word for what the first event of each has: in extracts where there
/// are any, also of statements that count events.
pub(super) fn first_of_visit(
    ask: &Ask<'_>,
    mut columns: impl Iterator<Item = &'static str>,
) -> (&'static str, &'static str) {
    if ask.dialect.is_embedded() && columns.all(|column| Extract::Visits.has(column)) {
        ("{visits}", "opened_with")
    } else {
        ("{events}", "opening")
    }
}

/// Rows of people by the websites' rules: unless the request filters by verdict, what no signal
/// speaks against, and the kinds of bots that a website allows. Rules are looked at now, not when the event came.
pub(super) fn people(ask: &Ask<'_>) -> Sql {
    let filters = &ask.request.filters;
    if filters.iter().any(|filter| *filter.field == BOT_VERDICT) {
        return Sql::new("true");
    }
    let lenient = &ask.target.lenient;
    if lenient.is_empty() {
        return Sql::new("bot = 0");
    }
    let mut sql = Sql::new("(bot = 0");
    // A power of two of them: few texts for many numbers.
    let last = lenient.len() - 1;
    for at in 0..lenient.len().next_power_of_two() {
        let (website, allowed) = lenient[at.min(last)];
        sql.push(" OR (website = ").bind(Bind::Int(website.0));
        sql.push(" AND ").append(&signals(allowed)).push(")");
    }
    sql.push(")");
    sql
}

/// Whether a row has any of these bits.
pub(super) fn signals(bits: u32) -> Sql {
    let mut sql = Sql::default();
    sql.push("common_bits(coalesce(bot_signals, 0), ");
    sql.bind(Bind::Int(i64::from(bits))).push(") <> 0");
    sql
}
