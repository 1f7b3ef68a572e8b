//! Properties of the caller's own events.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{
    Oracle,
    filter::{passes_key, property_keys},
    group::{Part, series_and, top},
    question::{Item, Question, is_custom, visitors},
    table::{Raw, Says, Table},
};
use crate::{analytics::catalogue::Field, events::event::Event};

pub(super) const ORACLES: &[Oracle] = &[
    ("custom_event_properties", |asked| {
        table(asked, &[name, key, value], counted).share("count")
    }),
    ("custom_event_property_keys", |asked| {
        table(asked, &[key], |all| {
            let names: BTreeSet<&str> = all.iter().map(|one| one.event.name.as_str()).collect();
            Says::default()
                .int(&["total_events"], all.len())
                .int(&["unique_event_types"], names.len())
                .int(&["unique_values"], values(all))
                .int(&["unique_users"], count_visitors(all))
                .time("last_occurrence", last(all))
        })
    }),
    ("custom_events_property_classification", |asked| {
        table(asked, &[name, key], classified)
    }),
    ("custom_events_property_cardinality", |asked| {
        table(asked, &[name, key], |all| {
            Says::default()
                .int(&["unique_values", "cardinality"], values(all))
                .int(&["total_events"], all.len())
                .int(&["unique_users"], count_visitors(all))
        })
    }),
    ("custom_events_property_distribution", |asked| {
        shared(table(asked, &[name, key, value], counted))
    }),
    ("custom_events_property_top_values", |asked| {
        let table = table(asked, &[name, key, value], |all| {
            counted(all).time("last_occurrence", last(all))
        });
        best(shared(table))
    }),
    ("custom_events_discovery", |asked| {
        let key = |event: &&Event| vec![named(event)];
        top(asked, asked.rows(is_custom), key, |events| {
            let times = || events.iter().map(|event| event.time);
            let keys = events.iter().flat_map(|event| property_keys(event));
            let keys: BTreeSet<String> = keys.collect();
            Says::default()
                .int(&["total_events"], events.len())
                .int(&["unique_users"], visitors(events))
                .time("last_occurrence", times().max())
                .time("first_occurrence", times().min())
                .value("property_keys", json!(keys))
        })
    }),
    ("flag_evaluations", |asked| {
        let key = |one: &Property<'_>| vec![flag(one)];
        top(asked, reports(asked), key, |all| {
            let known = all.iter().filter_map(|one| one.event.profile.as_deref());
            let known: BTreeSet<&str> = known.filter(|id| !id.is_empty()).collect();
            Says::default()
                .int(&["evaluations"], all.len())
                .int(&["evaluated_users"], count_visitors(all))
                .int(&["identified_users"], known.len())
                .time("last_evaluated", last(all))
        })
    }),
    ("flag_evaluations_by_variant", |asked| {
        let key = |one: &Property<'_>| vec![flag(one), variant(one)];
        series_and(
            asked,
            reports(asked),
            |one| one.event.time,
            key,
            |all| {
                Says::default()
                    .int(&["evaluations"], all.len())
                    .int(&["evaluated_users"], count_visitors(all))
            },
        )
    }),
];

/// The flag of every report of pages.
fn reports<'a>(asked: &Question<'a>) -> Vec<Property<'a>> {
    let mut all = all(asked);
    all.retain(|one| one.event.name == "$flag_evaluated" && one.key == "flag");
    all
}

fn flag(one: &Property<'_>) -> Part {
    let (raw, _) = value(one);
    let says = Says::default().label(&["flag"], &raw, "");
    (raw, says)
}

/// The variant of a report, or else its value.
fn variant(one: &Property<'_>) -> Part {
    let whole = one.event.properties.as_deref().unwrap_or("{}");
    let whole: Value = serde_json::from_str(whole).unwrap();
    let text = |name: &str| match &whole[name] {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    let named = text("variant").filter(|text| !text.is_empty());
    let raw = Raw::Text(named.or_else(|| text("value")).unwrap_or_default());
    let says = Says::default().label(&["variant"], &raw, "Unknown");
    (raw, says)
}

/// A property of an event.
struct Property<'a> {
    event: &'a Event,
    key: String,
    value: Value,
}

impl Item for Property<'_> {
    fn raw(&self, asked: &Question<'_>, field: &Field) -> Raw {
        self.event.raw(asked, field)
    }
}

fn all<'a>(asked: &Question<'a>) -> Vec<Property<'a>> {
    let mut list = Vec::new();
    for event in asked.rows(is_custom) {
        let text = event.properties.as_deref().unwrap_or("{}");
        if let Ok(Value::Object(object)) = serde_json::from_str(text) {
            let each = object.into_iter();
            list.extend(each.map(|(key, value)| Property { event, key, value }));
        }
    }
    list.retain(|property| passes_key(asked, &property.key));
    list
}

type Key = fn(&Property<'_>) -> Part;

fn table(asked: &Question<'_>, keys: &[Key], say: fn(&[Property<'_>]) -> Says) -> Table {
    let key = |property: &Property<'_>| keys.iter().map(|key| key(property)).collect();
    top(asked, all(asked), key, say)
}

pub(super) fn named(event: &Event) -> Part {
    let says = Says::default()
        .text("name", Some(&event.name))
        .text("event_name", Some(&event.name));
    (Raw::text(event.name.clone()), says)
}

fn name(property: &Property<'_>) -> Part {
    named(property.event)
}

fn key(property: &Property<'_>) -> Part {
    let raw = Raw::text(property.key.clone());
    let says = Says::default().label(&["property_key"], &raw, "");
    (raw, says)
}

fn value(property: &Property<'_>) -> Part {
    let text = match &property.value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let raw = Raw::Text(text);
    let says = Says::default().label(&["property_value"], &raw, "");
    (raw, says)
}

fn last(all: &[Property<'_>]) -> Option<i64> {
    all.iter().map(|one| one.event.time).max()
}

fn count_visitors(all: &[Property<'_>]) -> usize {
    let ids: BTreeSet<u64> = all.iter().map(|one| one.event.visitor).collect();
    ids.iter().filter(|id| **id != 0).count()
}

fn values(all: &[Property<'_>]) -> usize {
    let values: BTreeSet<String> = all.iter().map(|one| one.value.to_string()).collect();
    values.len()
}

fn counted(all: &[Property<'_>]) -> Says {
    Says::default()
        .int(&["count"], all.len())
        .int(&["unique_users"], count_visitors(all))
}

fn classified(all: &[Property<'_>]) -> Says {
    const CLASSES: &[&str] = &[
        "empty", "boolean", "number", "category", "text", "object", "mixed",
    ];
    let count = |is: fn(&Value) -> bool| all.iter().filter(|one| is(&one.value)).count();
    let (texts, truths) = (count(Value::is_string), count(Value::is_boolean));
    let (nothings, numbers) = (count(Value::is_null), count(Value::is_number));
    let nested = count(|value| value.is_object() || value.is_array());
    let only = |some: usize| some + nothings == all.len();
    let class = if only(0) {
        0
    } else if only(truths) {
        1
    } else if only(numbers) {
        2
    } else if only(texts) {
        if values(all) <= 20 { 3 } else { 4 }
    } else if only(nested) {
        5
    } else {
        6
    };
    Says::default()
        .int(&["total_events"], all.len())
        .int(&["unique_values"], values(all))
        .pick("classification", CLASSES, class)
        .int(&["text_values"], texts)
        .int(&["number_values"], numbers)
        .int(&["boolean_values"], truths)
        .int(&["null_values"], nothings)
        .int(&["nested_values"], nested)
}

fn event_count(says: &Says) -> f64 {
    let cell = says.0.iter().find(|cell| cell.name == "count").unwrap();
    cell.shown.as_f64().unwrap()
}

fn whole(keys: &[Raw]) -> String {
    format!("{:?}", &keys[..2])
}

/// Each line's share of the events that have its property.
fn shared(mut table: Table) -> Table {
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for line in &table.lines {
        *sums.entry(whole(&line.keys)).or_default() += event_count(&line.says);
    }
    for line in &mut table.lines {
        let share = 100.0 * event_count(&line.says) / sums[&whole(&line.keys)];
        line.says = std::mem::take(&mut line.says).float("percentage", Some(share), 2);
    }
    table
}

/// The ten most frequent values of each property; of equally frequent ones the smallest.
fn best(mut table: Table) -> Table {
    table.lines.sort_by(|a, b| {
        let more = event_count(&b.says).total_cmp(&event_count(&a.says));
        more.then_with(|| a.keys[2].compare(&b.keys[2]))
    });
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    table.lines.retain(|line| {
        let place = seen.entry(whole(&line.keys)).or_default();
        *place += 1;
        *place <= 10
    });
    table
}
