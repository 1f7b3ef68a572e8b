//! Types over a fold: keys, measures, share, order.

use super::{
    Ask, Compiled, Finish, Output, attribution, fold, order,
    select::{output, page},
    series,
};
use crate::{
    analytics::{
        catalogue::{BaseAggregate, By, Field, From, Key, Measure, Show, Values},
        dialect::{Dialect, Sql},
        range::{Bucket, Segment},
    },
    events::statement::Bind,
};

/// A type over a fold, with the fields it is grouped by on top of its own keys.
pub(super) struct Aggregation {
    pub(super) fold: BaseAggregate,
    pub(super) by: By,
    pub(super) measures: &'static [Measure],
    pub(super) keep: Option<&'static str>,
    pub(super) share: Option<&'static str>,
    pub(super) groups: Vec<&'static Field>,
    /// So many keys make the whole of a share ([`QueryType::within`](crate::analytics::catalogue::QueryType::within)).
    pub(super) within: usize,
    /// So many rows of each whole are kept; 0 = all.
    pub(super) best: usize,
}

impl Aggregation {
    /// The statement; columns and finish go to `compiled`.
    pub(super) fn write(&self, ask: &Ask<'_>, condition: &Sql, compiled: &mut Compiled) -> Sql {
        let cuts = series::cuts(ask);
        let timed = matches!(self.by, By::Time | By::TimeAnd(_));
        let filled = matches!(self.by, By::Time) && self.groups.is_empty();
        let mut by = fold::Grouping {
            condition: condition.clone(),
            extract: ask.extract,
            attribution: Some(attribution::columns(ask))
                .filter(|columns| !columns.is_empty())
                .map(|columns| attribution::join(ask, &columns)),
            sums_sessions: ask.dialect == Dialect::DuckDb,
            ..fold::Grouping::default()
        };
        self.keys(ask, &cuts, &mut by, &mut compiled.outputs);
        if filled {
            cut(ask, series::every(ask, &cuts), &mut by.condition, compiled);
        } else if timed {
            compiled.finish = Finish::Labelled(series::every(ask, &cuts));
        }
        let mut sql = self.select(by.keys.len());
        fold::write(&mut sql, &self.fold, &by);
        sql.push(") rows");
        if let Some(keep) = self.keep {
            sql.push(" WHERE ").push(keep);
        }
        if self.best > 0 {
            sql.push(&self.best(by.keys.len()));
        }
        if filled {
            return sql;
        }
        if !by.keys.is_empty() {
            self.order(ask, &compiled.outputs, by.keys.len(), &mut sql);
        }
        page(ask, &mut sql);
        sql
    }

    /// What rows are grouped by, and the columns of the answer.
    fn keys(
        &self,
        ask: &Ask<'_>,
        cuts: &[Segment],
        by: &mut fold::Grouping,
        outputs: &mut Vec<Output>,
    ) {
        let made = matches!(self.fold.from, From::Each(_));
        let keys = &mut by.keys;
        match self.by {
            By::Time | By::TimeAnd(_) => {
                let number = series::number(ask, cuts);
                keys.push(if made {
                    by.bucket = Some(number);
                    Sql::new(fold::BUCKET)
                } else {
                    number
                });
                output(outputs, "date", 0, Show::Date);
            }
            // Shown from the range itself, not from a column.
            By::Range => output(outputs, "date", usize::MAX, Show::Date),
            By::Nothing | By::Keys(_) => {}
        }
        if let By::Keys(own) | By::TimeAnd(own) = self.by {
            for key in own {
                own_key(keys, outputs, key);
            }
        }
        for field in &self.groups {
            let mut sql = field_key(ask, field);
            if made {
                let name = format!("g{}", by.carried.len());
                by.carried.push((name.clone(), sql));
                sql = Sql::new(&name);
            }
            group_key(keys, outputs, field, sql);
        }
        for (index, measure) in self.measures.iter().enumerate() {
            for name in measure.names() {
                output(outputs, name, keys.len() + index, measure.show);
            }
        }
        if let Some(share) = self.share {
            let source = keys.len() + self.measures.len();
            output(outputs, share, source, Show::Float(2));
        }
    }

    /// `SELECT k0, …, <measures> FROM (`
    fn select(&self, keys: usize) -> Sql {
        let mut columns = fold::key_names(0..keys);
        for measure in self.measures {
            let name = measure.name;
            columns.push(match measure.show {
                Show::Int => format!("CAST({} AS BIGINT) AS \"{name}\"", measure.sql),
                Show::Float(decimals) => {
                    format!(
                        "coalesce(round({}, {decimals}), 0) AS \"{name}\"",
                        measure.sql
                    )
                }
                Show::MaybeFloat(decimals) => {
                    format!("round({}, {decimals}) AS \"{name}\"", measure.sql)
                }
                _ => format!("{} AS \"{name}\"", measure.sql),
            });
        }
        if let (Some(share), Some(first)) = (self.share, self.measures.first()) {
            columns.push(format!(
                "round(100.0 * {0} / nullif(sum({0}) OVER ({1}), 0), 2) AS {share}",
                first.sql,
                self.whole()
            ));
        }
        let mut sql = Sql::default();
        sql.push("SELECT ")
            .push(&columns.join(", "))
            .push(" FROM (");
        sql
    }

    /// The rows that make a whole.
    fn whole(&self) -> String {
        match self.within {
            0 => String::new(),
            keys => format!("PARTITION BY {}", fold::key_names(0..keys).join(", ")),
        }
    }

    /// The condition that leaves the best rows of each whole.
    fn best(&self, keys: usize) -> String {
        let first = self.measures.first().map_or("k0", |measure| measure.sql);
        let ties = fold::key_names(self.within..keys);
        format!(
            " QUALIFY row_number() OVER ({} ORDER BY {first} DESC, {}) <= {}",
            self.whole(),
            ties.join(", "),
            self.best
        )
    }

    fn ordering(&self, ask: &Ask<'_>, outputs: &[Output], keys: usize) -> order::Ordering {
        let asked =
            order::find_sorting_output(ask, outputs).filter(|output| output.source != usize::MAX);
        if let Some(output) = asked {
            let column = match output.source.checked_sub(keys) {
                None => format!("k{}", output.source),
                Some(index) => match self.measures.get(index) {
                    Some(measure) => format!("\"{}\"", measure.name),
                    None => self.share.unwrap_or_default().to_owned(),
                },
            };
            return order::Ordering {
                sql: order::expression(&column, output.show),
                descending: order::descending(ask.request, true, true),
            };
        }
        let (sql, falls) = match (self.by, ask.parameter.kind.order) {
            (By::Time | By::TimeAnd(_), _) => ("k0".to_owned(), false),
            // An alias shown by a key is no column of the statement.
            (_, Some(own)) => match outputs.iter().find(|output| output.name == own.sql) {
                Some(output) if output.source < keys => {
                    (format!("k{}", output.source), own.descending)
                }
                _ => (own.sql.to_owned(), own.descending),
            },
            (_, None) => {
                let first = self.measures.first();
                let first = first.map_or("k0", |measure| measure.name);
                (format!("\"{first}\""), true)
            }
        };
        order::Ordering {
            sql,
            descending: order::descending(ask.request, false, falls),
        }
    }

    fn order(&self, ask: &Ask<'_>, outputs: &[Output], keys: usize, sql: &mut Sql) {
        let ordering = self.ordering(ask, outputs, keys);
        sql.push(&ordering.clause(&fold::key_names(0..keys)));
    }
}

/// A series is cut before it is asked for: the statement only sees the buckets of the page, or (where what it says of
/// them depends on the rest of the range) only counts them.
fn cut(ask: &Ask<'_>, all: Vec<Bucket>, condition: &mut Sql, compiled: &mut Compiled) {
    let asked =
        order::find_sorting_output(ask, &compiled.outputs).filter(|output| output.source > 0);
    let named = ask.request.sort_by.as_deref() == Some("date");
    let by = asked.map(|output| series::SortColumn {
        source: output.source,
        unknown_last: !matches!(output.show, Show::Int | Show::Float(_)),
    });
    let descending = order::descending(ask.request, named || by.is_some(), by.is_some());
    let (buckets, offset) = match by {
        Some(_) => (all, ask.parameter.offset as usize),
        None => series::page(ask, all, descending),
    };
    let sort = series::SeriesSort {
        by,
        descending,
        offset,
        limit: ask.parameter.limit as usize,
    };
    let scope = &mut compiled.statement.scope;
    let from = buckets.first().map_or(scope.to, |bucket| bucket.start);
    let to = buckets.last().map_or(scope.to, |bucket| bucket.end);
    if !compiled.entire {
        (scope.from, scope.to) = (from, to);
    } else if (scope.from, scope.to) != (from, to) {
        condition.push(" AND time >= ").bind(Bind::Int(from));
        condition.push(" AND time < ").bind(Bind::Int(to));
    }
    compiled.finish = Finish::Series(series::Series {
        buckets,
        sort,
        now_ms: ask.now_ms,
    });
}

fn own_key(keys: &mut Vec<Sql>, outputs: &mut Vec<Output>, key: &Key) {
    let source = position(keys, Sql::new(key.sql));
    for (name, show) in key.shown {
        output(outputs, name, source, *show);
    }
}

/// What a field is grouped by; never null.
fn field_key(ask: &Ask<'_>, field: &Field) -> Sql {
    let column = field.columns[0];
    if attribution::is_asked_by(ask, field) {
        return Sql::new(&attribution::session_column(column));
    }
    let plain = matches!(field.values, Values::Identity | Values::Website)
        || matches!(column, "path" | "name");
    if plain {
        Sql::new(column)
    } else {
        Sql::new(&format!("coalesce({column}, '')"))
    }
}

fn group_key(keys: &mut Vec<Sql>, outputs: &mut Vec<Output>, field: &Field, sql: Sql) {
    let source = position(keys, sql);
    let show = match field.values {
        Values::Source => Show::Label("Direct"),
        Values::Identity => Show::Hash,
        Values::Website => Show::Website,
        Values::Country => Show::CountryName,
        Values::Text
        | Values::Path
        | Values::PropertyKey
        | Values::Signal
        | Values::Trait
        | Values::Setting => Show::Label("Unknown"),
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
