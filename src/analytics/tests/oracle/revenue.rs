//! What custom events are worth.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    Oracle,
    group::{Part, series_and, top},
    properties::named,
    question::{Question, is_custom},
    sources,
    table::{Line, Order, Raw, Says, Table, Way},
};
use crate::events::event::Event;

pub(super) const ORACLES: &[Oracle] = &[
    ("revenue_overview", |asked| {
        top(
            asked,
            paid(asked),
            |event| vec![currency(event)],
            |events| {
                let attributed: Vec<&Event> = events
                    .iter()
                    .copied()
                    .filter(|event| event.session != 0)
                    .collect();
                says(asked, events)
                    .float("attributed_revenue", Some(gross(&attributed)), 2)
                    .int(&["attributed_transactions"], sales(&attributed))
            },
        )
    }),
    ("revenue_time_series", |asked| {
        series_and(
            asked,
            paid(asked),
            |event| event.time,
            |event| vec![currency(event)],
            |events| says(asked, events),
        )
    }),
    ("revenue_by_event", |asked| by(asked, named)),
    ("revenue_by_product", |asked| {
        by(asked, |event| {
            let raw = Raw::Text(property(event, "product"));
            let says = Says::default().label(&["name"], &raw, "Unknown");
            (raw.clone(), says.text("product", Some(raw.as_text())))
        })
    }),
    ("revenue_by_country", |asked| {
        by(asked, |event| {
            let raw = Raw::Text(event.country.clone().unwrap_or_default());
            let says = Says::default().country(&["name"], &raw);
            (raw.clone(), says.code("country_code", &raw))
        })
    }),
    ("revenue_by_referrer", |asked| {
        attributed(asked, ["name", "referrer"], "Direct", |event| {
            sources::domain(asked, event)
        })
    }),
    ("revenue_by_utm_source", |asked| {
        attributed(asked, ["name", "utm_source"], "(none)", |event| {
            sources::source(asked, event, |one| &one.utm.source)
        })
    }),
    ("revenue_by_utm_medium", |asked| {
        attributed(asked, ["name", "utm_medium"], "(none)", |event| {
            sources::source(asked, event, |one| &one.utm.medium)
        })
    }),
    ("revenue_by_utm_campaign", |asked| {
        attributed(asked, ["name", "utm_campaign"], "(none)", |event| {
            sources::source(asked, event, |one| &one.utm.campaign)
        })
    }),
    ("recent_transactions", recent),
];

/// What a property says: a text as it is, anything else as JSON writes it; nothing for null.
pub(super) fn property(event: &Event, key: &str) -> String {
    let text = event.properties.as_deref().unwrap_or_default();
    let object: Value = serde_json::from_str(text).unwrap_or_default();
    match object.get(key) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// Digits, perhaps with a sign before and a fraction behind them.
fn number(text: &str) -> Option<f64> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let plain = text.strip_prefix('-').unwrap_or(text);
    let plain = match plain.split_once('.') {
        Some((whole, part)) => digits(whole) && digits(part),
        None => digits(plain),
    };
    plain.then(|| text.parse().unwrap())
}

/// In ten thousandths.
pub(super) fn worth(event: &Event) -> Option<i64> {
    let number = number(&property(event, "revenue"))?;
    (number.abs() < 1e12).then(|| (number * 10_000.0).round() as i64)
}

fn paid<'a>(asked: &Question<'a>) -> Vec<&'a Event> {
    asked.rows(|event| is_custom(event) && worth(event).is_some())
}

fn currency(event: &Event) -> Part {
    let raw = Raw::Text(property(event, "currency").to_uppercase());
    let says = Says::default().text("currency", Some(raw.as_text()));
    (raw, says)
}

fn by(asked: &Question<'_>, key: impl Fn(&Event) -> Part) -> Table {
    top(
        asked,
        paid(asked),
        |event| vec![key(event), currency(event)],
        |events| says(asked, events),
    )
}

/// By where the visit came from.
fn attributed(
    asked: &Question<'_>,
    names: [&'static str; 2],
    nothing: &str,
    of: impl Fn(&Event) -> String,
) -> Table {
    by(asked, |event| {
        let raw = Raw::Text(of(event));
        let says = Says::default().label(&names, &raw, nothing);
        (raw, says)
    })
}

fn amounts<'a>(events: &'a [&Event]) -> impl Iterator<Item = i64> + 'a {
    events.iter().filter_map(|event| worth(event))
}

fn gross(events: &[&Event]) -> f64 {
    amounts(events).filter(|worth| *worth >= 0).sum::<i64>() as f64 / 10_000.0
}

fn sales(events: &[&Event]) -> usize {
    amounts(events).filter(|worth| *worth >= 0).count()
}

fn says(asked: &Question<'_>, events: &[&Event]) -> Says {
    let (gross, sales) = (gross(events), sales(events));
    let back = -amounts(events).filter(|worth| *worth < 0).sum::<i64>() as f64 / 10_000.0;
    let who = |event: &&Event| {
        let profile = asked.profile(event).filter(|profile| !profile.is_empty());
        let visitor = (profile.is_none() && event.visitor != 0).then_some(event.visitor);
        (profile.is_some() || visitor.is_some()).then_some((profile, visitor))
    };
    let customers: BTreeSet<_> = events.iter().filter_map(who).collect();
    Says::default()
        .float("total_revenue", Some(gross), 2)
        .float("net_revenue", Some(gross - back), 2)
        .int(&["total_transactions"], sales)
        .float("refund_amount", Some(back), 2)
        .int(&["refund_count"], events.len() - sales)
        .int(&["unique_customers"], customers.len())
        .float(
            "average_transaction",
            (sales > 0).then(|| gross / sales as f64),
            2,
        )
}

fn recent(asked: &Question<'_>) -> Table {
    let sold = |event: &Event| is_custom(event) && number(&property(event, "revenue")).is_some();
    let lines = asked.rows(sold).into_iter().map(|event| {
        let says = Says::default()
            .time("timestamp", Some(event.time))
            .text("event_name", Some(&event.name))
            .maybe("amount", number(&property(event, "revenue")), 2)
            .text(
                "currency",
                Some(&property(event, "currency").to_uppercase()),
            )
            .text("product", Some(&property(event, "product")))
            .text("path", Some(&event.path))
            .hash("anonymous_id", event.visitor)
            .hash("session_id", event.session)
            .text("profile_id", asked.profile(event).as_deref());
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
