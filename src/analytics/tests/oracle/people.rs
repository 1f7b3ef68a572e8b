//! People: profiles, and visitors without a known profile.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{
    Oracle,
    filter::spent,
    question::{Question, distinct, earliest, is_activity, is_view, latest},
    table::{Line, Order, Raw, Says, Table, Way},
    visits::list_with,
};
use crate::events::event::Event;

pub(super) const ORACLES: &[Oracle] = &[
    ("profile_list", |asked| list(asked, |_| Says::default())),
    ("profile_detail", |asked| {
        list(asked, |events| {
            let views = events.iter().filter(|event| is_view(event)).count();
            let spent: f64 = events.iter().filter_map(|event| spent(event)).sum();
            Says::default()
                .int(&["pageviews"], views)
                .float("total_duration", Some(spent), 2)
        })
    }),
    ("profile_sessions", |asked| {
        let who = |event: &Event| {
            Says::default()
                .text("profile_id", asked.person(event).as_deref())
                .value("display_name", Value::Null)
                .value("traits", json!({}))
        };
        list_with(asked, who).ordered("first_visit", Way::Down)
    }),
];

/// A profile, or a visitor alone.
pub(super) type PersonId = (String, u64);

/// The people behind some events, with theirs.
pub(super) fn people<'a>(
    asked: &Question<'a>,
    events: &[&'a Event],
) -> BTreeMap<PersonId, Vec<&'a Event>> {
    let mut people: BTreeMap<PersonId, Vec<&Event>> = BTreeMap::new();
    for event in events {
        let who = match asked.person(event) {
            Some(profile) => (profile, 0),
            None if event.visitor == 0 => continue,
            None => (String::new(), event.visitor),
        };
        people.entry(who).or_default().push(event);
    }
    people
}

fn list(asked: &Question<'_>, more: impl Fn(&[&Event]) -> Says) -> Table {
    let people = people(asked, &asked.rows(is_activity));
    let lines = people.into_iter().map(|((profile, _), events)| {
        let views = || events.iter().filter(|event| is_view(event));
        let pages: BTreeSet<&str> = views().map(|event| event.path.as_str()).collect();
        let known = |of: fn(&Event) -> &Option<String>| latest(&events, |event| of(event).clone());
        // The visitor that was seen last.
        let visitor = latest(&events, |event| {
            (event.visitor != 0).then_some(event.visitor)
        });
        let code = known(|event| &event.country);
        let referrer = earliest(&events, |event| event.referrer.clone());
        let says = Says::default()
            .with_hash("visitor_id", visitor)
            .text("profile_id", Some(profile.as_str()))
            .value("display_name", Value::Null)
            .value("email", Value::Null)
            .time("first_visit", events.iter().map(|event| event.time).min())
            .time("last_visit", events.iter().map(|event| event.time).max())
            .int(
                &["session_count"],
                distinct(views().map(|event| event.session)),
            )
            .int(&["total_events"], events.len())
            .int(&["unique_pages"], pages.len())
            .with_country("country", "country_code", code.as_deref())
            .with_label("region", known(|event| &event.region).as_deref(), "Unknown")
            .with_label("city", known(|event| &event.city).as_deref(), "Unknown")
            .with_label(
                "device_type",
                known(|event| &event.device_type).as_deref(),
                "Unknown",
            )
            .with_label(
                "browser_name",
                known(|event| &event.browser_name).as_deref(),
                "Unknown",
            )
            .with_label(
                "os_name",
                known(|event| &event.os_name).as_deref(),
                "Unknown",
            )
            .with_label("referrer", referrer.as_deref(), "Direct")
            .value("traits", json!({}))
            .and(more(&events));
        // No visitor comes last.
        let visitor = visitor.map_or(Raw::text("~"), |id| Raw::Text(format!("{id:020}")));
        Line {
            keys: vec![visitor, Raw::Text(profile)],
            says,
        }
    });
    Table {
        lines: lines.collect(),
        order: Order::Column("last_visit", Way::Down),
    }
}
