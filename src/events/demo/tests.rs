use std::collections::{HashMap, HashSet};

use super::*;
use crate::events::event::{Bot, Details, Event};

const END: i64 = 1_790_000_000_000;

fn plan(events: u64, sites: i64) -> Plan {
    Plan {
        organization: OrganizationKey(5),
        websites: (1..=sites)
            .map(|key| Site {
                key: WebsiteKey(key),
                domain: format!("site{key}.example.com"),
            })
            .collect(),
        events,
        days: 30,
        end: END,
        seed: 42,
    }
}

fn events(plan: Plan) -> Vec<Event> {
    Generator::new(plan)
        .flatten()
        .map(|accepted| accepted.event)
        .collect()
}

#[test]
fn the_same_plan_gives_the_same_events() {
    assert_eq!(events(plan(3_000, 1)), events(plan(3_000, 1)));
    let other = Plan {
        seed: 43,
        ..plan(3_000, 1)
    };
    assert_ne!(events(plan(3_000, 1)), events(other));
}

#[test]
fn the_count_is_exact() {
    for count in [0, 1, 999, 1_000, 1_001, 12_345] {
        assert_eq!(events(plan(count, 1)).len() as u64, count);
    }
    assert_eq!(events(plan(100, 0)).len(), 0);
}

#[test]
fn times_lie_in_the_range_and_grow() {
    let events = events(plan(20_000, 1));
    let start = END - 30 * DAY_MS;
    for event in &events {
        assert!((start..=END).contains(&event.time), "{}", event.time);
        assert!((event.time..=END).contains(&event.received));
    }
    let day = |event: &Event| (event.time - start) / DAY_MS;
    assert!(events[..500].iter().all(|event| day(event) <= 2));
    assert!(events[19_500..].iter().all(|event| day(event) >= 27));
    let days: HashSet<i64> = events.iter().map(day).collect();
    assert!(days.len() >= 30, "{}", days.len());
}

#[test]
fn a_range_of_one_day_holds_long_visits() {
    let short = Plan {
        days: 1,
        ..plan(5_000, 1)
    };
    assert!(
        events(short)
            .iter()
            .all(|event| (END - DAY_MS..=END).contains(&event.time))
    );
}

#[test]
fn every_kind_is_there_with_what_questions_need() {
    let events = events(plan(60_000, 1));
    let count = |kind: fn(&Event) -> bool| events.iter().filter(|event| kind(event)).count();
    let views = count(|event| event.name == "screen_view");
    assert!(views > 10_000);
    assert!(count(|event| event.name == "page_exit") > views / 2);
    assert!(count(|event| event.details == Details::Custom) > 1_000);
    assert!(count(|event| matches!(event.details, Details::Outgoing { .. })) > 200);
    assert!(count(|event| matches!(event.details, Details::Error(_))) > 200);
    assert!(count(|event| event.profile.is_some()) > 1_000);
    assert!(count(|event| event.bot == Bot::Suspected) > 100);
    assert!(count(|event| event.utm.campaign.is_some()) > 500);
    let failed = |event: &Event| matches!(&event.details, Details::Call(call) if call.is_error);
    assert!(count(|event| matches!(&event.details, Details::Call(_))) > 200);
    assert!(count(failed) > 10);
    let engaged = |event: &&Event| matches!(&event.details, Details::Engagement(span) if span.form_fields > 0);
    assert!(events.iter().filter(engaged).count() > 20);
    let metrics: HashSet<&str> = events
        .iter()
        .filter(|event| matches!(event.details, Details::Vital { .. }))
        .map(|event| event.name.as_str())
        .collect();
    assert_eq!(metrics.len(), 6);
}

#[test]
fn top_pages_have_enough_engagement_to_be_judged() {
    let events = events(plan(20_000, 1));
    let mut spans: HashMap<&str, usize> = HashMap::new();
    for event in &events {
        if matches!(event.details, Details::Engagement(_)) {
            *spans.entry(&event.path).or_default() += 1;
        }
    }
    assert!(spans.values().filter(|count| **count >= 5).count() >= 20);
}

#[test]
fn about_half_of_the_visits_see_one_page_and_some_come_back() {
    let events = events(plan(60_000, 1));
    let mut views: HashMap<u64, usize> = HashMap::new();
    for event in events.iter().filter(|event| event.name == "screen_view") {
        *views.entry(event.session).or_default() += 1;
    }
    let single = views.values().filter(|count| **count == 1).count() as f64 / views.len() as f64;
    assert!((0.42..0.56).contains(&single), "{single}");
    let visitors: HashSet<u64> = events.iter().map(|event| event.visitor).collect();
    assert!(visitors.len() < views.len() && visitors.len() > views.len() / 3);
}

#[test]
fn properties_are_json_objects() {
    for event in events(plan(20_000, 1)) {
        if let Some(text) = event.properties {
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert!(value.is_object(), "{text}");
        }
    }
}

#[test]
fn the_first_of_many_websites_gets_two_fifths() {
    let events = events(plan(60_000, 50));
    let share =
        |key: i64| events.iter().filter(|event| event.website == key).count() as f64 / 60_000.0;
    assert!((0.36..0.44).contains(&share(1)), "{}", share(1));
    assert!(share(2) > share(10) && share(10) > 0.0);
    assert!(events.iter().all(|event| event.organization == 5));
}
