//! The caller's own events, and links that lead away.

use std::collections::BTreeSet;

use super::{
    Oracle,
    filter::outgoing,
    group::{Part, series, series_and, top, total},
    question::{Question, is_custom, sessions, visitors},
    table::{Line, Order, Raw, Says, Table, Way},
    views::path,
};
use crate::events::event::Event;

pub(super) const ORACLES: &[Oracle] = &[
    ("custom_events", |asked| {
        top(
            asked,
            asked.rows(is_custom),
            |event| vec![name(event)],
            |events| {
                let described = |event: &&&Event| {
                    let text = event.properties.as_deref().unwrap_or_default();
                    !["", "{}", "null"].contains(&text)
                };
                users(events)
                    .time(
                        "last_occurrence",
                        events.iter().map(|event| event.time).max(),
                    )
                    .time(
                        "first_occurrence",
                        events.iter().map(|event| event.time).min(),
                    )
                    .int(
                        &["events_with_properties"],
                        events.iter().filter(described).count(),
                    )
            },
        )
        .share("total_events")
    }),
    ("realtime_events", |asked| {
        top(
            asked,
            asked.rows(is_custom),
            |event| vec![name(event)],
            |events| {
                Says::default()
                    .int(&["total_events"], events.len())
                    .int(&["unique_users"], visitors(events))
                    .time(
                        "last_occurrence",
                        events.iter().map(|event| event.time).max(),
                    )
            },
        )
        .share("total_events")
    }),
    ("custom_events_summary", |asked| {
        total(asked, asked.rows(is_custom), all)
    }),
    ("custom_events_trends", |asked| {
        series(asked, asked.rows(is_custom), |event| event.time, all)
    }),
    ("custom_events_trends_by_event", |asked| {
        let key = |event: &&Event| {
            let raw = Raw::text(event.name.clone());
            let says = Says::default().text("event_name", Some(&event.name));
            vec![(raw, says)]
        };
        series_and(asked, asked.rows(is_custom), |event| event.time, key, users)
    }),
    ("custom_events_by_path", |asked| {
        top(
            asked,
            asked.rows(is_custom),
            |event| vec![path(event)],
            |events| {
                Says::default()
                    .int(&["total_events"], events.len())
                    .int(&["unique_event_types"], names(events))
                    .int(&["unique_users"], visitors(events))
                    .int(&["unique_sessions"], sessions(events))
            },
        )
        .share("total_events")
    }),
    ("custom_events_recent", recent),
    ("outbound_links", |asked| {
        let key = |event: &&Event| {
            let (href, text) = outgoing(event);
            let (href, text) = (Raw::text(href), Raw::text(text));
            let shown = Says::default().text("href", Some(href.as_text()));
            let words = Says::default().label(&["text"], &text, "");
            vec![(href, shown), (text, words)]
        };
        top(asked, asked.rows(is_sane), key, |events| {
            Says::default()
                .int(&["total_clicks"], events.len())
                .int(&["unique_users"], visitors(events))
                .int(&["unique_sessions"], sessions(events))
                .time("last_clicked", events.iter().map(|event| event.time).max())
        })
        .share("total_clicks")
    }),
    ("outbound_domains", |asked| {
        let key = |event: &&Event| {
            let raw = Raw::Text(domain(outgoing(event).0));
            let says = Says::default().label(&["domain"], &raw, "Unknown");
            vec![(raw, says)]
        };
        top(asked, asked.rows(is_sane), key, |events| {
            let links: BTreeSet<&str> = events.iter().map(|event| outgoing(event).0).collect();
            Says::default()
                .int(&["total_clicks"], events.len())
                .int(&["unique_users"], visitors(events))
                .int(&["unique_links"], links.len())
        })
        .share("total_clicks")
    }),
];

fn name(event: &Event) -> Part {
    let raw = Raw::text(event.name.clone());
    let says = Says::default()
        .text("name", Some(&event.name))
        .text("event_name", Some(&event.name));
    (raw, says)
}

fn names(events: &[&Event]) -> usize {
    let names: BTreeSet<&str> = events.iter().map(|event| event.name.as_str()).collect();
    names.len()
}

fn users(events: &[&Event]) -> Says {
    Says::default()
        .int(&["total_events"], events.len())
        .int(&["unique_users"], visitors(events))
        .int(&["unique_sessions"], sessions(events))
}

fn all(events: &[&Event]) -> Says {
    let paths = events.iter().map(|event| event.path.as_str());
    let paths: BTreeSet<&str> = paths.filter(|path| !path.is_empty()).collect();
    users(events)
        .int(&["unique_event_types"], names(events))
        .int(&["unique_pages"], paths.len())
}

fn recent(asked: &Question<'_>) -> Table {
    let lines = asked.rows(is_custom).into_iter().map(|event| Line {
        keys: vec![Raw::Int(event.received)],
        says: Says::default()
            .time("timestamp", Some(event.time))
            .text("event_name", Some(&event.name))
            .text("path", Some(&event.path))
            .json("properties", event.properties.as_deref())
            .text("namespace", event.namespace.as_deref())
            .text("source", event.sender.as_deref())
            .hash("anonymous_id", event.visitor)
            .hash("session_id", event.session)
            .text("profile_id", asked.profile(event).as_deref()),
    });
    Table {
        lines: lines.collect(),
        order: Order::Column("timestamp", Way::Down),
    }
}

/// Addresses that are some, with texts that are some.
fn is_sane(event: &Event) -> bool {
    let (href, text) = outgoing(event);
    let broken = ["undefined", "null"];
    href.starts_with("http")
        && href.contains('.')
        && href.chars().count() > 7
        && !broken.iter().any(|word| href.contains(word))
        && !broken.contains(&text)
}

/// The host without `www.`, lower case.
fn domain(href: &str) -> String {
    let Ok(url) = url::Url::parse(href) else {
        return String::new();
    };
    let host = url.host_str().unwrap_or_default().to_lowercase();
    host.strip_prefix("www.").unwrap_or(&host).to_owned()
}
