use serde_json::{Value, json};

use super::{
    super::{test_fixture::*, time},
    *,
};

fn accept(body: &Value) -> Result<Vec<Accepted>, Fault> {
    let visit = visit();
    let text = body.to_string();
    read(text.as_bytes())?.accept(&visit, |_| Ok(target()))
}

fn reported(field: &str, value: &Value) -> Value {
    let mut call = json!({"tool": "search", "durationMs": 12});
    call[field] = value.clone();
    json!([call])
}

fn accept_with(field: &str, value: &Value) -> (Event, Call) {
    let event = accept(&reported(field, value)).unwrap().remove(0).event;
    let Details::Call(call) = &event.details else {
        panic!("no call: {event:?}");
    };
    let call = (**call).clone();
    (event, call)
}

#[test]
fn every_field_arrives() {
    let body = json!([{
        "tool": "search_docs", "durationMs": 120, "error": "MCP error -32602: no query", "outputChars": 512,
        "sessionId": "s1", "clientName": "cursor-vscode", "clientVersion": "1.7", "serverName": "docs",
        "serverVersion": "0.3", "userAgent": "node", "timestamp": NOW - 1_000, "websiteId": "w1",
        "environment": "production", "eventId": "c1", "unknown": [1],
    }]);
    let Accepted { event, event_id } = accept(&body).unwrap().remove(0);
    assert_eq!(event_id.as_deref(), Some("c1"));
    assert_eq!(
        (event.name.as_str(), event.time),
        ("search_docs", NOW - 1_000)
    );
    assert_eq!((event.organization, event.website), (ORGANIZATION, WEBSITE));
    assert_eq!((event.visitor, event.session != 0), (0, true));
    let expected = Call {
        duration_ms: 120,
        output_chars: 512,
        is_error: true,
        error: Some("no query".into()),
        error_code: Some("invalid_params".into()),
        client: Some("Cursor".into()),
        client_name: Some("cursor-vscode".into()),
        client_version: Some("1.7".into()),
        user_agent: Some("node".into()),
        server_name: Some("docs".into()),
        server_version: Some("0.3".into()),
        environment: Some("production".into()),
    };
    assert_eq!(event.details, Details::Call(Box::new(expected)));
}

#[test]
fn tool_and_duration_are_enough() {
    let (event, call) = accept_with("error", &json!(null));
    assert_eq!((event.time, event.session), (NOW, 0));
    let least = Call {
        duration_ms: 12,
        ..Call::default()
    };
    assert_eq!(call, least);
    for field in ["tool", "durationMs"] {
        let found = codes(accept(&reported(field, &json!(null))).unwrap_err());
        assert_eq!(found, [("required".to_owned(), format!("[0].{field}"))]);
    }
    for empty in ["", " \0"] {
        let found = codes(accept(&reported("tool", &json!(empty))).unwrap_err());
        assert_eq!(found, [("too_short".to_owned(), "[0].tool".to_owned())]);
    }
}

#[test]
fn the_presence_of_a_text_is_the_failure() {
    assert!(accept_with("error", &json!("")).1.is_error);
    assert_eq!(accept_with("error", &json!("")).1.error, None);
    assert!(!accept_with("errorCode", &json!("x")).1.is_error);
    let mut own = reported("error", &json!("MCP error -32602: a"));
    own[0]["errorCode"] = json!("mine");
    let Details::Call(call) = accept(&own).unwrap().remove(0).event.details else {
        panic!("no call");
    };
    assert_eq!(call.error_code.as_deref(), Some("mine"));
}

#[test]
fn times_and_ids_keep_the_rules_of_every_route() {
    for time in [time::EARLIEST, NOW - 86_400_000, NOW + time::AHEAD] {
        assert_eq!(accept_with("timestamp", &json!(time)).0.time, time);
    }
    for (field, value, code) in [
        ("timestamp", json!(time::EARLIEST - 1), "too_small"),
        ("timestamp", json!(i64::MIN), "too_small"),
        ("timestamp", json!(NOW + time::AHEAD + 1), "too_big"),
        ("sessionId", json!("s".repeat(257)), "too_long"),
        ("websiteId", json!("w".repeat(257)), "too_long"),
    ] {
        let found = codes(accept(&reported(field, &value)).unwrap_err());
        assert_eq!(found, [(code.to_owned(), format!("[0].{field}"))]);
    }
    assert_ne!(
        accept_with("sessionId", &json!("s".repeat(256))).0.session,
        0
    );
}

#[test]
fn wrong_types_and_numbers_are_refused() {
    for (field, value, code) in [
        ("tool", json!(5), "invalid_type"),
        ("durationMs", json!("5"), "invalid_type"),
        ("durationMs", json!(-1), "too_small"),
        ("durationMs", json!(4_294_967_296_u64), "too_big"),
        ("outputChars", json!(-1), "too_small"),
        ("outputChars", json!(4_294_967_296_u64), "too_big"),
        ("timestamp", json!("2026-01-01"), "invalid_type"),
        ("error", json!({"message": "x"}), "invalid_type"),
        ("clientName", json!([]), "invalid_type"),
    ] {
        let found = codes(accept(&reported(field, &value)).unwrap_err());
        assert_eq!(found, [(code.to_owned(), format!("[0].{field}"))]);
    }
    assert_eq!(
        accept_with("durationMs", &json!(u32::MAX)).1.duration_ms,
        u32::MAX
    );
    assert_eq!(accept_with("durationMs", &json!(12.75)).1.duration_ms, 12);
}

#[test]
fn only_arrays_with_something_in_them_are_taken() {
    assert_eq!(codes(accept(&json!([])).unwrap_err())[0].0, "too_short");
    assert_eq!(codes(accept(&json!({})).unwrap_err())[0].0, "invalid_type");
    assert_eq!(codes(accept(&json!([4])).unwrap_err())[0].1, "[0]");
}

proptest::proptest! {
    #[test]
    fn any_json_is_survived(body in any_body()) {
        let _ = accept(&body);
    }
}
