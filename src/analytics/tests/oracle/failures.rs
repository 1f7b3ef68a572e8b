//! JavaScript errors.

use std::collections::BTreeSet;

use super::{
    Oracle,
    group::{Part, series, series_and, top, total},
    question::{Question, distinct, page, visitors},
    table::{Line, Order, Raw, Says, Table, Way},
    views::{label, path},
};
use crate::events::event::{Details, Event, Failure};

pub(super) const ORACLES: &[Oracle] = &[
    ("recent_errors", recent),
    ("error_summary", |asked| {
        let rows = asked.rows(|event| is_error(event) || page(event).is_some());
        total(asked, rows, |events| {
            let errors: Vec<&Event> = events
                .iter()
                .copied()
                .filter(|event| is_error(event))
                .collect();
            let types: BTreeSet<&str> = errors.iter().map(|event| event.name.as_str()).collect();
            let broken = distinct(errors.iter().map(|event| event.session));
            let all = distinct(events.iter().map(|event| event.session));
            Says::default()
                .int(&["totalErrors"], errors.len())
                .int(&["uniqueErrorTypes"], types.len())
                .int(&["affectedUsers"], visitors(&errors))
                .int(&["affectedSessions"], broken)
                .float(
                    "errorRate",
                    (all > 0).then(|| 100.0 * broken as f64 / all as f64),
                    2,
                )
        })
    }),
    ("error_types", |asked| {
        top(
            asked,
            asked.rows(is_error),
            |event| vec![words(event)],
            |events| {
                let browsers = events
                    .iter()
                    .filter_map(|event| event.browser_name.as_deref());
                let pages = events.iter().map(|event| event.path.as_str());
                let first = events.iter().map(|event| event.time).min();
                counted(events)
                    .time("first_seen", first)
                    .int(&["browsers"], different(browsers))
                    .int(&["pages"], different(pages))
            },
        )
    }),
    ("errors_by_browser", |asked| {
        let key = |event: &&Event| {
            let names = ["name", "browser_name"];
            vec![label(&event.browser_name, &names, "Unknown")]
        };
        top(asked, asked.rows(is_error), key, numbered)
    }),
    ("error_trends_by_message", |asked| {
        series_and(
            asked,
            asked.rows(is_error),
            |event| event.time,
            |event| vec![words(event)],
            |events| Says::default().int(&["count"], events.len()),
        )
    }),
    ("errors_by_type", |asked| {
        let key = |event: &&Event| {
            let raw = Raw::text(event.name.clone());
            let says = Says::default().label(&["name", "error_type"], &raw, "Error");
            vec![(raw, says)] as Vec<Part>
        };
        top(asked, asked.rows(is_error), key, counted)
    }),
    ("errors_by_page", |asked| {
        top(
            asked,
            asked.rows(is_error),
            |event| vec![path(event)],
            numbered,
        )
    }),
    ("error_trends", |asked| {
        series(asked, asked.rows(is_error), |event| event.time, numbered)
    }),
    ("error_frequency", |asked| {
        series(
            asked,
            asked.rows(is_error),
            |event| event.time,
            |events| Says::default().int(&["count"], events.len()),
        )
    }),
    ("error_chart_data", |asked| {
        series(
            asked,
            asked.rows(is_error),
            |event| event.time,
            |events| {
                Says::default()
                    .int(&["totalErrors"], events.len())
                    .int(&["affectedUsers"], visitors(events))
            },
        )
    }),
];

fn failure(event: &Event) -> Option<&Failure> {
    match &event.details {
        Details::Error(failure) => Some(failure),
        _ => None,
    }
}

fn is_error(event: &Event) -> bool {
    failure(event).is_some()
}

fn words(event: &Event) -> Part {
    let raw = Raw::text(failure(event).unwrap().message.clone());
    let says = Says::default().label(&["name"], &raw, "Unknown");
    (raw, says)
}

/// How many different texts there are beside the empty one.
fn different<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    let texts: BTreeSet<&str> = texts.filter(|text| !text.is_empty()).collect();
    texts.len()
}

fn counted(events: &[&Event]) -> Says {
    Says::default()
        .int(&["count"], events.len())
        .int(&["users"], visitors(events))
        .time("last_seen", events.iter().map(|event| event.time).max())
}

fn numbered(events: &[&Event]) -> Says {
    Says::default()
        .int(&["errors"], events.len())
        .int(&["users"], visitors(events))
}

fn recent(asked: &Question<'_>) -> Table {
    let rows = asked.rows(is_error).into_iter();
    let lines = rows.map(|event| {
        let failure = failure(event).unwrap();
        let whole =
            |says: Says, name, number: Option<u32>| says.maybe(name, number.map(f64::from), 0);
        let says = Says::default()
            .time("timestamp", Some(event.time))
            .text("error_type", Some(&event.name))
            .text("message", Some(&failure.message))
            .text("stack", failure.stack.as_deref())
            .text("filename", failure.filename.as_deref());
        let says = whole(says, "lineno", failure.line);
        let says = whole(says, "colno", failure.column)
            .text("path", Some(&event.path))
            .hash("anonymous_id", event.visitor)
            .hash("session_id", event.session)
            .text("browser_name", event.browser_name.as_deref())
            .text("browser_version", event.browser_version.as_deref())
            .text("os_name", event.os_name.as_deref())
            .text("device_type", event.device_type.as_deref())
            .with_country("country", "country_code", event.country.as_deref());
        Line {
            keys: vec![Raw::Int(event.received)],
            says,
        }
    });
    Table {
        lines: lines.collect(),
        order: Order::Column("timestamp", Way::Down),
    }
}
