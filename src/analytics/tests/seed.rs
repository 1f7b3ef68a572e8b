//! A week of small traffic with events of every kind, the same each time.

use super::{LINK, MONITOR, NOW, ORGANIZATION, WEBSITE};
use crate::events::{
    enrich::bot::{BotKind, Signals},
    event::{
        AgentRequest, Bot, Call, Check, Details, Engagement, Event, Exit, Failure, Page, Status,
        Utm,
    },
};

const DAY: i64 = 86_400_000;

/// A session of the week.
pub(super) const SESSION: u64 = 1_003;

/// A plain page event.
pub(super) fn page(time: i64, name: &str, visitor: u64, session: u64, path: &str) -> Event {
    Event {
        organization: ORGANIZATION,
        website: WEBSITE,
        time,
        received: time,
        name: name.into(),
        visitor,
        session,
        path: path.into(),
        ..Event::default()
    }
}

/// Twelve visits a day by five visitors, and one right now.
pub(super) fn week() -> Vec<Event> {
    let mut events = Vec::new();
    for visit in 0..84_u64 {
        let start = NOW - 6 * DAY + (visit / 12) as i64 * DAY - (visit % 12) as i64 * 600_000;
        push_visit(visit, start, &mut events);
    }
    // One goes on right now.
    push_visit(86, NOW - 60_000, &mut events);
    events
}

fn counter(time: i64, reason: &str, count: u64) -> Event {
    Event {
        details: Details::Counter { count },
        ..page(time, reason, 0, 0, "")
    }
}

fn push_visit(visit: u64, start: i64, events: &mut Vec<Event>) {
    let pages = ["/", "/pricing", "/docs"];
    let pick = |list: [&str; 3], salt: u64| Some(list[((visit + salt) % 3) as usize].to_owned());
    let at = |step: i64, name: &str, details: Details| {
        let path = pages[(visit as usize + step as usize) % 3];
        Event {
            country: pick(["DE", "US", ""], 0),
            city: pick(["Berlin", "Boston", ""], 0),
            device_type: pick(["desktop", "mobile", "tablet"], 1),
            browser_name: pick(["Chrome", "Firefox", "Safari"], 2),
            os_name: pick(["Linux", "Android", "iOS"], 1),
            referrer: pick(["google.com/search", "blog.example.com/a", ""], 1),
            referrer_domain: pick(["google.com", "example.com", ""], 1),
            source: pick(["Google", "example.com", ""], 1),
            channel: pick(["search", "social", "ai"], visit / 3),
            utm: Utm {
                source: pick(["news", "", "news"], 0),
                medium: pick(["mail", "", "mail"], 0),
                campaign: pick(["spring", "", "fall"], 0),
                term: pick(["shoes", "", ""], 0),
                content: pick(["top", "", "bottom"], 0),
            },
            profile: (visit % 5 < 2).then(|| "anna".to_owned()),
            bot: if visit % 17 == 16 {
                Bot::Suspected
            } else {
                Bot::No
            },
            bot_signals: if visit % 17 == 16 {
                Signals::AUTOMATION.0 | Signals::bit(BotKind::Suspected)
            } else {
                0
            },
            details,
            ..page(
                start + step * 5_000,
                name,
                100 + visit % 5,
                1_000 + visit,
                path,
            )
        }
    };
    events.push(Event {
        link: visit.is_multiple_of(3).then(|| "link".to_owned()),
        ..at(0, "screen_view", viewed())
    });
    events.push(at(0, "page_exit", exit_details(visit)));
    if visit.is_multiple_of(2) {
        events.push(at(1, "screen_view", Details::Page(Page::default())));
        push_custom(&at, events);
        events.push(at(2, "", outgoing()));
    }
    for (metric, value) in [("LCP", 1_000.0), ("CLS", 0.01)] {
        let value = value * (1.0 + visit as f64);
        events.push(at(0, metric, Details::Vital { value }));
    }
    events.push(at(1, "TypeError", failure()));
    events.push(at(0, "", Details::Engagement(Box::new(engagement(visit)))));
    others(visit, start, &at, events);
}

/// The caller's own events of the visit.
fn push_custom(at: &dyn Fn(i64, &str, Details) -> Event, events: &mut Vec<Event>) {
    let own = [
        (
            "signup",
            r#"{"plan":"pro","revenue":12.5,"currency":"EUR"}"#,
        ),
        ("$flag_evaluated", r#"{"flag":"dark"}"#),
    ];
    events.extend(own.map(|(name, said)| Event {
        properties: Some(said.to_owned()),
        ..at(2, name, Details::Custom)
    }));
}

/// Events beside the visit: counters, an agent's request, a tool call.
fn others(
    visit: u64,
    start: i64,
    at: &dyn Fn(i64, &str, Details) -> Event,
    events: &mut Vec<Event>,
) {
    for (reason, origin, count) in [
        ("duplicate", None, 1),
        ("bot", None, visit % 3),
        ("origin_not_authorized", Some("https://else.example"), 2),
    ] {
        events.push(Event {
            host: origin.map(str::to_owned),
            ..counter(start, reason, count)
        });
    }
    events.push(Event {
        website: LINK,
        ..at(1, "", Details::Click)
    });
    events.push(Event {
        website: MONITOR,
        ..at(1, "http", Details::Check(Box::new(check(visit))))
    });
    events.push(Event {
        visitor: 0,
        session: 0,
        bot: Bot::Declared,
        bot_signals: Signals::bit(BotKind::AiUser),
        ..at(0, "ChatGPT-User", Details::Agent(Box::new(agent())))
    });
    events.push(Event {
        visitor: 0,
        ..at(0, "search_docs", Details::Call(Box::new(call(visit))))
    });
}

fn agent() -> AgentRequest {
    AgentRequest {
        product: "ChatGPT".to_owned(),
        operator: "OpenAI".to_owned(),
        purpose: "ai_user".to_owned(),
        is_reported: true,
    }
}

/// Every ninth check finds the monitor down.
fn check(visit: u64) -> Check {
    let down = visit % 9 == 8;
    Check {
        url: "https://example.com".to_owned(),
        status: if down { Status::Down } else { Status::Up },
        http_code: if down { 503 } else { 200 },
        ttfb_ms: Some(20.0),
        total_ms: Some(40 + visit as u32),
        ssl_expiry: Some(NOW + 30 * DAY),
        ssl_valid: Some(!down),
        ..Check::default()
    }
}

/// Every seventh call fails.
fn call(visit: u64) -> Call {
    let is_error = visit.is_multiple_of(7);
    Call {
        duration_ms: 40 + visit as u32,
        output_chars: 900,
        is_error,
        error: is_error.then(|| "no such page".to_owned()),
        error_code: is_error.then(|| "invalid_params".to_owned()),
        client: Some("Cursor".to_owned()),
        client_name: Some("cursor-vscode".to_owned()),
        server_name: Some("docs".to_owned()),
        environment: Some("production".to_owned()),
        ..Call::default()
    }
}

fn engagement(visit: u64) -> Engagement {
    Engagement {
        time_on_page: 20.0,
        active_time: 10.0,
        first_interaction: Some(700.0),
        scroll_depth: 55.0,
        interactions: 4,
        rage_clicks: u32::from(visit.is_multiple_of(4)),
        rage_target: Some("button:buy".into()),
        dead_clicks: 1,
        dead_target: Some("a:more".into()),
        form_fields: 2,
        form_submits: u32::from(visit.is_multiple_of(2)),
        last_field: Some("input:email".into()),
        exit: Exit::Navigation,
        clicks: 3,
        keys: 1,
        ..Engagement::default()
    }
}

fn viewed() -> Details {
    Details::Page(Page {
        load_time: Some(800.0),
        ttfb: Some(120.0),
        ..Page::default()
    })
}

fn exit_details(visit: u64) -> Details {
    Details::Page(Page {
        time_on_page: Some(5.0 + visit as f32),
        scroll_depth: Some(40.0),
        interactions: Some((visit % 3) as u32),
        ..Page::default()
    })
}

fn outgoing() -> Details {
    Details::Outgoing {
        href: "https://www.rust-lang.org/learn?a=1".into(),
        text: "Rust".into(),
    }
}

fn failure() -> Details {
    Details::Error(Failure {
        message: "x is undefined".into(),
        line: Some(3),
        ..Failure::default()
    })
}
