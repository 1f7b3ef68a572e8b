//! The definitions, computed the slow and obvious way.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{NOW, rows, seed::page, store::Bare};
use crate::{
    analytics::range::zone::{date_of, offset_ms},
    events::event::{Bot, Details, Event, Page},
};

fn round(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

/// Interpolated between neighbours.
fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    let place = q * last as f64;
    let (low, high) = (
        sorted[place.floor() as usize],
        sorted[place.ceil() as usize],
    );
    low + (high - low) * place.fract()
}

fn is_view(event: &Event) -> bool {
    event.name == "screen_view" && matches!(event.details, Details::Page(_))
}

#[derive(Debug, PartialEq)]
struct Totals {
    pageviews: u64,
    visitors: u64,
    sessions: u64,
    bounce_rate: f64,
    median: f64,
    total_events: u64,
}

fn totals<'a>(events: impl Iterator<Item = &'a Event>) -> Totals {
    let counted = |event: &&Event| {
        event.bot == Bot::No
            && matches!(
                event.details,
                Details::Page(_) | Details::Custom | Details::Outgoing { .. }
            )
    };
    let events: Vec<&Event> = events.filter(counted).collect();
    let views: Vec<&&Event> = events.iter().filter(|event| is_view(event)).collect();
    let visitors: BTreeSet<u64> = views
        .iter()
        .map(|event| event.visitor)
        .filter(|id| *id != 0)
        .collect();
    let sessions: BTreeSet<u64> = views
        .iter()
        .map(|event| event.session)
        .filter(|id| *id != 0)
        .collect();
    let mut durations = Vec::new();
    let mut bounces = 0;
    for session in &sessions {
        let of = || events.iter().filter(|event| event.session == *session);
        let duration: f64 = of()
            .filter(|event| event.name == "page_exit")
            .filter_map(|event| match &event.details {
                Details::Page(page) => page.time_on_page.filter(|spent| *spent > 0.0),
                _ => None,
            })
            .map(f64::from)
            .sum();
        let quiet = of().all(|event| {
            matches!(event.details, Details::Page(_))
                && ["screen_view", "page_exit"].contains(&event.name.as_str())
        });
        let once = of().filter(|event| is_view(event)).count() == 1;
        bounces += usize::from(once && duration < 10.0 && quiet);
        durations.push(duration);
    }
    Totals {
        pageviews: views.len() as u64,
        visitors: visitors.len() as u64,
        sessions: sessions.len() as u64,
        bounce_rate: round(100.0 * bounces as f64 / sessions.len().max(1) as f64),
        median: round(quantile(&durations, 0.5)),
        total_events: events.len() as u64,
    }
}

fn read(row: &Value) -> Totals {
    let whole = |name: &str| row[name].as_u64().unwrap();
    assert_eq!(row["visitors"], row["unique_visitors"]);
    Totals {
        pageviews: whole("pageviews"),
        visitors: whole("visitors"),
        sessions: whole("sessions"),
        bounce_rate: row["bounce_rate"].as_f64().unwrap(),
        median: row["median_session_duration"].as_f64().unwrap(),
        total_events: whole("total_events"),
    }
}

fn event() -> impl Strategy<Value = Event> {
    let names = prop_oneof![
        4 => Just("screen_view"), 2 => Just("page_exit"), 1 => Just("button_click")
    ];
    let details = prop_oneof![
        8 => proptest::option::of(0..20_u16).prop_map(|spent| Details::Page(Page {
            time_on_page: spent.map(f32::from), ..Page::default()
        })),
        1 => Just(Details::Custom),
        1 => Just(Details::Outgoing { href: "https://a.io".into(), text: String::new() }),
        2 => (0..500_u32).prop_map(|value| Details::Vital { value: f64::from(value) / 8.0 }),
    ];
    let path = prop_oneof![Just("/"), Just("/a"), Just("/ä?")];
    (
        0..4 * 86_400_000_i64,
        names,
        0..4_u64,
        0..6_u64,
        path,
        details,
        0..10_u8,
    )
        .prop_map(|(ago, name, visitor, session, path, details, bot)| Event {
            bot: if bot == 0 { Bot::Suspected } else { Bot::No },
            details,
            ..page(NOW - ago, name, visitor, session, path)
        })
}

pub(super) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(future)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn answers_agree_with_the_definitions(events in proptest::collection::vec(event(), 0..80)) {
        let store = Bare::new(&events);
        block_on(async {
            check_totals(&store, &events).await;
            check_series(&store, &events, chrono_tz::Asia::Kathmandu).await;
            check_pages(&store, &events).await;
            check_vitals(&store, &events).await;
        });
    }
}

async fn check_totals(store: &Bare, events: &[Event]) {
    let wanted = totals(events.iter());
    let row = &rows(store, "summary_totals", json!({})).await[0];
    assert_eq!(read(row), wanted);
    assert_eq!(row["date"], json!("2025-06-06"));
    let row = &rows(store, "session_metrics", json!({})).await[0];
    assert_eq!(row["total_sessions"], json!(wanted.sessions));
    assert_eq!(row["total_events"], json!(wanted.total_events));
    assert!((row["bounce_rate"].as_f64().unwrap() - wanted.bounce_rate).abs() < 1e-9);
    assert!((row["median_session_duration"].as_f64().unwrap() - wanted.median).abs() < 1e-9);
}

/// A bucket's row says what the totals of that bucket alone would say.
async fn check_series(store: &Bare, events: &[Event], zone: chrono_tz::Tz) {
    let days = rows(store, "summary_metrics", json!({"timeZone": zone.name()})).await;
    assert_eq!(days.len(), 7);
    for row in days {
        let date = row["date"].as_str().unwrap();
        let of = events
            .iter()
            .filter(|event| date_of(event.time, zone).to_string() == date);
        assert_eq!(read(&row), totals(of), "{date}");
    }
    let more = json!({"timeZone": zone.name(), "granularity": "hour"});
    for row in rows(store, "summary_metrics", more).await {
        let hour = row["date"].as_str().unwrap();
        let of = events.iter().filter(|event| {
            let local = event.time + offset_ms(event.time, zone);
            let local = chrono::DateTime::from_timestamp_millis(local).unwrap();
            local.format("%Y-%m-%d %H:00:00").to_string() == hour
        });
        assert_eq!(read(&row), totals(of), "{hour}");
    }
}

async fn check_pages(store: &Bare, events: &[Event]) {
    let mut pages: BTreeMap<&str, (u64, BTreeSet<u64>)> = BTreeMap::new();
    for event in events
        .iter()
        .filter(|event| is_view(event) && event.bot == Bot::No)
    {
        let entry = pages.entry(&event.path).or_default();
        entry.0 += 1;
        entry.1.extend(Some(event.visitor).filter(|id| *id != 0));
    }
    let all: u64 = pages.values().map(|page| page.0).sum();
    let mut wanted: Vec<_> = pages
        .into_iter()
        .map(|(path, (views, visitors))| {
            (
                path.to_owned(),
                views,
                visitors.len() as u64,
                round(100.0 * views as f64 / all as f64),
            )
        })
        .collect();
    wanted.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let got: Vec<_> = rows(store, "top_pages", json!({}))
        .await
        .iter()
        .map(|row| {
            assert_eq!(row["path"], row["name"]);
            (
                row["path"].as_str().unwrap().to_owned(),
                row["pageviews"].as_u64().unwrap(),
                row["visitors"].as_u64().unwrap(),
                row["percentage"].as_f64().unwrap(),
            )
        })
        .collect();
    assert_eq!(got, wanted);
}

async fn check_vitals(store: &Bare, events: &[Event]) {
    let mut metrics: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for event in events.iter().filter(|event| event.bot == Bot::No) {
        if let Details::Vital { value } = event.details {
            metrics.entry(&event.name).or_default().push(value);
        }
    }
    let got = rows(store, "vitals_overview", json!({})).await;
    assert_eq!(got.len(), metrics.len());
    for (row, (metric, values)) in got.iter().zip(metrics) {
        assert_eq!(row["metric_name"], json!(metric));
        assert_eq!(row["samples"], json!(values.len()));
        for (name, q) in [
            ("p50", 0.5),
            ("p75", 0.75),
            ("p90", 0.9),
            ("p95", 0.95),
            ("p99", 0.99),
        ] {
            let wanted = quantile(&values, q);
            assert!(
                (row[name].as_f64().unwrap() - wanted).abs() < 1e-4,
                "{metric} {name}"
            );
        }
    }
}
