//! Types over a fold: keys, measures, share, order.

use super::{
    Ask, Compiled, Finish, Output, fold, order,
    plan::{output, page},
    series,
};
use crate::analytics::{
    catalogue::{By, Field, Fold, Key, Measure, Show, Values},
    dialect::Sql,
    range::Bucket,
};

/// A type over a fold, with the fields it is grouped by on top of its own keys.
pub(super) struct Measured {
    pub(super) fold: Fold,
    pub(super) by: By,
    pub(super) measures: &'static [Measure],
    pub(super) keep: Option<&'static str>,
    pub(super) share: bool,
    pub(super) groups: Vec<&'static Field>,
}

impl Measured {
    /// The statement; columns and finish go to `compiled`.
    pub(super) fn write(&self, ask: &Ask<'_>, condition: &Sql, compiled: &mut Compiled) -> Sql {
        let cuts = series::cuts(ask);
        let timed = matches!(self.by, By::Time);
        let mut keys = Vec::new();
        let outputs = &mut compiled.outputs;
        if timed {
            keys.push(series::number(ask, &cuts));
            output(outputs, "date", 0, Show::Date);
        }
        if let By::Keys(own) = self.by {
            for key in own {
                own_key(&mut keys, outputs, key);
            }
        }
        let range_date = outputs.len();
        for field in &self.groups {
            group_key(&mut keys, outputs, field);
        }
        for (index, measure) in self.measures.iter().enumerate() {
            for name in measure.names {
                output(outputs, name, keys.len() + index, measure.show);
            }
        }
        if self.share {
            let source = keys.len() + self.measures.len();
            output(outputs, "percentage", source, Show::Float(2));
        }
        let mut sql = self.select(keys.len());
        fold::write(&mut sql, &self.fold, &keys, condition);
        sql.push(") rows");
        if let Some(keep) = self.keep {
            sql.push(" WHERE ").push(keep);
        }
        if timed && self.groups.is_empty() {
            cut(ask, series::every(ask, &cuts), compiled);
            return sql;
        }
        if matches!(self.by, By::Range) {
            // Shown from the range itself, not from a column.
            let date = Output {
                name: "date",
                source: usize::MAX,
                show: Show::Date,
            };
            compiled.outputs.insert(range_date, date);
        }
        if timed {
            compiled.finish = Finish::Labelled(series::every(ask, &cuts));
        }
        if !keys.is_empty() {
            self.page(ask, &compiled.outputs, keys.len(), &mut sql);
        }
        sql
    }

    /// `SELECT k0, …, <measures> FROM (`
    fn select(&self, keys: usize) -> Sql {
        let mut columns: Vec<String> = (0..keys).map(|index| format!("k{index}")).collect();
        for measure in self.measures {
            let name = measure.names[0];
            columns.push(match measure.show {
                Show::Int => format!("CAST({} AS BIGINT) AS \"{name}\"", measure.sql),
                Show::Float(decimals) | Show::MaybeFloat(decimals) => {
                    format!("round({}, {decimals}) AS \"{name}\"", measure.sql)
                }
                _ => format!("{} AS \"{name}\"", measure.sql),
            });
        }
        if let (true, Some(first)) = (self.share, self.measures.first()) {
            columns.push(format!(
                "round(100.0 * {0} / nullif(sum({0}) OVER (), 0), 2) AS percentage",
                first.sql
            ));
        }
        let mut sql = Sql::default();
        sql.push("SELECT ")
            .push(&columns.join(", "))
            .push(" FROM (");
        sql
    }

    fn ordering(&self, ask: &Ask<'_>, outputs: &[Output], keys: usize) -> order::Ordering {
        let asked = order::asked(ask, outputs).filter(|output| output.source != usize::MAX);
        if let Some(output) = asked {
            let column = match output.source.checked_sub(keys) {
                None => format!("k{}", output.source),
                Some(index) => match self.measures.get(index) {
                    Some(measure) => format!("\"{}\"", measure.names[0]),
                    None => "percentage".to_owned(),
                },
            };
            return order::Ordering {
                sql: order::expression(&column, output.show),
                descending: order::descending(ask.request, true, true),
            };
        }
        let (sql, falls) = match (self.by, ask.parameter.kind.order) {
            (By::Time, _) => ("k0".to_owned(), false),
            // An alias shown by a key is no column of the statement.
            (_, Some(own)) => match outputs.iter().find(|output| output.name == own.sql) {
                Some(output) if output.source < keys => {
                    (format!("k{}", output.source), own.descending)
                }
                _ => (own.sql.to_owned(), own.descending),
            },
            (_, None) => {
                let first = self
                    .measures
                    .first()
                    .map_or("k0", |measure| measure.names[0]);
                (format!("\"{first}\""), true)
            }
        };
        order::Ordering {
            sql,
            descending: order::descending(ask.request, false, falls),
        }
    }

    fn page(&self, ask: &Ask<'_>, outputs: &[Output], keys: usize, sql: &mut Sql) {
        let ties: Vec<String> = (0..keys).map(|index| format!("k{index}")).collect();
        let ordering = self.ordering(ask, outputs, keys);
        sql.push(&ordering.clause(&ties));
        page(ask, sql);
    }
}

/// A series is cut before it is asked for: the statement only sees the buckets of the page.
fn cut(ask: &Ask<'_>, all: Vec<Bucket>, compiled: &mut Compiled) {
    let asked = order::asked(ask, &compiled.outputs).filter(|output| output.source > 0);
    let named = ask.request.sort_by.as_deref() == Some("date");
    let (buckets, sort) = if let Some(output) = asked {
        let sort = series::SeriesSort::Column {
            source: output.source,
            descending: order::descending(ask.request, true, true),
            offset: ask.request.offset as usize,
            limit: ask.request.limit as usize,
        };
        (all, sort)
    } else {
        let descending = order::descending(ask.request, named, false);
        let buckets = series::page(ask, all, descending);
        (buckets, series::SeriesSort::Time { descending })
    };
    let scope = &mut compiled.statement.scope;
    scope.from = buckets.first().map_or(scope.to, |bucket| bucket.start);
    scope.to = buckets.last().map_or(scope.to, |bucket| bucket.end);
    compiled.finish = Finish::Series(series::Series {
        buckets,
        sort,
        now_ms: ask.now_ms,
    });
}

fn own_key(keys: &mut Vec<Sql>, outputs: &mut Vec<Output>, key: &Key) {
    let mut sql = Sql::default();
    sql.push(key.sql);
    let source = position(keys, sql);
    for (name, show) in key.shown {
        output(outputs, name, source, *show);
    }
}

fn group_key(keys: &mut Vec<Sql>, outputs: &mut Vec<Output>, field: &Field) {
    let column = field.columns[0];
    let mut sql = Sql::default();
    let plain = matches!(field.values, Values::Identity | Values::Website)
        || matches!(column, "path" | "name");
    if plain {
        sql.push(column);
    } else {
        sql.push(&format!("coalesce({column}, '')"));
    }
    let source = position(keys, sql);
    let show = match field.values {
        Values::Source => Show::Label("Direct"),
        Values::Identity => Show::Hash,
        Values::Website => Show::Website,
        Values::Country => Show::CountryName,
        Values::Text | Values::Path | Values::PropertyKey => Show::Label("Unknown"),
    };
    output(outputs, field.name, source, show);
    if field.values == Values::Country {
        output(outputs, "country_code", source, Show::CountryCode);
    }
}

/// The place of a key among the others; equal keys share one.
fn position(keys: &mut Vec<Sql>, key: Sql) -> usize {
    keys.iter()
        .position(|known| *known == key)
        .unwrap_or_else(|| {
            keys.push(key);
            keys.len() - 1
        })
}
