//! What became of everything that was received.

use super::{
    Oracle,
    group::{Part, series, top, whole},
    table::{Raw, Says},
};
use crate::events::event::{Bot, Details, Event, Trust};

pub(super) const ORACLES: &[Oracle] = &[
    ("data_quality", |asked| {
        series(
            asked,
            asked.received(counts),
            |event| event.received,
            balance,
        )
    }),
    ("data_quality_totals", |asked| {
        whole(asked, asked.received(counts), balance)
    }),
    ("data_quality_reasons", |asked| {
        let key = |event: &&Event| {
            let name = reason(event);
            let says = Says::default()
                .text("name", Some(name))
                .text("reason", Some(name));
            vec![(Raw::text(name), says)] as Vec<Part>
        };
        top(asked, asked.received(counts), key, |events| {
            Says::default()
                .int(&["events"], sum(events, |_| true))
                .time("first_seen", events.iter().map(|event| first(event)).min())
                .time("last_seen", events.iter().map(|event| event.received).max())
        })
        .share("events")
    }),
    ("blocked_traffic", |asked| {
        let rows = asked.received(|event| counter(event).is_some() && is_block(event));
        let key = |event: &&Event| {
            let origin = Raw::text(event.host.clone().unwrap_or_default());
            let shown = Says::default().label(&["origin"], &origin, "(none)");
            let why = Says::default().text("reason", Some(&event.name));
            vec![(origin, shown), (Raw::text(event.name.clone()), why)]
        };
        top(asked, rows, key, |events| {
            Says::default()
                .int(&["count"], sum(events, |_| true))
                .time("first_seen", events.iter().map(|event| event.time).min())
                .time("last_seen", events.iter().map(|event| event.received).max())
        })
        .share("count")
    }),
];

fn counter(event: &Event) -> Option<usize> {
    match event.details {
        Details::Counter { count } => Some(count as usize),
        _ => None,
    }
}

/// Events that were sent to us, and counters of those that are not stored.
fn counts(event: &Event) -> bool {
    !matches!(event.details, Details::Click | Details::Check(_))
}

/// When the first of the counted events came.
fn first(event: &Event) -> i64 {
    counter(event).map_or(event.received, |_| event.time)
}

fn is_block(event: &Event) -> bool {
    [
        "origin_missing",
        "origin_not_authorized",
        "ip_not_authorized",
    ]
    .contains(&event.name.as_str())
}

fn reason(event: &Event) -> &str {
    counter(event).map_or("stored", |_| event.name.as_str())
}

fn sum(events: &[&Event], which: impl Fn(&Event) -> bool) -> usize {
    let these = events.iter().filter(|event| which(event));
    these.map(|event| counter(event).unwrap_or(1)).sum()
}

fn balance(events: &[&Event]) -> Says {
    let stored: Vec<&&Event> = events
        .iter()
        .filter(|event| counter(event).is_none())
        .collect();
    let of = |names: &[&str]| {
        sum(events, |event| {
            counter(event).is_some() && names.contains(&event.name.as_str())
        })
    };
    let received = sum(events, |_| true);
    let excluded = sum(events, |event| {
        counter(event).is_some() && event.name.starts_with("excluded_")
    });
    let limited = of(&["rate_limited", "quota_exceeded"]);
    let failed = of(&["unavailable", "internal_error"]);
    let harmless = of(&["duplicate", "bot", "opted_out"]) + excluded;
    let refused = received - stored.len() - harmless;
    Says::default()
        .int(&["received"], received)
        .int(&["stored"], stored.len())
        .int(&["duplicates"], of(&["duplicate"]))
        .int(&["bots"], of(&["bot"]))
        .int(&["opted_out"], of(&["opted_out"]))
        .int(&["excluded"], excluded)
        .int(&["rejected"], refused - limited - failed)
        .int(&["rate_limited"], limited)
        .int(&["unavailable"], failed)
        .int(
            &["suspected_bots"],
            stored
                .iter()
                .filter(|event| event.bot == Bot::Suspected)
                .count(),
        )
        .int(
            &["sent_with_key"],
            stored
                .iter()
                .filter(|event| event.trust == Trust::Key)
                .count(),
        )
        .float(
            "rejected_rate",
            (received > 0).then(|| 100.0 * refused as f64 / received as f64),
            2,
        )
}
