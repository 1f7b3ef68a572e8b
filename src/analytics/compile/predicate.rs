//! One filter as a condition on columns that hold its field's values.

use super::{Ask, visits::signals};
use crate::{
    analytics::{
        catalogue::{Field, Values, country_code, country_codes},
        dialect::Sql,
        request::{Filter, Op},
    },
    events::{enrich::bot::Signals, event::identity, statement::Bind},
};

fn reasons(filter: &Filter) -> Sql {
    let named = filter.values.iter().filter_map(|name| Signals::named(name));
    let mut sql = Sql::default();
    sql.push(if filter.op.is_negative() { "NOT " } else { "" });
    sql.push("(")
        .append(&signals(named.fold(0, |bits, bit| bits | bit)))
        .push(")");
    sql
}

/// A filter over columns that hold its field's values; `None` when the operator says nothing about such values.
pub(super) fn predicate(ask: &Ask<'_>, filter: &Filter, columns: &[Sql]) -> Option<Sql> {
    let (field, op) = (filter.field, filter.op);
    let exact = matches!(op, Op::Eq | Op::Ne | Op::In | Op::NotIn);
    match field.values {
        Values::Identity if exact => Some(hashes(filter)),
        Values::Website if exact => Some(websites(ask, filter)),
        Values::PropertyKey if exact => Some(property_keys(filter)),
        Values::Signal if exact => Some(reasons(filter)),
        Values::Identity | Values::Website | Values::PropertyKey | Values::Signal => None,
        Values::Setting => Some(Sql::new("true")),
        Values::Trait => Some(profiles(columns, filter)),
        Values::Country => Some(texts(
            columns,
            op.is_negative(),
            &countries(op, &filter.values),
        )),
        Values::Text | Values::Source | Values::Path if exact => Some(texts(
            columns,
            op.is_negative(),
            &normalised(field, &filter.values),
        )),
        Values::Text | Values::Source | Values::Path => Some(pieces(filter, columns)),
    }
}

/// Profiles that have a trait: the filter's values by now.
fn profiles(columns: &[Sql], filter: &Filter) -> Sql {
    if filter.values.is_empty() {
        return Sql::new(if filter.op.is_negative() {
            "true"
        } else {
            "false"
        });
    }
    texts(columns, filter.op.is_negative(), &filter.values)
}

/// Callers write what rows show; rows store it plainly.
fn normalised(field: &Field, values: &[String]) -> Vec<String> {
    let mut stored: Vec<String> = values.to_vec();
    for value in &mut stored {
        if field.values == Values::Path && value.len() > 1 {
            value.truncate(value.trim_end_matches('/').len().max(1));
        }
    }
    let (shown, nothing): (_, &[&str]) = match field.values {
        // Events say of their channel that they came directly.
        Values::Source => ("Direct", &["", "direct"]),
        _ => ("Unknown", &[""]),
    };
    if values.iter().any(|value| value.eq_ignore_ascii_case(shown)) {
        stored.extend(nothing.iter().map(|nothing| (*nothing).to_owned()));
    }
    stored
}

fn countries(op: Op, values: &[String]) -> Vec<String> {
    let found = |value: &String| match op {
        Op::Contains | Op::NotContains => country_codes(|text| text.contains(value.as_str())),
        Op::StartsWith => country_codes(|text| text.starts_with(value.as_str())),
        Op::EndsWith => country_codes(|text| text.ends_with(value.as_str())),
        Op::Eq | Op::Ne | Op::In | Op::NotIn if value.eq_ignore_ascii_case("Unknown") => vec![""],
        Op::Eq | Op::Ne | Op::In | Op::NotIn => country_code(value).into_iter().collect(),
    };
    let mut codes: Vec<String> = values.iter().flat_map(found).map(str::to_owned).collect();
    if codes.is_empty() {
        // No row has this code.
        codes.push("?".to_owned());
    }
    codes
}

fn texts(columns: &[Sql], negative: bool, values: &[String]) -> Sql {
    let with_empty = negative || values.iter().any(String::is_empty);
    any_or_all(columns, negative, |column| {
        let mut sql = column_text(column, with_empty);
        let binds = values.iter().map(|value| Bind::Text(value.clone()));
        within(&mut sql, negative, binds.collect());
        sql
    })
}

/// A condition on any of these columns, or on all of them if it is negative.
fn any_or_all(columns: &[Sql], negative: bool, condition: impl Fn(&Sql) -> Sql) -> Sql {
    let separator = if negative { " AND " } else { " OR " };
    let mut sql = Sql::new("(");
    sql.join(separator, columns.iter().map(condition)).push(")");
    sql
}

/// A condition on a property that the caller sent; what is no text is compared as JSON writes it.
pub(super) fn property(key: &str, op: Op, values: &[String]) -> Sql {
    let mut sql = Sql::new(if op.is_negative() { "(NOT " } else { "(" });
    let text = |sql: &mut Sql| {
        sql.push("coalesce(property_text(properties, ");
        sql.bind(Bind::Text(key.to_owned())).push("), '')");
    };
    let Some(function) = function(op) else {
        text(&mut sql);
        let binds = values.iter().map(|value| Bind::Text(value.clone()));
        within(&mut sql, false, binds.collect());
        sql.push(")");
        return sql;
    };
    sql.push(function).push("(");
    text(&mut sql);
    sql.push(", ").bind(Bind::Text(values.concat())).push("))");
    sql
}

/// How a piece of a text is looked for.
fn function(op: Op) -> Option<&'static str> {
    match op {
        Op::StartsWith => Some("starts_with"),
        Op::EndsWith => Some("ends_with"),
        Op::Contains | Op::NotContains => Some("contains"),
        Op::Eq | Op::Ne | Op::In | Op::NotIn => None,
    }
}

fn pieces(filter: &Filter, columns: &[Sql]) -> Sql {
    let negative = filter.op.is_negative();
    let function = function(filter.op).unwrap_or("contains");
    any_or_all(columns, negative, |column| {
        let mut sql = Sql::new(if negative { "NOT " } else { "" });
        sql.push(function).push("(");
        sql.append(&column_text(column, true)).push(", ");
        sql.bind(Bind::Text(filter.values.concat())).push(")");
        sql
    })
}

/// A hash matches by the original text, or by the 16 hex digits that rows show.
fn hashes(filter: &Filter) -> Sql {
    let mut binds = Vec::new();
    for value in &filter.values {
        binds.push(Bind::Hash(identity(value)));
        let hex = value.len() == 16 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
        if let (true, Ok(shown)) = (hex, u64::from_str_radix(value, 16)) {
            binds.push(Bind::Hash(shown));
        }
    }
    let mut sql = Sql::default();
    sql.push(filter.field.columns[0]);
    within(&mut sql, filter.op.is_negative(), binds);
    sql
}

fn websites(ask: &Ask<'_>, filter: &Filter) -> Sql {
    let numbers = filter.values.iter().map(|value| {
        let mut known = ask.target.websites.iter();
        let found = known.find(|(_, id)| id.as_str() == value);
        // No website has this number.
        Bind::Int(found.map_or(i64::MIN, |(key, _)| key.0))
    });
    let mut sql = Sql::default();
    sql.push(filter.field.columns[0]);
    within(&mut sql, filter.op.is_negative(), numbers.collect());
    sql
}

fn property_keys(filter: &Filter) -> Sql {
    let mut sql = Sql::default();
    sql.push(if filter.op.is_negative() { "NOT " } else { "" });
    sql.push("has_property(")
        .push(filter.field.columns[0])
        .push(", [");
    let values = filter.values.iter().map(|value| Bind::Text(value.clone()));
    list(&mut sql, values.collect());
    sql.push("])");
    sql
}

fn column_text(column: &Sql, with_empty: bool) -> Sql {
    if !with_empty {
        return column.clone();
    }
    let mut sql = Sql::new("coalesce(");
    sql.append(column).push(", '')");
    sql
}

fn within(sql: &mut Sql, negative: bool, binds: Vec<Bind>) {
    sql.push(if negative { " NOT IN (" } else { " IN (" });
    list(sql, binds);
    sql.push(")");
}

/// As many placeholders as the next power of two, the last value repeated: few texts for many lengths.
fn list(sql: &mut Sql, mut binds: Vec<Bind>) {
    if let Some(last) = binds.last().cloned() {
        binds.resize(binds.len().next_power_of_two(), last);
    }
    for (index, bind) in binds.into_iter().enumerate() {
        if index > 0 {
            sql.push(", ");
        }
        sql.bind(bind);
    }
}
