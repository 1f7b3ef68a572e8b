//! Clicks on short links, and calls of tools.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{
    Oracle,
    filter::call,
    group::{Part, series, series_and, top, total},
    question::{Question, mean, quantile, sessions},
    table::{Raw, Says, Table},
};
use crate::events::event::{Details, Event};

type Text = Option<String>;

pub(super) const ORACLES: &[Oracle] = &[
    ("link_total_clicks", |asked| {
        total(asked, asked.rows(is_click), |events| {
            Says::default().int(&["total"], events.len())
        })
    }),
    ("link_clicks_by_day", |asked| days(asked, clicks)),
    ("link_referrers_by_day", |asked| {
        days(asked, |events| {
            Says::default().int(
                &["value"],
                different(events, |event| &event.referrer_domain),
            )
        })
    }),
    ("link_countries_by_day", |asked| {
        days(asked, |events| {
            Says::default().int(&["value"], different(events, |event| &event.country))
        })
    }),
    ("link_top_referrers", |asked| {
        let key = |event: &&Event| {
            let names = &["name", "referrer", "domain"];
            vec![label(&event.referrer_domain, names, "Direct")]
        };
        top(asked, asked.rows(is_click), key, |events| {
            let source = commonest(events, |event| &event.source);
            let kind = commonest(events, |event| &event.channel);
            clicks(events)
                .with_label("source", source.as_deref(), "Direct")
                .with_label("referrer_type", kind.as_deref(), "Direct")
        })
    }),
    ("link_top_countries", |asked| {
        let key = |event: &&Event| {
            let raw = Raw::Text(event.country.clone().unwrap_or_default());
            let says = Says::default()
                .country(&["name", "country"], &raw)
                .code("country_code", &raw)
                .country(&["country_name"], &raw);
            vec![(raw, says)]
        };
        top(asked, asked.rows(is_click), key, clicks)
    }),
    ("link_top_regions", |asked| {
        places(asked, |event| &event.region)
    }),
    ("link_top_cities", |asked| {
        places(asked, |event| &event.city)
    }),
    ("link_top_devices", |asked| {
        by(asked, &["name", "device_type"], |event| &event.device_type)
    }),
    ("link_top_browsers", |asked| {
        by(asked, &["name", "browser_name"], |event| {
            &event.browser_name
        })
    }),
    ("mcp_summary", |asked| {
        total(asked, asked.rows(is_call), |events| summary(asked, events))
    }),
    ("mcp_calls_series", |asked| {
        series(
            asked,
            asked.rows(is_call),
            |event| event.time,
            |events| {
                Says::default()
                    .int(&["calls"], events.len())
                    .int(&["errors"], failed(events))
            },
        )
    }),
    ("mcp_tools", |asked| {
        top(
            asked,
            asked.rows(is_call),
            |event| vec![tool(event)],
            |events| {
                let chars: Vec<f64> = events
                    .iter()
                    .map(|event| f64::from(call(event).output_chars))
                    .collect();
                called(events)
                    .maybe("avg_output_chars", mean(&chars), 2)
                    .int(&["clients"], clients(events))
                    .int(&["sessions"], sessions(events))
                    .time("last_call", last(events))
            },
        )
        .share("calls")
    }),
    ("mcp_clients", |asked| {
        let key = |event: &&Event| vec![label(&call(event).client, &["name", "client"], "Unknown")];
        top(asked, asked.rows(is_call), key, |events| {
            called(events)
                .int(&["tools"], tools(events))
                .int(&["sessions"], sessions(events))
                .time("last_call", last(events))
        })
        .share("calls")
    }),
    ("mcp_errors", |asked| {
        let key = |event: &&Event| {
            let error = call(event).error.unwrap_or_default();
            let says = Says::default().text("error", Some(&error));
            let code = label(&call(event).error_code, &["error_code"], "Unknown");
            vec![tool(event), code, (Raw::Text(error), says)]
        };
        let rows = asked.rows(|event| is_call(event) && call(event).is_error);
        top(asked, rows, key, |events| {
            Says::default()
                .int(&["count"], events.len())
                .int(&["clients"], clients(events))
                .time("last_seen", last(events))
        })
        .share("count")
    }),
];

pub(super) fn is_click(event: &Event) -> bool {
    event.details == Details::Click
}

fn is_call(event: &Event) -> bool {
    matches!(event.details, Details::Call(_))
}

fn clicks(events: &[&Event]) -> Says {
    Says::default().int(&["clicks"], events.len())
}

fn days(asked: &Question<'_>, say: fn(&[&Event]) -> Says) -> Table {
    let rows = asked.rows(is_click);
    series_and(asked, rows, |event| event.time, |_| Vec::new(), say)
}

fn label(text: &Text, names: &[&'static str], nothing: &str) -> Part {
    let raw = Raw::Text(text.clone().unwrap_or_default());
    let says = Says::default().label(names, &raw, nothing);
    (raw, says)
}

fn by(asked: &Question<'_>, names: &'static [&'static str], of: fn(&Event) -> &Text) -> Table {
    let key = |event: &&Event| vec![label(of(event), names, "Unknown")];
    top(asked, asked.rows(is_click), key, clicks)
}

fn places(asked: &Question<'_>, of: fn(&Event) -> &Text) -> Table {
    let key = |event: &&Event| {
        let raw = Raw::Text(event.country.clone().unwrap_or_default());
        let says = Says::default()
            .country(&["country"], &raw)
            .code("country_code", &raw)
            .country(&["country_name"], &raw);
        vec![label(of(event), &["name"], "Unknown"), (raw, says)]
    };
    top(asked, asked.rows(is_click), key, clicks)
}

/// Different texts that are not empty, in the order of the alphabet.
fn texts(events: &[&Event], of: impl Fn(&Event) -> Text) -> Vec<String> {
    let texts = events.iter().filter_map(|event| of(event));
    let texts: BTreeSet<String> = texts.filter(|text| !text.is_empty()).collect();
    texts.into_iter().collect()
}

fn different(events: &[&Event], of: fn(&Event) -> &Text) -> usize {
    texts(events, |event| of(event).clone()).len()
}

fn clients(events: &[&Event]) -> usize {
    texts(events, |event| call(event).client).len()
}

/// The most frequent text that is not empty; of equally frequent ones the smallest.
fn commonest(events: &[&Event], of: fn(&Event) -> &Text) -> Text {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for event in events {
        if let Some(text) = of(event).as_deref().filter(|text| !text.is_empty()) {
            *counts.entry(text).or_default() += 1;
        }
    }
    let most = counts.values().copied().max()?;
    let first = counts.into_iter().find(|(_, count)| *count == most);
    first.map(|(text, _)| text.to_owned())
}

fn tool(event: &Event) -> Part {
    let says = Says::default()
        .text("name", Some(&event.name))
        .text("tool", Some(&event.name));
    (Raw::text(event.name.clone()), says)
}

fn failed(events: &[&Event]) -> usize {
    events.iter().filter(|event| call(event).is_error).count()
}

fn tools(events: &[&Event]) -> usize {
    let names: BTreeSet<&str> = events.iter().map(|event| event.name.as_str()).collect();
    names.len()
}

fn last(events: &[&Event]) -> Option<i64> {
    events.iter().map(|event| event.time).max()
}

/// How many calls, how many of them failed, and how long they took.
fn called(events: &[&Event]) -> Says {
    let durations: Vec<f64> = events
        .iter()
        .map(|event| f64::from(call(event).duration_ms))
        .collect();
    let all = events.len() as f64;
    let rate = (all > 0.0).then(|| 100.0 * failed(events) as f64 / all);
    Says::default()
        .int(&["calls"], events.len())
        .int(&["errors"], failed(events))
        .float("error_rate", rate, 2)
        .maybe("p50_ms", quantile(&durations, 0.5), 2)
        .maybe("p95_ms", quantile(&durations, 0.95), 2)
}

fn summary(asked: &Question<'_>, events: &[&Event]) -> Says {
    let websites: BTreeSet<i64> = events.iter().map(|event| event.website).collect();
    let id = |number: &i64| {
        let mut known = asked.target.websites.iter();
        let found = known.find(|(key, _)| key.0 == *number);
        found.map_or(Value::Null, |(_, id)| json!(id.as_str()))
    };
    let websites: Vec<Value> = websites
        .iter()
        .filter(|number| **number != 0)
        .map(id)
        .collect();
    let servers = texts(events, |event| call(event).server_name);
    let environments = texts(events, |event| call(event).environment);
    called(events)
        .int(&["tools"], tools(events))
        .int(&["clients"], clients(events))
        .int(&["sessions"], sessions(events))
        .value("servers", json!(servers))
        .value("environments", json!(environments))
        .value("websites", websites)
        .time("last_call", last(events))
        .value("tracked", !events.is_empty())
}
