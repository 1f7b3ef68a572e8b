//! Random events with few values, and random funnels over them.

use chrono_tz::Tz;
use proptest::{collection::vec, option, prelude::*, sample::select};

use super::super::{ORGANIZATION, WEBSITE};
use crate::{
    analytics::{
        catalogue::Field,
        funnel::{Condition, Each, Funnel, NamePattern, Step, StepTarget},
        range::{Range, zone},
        request::{Filter, Op},
    },
    events::event::{Bot, Details, Event, Failure, Page, Utm},
};

/// A question about some events.
#[derive(Debug, Clone)]
pub(in crate::analytics::tests) struct Case {
    pub(super) events: Vec<Event>,
    pub(super) funnel: Funnel,
    pub(super) range: Range,
    pub(super) now: i64,
}

impl Case {
    pub(in crate::analytics::tests) fn events(&self) -> &[Event] {
        &self.events
    }
}

/// Moments a while after a change of clocks in one of the zones, and one without.
const MOMENTS: [(&str, Tz); 6] = [
    ("2025-06-12T15:30:00Z", Tz::UTC),
    ("2024-10-28T09:00:00Z", Tz::Europe__Berlin),
    ("2025-03-31T00:10:00Z", Tz::Europe__Berlin),
    ("2024-11-04T05:15:00Z", Tz::America__New_York),
    ("2025-04-06T13:59:59Z", Tz::Australia__Lord_Howe),
    ("2025-03-09T23:00:00Z", Tz::America__St_Johns),
];

pub(in crate::analytics::tests) fn cases() -> impl Strategy<Value = Case> {
    (
        select(MOMENTS.to_vec()),
        vec(event(), 0..60),
        funnel(),
        0..4_i64,
        0..4_i64,
    )
        .prop_map(|((now, own), mut events, funnel, first, length)| {
            let now = chrono::DateTime::parse_from_rfc3339(now)
                .unwrap()
                .timestamp_millis();
            for event in &mut events {
                event.time += now;
                event.received += event.time;
            }
            let last =
                zone::local_date(now, own) - chrono::Days::new((first - length).max(0) as u64);
            let first = zone::local_date(now, own) - chrono::Days::new(first as u64);
            let range = Range {
                from: zone::day_start(first, own),
                to: zone::day_start(zone::day_after(last), own),
                first,
                last,
                zone: own,
            };
            Case {
                events,
                funnel,
                range,
                now,
            }
        })
}

fn event() -> impl Strategy<Value = Event> {
    // Few moments: some are the same, and most are around midnights.
    let time = prop_oneof![
        2 => (0..9_i64).prop_map(|half| -half * 12 * 3_600_000),
        2 => (0..72_i64).prop_map(|hour| -hour * 3_600_000),
        1 => (0..30_i64).prop_map(|minute| -minute * 60_000),
    ];
    let time = (time, -1..2_i64).prop_map(|(time, ms)| time + ms);
    let who = (0..4_u64, 0..5_u64, 0..12_u8);
    let what = (0..10_u8, select(vec!["/", "/a", "/a/b", "/ab", "/b"]));
    let with = (
        select(vec!["", "DE", "US"]),
        select(vec!["", "example.com", "other.example"]),
        select(vec![
            "",
            r#"{"plan":"pro"}"#,
            r#"{"plan":7,"a/b":"pro"}"#,
            "no",
        ]),
        select(vec![
            ("", "", ""),
            ("google.com", "Google", "search"),
            ("t.co", "X", "social"),
        ]),
    );
    (time, 0..3_i64, who, what, with).prop_map(|(time, received, who, what, with)| {
        let (name, details) = match what.0 {
            0..=4 => ("screen_view", Details::Page(Page::default())),
            5 => ("page_exit", Details::Page(Page::default())),
            6 => ("signup", Details::Custom),
            7 => ("sale", Details::Custom),
            8 => ("TypeError", failed("boom")),
            _ => ("RangeError", failed("bang")),
        };
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Event {
            organization: ORGANIZATION,
            website: if who.2 == 0 { 12 } else { WEBSITE },
            time,
            received,
            name: name.to_owned(),
            visitor: who.0,
            session: who.1,
            path: what.1.to_owned(),
            host: text(with.1),
            country: text(with.0),
            properties: text(with.2),
            referrer_domain: text(with.3.0),
            source: text(with.3.1),
            channel: text(with.3.2),
            browser_name: text(["", "Chrome", "Firefox"][(who.1 % 3) as usize]),
            device_type: text(["mobile", "desktop"][(who.0 % 2) as usize]),
            utm: Utm {
                campaign: text(["", "spring"][(who.1 % 2) as usize]),
                ..Utm::default()
            },
            bot: if who.2 == 1 { Bot::Suspected } else { Bot::No },
            details,
            ..Event::default()
        }
    })
}

fn failed(message: &str) -> Details {
    Details::Error(Failure {
        message: message.to_owned(),
        ..Failure::default()
    })
}

fn funnel() -> impl Strategy<Value = Funnel> {
    let window = prop_oneof![
        3 => Just(None),
        3 => select(vec![0, 1, 60_000, 3_600_000, 86_400_000]).prop_map(Some),
    ];
    let each = prop_oneof![2 => Just(Each::Visitor), 1 => Just(Each::Session)];
    let host = Filter {
        field: Field::find("host").unwrap(),
        op: Op::Eq,
        values: vec!["example.com".to_owned()],
        key: None,
    };
    let filters = prop_oneof![3 => Just(Vec::new()), 1 => Just(vec![host])];
    (vec(step(), 1..5), filters, each, window).prop_map(|(steps, filters, each, window_ms)| {
        Funnel {
            steps,
            filters,
            each,
            window_ms,
        }
    })
}

fn step() -> impl Strategy<Value = Step> {
    let named = |text: &str| StepTarget::Event(NamePattern::name(text).unwrap());
    let viewed = |text: &str| StepTarget::View(NamePattern::path(text).unwrap());
    let deeds = vec![
        viewed("/"),
        viewed("/a"),
        viewed("/b"),
        viewed("/a*"),
        viewed("/a/*"),
        viewed("*"),
        named("signup"),
        named("s*"),
        named("sale"),
    ];
    let property = |key: &str, op, value: &str| Condition::Property {
        key: key.to_owned(),
        op,
        values: vec![value.to_owned()],
    };
    let field = |name, op, value: &str| {
        Condition::Field(Filter {
            field: Field::find(name).unwrap(),
            op,
            values: vec![value.to_owned()],
            key: None,
        })
    };
    let conditions = vec![
        property("plan", Op::Eq, "pro"),
        property("plan", Op::Ne, "pro"),
        property("plan", Op::Contains, "7"),
        property("a/b", Op::StartsWith, "p"),
        field("country", Op::Eq, "germany"),
        field("country", Op::Ne, "DE"),
        field("path", Op::EndsWith, "b"),
    ];
    let conditions = option::weighted(0.25, select(conditions));
    (select(deeds), conditions).prop_map(|(target, condition)| Step {
        target,
        conditions: condition.into_iter().collect(),
    })
}
