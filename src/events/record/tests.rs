//! What was written once is read for ever.

use std::{fs, path::Path};

use super::*;
use crate::events::event::{
    AgentRequest, Bot, Call, Check, Details, Engagement, Exit, Failure, Page, Status, TIMELESS,
    Trust, Utm,
};

const V1: &[u8] = include_bytes!("v1.bin");
const V2: &[u8] = include_bytes!("v2.bin");

#[expect(
    clippy::unnecessary_wraps,
    reason = "every field that may be unknown is known here"
)]
fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// An event with a value in every field.
fn full(details: Details) -> Event {
    Event {
        organization: 1 << 40,
        website: -7,
        time: 1_790_000_000_123,
        received: 1_790_000_000_456,
        name: "näme".into(),
        visitor: u64::MAX,
        session: 3,
        profile: text("user-1"),
        host: text("example.com"),
        path: "/a/b".into(),
        title: text("Title"),
        referrer: text("news.example.org/x"),
        referrer_domain: text("example.org"),
        source: text("Example"),
        channel: text("referral"),
        country: text("LV"),
        region: text("RIX"),
        city: text("Riga"),
        device_type: text("mobile"),
        device_brand: text("Apple"),
        device_model: text("iPhone"),
        browser_name: text("Safari"),
        browser_version: text("19.1"),
        os_name: text("iOS"),
        os_version: text("19"),
        language: text("lv-LV"),
        timezone: text("Europe/Riga"),
        screen: text("390x844"),
        viewport: text("390x664"),
        utm: Utm {
            source: text("s"),
            medium: text("m"),
            campaign: text("c"),
            term: text("t"),
            content: text("n"),
        },
        click_id: text("gclid"),
        namespace: text("shop"),
        sender: text("server"),
        trust: Trust::Key,
        bot: Bot::Suspected,
        bot_signals: 5,
        properties: text(r#"{"price":9.5}"#),
        details,
        link: text("0192f3a1-7b3c-7e11-8a4e-5f6071829304"),
    }
}

fn engagement() -> Engagement {
    Engagement {
        time_on_page: 9.5,
        active_time: 3.25,
        first_interaction: Some(120.0),
        scroll_depth: 80.0,
        interactions: 12,
        rage_clicks: 1,
        dead_clicks: 2,
        rage_target: text("button"),
        dead_target: text("div"),
        form_fields: 3,
        form_submits: 1,
        last_field: text("mail"),
        errors: 1,
        exit: Exit::Hidden,
        page_index: 4,
        scrolls: 5,
        clicks: 6,
        keys: 7,
        copies: 8,
    }
}

fn call() -> Call {
    Call {
        duration_ms: 15,
        output_chars: 700,
        is_error: true,
        error: text("no such page"),
        error_code: text("NOT_FOUND"),
        client: text("Agent"),
        client_name: text("agent"),
        client_version: text("1.2"),
        user_agent: text("agent/1.2"),
        server_name: text("docs"),
        server_version: text("3"),
        environment: text("production"),
    }
}

fn check() -> Check {
    Check {
        url: "https://example.com/".into(),
        status: Status::Maintenance,
        http_code: 503,
        ttfb_ms: Some(20.5),
        total_ms: Some(31),
        ip: text("192.0.2.1"),
        ssl_expiry: Some(1_800_000_000_000),
        ssl_valid: Some(false),
        error: text("unavailable"),
    }
}

/// One of every kind, and one with next to nothing in it.
fn every_kind() -> Vec<Event> {
    let page = Page {
        time_on_page: Some(12.5),
        scroll_depth: Some(50.0),
        interactions: Some(2),
        page_count: Some(3),
        load_time: Some(800.0),
        dom_ready_time: Some(400.0),
        ttfb: Some(90.0),
        render_time: Some(100.0),
        connection: text("4g"),
    };
    let failure = Failure {
        message: "x is undefined".into(),
        filename: text("app.js"),
        line: Some(4),
        column: Some(2),
        stack: text("at f"),
    };
    let agent = AgentRequest {
        product: "ChatGPT".into(),
        operator: "OpenAI".into(),
        purpose: "assistant".into(),
        is_reported: true,
    };
    let outgoing = Details::Outgoing {
        href: "https://example.net/".into(),
        text: "there".into(),
    };
    let bare = Event {
        time: TIMELESS,
        details: Details::Alias,
        ..Event::default()
    };
    let details = [
        Details::Page(page),
        Details::Custom,
        outgoing,
        Details::Vital { value: 0.125 },
        Details::Error(failure),
        Details::Engagement(Box::new(engagement())),
        Details::Call(Box::new(call())),
        Details::Counter { count: 300 },
        Details::Alias,
        Details::Click,
        Details::Check(Box::new(check())),
        Details::Agent(Box::new(agent)),
    ];
    details.into_iter().map(full).chain([bare]).collect()
}

fn records(events: &[Event]) -> Vec<Vec<u8>> {
    let record = |event| encode(event, Vec::new()).unwrap();
    events.iter().map(record).collect()
}

/// Run by hand when a version is new.
#[test]
#[ignore = "writes into the source"]
fn the_records_of_today_are_kept() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/events/record");
    let kept = postcard::to_stdvec(&records(&every_kind())).unwrap();
    fs::write(directory.join(format!("v{SCHEMA}.bin")), kept).unwrap();
}

/// A failure means that logs of running installations could no longer be read: read the module's page.
#[test]
fn records_of_version_one_are_read() {
    let written: Vec<Vec<u8>> = postcard::from_bytes(V1).unwrap();
    let read: Vec<_> = written.iter().map(|record| decode(1, record, 1)).collect();
    let without_link = |event| Event {
        link: None,
        ..event
    };
    let expected: Vec<_> = every_kind().into_iter().map(without_link).map(Ok).collect();
    assert_eq!(read, expected);
}

/// See above.
#[test]
fn records_of_version_two_are_read_and_still_written_like_that() {
    let written: Vec<Vec<u8>> = postcard::from_bytes(V2).unwrap();
    let read: Vec<_> = written.iter().map(|record| decode(2, record, 1)).collect();
    let expected: Vec<_> = every_kind().into_iter().map(Ok).collect();
    assert_eq!(read, expected);
    if SCHEMA == 2 {
        assert_eq!(records(&every_kind()), written);
    }
}

#[test]
fn every_record_begins_with_whose_it_is_and_when() {
    for event in every_kind() {
        let record = encode(&event, Vec::new()).unwrap();
        let head = head(&record).unwrap();
        let expected = Head {
            organization: event.organization,
            website: event.website,
            time: event.time,
            received: event.received,
            name: &event.name,
        };
        assert_eq!(head, expected);
        assert_eq!(owner(&record), Some((event.organization, event.website)));
    }
    assert_eq!((head(&[1]), owner(&[])), (None, None));
}

#[test]
fn a_record_of_a_version_that_nobody_knows_is_no_event() {
    let record = encode(&full(Details::Custom), Vec::new()).unwrap();
    assert_eq!(decode(SCHEMA + 1, &record, 1), Err(Unreadable));
    assert_eq!(decode(SCHEMA, &record[..9], 1), Err(Unreadable));
}
