//! Page events and outgoing links, one at a time (`POST /`).

use serde_json::{Value, json};

use super::{
    Call, INVALID, stored,
    table::{Row, Table, UNIQUE, row},
    text, unlimited,
};
use crate::app::NOW;

fn view() -> Value {
    json!({ "eventId": UNIQUE, "name": "screen_view", "path": "https://localhost/a" })
}

fn url(characters: usize) -> Value {
    let head = "https://localhost/";
    json!(format!("{head}{}", "ä".repeat(characters - head.len())))
}

/// What both kinds of event have.
fn shared() -> Vec<Row> {
    vec![
        row("eventId", "string max 512, required")
            .required()
            .takes([text(512)])
            .refuses("too_long", [text(513)])
            .refuses("invalid_type", [json!(5)]),
        row("anonymousId", "at most 256").optional_text(256),
        row("sessionId", "at most 256").optional_text(256),
        row("profileId", "at most 256").optional_text(256),
        row("anonymizeVisitorIds", "boolean or `auto`").anonymize(),
        row("timestamp", "integer ms, >= 2000-01-01, <= now + 1 hour")
            .time()
            .takes([json!(null)])
            .refuses("invalid_type", [json!("2026-10-14")]),
        row(
            "properties",
            "object, <= 50 keys, keys max 128, serialized <= 32768",
        )
        .properties()
        .takes([json!({ "ä".repeat(128): 1 })])
        .refuses("too_long", [json!({ "ä".repeat(129): 1 })]),
    ]
}

fn of_views() -> Vec<Row> {
    let mut rows = shared();
    rows.extend([
        row("type", "`track` (default) or `outgoing_link`")
            .takes([json!(null), json!("track")])
            .refuses("unknown_type", [json!("purchase"), json!(""), json!(5)]),
        row("name", "string 1..128, required")
            .required()
            .takes([json!("n"), text(128)])
            .refuses("too_short", [json!("")])
            .refuses("too_long", [text(129)])
            .refuses("invalid_type", [json!(5)]),
        row(
            "path",
            "full http(s) URL with a dotted host, or localhost; required",
        )
        .required()
        .takes([
            json!("http://localhost:3000/x"),
            json!("https://www.example.com/a?b#c"),
            url(2_048),
        ])
        .refuses(
            "invalid_url",
            ["/a", "ftp://example.com/", "https://intranet/", "x"].map(Value::from),
        )
        .refuses("too_long", [url(2_049)])
        .refuses("invalid_type", [json!(5)]),
        row("referrer", "http(s) URL, `direct` or empty")
            .takes([
                json!(null),
                json!(""),
                json!("direct"),
                json!("https://www.google.com/"),
                url(2_048),
            ])
            .refuses(
                "invalid_url",
                ["google.com", "javascript:alert(1)", "https://"].map(Value::from),
            )
            .refuses("too_long", [url(2_049)])
            .refuses("invalid_type", [json!(5)]),
    ]);
    rows.extend(of_browsers());
    rows.extend(of_many());
    rows
}

/// Fields that have one rule together.
fn of_many() -> Vec<Row> {
    let mut rows = Vec::new();
    rows.extend(
        [
            "utm_source",
            "utm_medium",
            "utm_campaign",
            "utm_term",
            "utm_content",
        ]
        .map(|field| row(field, "max 128").optional_text(128)),
    );
    rows.extend(
        ["load_time", "dom_ready_time", "ttfb", "render_time"]
            .map(|field| row(field, "number <= 60000 ms").optional_number(60_000)),
    );
    rows.extend(
        [
            "sessionStartTime",
            "connection_type",
            "rtt",
            "downlink",
            "dom_interactive",
            "redirect_time",
            "domain_lookup_time",
            "value",
            "href",
            "text",
            "gclid",
            "fbclid",
            "ttclid",
            "twclid",
            "li_fat_id",
            "msclkid",
        ]
        .map(|field| {
            row(field, "no rule that refuses, so anything goes").takes([
                json!(null),
                json!(5),
                text(3_000),
            ])
        }),
    );
    rows
}

/// What the browser says about itself and the visit.
fn of_browsers() -> Vec<Row> {
    let size = |field| {
        row(field, "`WxH`, both 240..10000")
            .takes([json!(null), json!("240x240"), json!("10000x10000")])
            .refuses(
                "invalid_size",
                ["239x240", "240x239", "10001x900", "900x10001", "900", "axb"].map(Value::from),
            )
            .refuses("invalid_type", [json!(900)])
    };
    vec![
        row("title", "max 512").optional_text(512),
        row("timezone", "max 64").optional_text(64),
        row("language", "a language tag")
            .takes([json!(null), json!("en"), json!("deu"), json!("zh-Hant-TW")])
            .refuses(
                "invalid_language",
                ["e", "engl", "en_GB", "en-", "en-x"].map(Value::from),
            )
            .refuses("invalid_type", [json!(5)]),
        size("screen_resolution"),
        size("viewport_size"),
        row("time_on_page", "<= 86400 s").optional_number(86_400),
        row("scroll_depth", "<= 100")
            .optional_number(100)
            .takes([json!(33.3)]),
        row("interaction_count", "<= 10000").optional_number(10_000),
        row("page_count", "<= 1000").optional_number(1_000),
    ]
}

fn of_links() -> Vec<Row> {
    let mut rows = shared();
    rows.extend([
        row("href", "required, <= 2048")
            .required()
            .takes([json!("https://x.example/?a"), text(2_048)])
            .refuses("too_short", [json!("")])
            .refuses("too_long", [text(2_049)])
            .refuses("invalid_type", [json!(5)]),
        row("text", "<= 2048").optional_text(2_048),
        row("path", "context, ignored when it makes no sense").takes([
            json!(null),
            json!("/a"),
            json!(5),
            text(2_049),
        ]),
        row("title", "context that is ignored").takes([json!(5), text(600)]),
    ]);
    rows
}

#[actix::test]
async fn every_field_of_a_page_event() {
    let app = unlimited().await;
    let table = Table {
        call: Call::page(&app, "/"),
        base: view(),
        array: false,
        success: 200,
    };
    let taken = table.walk(&of_views()).await;
    assert_eq!(stored(&app, "kind").await, vec!["1"; taken]);
    app.finish().await;
}

#[actix::test]
async fn every_field_of_an_outgoing_link() {
    let app = unlimited().await;
    let table = Table {
        call: Call::page(&app, "/"),
        base: json!({ "type": "outgoing_link", "eventId": UNIQUE, "href": "https://other.example/" }),
        array: false,
        success: 200,
    };
    let taken = table.walk(&of_links()).await;
    assert_eq!(stored(&app, "kind").await, vec!["3"; taken]);
    app.finish().await;
}

#[actix::test]
async fn what_is_kept_of_a_page_event() {
    let app = unlimited().await;
    let event = json!({
        "eventId": "e", "name": "screen_view", "anonymousId": "anon_1", "sessionId": "sess_1", "profileId": "user 7",
        "timestamp": NOW - 5, "path": "https://www.localhost:8080/caf%C3%A9/?utm_medium=old#x", "title": "Café",
        "referrer": "https://www.google.com/search?q=x", "screen_resolution": "1920x1080",
        "viewport_size": "1200x800", "language": "en-GB", "timezone": "Europe/Berlin", "utm_source": "mail",
        "time_on_page": 12, "scroll_depth": 80, "interaction_count": 4, "page_count": 2, "load_time": 900.5,
        "ttfb": 100, "properties": { "a": 1 },
    });
    let answer = Call::page(&app, "/").send(&event).await;
    assert_eq!(
        (answer.status, answer.body),
        (200, json!({ "status": "success", "type": "track" }))
    );
    for (column, value) in [
        ("time", (NOW - 5).to_string().as_str()),
        ("host", "www.localhost"),
        ("path", "/café"),
        ("title", "Café"),
        ("referrer", "google.com/search"),
        ("referrer_domain", "google.com"),
        ("screen", "1920x1080"),
        ("viewport", "1200x800"),
        ("language", "en-GB"),
        ("timezone", "Europe/Berlin"),
        ("utm_source", "mail"),
        ("utm_medium", "old"),
        ("profile", "user 7"),
        ("time_on_page", "12"),
        ("scroll_depth", "80"),
        ("interactions", "4"),
        ("page_count", "2"),
        ("load_time", "900.5"),
        ("ttfb", "100"),
        ("properties", r#"{"a":1}"#),
        (
            "CASE WHEN visitor <> 0 AND session <> 0 THEN 'both' END",
            "both",
        ),
        ("trust", "0"),
    ] {
        assert_eq!(stored(&app, column).await, [value], "{column}");
    }
    app.finish().await;
}

#[actix::test]
async fn one_object_and_nothing_else() {
    let app = unlimited().await;
    let call = Call::page(&app, "/");
    for body in [
        json!([view()]),
        json!([]),
        json!(5),
        json!("x"),
        json!(null),
    ] {
        let errors = INVALID.is(&call.send(&body).await);
        assert_eq!(errors[0]["code"], "invalid_type", "{body}");
    }
    assert!(stored(&app, "kind").await.is_empty());
    app.finish().await;
}
