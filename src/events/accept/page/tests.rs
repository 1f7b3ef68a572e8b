use serde_json::json;

use super::{super::test_fixture::*, *};

fn accept(body: &serde_json::Value) -> Result<(Sort, Accepted), Fault> {
    let visit = visit();
    super::accept(body.to_string().as_bytes(), &context(&visit))
}

fn view(extra: &serde_json::Value) -> serde_json::Value {
    let mut body =
        json!({"eventId": "e1", "name": "screen_view", "path": "https://www.example.com/a/"});
    for (key, value) in extra.as_object().unwrap() {
        body[key] = value.clone();
    }
    body
}

fn first_issue(extra: &serde_json::Value) -> (String, String) {
    codes(accept(&view(extra)).unwrap_err()).remove(0)
}

#[test]
fn a_view_arrives_with_everything_about_it() {
    let (sort, Accepted { event, event_id }) = accept(&view(&json!({
        "anonymousId": "anon_1", "sessionId": "sess_1", "timestamp": NOW - 1, "title": " Home ",
        "referrer": "https://www.google.com/search", "language": "en-GB", "timezone": "Europe/Berlin",
        "screen_resolution": "1920x1080", "viewport_size": "1280x720", "utm_medium": "cpc", "page_count": 3,
        "load_time": 812.5, "ttfb": 90, "properties": {"a": 1}, "gclid": "x", "rtt": 50
    })))
    .unwrap();
    assert_eq!((sort, event_id.as_deref()), (Sort::Track, Some("e1")));
    assert_eq!(
        (event.host.as_deref(), event.path.as_str()),
        (Some("www.example.com"), "/a")
    );
    assert_eq!(event.title.as_deref(), Some("Home"));
    assert_eq!(event.referrer.as_deref(), Some("google.com/search"));
    assert_eq!(
        (event.source.as_deref(), event.channel.as_deref()),
        (Some("Google"), Some("paid"))
    );
    assert_eq!(
        (event.country.as_deref(), event.device_type.as_deref()),
        (Some("US"), Some("desktop"))
    );
    assert!(event.visitor != 0 && event.session != 0);
    let Details::Page(page) = &event.details else {
        panic!("a page")
    };
    assert_eq!(
        (page.page_count, page.load_time, page.ttfb),
        (Some(3), Some(812.5), Some(90.0))
    );
}

#[test]
fn an_exit_measures_the_page() {
    let (_, Accepted { event, .. }) = accept(&view(&json!({
        "name": "page_exit", "time_on_page": 12.5, "scroll_depth": 80, "interaction_count": 4
    })))
    .unwrap();
    let Details::Page(page) = &event.details else {
        panic!("a page")
    };
    assert_eq!(page.time_on_page, Some(12.5));
    assert_eq!(
        (page.scroll_depth, page.interactions, page.page_count),
        (Some(80.0), Some(4), Some(1))
    );
}

type Sides = (
    &'static str,
    serde_json::Value,
    serde_json::Value,
    &'static str,
);

/// `(field, fits, breaks, code)`
fn two_sides(rows: Vec<Sides>) {
    for (field, fits, breaks, code) in rows {
        assert!(accept(&view(&json!({field: fits}))).is_ok(), "{field}");
        let expected = (code.to_owned(), field.to_owned());
        assert_eq!(first_issue(&json!({field: breaks})), expected);
    }
}

#[test]
fn lengths_have_two_sides() {
    let limits = [
        ("name", 128),
        ("eventId", 512),
        ("title", 512),
        ("timezone", 64),
        ("utm_term", 128),
    ];
    let ids = [("profileId", 256), ("anonymousId", 256), ("sessionId", 256)];
    let text = |length: usize| json!("ä".repeat(length));
    let row = |(field, most)| (field, text(most), text(most + 1), "too_long");
    two_sides(limits.into_iter().chain(ids).map(row).collect());
}

#[test]
fn numbers_have_two_sides() {
    let limits = [
        ("time_on_page", 86_400),
        ("scroll_depth", 100),
        ("interaction_count", 10_000),
        ("page_count", 1_000),
        ("load_time", 60_000),
        ("dom_ready_time", 60_000),
        ("ttfb", 60_000),
        ("render_time", 60_000),
        ("timestamp", NOW + 3_600_000),
    ];
    let high =
        |(field, most): (&'static str, i64)| (field, json!(most), json!(most + 1), "too_big");
    two_sides(limits.into_iter().map(high).collect());
    two_sides(vec![
        ("scroll_depth", json!(0), json!(-1), "too_small"),
        (
            "timestamp",
            json!(946_684_800_000_i64),
            json!(946_684_799_999_i64),
            "too_small",
        ),
    ]);
}

#[test]
fn forms_have_two_sides() {
    two_sides(vec![
        (
            "screen_resolution",
            json!("240x10000"),
            json!("239x800"),
            "invalid_size",
        ),
        (
            "viewport_size",
            json!("10000x240"),
            json!("10001x240"),
            "invalid_size",
        ),
        (
            "viewport_size",
            json!("800x600"),
            json!("800x+600"),
            "invalid_size",
        ),
        (
            "language",
            json!("zh-Hans-CN"),
            json!("english"),
            "invalid_language",
        ),
        ("language", json!("de"), json!("d"), "invalid_language"),
        ("timestamp", json!(NOW), json!("2026-01-01"), "invalid_type"),
        (
            "path",
            json!("http://localhost:3000/x"),
            json!("/x"),
            "invalid_url",
        ),
        ("referrer", json!("direct"), json!("nowhere"), "invalid_url"),
        ("referrer", json!(""), json!("javascript:x"), "invalid_url"),
        (
            "anonymizeVisitorIds",
            json!("auto"),
            json!("yes"),
            "invalid_value",
        ),
        ("properties", json!({"k": 1}), json!([1]), "invalid_type"),
    ]);
}

#[test]
fn id_name_and_path_are_required() {
    for field in ["eventId", "name", "path"] {
        assert_eq!(
            first_issue(&json!({field: null})),
            ("required".to_owned(), field.to_owned())
        );
    }
}

#[test]
fn unknown_types_and_arrays_are_refused() {
    assert_eq!(
        first_issue(&json!({"type": "purchase"})),
        ("unknown_type".to_owned(), "type".to_owned())
    );
    let found = codes(accept(&json!([view(&json!({}))])).unwrap_err());
    assert_eq!(found, [("invalid_type".to_owned(), String::new())]);
}

proptest::proptest! {
    #[test]
    fn any_json_is_survived(body in any_body()) {
        let _ = accept(&body);
    }
}
