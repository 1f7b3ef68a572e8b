//! Threat T21: JSON that is deep, wide, ambiguous or no JSON at all, on every route.

use serde_json::{Value, json};

use super::{Call, INVALID, TOO_LARGE, stored, unlimited};
use crate::app::App;

const ROUTES: [&str; 9] = [
    "/track",
    "/",
    "/batch",
    "/vitals",
    "/errors",
    "/engagement",
    "/events",
    "/mcp",
    "/identify",
];

fn call<'a>(app: &'a App, path: &str) -> Call<'a> {
    if matches!(path, "/track" | "/mcp") {
        Call::server(app, path)
    } else {
        Call::page(app, path)
    }
}

/// So many members of an object, each with a comma behind it.
fn wide(keys: usize) -> String {
    let members: Vec<String> = (0..keys).map(|key| format!("\"k{key}\":0")).collect();
    members.join(",") + ","
}

/// Bodies that no route takes.
fn refused() -> Vec<(&'static str, Vec<u8>)> {
    let deep = |open: &str, close: &str, levels: usize| {
        format!("{}{}", open.repeat(levels), close.repeat(levels)).into_bytes()
    };
    let keys = wide(100_000);
    vec![
        ("nothing", vec![]),
        ("white space", b" \n\t".to_vec()),
        ("words", b"hello".to_vec()),
        ("half an object", b"{\"name\":".to_vec()),
        ("more behind it", b"[] []".to_vec()),
        ("a comma too many", b"[{},]".to_vec()),
        ("single quotes", b"{'name':'n'}".to_vec()),
        ("invalid UTF-8", b"{\"name\":\"\xff\xfe\"}".to_vec()),
        ("overlong UTF-8", b"{\"name\":\"\xc0\xaf\"}".to_vec()),
        ("UTF-16", b"\xff\xfe{\0}\0".to_vec()),
        ("a raw NUL", b"{\"name\":\"a\0b\"}".to_vec()),
        ("a lone surrogate", br#"{"name":"\ud800"}"#.to_vec()),
        ("a backward pair", br#"{"name":"\udc00\ud800"}"#.to_vec()),
        (
            "a huge number",
            br#"{"timestamp":1e999,"name":"n"}"#.to_vec(),
        ),
        ("not a number", br#"{"timestamp":NaN,"name":"n"}"#.to_vec()),
        ("one array of arrays of arrays", deep("[", "]", 100_000)),
        ("a hundred thousand objects", deep("{\"a\":", "}", 100_000)),
        ("a million brackets", vec![b'['; 1_000_000]),
        (
            "one object of a hundred thousand keys",
            format!("[{{{keys}\"z\":0}}]").into_bytes(),
        ),
        (
            "ten thousand objects",
            format!("[{}{{}}]", "{},".repeat(10_000)).into_bytes(),
        ),
        (
            "two hundred thousand numbers",
            format!("[{}0]", "0,".repeat(200_000)).into_bytes(),
        ),
    ]
}

#[actix::test]
async fn no_route_takes_it_and_none_falls_over() {
    let app = unlimited().await;
    for path in ROUTES {
        for (what, body) in refused() {
            let answer = call(&app, path).bytes(body).await;
            if path == "/batch" && what.starts_with("one") {
                // Items are independent.
                assert_eq!(answer.body["results"][0]["status"], "error", "{what}");
                continue;
            }
            let errors = INVALID.is(&answer);
            assert!((1..=20).contains(&errors.len()), "{path} {what}");
            assert!(
                answer.text.len() < 8_192,
                "{path} {what}: {}",
                answer.text.len()
            );
        }
    }
    assert!(stored(&app, "kind").await.is_empty());
    app.finish().await;
}

#[actix::test]
async fn of_a_repeated_key_the_last_counts_and_unknown_fields_may_be_anything() {
    let app = unlimited().await;
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    let wide = wide(50_000);
    let call = Call::server(&app, "/track");
    for body in [
        r#"{"name":"first","name":"last"}"#.to_owned(),
        r#"{"name":5,"name":"last"}"#.to_owned(),
        format!(r#"{{"name":"last","else":{deep}}}"#),
        format!(r#"{{"name":"last","else":{{{wide}"z":0}}}}"#),
        format!(r#"{{{wide}"name":"last"}}"#),
        format!(
            r#"{{{}"name":"last"}}"#,
            r#""name":"first","#.repeat(100_000)
        ),
        "\u{feff}{\"name\":\"last\"}".to_owned(),
        r#"{"\u006eame":"last"}"#.to_owned(),
        r#"{"name":"la\u0000st"}"#.to_owned(),
    ] {
        let answer = call.bytes(body.clone()).await;
        assert_eq!(
            answer.status,
            200,
            "{} {}",
            &body[..60.min(body.len())],
            answer.text
        );
    }
    assert_eq!(stored(&app, "name").await, vec!["last"; 9]);
    app.finish().await;
}

#[actix::test]
async fn properties_are_read_and_written_again() {
    let app = unlimited().await;
    let call = Call::server(&app, "/track");
    let nested = |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
    let send = async |properties: &str| {
        call.bytes(format!(r#"{{"name":"n","properties":{properties}}}"#))
            .await
    };
    for (properties, kept) in [
        (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
        (r#"{ "a" : "\u00e4\ud83d\ude00" }"#, r#"{"a":"ä😀"}"#),
        (r#"{"a\u0000b":"c\u0000d"}"#, r#"{"ab":"cd"}"#),
        (
            r#"{"a":123456789012345678901234567890}"#,
            r#"{"a":1.2345678901234568e+29}"#,
        ),
    ] {
        assert_eq!(send(properties).await.status, 200, "{properties}");
        let stored = stored(&app, "properties").await;
        assert!(stored.contains(&kept.to_owned()), "{kept}: {stored:?}");
    }
    let before = stored(&app, "name").await.len();
    assert_eq!(send(&nested(100)).await.status, 200);
    // Fifty thousand copies of a key are one key, but need not be read to the end.
    let repeated = format!("{{{}\"a\":1}}", "\"a\":1,".repeat(50_000));
    let wide = wide(1_000);
    let escaped = format!("{{\"a\":\"{}\"}}", "\\u0041".repeat(32_760));
    assert_eq!(
        send(&escaped).await.status,
        200,
        "what counts is the compact form"
    );
    TOO_LARGE.is(&send(&repeated).await);
    for (properties, code) in [
        (nested(10_000), "invalid_json"),
        (r#"{"a":"\ud800"}"#.to_owned(), "invalid_json"),
        (r#"{"a":1e999}"#.to_owned(), "invalid_json"),
        (format!("{{{wide}\"z\":0}}"), "too_many_keys"),
    ] {
        let errors = INVALID.is(&send(&properties).await);
        assert_eq!(
            errors[0]["code"],
            code,
            "{}",
            &properties[..40.min(properties.len())]
        );
    }
    assert_eq!(stored(&app, "name").await.len(), before + 2);
    let rows: Vec<Value> = app.rows("custom_events").await;
    assert!(rows.is_empty(), "these are the organization's own");
    let all = json!({ "parameters": ["custom_events"], "preset": "today" });
    let url = format!("{}/v1/query?organization_id={}", app.base, app.organization);
    assert_eq!(
        app.post(url, &all).await.rows(0)[0]["total_events"],
        before + 2
    );
    app.finish().await;
}
