//! Visits by how they began: the condition on whole visits that filters come to.

use super::{
    Ask, attribution, predicate,
    visits::{first_of_visit, people},
};
use crate::analytics::{dialect::Sql, request::Filter};

/// Events of visits that began as the filters want; events of no visit pass by themselves. Beside each filter stands its
/// condition on a row.
pub(super) fn visits(ask: &Ask<'_>, filters: &[(Filter, Sql)]) -> Sql {
    let mut sql = Sql::new("(session = 0");
    for (_, own) in filters {
        sql.push(" AND ").append(own);
    }
    sql.push(" OR ");
    let (mut conditions, mut others) = (Vec::new(), Vec::new());
    for (filter, own) in filters {
        match agreeing(ask, filter, own) {
            Some(condition) => conditions.push(condition),
            None => others.push(filter),
        }
    }
    if !others.is_empty() {
        conditions.push(opened(ask, &others));
    }
    sql.join(" AND ", conditions).push(")");
    sql
}

/// Visits all of whose rows meet a filter; of those whose rows differ, the ones that began so. Hardly any differ, and finding
/// the first row of every visit would be half of a filtered statement. `None` where extracts can't answer, and for sources,
/// which rows don't have.
fn agreeing(ask: &Ask<'_>, filter: &Filter, own: &Sql) -> Option<Sql> {
    let [column] = filter.field.columns else {
        return None;
    };
    let (relation, first) = first_of_visit(ask, std::iter::once(*column));
    if relation != "{visits}" || attribution::is_asked_by(ask, filter.field) {
        return None;
    }
    let wanted = predicate::predicate(ask, filter, &[Sql::new("s0")])?;
    let rows = people(ask);
    let mut sql = Sql::new(
        "session IN (WITH met AS MATERIALIZED (SELECT DISTINCT session FROM {visits} WHERE ",
    );
    sql.append(&rows).push(" AND session <> 0 AND ").append(own);
    sql.push("), mixed AS MATERIALIZED (SELECT DISTINCT others.session FROM (SELECT session FROM {visits} WHERE ");
    sql.append(&rows)
        .push(" AND session <> 0 AND (")
        .append(own);
    sql.push(
        ") IS NOT TRUE) others JOIN met ON met.session = others.session) \
         SELECT session FROM met WHERE session NOT IN (SELECT session FROM mixed) UNION ALL SELECT session FROM (SELECT session, ",
    );
    sql.push(&format!(
        "{first}(coalesce({column}, '')) AS s0 FROM {{visits}} WHERE "
    ));
    sql.append(&rows);
    sql.push(" AND session IN (SELECT session FROM mixed) GROUP BY session) opened WHERE ");
    sql.append(&wanted).push(")");
    Some(sql)
}

/// Visits whose first event has what all of these filters want.
fn opened(ask: &Ask<'_>, filters: &[&Filter]) -> Sql {
    let columns = filters.iter().flat_map(|filter| filter.field.columns);
    let (relation, first) = first_of_visit(ask, columns.copied());
    let mut sql = Sql::new("session IN (SELECT session FROM (SELECT session");
    let mut wanted = Sql::default();
    // Values of sources are computed first: `opening` may not have bound values as arguments.
    let mut valued = Sql::default();
    let mut count = 0;
    for filter in filters {
        let names: Vec<String> = (count..)
            .map(|index| format!("s{index}"))
            .take(filter.field.columns.len())
            .collect();
        for (name, column) in names.iter().zip(filter.field.columns) {
            if attribution::is_asked_by(ask, filter.field) {
                valued
                    .push(", ")
                    .append(&attribution::own_or_null(ask, column));
                valued.push(&format!(" AS own_{name}"));
                sql.push(&format!(", coalesce({first}(own_{name}), '') AS {name}"));
            } else {
                sql.push(&format!(", {first}(coalesce({column}, '')) AS {name}"));
            }
        }
        count += names.len();
        let names: Vec<Sql> = names.iter().map(|name| Sql::new(name)).collect();
        if let Some(predicate) = predicate::predicate(ask, filter, &names) {
            wanted.push(if wanted.text.is_empty() {
                " WHERE "
            } else {
                " AND "
            });
            wanted.append(&predicate);
        }
    }
    if valued.text.is_empty() {
        sql.push(&format!(" FROM {relation} WHERE "));
    } else {
        sql.push(" FROM (SELECT *").append(&valued);
        sql.push(&format!(" FROM {relation}) valued WHERE "));
    }
    sql.append(&people(ask));
    sql.push(" AND session <> 0 GROUP BY session) visits");
    sql.append(&wanted).push(")");
    sql
}
