//! Puts a statement together: keys, fold, measures, order, page.

use super::{
    Ask, Compiled, Finish, condition, fold, marks,
    measured::Aggregation,
    near, order,
    select::{groups, output, page},
    series,
};
use crate::{
    analytics::{
        catalogue::{About, Column, Field, Shape},
        dialect::Sql,
    },
    events::{
        extracts::QUARTER,
        statement::{Bind, Statement},
    },
};

pub(super) fn compile(ask: &Ask<'_>) -> Compiled {
    let condition = condition::condition(ask);
    let groups = groups(ask);
    let stitched =
        ask.parameter.kind.is_of_people() || is_about_people(ask, &condition.acts, &groups);
    let asked = ask.request.group_by.iter();
    let ignored_groups = asked
        .filter(|field| groups.iter().all(|group| group.name != field.name))
        .map(|field| field.name)
        .collect();
    let mut compiled = Compiled {
        statement: Statement {
            spilling: None,
            text: String::new(),
            binds: Vec::new(),
            scope: ask.scope(condition.by_visit),
        },
        outputs: Vec::new(),
        finish: Finish::Rows,
        entire: stitched || condition.by_visit,
        fits: true,
        ignored_filters: idle(ask, &condition.acts),
        ignored_groups,
        acts: condition.acts,
    };
    let is_grouped = !groups.is_empty();
    let sql = shaped(ask, groups, &condition.sql, &mut compiled);
    // Only events identify people, and only their times say what counts of all that is read; rows of extracts have whole
    // quarters of an hour.
    let is_cut_apart = condition.by_visit && ask.span().0 % QUARTER != 0;
    // A hand-written statement or relation asks extracts for nothing else that they may lack.
    let is_written = match ask.parameter.kind.shape {
        Shape::Custom { .. } => true,
        Shape::Measured { fold, .. } => {
            fold.extracted.is_some_and(|it| it.from.is_some()) && !is_grouped
        }
        Shape::List { .. } => false,
    };
    let asked = if is_written {
        &condition.sql.text
    } else {
        &sql.text
    };
    compiled.fits &= ask
        .extract
        .is_none_or(|extract| !stitched && !is_cut_apart && extract.covers(asked));
    let text = relation(ask, stitched, &sql.text);
    compiled.statement.text = ask.dialect.spell(&text, &sql.binds);
    compiled.statement.binds = sql.binds;
    compiled
}

/// The statement of a shape; columns and finish go to `compiled`.
fn shaped(
    ask: &Ask<'_>,
    groups: Vec<&'static Field>,
    condition: &Sql,
    compiled: &mut Compiled,
) -> Sql {
    match ask.parameter.kind.shape {
        Shape::Measured {
            fold,
            by,
            measures,
            keep,
            share,
        } => {
            let aggregation = Aggregation {
                fold,
                by,
                measures,
                keep,
                share,
                groups,
                within: ask.parameter.kind.within,
                best: ask.parameter.kind.best,
            };
            aggregation.write(ask, condition, compiled)
        }
        Shape::List {
            rows,
            columns,
            ties,
        } => list(ask, (rows, columns, ties), condition, compiled),
        Shape::Custom {
            text,
            extracted,
            columns,
            tie,
        } => {
            let text = extracted.filter(|_| ask.extract.is_some()).unwrap_or(text);
            custom(ask, text, columns, tie, condition, compiled)
        }
    }
}

/// The statement over the rows that the type is about.
fn relation(ask: &Ask<'_>, stitched: bool, text: &str) -> String {
    let rows = match ask.parameter.kind.about {
        About::People | About::Everyone if stitched => "{people}",
        About::People | About::Everyone | About::Things => "{events}",
        About::Receipt => "{received}",
    };
    let extract = ask.extract.map_or(rows, fold::relation);
    text.replace("{events}", rows).replace("{extract}", extract)
}

/// Whether rows are chosen or grouped by the person they are from, which their visitor says as well.
fn is_about_people(ask: &Ask<'_>, acts: &[bool], groups: &[&'static Field]) -> bool {
    let mut filters = ask.request.filters.iter().zip(acts);
    filters.any(|(filter, acts)| *acts && filter.field.is_profile())
        || groups.iter().any(|field| field.is_profile())
}

/// Names of the filters that do not act.
fn idle(ask: &Ask<'_>, acts: &[bool]) -> Vec<String> {
    let filters = ask.request.filters.iter().zip(acts);
    filters
        .filter(|(_, acts)| !**acts)
        .map(|(filter, _)| filter.name())
        .collect()
}

/// The order of a list of columns that sort by themselves.
fn column_order(ask: &Ask<'_>, columns: &[Column], default: &str) -> order::Ordering {
    let own = ask.parameter.kind.order;
    let (own, falls) = own.map_or((default, true), |order| (order.sql, order.descending));
    let named = ask.request.sort_by.as_deref();
    let found = columns
        .iter()
        .find(|column| column.sortable && Some(column.name) == named);
    order::Ordering {
        sql: found.map_or_else(
            || own.to_owned(),
            |column| order::expression(column.sql, column.show),
        ),
        descending: order::descending(ask.request, found.is_some(), falls),
    }
}

fn list(
    ask: &Ask<'_>,
    (rows, columns, ties): (&str, &'static [Column], &[&str]),
    condition: &Sql,
    compiled: &mut Compiled,
) -> Sql {
    let mut sql = Sql::default();
    sql.push("SELECT ");
    for (index, column) in columns.iter().enumerate() {
        if index > 0 {
            sql.push(", ");
        }
        sql.push(column.sql)
            .push(&format!(" AS \"{}\"", column.name));
        output(&mut compiled.outputs, column.name, index, column.show);
    }
    sql.push(" FROM {events} WHERE ").append(condition);
    sql.push(" AND ").push(rows);
    let ordering = column_order(ask, columns, "time");
    let ties: Vec<String> = ties.iter().map(|tie| (*tie).to_owned()).collect();
    sql.push(&ordering.clause(&ties));
    page(ask, &mut sql);
    sql
}

fn custom(
    ask: &Ask<'_>,
    text: &str,
    columns: &'static [Column],
    tie: &str,
    condition: &Sql,
    compiled: &mut Compiled,
) -> Sql {
    for (index, column) in columns.iter().enumerate() {
        output(&mut compiled.outputs, column.name, index, column.show);
    }
    let order = column_order(ask, columns, tie);
    let ordering = order.clause(&[tie.to_owned()]);
    let cuts = series::cuts(ask);
    let buckets = series::every(ask, &cuts);
    let mut sql = Sql::default();
    let mut rest = text;
    while let Some((before, marked)) = rest.split_once('{') {
        sql.push(before);
        let (mark, after) = marked.split_once('}').unwrap_or((marked, ""));
        match mark {
            "where" => sql.append(condition),
            "order" => sql.push(ordering.trim_start()),
            "page" => {
                sql.push(ordering.trim_start());
                page(ask, &mut sql);
                &mut sql
            }
            "near" => {
                let rows = near::rows(ask, &order);
                compiled.fits &= rows.is_some();
                sql.append(&rows.unwrap_or_default())
            }
            "bucket" => sql.append(&series::number(ask, &cuts)),
            "buckets" => sql.append(&series::relation(&buckets)),
            "until" => {
                let (_, to) = ask.range.within_events(ask.now_ms);
                sql.bind(Bind::Int(to.min(ask.now_ms)))
            }
            other => match marks::mark(ask, other) {
                Some(bound) => sql.append(&bound),
                None => sql.push("{").push(other).push("}"),
            },
        };
        rest = after;
    }
    sql.push(rest);
    if let Some(retention) = &ask.parameter.retention {
        compiled.finish = Finish::Cohorts(retention.clone(), buckets);
    } else if ask.parameter.kind.is_series() {
        compiled.finish = Finish::Labelled(buckets);
    }
    sql
}
