//! Folds as SQL: one pass over the event table, few groups out of it.

use std::ops::Range;

use crate::{
    analytics::{
        catalogue::{BaseAggregate, Each, From, How, VisitParts},
        dialect::Sql,
    },
    events::extracts::Extract,
};

/// What a fold is grouped by and which events it may see.
#[derive(Default)]
pub(super) struct Grouping {
    /// The keys, in the order of the statement's columns.
    pub(super) keys: Vec<Sql>,
    /// Condition on the event table.
    pub(super) condition: Sql,
    /// What is read in place of events.
    pub(super) extract: Option<Extract>,
    /// The text before and behind what is read that adds the session's source to rows.
    pub(super) attribution: Option<(Sql, Sql)>,
    /// Whether the engine sums up sessions itself.
    pub(super) sums_sessions: bool,
    /// What a relation of visits or people carries along for the keys: the bucket (rows are made per bucket then), and
    /// fields of the first event, each under its name.
    pub(super) bucket: Option<Sql>,
    /// Name and expression of each such field.
    pub(super) carried: Vec<(String, Sql)>,
}

/// The name of the bucket that [`Grouping::bucket`] gives.
pub(super) const BUCKET: &str = "bucket";

/// The names of keys in a statement: `k0`, `k1`, …
pub(super) fn key_names(keys: Range<usize>) -> Vec<String> {
    keys.map(|index| format!("k{index}")).collect()
}

/// Appends the relation `k0, k1, …, <what the fold yields>`, one row per combination of keys that occurs; exactly
/// one row without keys.
pub(super) fn write(sql: &mut Sql, fold: &BaseAggregate, by: &Grouping) {
    let names = key_names(0..by.keys.len()).join(", ");
    let (listed, grouped) = match names.as_str() {
        "" => Default::default(),
        names => (format!("{names}, "), format!(" GROUP BY {names}")),
    };
    let fold = &read(fold, by);
    match fold.how {
        How::Once(aggregates) => {
            scan(sql, fold, by, aggregates);
            sql.push(&grouped);
        }
        How::Visits(parts) if by.sums_sessions => {
            sql.push(&format!(
                "SELECT {listed}pageviews, visitors, total_events, sums.sessions AS sessions, sums.bounces AS bounces, \
                 sums.median_duration AS median_duration, sums.mean_duration AS mean_duration FROM ("
            ));
            scan(sql, fold, by, parts.pass);
            sql.push(&grouped).push(") visits");
        }
        How::Visits(parts) => {
            sql.push("WITH visits AS MATERIALIZED (");
            let columns = format!("session, visitor, {}", parts.inner);
            scan(sql, fold, by, &columns);
            sql.push(&format!(" GROUP BY {listed}session, visitor) "));
            visits(sql, parts, by.keys.len(), &listed, &grouped);
        }
    }
}

/// The fold as it is read: over events, or over an extract.
fn read(fold: &BaseAggregate, by: &Grouping) -> BaseAggregate {
    let (Some(extract), Some(extracted)) = (by.extract, fold.extracted) else {
        return *fold;
    };
    BaseAggregate {
        from: From::Relation(extracted.from.unwrap_or(relation(extract))),
        rows: extracted.rows,
        how: extracted.how,
        extracted: None,
    }
}

/// What an extract's rows are called.
pub(super) const fn relation(extract: Extract) -> &'static str {
    match extract {
        Extract::Visits => "{visits}",
        Extract::Pages => "{pages}",
    }
}

/// `SELECT <keys>, <columns> FROM <what the fold reads> WHERE <condition>`
fn scan(sql: &mut Sql, fold: &BaseAggregate, by: &Grouping, columns: &str) {
    sql.push("SELECT ");
    for (index, key) in by.keys.iter().enumerate() {
        sql.append(key).push(&format!(" AS k{index}, "));
    }
    sql.push(columns).push(" FROM ");
    match fold.from {
        From::Events => events(sql, "{events}", by, fold.rows),
        From::Relation(relation) => events(sql, relation, by, fold.rows),
        From::Each(each) => {
            push_each(sql, &each, by);
            if !fold.rows.is_empty() {
                sql.push(" WHERE ").push(fold.rows);
            }
        }
    }
}

fn events(sql: &mut Sql, relation: &str, by: &Grouping, rows: &str) {
    match &by.attribution {
        Some((before, after)) => sql.append(before).push(relation).append(after),
        None => sql.push(relation),
    };
    sql.push(" WHERE ").append(&by.condition);
    if !rows.is_empty() {
        sql.push(" AND ").push(rows);
    }
}

/// One row per identity, and per bucket if there are any.
fn push_each(sql: &mut Sql, each: &Each, by: &Grouping) {
    sql.push("(SELECT ");
    let mut grouped = String::new();
    if let Some(bucket) = &by.bucket {
        sql.append(bucket).push(&format!(" AS {BUCKET}, "));
        grouped = format!("{BUCKET}, ");
    }
    for (name, field) in &by.carried {
        sql.push("opening(").append(field);
        sql.push(&format!(") AS {name}, "));
    }
    sql.push(&format!("{}, {} FROM ", each.identity, each.columns));
    events(sql, "{events}", by, each.rows);
    sql.push(&format!(" GROUP BY {grouped}{}", each.identity));
    if !each.having.is_empty() {
        sql.push(" HAVING ").push(each.having);
    }
    sql.push(") each_one");
}

/// Joins what visits say per key with what their sessions say.
fn visits(sql: &mut Sql, parts: &VisitParts, keys: usize, listed: &str, grouped: &str) {
    let shown: Vec<String> = (0..keys).map(|index| format!("a.k{index}, ")).collect();
    let shown = shown.concat();
    let on: Vec<String> = (0..keys)
        .map(|index| format!("a.k{index} = s.k{index}"))
        .collect();
    let (join, on) = if on.is_empty() {
        ("CROSS JOIN", String::new())
    } else {
        ("LEFT JOIN", format!(" ON {}", on.join(" AND ")))
    };
    sql.push(&format!(
        "SELECT {shown}a.pageviews, a.visitors, a.total_events, coalesce(s.sessions, 0) AS sessions, \
         coalesce(s.bounces, 0) AS bounces, s.median_duration, s.mean_duration \
         FROM (SELECT {listed}{} FROM visits{grouped}) a {join} (SELECT {listed}{} FROM (SELECT {listed}session, {} FROM visits \
         WHERE session <> 0 GROUP BY {listed}session HAVING {}){grouped}) s{on}",
        parts.all, parts.sessions, parts.session, parts.having
    ));
}
