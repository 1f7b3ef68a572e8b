//! Folds as SQL: one pass over the event table, few groups out of it.

use crate::analytics::{
    catalogue::{Fold, How, VISIT_PARTS},
    dialect::Sql,
};

/// Appends the relation `k0, k1, …, <what the fold yields>`, one row per combination of keys that occurs; exactly
/// one row without keys.
pub(super) fn write(sql: &mut Sql, fold: &Fold, keys: &[Sql], condition: &Sql) {
    let names: Vec<String> = (0..keys.len()).map(|index| format!("k{index}")).collect();
    let names = names.join(", ");
    let listed = if names.is_empty() {
        String::new()
    } else {
        format!("{names}, ")
    };
    let grouped = if names.is_empty() {
        String::new()
    } else {
        format!(" GROUP BY {names}")
    };
    let scan = |sql: &mut Sql, columns: &str| {
        sql.push("SELECT ");
        for (index, key) in keys.iter().enumerate() {
            sql.append(key).push(&format!(" AS k{index}, "));
        }
        sql.push(columns).push(" FROM {events} WHERE ");
        sql.append(condition).push(" AND ").push(fold.rows);
    };
    match fold.how {
        How::Once(aggregates) => {
            scan(sql, aggregates);
            sql.push(&grouped);
        }
        How::Twice {
            identity,
            inner,
            outer,
        } => {
            sql.push(&format!("SELECT {listed}{outer} FROM ("));
            scan(sql, &format!("{identity}, {inner}"));
            sql.push(&format!(" GROUP BY {listed}{identity}){grouped}"));
        }
        How::Visits => {
            sql.push("WITH visits AS MATERIALIZED (");
            scan(sql, &format!("session, visitor, {}", VISIT_PARTS.inner));
            sql.push(&format!(" GROUP BY {listed}session, visitor) "));
            sql.push(&visits(keys.len(), &listed, &grouped));
        }
    }
}

/// Joins what visits say per key with what their sessions say.
fn visits(keys: usize, listed: &str, grouped: &str) -> String {
    let parts = &VISIT_PARTS;
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
    format!(
        "SELECT {shown}a.pageviews, a.visitors, a.total_events, coalesce(s.sessions, 0) AS sessions, \
         coalesce(s.bounces, 0) AS bounces, s.median_duration, s.mean_duration \
         FROM (SELECT {listed}{} FROM visits{grouped}) a {join} (SELECT {listed}{} FROM (\
         SELECT {listed}session, {} FROM visits WHERE session <> 0 GROUP BY {listed}session \
         HAVING sum(views) > 0){grouped}) s{on}",
        parts.all, parts.sessions, parts.session,
    )
}
