//! Puts items into groups and lets each group say something.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    question::{Bucket, Item, Question},
    table::{Line, Order, Raw, Says, Table, Way},
};
use crate::{analytics::catalogue::Field, events::event::Event};

/// A part of a key: what is compared, and what is shown of it.
pub(super) type Part = (Raw, Says);

/// Lines per combination of keys (and of the fields that the request groups by).
pub(super) fn top<T: Item>(
    asked: &Question<'_>,
    items: Vec<T>,
    key: impl Fn(&T) -> Vec<Part>,
    say: impl Fn(&[T]) -> Says,
) -> Table {
    let lines = lines(asked, items, key, say);
    let first = lines
        .first()
        .and_then(|(first, line)| Some(line.says.0.get(*first)?.name));
    Table {
        lines: lines.into_iter().map(|(_, line)| line).collect(),
        order: first.map_or(Order::Keys, |name| Order::Column(name, Way::Down)),
    }
}

/// One line, however many items there are; with groups, one per combination that occurs.
pub(super) fn total<T: Item>(
    asked: &Question<'_>,
    items: Vec<T>,
    say: impl Fn(&[T]) -> Says,
) -> Table {
    if asked.groups().is_empty() {
        let line = Line {
            keys: Vec::new(),
            says: say(&items),
        };
        return Table {
            lines: vec![line],
            order: Order::Keys,
        };
    }
    top(asked, items, |_| Vec::new(), say)
}

/// Like [`total`], with the first date of the range.
pub(super) fn whole<T: Item>(
    asked: &Question<'_>,
    items: Vec<T>,
    say: impl Fn(&[T]) -> Says,
) -> Table {
    let mut table = total(asked, items, say);
    for line in &mut table.lines {
        let date = asked.range.first.to_string();
        let says = Says::default().value("date", json!(date));
        line.says = says.and(std::mem::take(&mut line.says));
    }
    table
}

/// A line for every bucket up to now; with groups, for every combination that occurs.
pub(super) fn series(
    asked: &Question<'_>,
    events: Vec<&Event>,
    time: fn(&Event) -> i64,
    say: impl Fn(&[&Event]) -> Says,
) -> Table {
    if !asked.groups().is_empty() {
        return series_and(asked, events, |event| time(event), |_| Vec::new(), say);
    }
    let buckets = asked.buckets();
    let mut lists: Vec<Vec<&Event>> = buckets.iter().map(|_| Vec::new()).collect();
    for event in events {
        lists[asked.bucket(&buckets, time(event))].push(event);
    }
    let lines = buckets.iter().zip(&lists).enumerate();
    let lines = lines
        .filter(|(_, (bucket, list))| bucket.start <= asked.now || !list.is_empty())
        .map(|(index, (bucket, list))| Line {
            keys: vec![Raw::Int(index as i64)],
            says: date(index, bucket).and(say(list)),
        });
    Table {
        lines: lines.collect(),
        order: Order::Keys,
    }
}

/// A line for every bucket and combination that occurs.
pub(super) fn series_and<T: Item>(
    asked: &Question<'_>,
    items: Vec<T>,
    time: impl Fn(&T) -> i64,
    key: impl Fn(&T) -> Vec<Part>,
    say: impl Fn(&[T]) -> Says,
) -> Table {
    let buckets = asked.buckets();
    let keyed = |item: &T| {
        let index = asked.bucket(&buckets, time(item));
        let mut parts = vec![(Raw::Int(index as i64), date(index, &buckets[index]))];
        parts.extend(key(item));
        parts
    };
    let lines = lines(asked, items, keyed, say);
    Table {
        lines: lines.into_iter().map(|(_, line)| line).collect(),
        order: Order::Keys,
    }
}

fn date(index: usize, bucket: &Bucket) -> Says {
    bucket.says("date", index)
}

/// Each line behind the number of its cells that belong to keys.
fn lines<T: Item>(
    asked: &Question<'_>,
    items: Vec<T>,
    key: impl Fn(&T) -> Vec<Part>,
    say: impl Fn(&[T]) -> Says,
) -> Vec<(usize, Line)> {
    let mut groups: BTreeMap<String, (Vec<Part>, Vec<T>)> = BTreeMap::new();
    for item in items {
        let mut parts = key(&item);
        for field in asked.groups() {
            let raw = item.raw(asked, field);
            let shown = show_group(asked, field, &raw);
            parts.push((raw, shown));
        }
        let raws: Vec<&Raw> = parts.iter().map(|(raw, _)| raw).collect();
        let entry = groups.entry(format!("{raws:?}"));
        entry.or_insert_with(|| (parts, Vec::new())).1.push(item);
    }
    let made = groups.into_values().map(|(parts, items)| {
        let keys = parts.iter().map(|(raw, _)| raw.clone()).collect();
        let mut says = Says::default();
        for (_, shown) in parts {
            says = says.and(shown);
        }
        let first = says.0.len();
        let says = says.and(say(&items));
        (first, Line { keys, says })
    });
    made.collect()
}

/// How a field that rows are grouped by is shown.
fn show_group(asked: &Question<'_>, field: &Field, raw: &Raw) -> Says {
    let says = Says::default();
    let name = field.name;
    match name {
        "referrer" | "source" | "channel" => says.label(&[name], raw, "Direct"),
        "country" => says.country(&[name], raw).code("country_code", raw),
        "anonymous_id" | "session_id" => says.hash(name, raw.as_text().parse().unwrap()),
        "website_id" => {
            let websites = asked.target.websites.iter();
            let mut found = websites.filter(|(key, _)| Raw::Int(key.0) == *raw);
            let id = found.next().map(|(_, id)| id.as_str().to_owned());
            let mut says = says.value(name, id.map_or(Value::Null, Value::String));
            says.0[0].raw = Some(raw.clone());
            says
        }
        _ => says.label(&[name], raw, "Unknown"),
    }
}
