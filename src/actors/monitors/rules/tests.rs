//! Both sides of what a monitor may be.

use serde_json::json;

use super::*;
use crate::actors::patch::merge;

fn read(fields: &Value) -> Result<CheckedFields, Vec<Issue>> {
    check_fields(
        serde_json::from_value(fields.clone()).unwrap(),
        &Policy::default(),
    )
}

fn with(extra: &Value) -> Value {
    let mut fields = json!({ "url": "https://example.com", "granularity": "minute" });
    merge(&mut fields, extra);
    fields
}

#[test]
fn the_least_is_an_address_and_a_rhythm() {
    let checked = read(&with(&json!({}))).unwrap();
    assert_eq!(checked.url, "https://example.com/");
    assert!(matches!(checked.recurrence, Recurrence::Every(60_000)));
    let checked =
        read(&json!({ "url": "example.com", "cron": "*/7 * * * *", "timezone": "Asia/Tokyo" }))
            .unwrap();
    assert_eq!(checked.fields.granularity, Some(Granularity::Custom));
}

#[test]
fn what_is_wrong_is_named() {
    for (extra, field) in [
        (json!({ "url": "http://127.0.0.1/" }), "url"),
        (json!({ "granularity": null }), "granularity"),
        (json!({ "granularity": "custom" }), "granularity"),
        (json!({ "cron": "* * * * *" }), "cron"),
        (json!({ "granularity": null, "cron": "often" }), "cron"),
        (json!({ "timezone": "Mars/Olympus" }), "timezone"),
        (json!({ "timeout": 999 }), "timeout"),
        (json!({ "timeout": 120_001 }), "timeout"),
        (json!({ "retries": 11 }), "retries"),
        (json!({ "places": ["a b"] }), "places"),
        (json!({ "places": vec!["p"; 1], "quorum": 2 }), "quorum"),
        (json!({ "quorum": 0 }), "quorum"),
        (json!({ "places": ["p"], "timeout": 60_001 }), "timeout"),
        (json!({ "degradedAfter": 0 }), "degradedAfter"),
        (json!({ "name": "x".repeat(256) }), "name"),
        (json!({ "tags": [""] }), "tags"),
        (json!({ "grace": 5 }), "grace"),
        (json!({ "recordType": "MX" }), "recordType"),
        (json!({ "maintenance": [{}] }), "maintenance.0"),
        (
            json!({ "request": { "headers": { "a b": "c" } } }),
            "request.headers",
        ),
        (
            json!({ "request": { "headers": { "Host": "c" } } }),
            "request.headers",
        ),
        (
            json!({ "request": { "headers": { "a": "b\r\nc: d" } } }),
            "request.headers",
        ),
        (
            json!({ "request": { "auth": { "type": "basic", "username": "a:b", "password": "" } } }),
            "request.auth",
        ),
    ] {
        let issues = read(&with(&extra)).unwrap_err();
        assert_eq!(issues[0].field, field, "{extra}: {issues:?}");
    }
}

#[test]
fn what_is_wrong_with_an_assertion_is_named() {
    for (extra, field) in [
        (json!({ "expect": { "status": ["2x"] } }), "expect.status"),
        (json!({ "expect": { "matches": "(" } }), "expect.matches"),
        (
            json!({ "expect": { "matches": "(a{1000}){1000}" } }),
            "expect.matches",
        ),
        (
            json!({ "expect": { "json": [{ "path": "a..b" }] } }),
            "expect.json",
        ),
        (json!({ "expect": { "records": ["x"] } }), "expect.records"),
        (
            json!({ "expect": { "certificateDays": 0 } }),
            "expect.certificateDays",
        ),
        (
            json!({ "kind": "tcp", "url": "example.com:81", "request": {} }),
            "request",
        ),
        (
            json!({ "kind": "ping", "url": "example.com", "expect": { "contains": "x" } }),
            "expect.contains",
        ),
    ] {
        let issues = read(&with(&extra)).unwrap_err();
        assert_eq!(issues[0].field, field, "{extra}: {issues:?}");
    }
}

#[test]
fn credentials_and_statements_are_those_of_the_protocol() {
    for (extra, field) in [
        (json!({ "request": { "tls": true } }), "request.tls"),
        (
            json!({ "kind": "redis", "url": "example.com:81", "request": { "method": "GET" } }),
            "request.method",
        ),
        (
            json!({ "kind": "redis", "url": "example.com:81", "request": { "auth": { "type": "bearer", "token": "t" } } }),
            "request.auth",
        ),
        (
            json!({ "kind": "redis", "url": "example.com:81", "request": { "auth": { "type": "basic", "username": "a", "password": "b\r\nc" } } }),
            "request.auth",
        ),
        (
            json!({ "kind": "smtp", "url": "example.com:81", "request": { "auth": { "type": "basic", "username": "a", "password": "b" } } }),
            "request.auth",
        ),
        (
            json!({ "kind": "mysql", "url": "example.com:81" }),
            "request.auth",
        ),
        (
            json!({ "kind": "postgresql", "url": "example.com:81", "request": { "body": "SELECT 1" } }),
            "request.body",
        ),
        (
            json!({ "kind": "ssh", "url": "example.com:81", "request": {} }),
            "request",
        ),
    ] {
        let issues = read(&with(&extra)).unwrap_err();
        assert_eq!(issues[0].field, field, "{extra}: {issues:?}");
    }
}

#[test]
fn what_only_some_kinds_have_is_refused_for_the_others() {
    for (extra, field) in [
        (json!({ "steps": [] }), "steps"),
        (
            json!({ "steps": [{ "url": "/", "expect": { "offset": 5 } }] }),
            "steps.0.expect",
        ),
        (
            json!({ "request": { "snmpVersion": "1" } }),
            "request.snmpVersion",
        ),
        (
            json!({ "expect": { "certificateChain": 0 } }),
            "expect.certificateChain",
        ),
        (
            json!({ "kind": "dnssec", "url": "example.com", "expect": { "records": ["a"] } }),
            "expect.records",
        ),
        (
            json!({ "kind": "grpc", "url": "example.com", "request": { "auth": { "type": "basic", "username": "a:b", "password": "" } } }),
            "request.auth",
        ),
        (
            json!({ "kind": "ssh", "url": "example.com:81", "expect": { "json": [{ "path": "a" }] } }),
            "expect.json",
        ),
        (json!({ "steps": [{ "url": "/{{a}}" }] }), "steps.0.save"),
        (
            json!({ "expect": { "domainDays": 5 } }),
            "expect.domainDays",
        ),
        (json!({ "expect": { "offset": 5 } }), "expect.offset"),
        (
            json!({ "request": { "community": "public" } }),
            "request.community",
        ),
        (
            json!({ "kind": "domain", "url": "example.com" }),
            "granularity",
        ),
        (
            json!({ "kind": "grpc", "url": "example.com", "expect": { "contains": "a" } }),
            "expect.contains",
        ),
        (
            json!({ "kind": "websocket", "url": "wss://example.com", "request": { "method": "GET" } }),
            "request.method",
        ),
        (
            json!({ "kind": "snmp", "url": "example.com", "request": { "community": "" } }),
            "request.community",
        ),
    ] {
        let issues = read(&with(&extra)).unwrap_err();
        assert_eq!(issues[0].field, field, "{extra}: {issues:?}");
    }
}

#[test]
fn timestamps_are_counted_where_there_is_a_certificate() {
    for extra in [
        json!({ "expect": { "certificateScts": 0 } }),
        json!({ "expect": { "certificateScts": 11 } }),
        json!({ "kind": "tcp", "url": "example.com:81", "expect": { "certificateScts": 2 } }),
    ] {
        let issues = read(&with(&extra)).unwrap_err();
        assert_eq!(issues[0].field, "expect.certificateScts");
    }
}

#[test]
fn both_sides_of_the_bounds() {
    for extra in [
        json!({ "timeout": 1_000 }),
        json!({ "timeout": 120_000 }),
        json!({ "retries": 0 }),
        json!({ "retries": 10 }),
        json!({ "name": "x".repeat(255) }),
        json!({ "tags": ["a", " a ", "b"] }),
        json!({ "expect": { "status": ["2xx", "404", "500-599"], "matches": "^ok$" } }),
        json!({
            "kind": "smtp", "url": "smtps://example.com:81",
            "request": { "auth": { "type": "basic", "username": "a:b", "password": "c" }, "tls": false },
        }),
        json!({
            "kind": "mysql", "url": "example.com:81/shop",
            "request": { "auth": { "type": "basic", "username": "a", "password": "" }, "body": "SELECT 1", "tls": true },
            "expect": { "contains": "1", "certificateDays": 7 },
        }),
        json!({
            "kind": "redis", "url": "example.com:81", "request": { "body": "GET a" },
            "expect": { "json": [{ "path": "a" }], "certificateIssuer": "b", "certificateChain": 2, "certificateScts": 2 },
        }),
        json!({ "kind": "grpc", "url": "example.com", "request": { "auth": { "type": "bearer", "token": "t" } } }),
        json!({ "kind": "dnssec", "url": "example.com", "recordType": "MX" }),
        json!({ "kind": "domain", "url": "example.com", "granularity": "hour", "expect": { "domainDays": 30 } }),
    ] {
        assert!(read(&with(&extra)).is_ok(), "{extra}");
    }
    assert_eq!(
        read(&with(&json!({ "tags": ["a", " a "] })))
            .unwrap()
            .fields
            .tags,
        Some(vec!["a".to_owned()])
    );
}

fn patch(fields: &Value, patch: &Value) -> Result<MonitorFields, Vec<Issue>> {
    let fields: MonitorFields = serde_json::from_value(fields.clone()).unwrap();
    patch_fields(&fields, patch.as_object().unwrap())
}

#[test]
fn a_change_keeps_what_it_does_not_name() {
    let before = with(&json!({
        "name": "a",
        "request": { "method": "POST", "auth": { "type": "basic", "username": "u", "password": "p" } },
    }));
    let after = patch(
        &before,
        &json!({ "name": null, "request": { "body": "x" } }),
    )
    .unwrap();
    let request = after.request.unwrap();
    assert_eq!((after.name, request.body.as_deref()), (None, Some("x")));
    assert_eq!(request.method, Some(super::super::Method::Post));
    assert!(matches!(request.auth, Some(Auth::Basic { password, .. }) if password == "p"));
    let other = patch(
        &before,
        &json!({ "request": { "auth": { "type": "bearer", "token": "t" } } }),
    )
    .unwrap();
    assert!(matches!(other.request.unwrap().auth, Some(Auth::Bearer { token }) if token == "t"));
}

#[test]
fn an_interval_and_an_expression_replace_each_other() {
    let after = patch(&with(&json!({})), &json!({ "cron": "0 5 * * *" })).unwrap();
    assert_eq!(
        (after.granularity, after.cron.as_deref()),
        (Some(Granularity::Custom), Some("0 5 * * *"))
    );
    let again = patch(
        &serde_json::to_value(after).unwrap(),
        &json!({ "granularity": "hour" }),
    )
    .unwrap();
    assert_eq!(
        (again.granularity, again.cron),
        (Some(Granularity::Hour), None)
    );
}

#[test]
fn unknown_fields_and_other_kinds_are_refused() {
    assert_eq!(
        patch(&with(&json!({})), &json!({ "nonsense": 1 })).unwrap_err()[0].field,
        "nonsense"
    );
    assert_eq!(
        patch(&with(&json!({})), &json!({ "kind": "tcp" })).unwrap_err()[0].field,
        "kind"
    );
    assert_eq!(
        patch(&with(&json!({})), &json!({ "timeout": "x" })).unwrap_err()[0].field,
        "timeout"
    );
}

#[test]
fn this_server_alone_is_nothing_to_store_and_a_place_counts_once() {
    let places = |places: &Value| {
        let checked = read(&with(&json!({ "places": places }))).unwrap();
        checked.fields.places
    };
    assert_eq!(places(&json!(["here"])), None);
    assert_eq!(places(&json!([])), None);
    let both = Some(vec!["p".to_owned(), "here".to_owned()]);
    assert_eq!(places(&json!(["p", " here", "p"])), both);
}

#[test]
fn a_page_needs_a_browser_where_it_is_checked() {
    let page = |extra: &Value| {
        let mut fields = with(&json!({ "kind": "browser", "url": "example.com" }));
        merge(&mut fields, extra);
        fields
    };
    let issues = read(&page(&json!({}))).unwrap_err();
    assert_eq!(issues[0].field, "kind");
    assert!(issues[0].message.contains("egress.browser_url"));
    assert!(read(&page(&json!({ "places": ["p", "here"] }))).is_err());
    assert!(read(&page(&json!({ "places": ["p"] }))).is_ok());
    let policy = Policy {
        browser_url: "http://127.0.0.1:9222".to_owned(),
        ..Policy::default()
    };
    let check = |extra: &Value| {
        let fields = serde_json::from_value(page(extra)).unwrap();
        check_fields(fields, &policy)
    };
    let expect = json!({ "expect": { "status": ["200"], "contains": "a" } });
    assert_eq!(check(&expect).unwrap().url, "https://example.com/");
    for (extra, field) in [
        (json!({ "request": { "method": "POST" } }), "request"),
        (
            json!({ "expect": { "json": [{ "path": "a" }] } }),
            "expect.json",
        ),
        (
            json!({ "expect": { "certificateDays": 5 } }),
            "expect.certificateDays",
        ),
    ] {
        assert_eq!(check(&extra).unwrap_err()[0].field, field);
    }
    let stored = serde_json::from_value(page(&json!({}))).unwrap();
    assert!(check_stored_fields(stored).is_ok());
    // What was stored before it became the port of a browser is still read.
    let near = with(&json!({ "url": "http://127.0.0.1:9222/" }));
    let near: MonitorFields = serde_json::from_value(near).unwrap();
    assert!(check_stored_fields(near.clone()).is_ok());
    let open = Policy {
        allow: vec!["127.0.0.0/8".parse().unwrap()],
        ..policy
    };
    assert_eq!(check_fields(near, &open).unwrap_err()[0].field, "url");
}
