//! Where sessions come from.
//!
//! The source of a session is its first event with a referrer or a campaign that is not the website itself; page events
//! come before others. All events of the session belong to it. An event without a session has only its own.
//!
//! A relation that [`join`] wraps says so in columns named `session_…`.

use super::{Ask, select, visits};
use crate::{
    analytics::{
        catalogue::{About, Field, Shape},
        dialect::Sql,
    },
    events::statement::Bind,
};

/// A session that goes on in a range is looked at from its beginning, at most so long before the range. Milliseconds.
pub(super) const LOOKBACK_MS: i64 = 86_400_000;

/// What a source consists of: columns of the event table.
const COLUMNS: [&str; 9] = [
    "referrer",
    "referrer_domain",
    "source",
    "channel",
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "utm_term",
    "utm_content",
];

/// The column of a wrapped relation that has this column of the session's source.
pub(super) fn session_column(column: &str) -> String {
    format!("session_{column}")
}

/// Whether the field asks for the source of the session, in place of what the event itself says.
pub(super) fn is_asked_by(ask: &Ask<'_>, field: &Field) -> bool {
    ask.parameter.kind.about == About::People && field.of_source
}

/// The columns of the session's source that a statement groups by or chooses views by.
pub(super) fn columns(ask: &Ask<'_>) -> Vec<&'static str> {
    let kind = ask.parameter.kind;
    let Shape::Measured { fold, .. } = kind.shape else {
        return Vec::new();
    };
    let keys = kind.keys().iter().map(|key| key.sql);
    let mut words: Vec<String> = keys
        .chain([fold.rows])
        .flat_map(|text| {
            text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        })
        .map(str::to_owned)
        .collect();
    let groups = select::groups(ask).into_iter();
    let groups = groups.filter(|field| is_asked_by(ask, field));
    words.extend(groups.map(|field| session_column(field.columns[0])));
    let is_named = |column: &&str| words.contains(&session_column(column));
    COLUMNS.into_iter().filter(is_named).collect()
}

/// A column of the source that an event has by itself; empty for none.
pub(super) fn own_column(ask: &Ask<'_>, column: &str) -> Sql {
    own_or(ask, column, " ELSE '' END")
}

/// The same, or null for none.
pub(super) fn own_or_null(ask: &Ask<'_>, column: &str) -> Sql {
    own_or(ask, column, " END")
}

fn own_or(ask: &Ask<'_>, column: &str, end: &str) -> Sql {
    let mut sql = Sql::new("CASE WHEN ");
    sql.append(&has_source(ask)).push(" THEN ");
    sql.append(&value(ask, column)).push(end);
    sql
}

/// The text before and behind a relation that adds these columns of the session's source to its rows.
pub(super) fn join(ask: &Ask<'_>, columns: &[&str]) -> (Sql, Sql) {
    let mut before = Sql::new("(SELECT r.*");
    for (index, column) in columns.iter().enumerate() {
        before.push(", CASE WHEN r.session = 0 THEN ");
        before.append(&own_column(ask, column)).push(&format!(
            " ELSE coalesce(came.c{index}, '') END AS {}",
            session_column(column)
        ));
    }
    before.push(" FROM ");
    let mut after = Sql::new(" r LEFT JOIN (");
    after.append(&sessions(ask, columns, ""));
    after.push(") came ON came.visit = r.session) attributed");
    (before, after)
}

/// Sessions that have a source, with these columns of it: `visit, c0, c1, …`. `which` is a further condition.
pub(super) fn sessions(ask: &Ask<'_>, columns: &[&str], which: &str) -> Sql {
    let (relation, first) = visits::first_of_visit(ask, COLUMNS.into_iter());
    let mut sql = Sql::new("SELECT session AS visit");
    for index in 0..columns.len() {
        sql.push(&format!(", {first}(v{index}) AS c{index}"));
    }
    // Bound values may not be arguments of `opening`, which some engines need twice.
    sql.push(" FROM (SELECT *");
    for (index, column) in columns.iter().enumerate() {
        sql.push(", ").append(&value(ask, column));
        sql.push(&format!(" AS v{index}"));
    }
    sql.push(&format!(" FROM {relation} WHERE "));
    sql.append(&visits::people(ask));
    sql.push(" AND session <> 0 AND ").append(&has_source(ask));
    sql.push(which).push(") valued GROUP BY session");
    sql
}

/// Whether an event has a referrer or a campaign that is not the website itself.
fn has_source(ask: &Ask<'_>) -> Sql {
    let mut sql = Sql::new(
        "(utm_source <> '' OR utm_medium <> '' OR utm_campaign <> '' OR utm_term <> '' OR utm_content <> '' \
         OR (referrer <> '' OR referrer_domain <> '' OR source <> '' OR channel NOT IN ('', 'direct')) AND ",
    );
    sql.append(&is_outside(ask.target.domain.as_deref()))
        .push(")");
    sql
}

/// A column of an event that has a source; never null.
fn value(ask: &Ask<'_>, column: &str) -> Sql {
    match column {
        // A campaign may be met on a page of the website itself.
        "referrer" | "referrer_domain" => {
            let mut sql = Sql::new("CASE WHEN ");
            sql.append(&is_outside(ask.target.domain.as_deref()));
            sql.push(&format!(" THEN coalesce({column}, '') ELSE '' END"));
            sql
        }
        "channel" => {
            Sql::new("CASE WHEN channel = 'direct' THEN '' ELSE coalesce(channel, '') END")
        }
        _ => Sql::new(&format!("coalesce({column}, '')")),
    }
}

/// Referrers that are neither the website's domain nor one below it (of organizations: not the page's own host).
fn is_outside(domain: Option<&str>) -> Sql {
    const HOST: &str = "split_part(coalesce(referrer, ''), '/', 1)";
    let mut sql = Sql::default();
    let Some(domain) = domain else {
        sql.push("(").push(HOST).push(" = '' OR ").push(HOST);
        sql.push(" <> regexp_replace(coalesce(host, ''), '^www[.]', ''))");
        return sql;
    };
    let domain = domain.trim().to_lowercase();
    let domain = domain.strip_prefix("www.").unwrap_or(&domain);
    sql.push("NOT (")
        .push(HOST)
        .push(" = ")
        .bind(Bind::Text(domain.to_owned()));
    sql.push(" OR ends_with(").push(HOST).push(", ");
    sql.bind(Bind::Text(format!(".{domain}"))).push("))");
    sql
}
