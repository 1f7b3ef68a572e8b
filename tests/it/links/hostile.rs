//! Threats T29 and T30: every hostile target and every hostile piece of text, wherever a link takes one, is refused or does
//! no harm.

use proptest::{
    collection::vec,
    sample::select,
    strategy::{Strategy, ValueTree as _},
    test_runner::TestRunner,
};
use reqwest::Url;
use serde_json::{Value, json};

use super::{client, create_link, follow};
use crate::app::{Answer, App};

/// Where the links themselves are.
const OWN: &str = "limits.key_requests = 0\nserver.links_url = 'https://go.example'";

/// Forbidden targets.
const TARGETS: [&str; 45] = [
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "java\nscript:alert(1)",
    "java\tscript:alert(1)",
    "\u{1}javascript:alert(1)",
    " javascript:alert(1)",
    "javascript://example.com/%0aalert(1)",
    "data:text/html,<script>alert(1)</script>",
    "data:text/html;base64,PHNjcmlwdD4=",
    "vbscript:msgbox(1)",
    "file:///etc/passwd",
    "ftp://example.com/",
    "gopher://example.com/",
    "ws://example.com/",
    "blob:https://example.com/1",
    "view-source:https://example.com/",
    "intent://example.com/#Intent;scheme=https;end",
    "mailto:a@example.com",
    "tel:+1",
    "about:blank",
    "//evil.example/",
    "///evil.example/",
    "\\\\evil.example\\",
    "/\\evil.example/",
    "/path",
    "evil.example",
    "https:",
    "https://",
    "https:///",
    "https://user@evil.example/",
    "https://user:password@evil.example/",
    "https://example.com@evil.example/",
    "https://exa mple.com/",
    "https://example.com/\r\nLocation: https://evil.example",
    "https://example.com/\r\n\r\n<script>",
    "https://example.com/\nSet-Cookie: a=b",
    "https://example.com/\u{0}",
    "https://example.com/\u{7f}",
    "https://example.com/\u{2028}",
    "https://example.com:99999/",
    "https://[::1/",
    "https://go.example/loop",
    "http://go.example/loop",
    "HTTPS://GO.example:443/loop",
    "https://go.example./loop",
];

/// What looks dangerous and is not, and how it is stored: as a browser would read it.
const HARMLESS: [(&str, &str); 9] = [
    ("https://:@example.com/", "https://example.com/"),
    ("HTTPS://EXAMPLE.com:443/a/../b", "https://example.com/b"),
    ("https:\\\\example.com\\a", "https://example.com/a"),
    ("https:example.com", "https://example.com/"),
    (
        "https://example.com/%0d%0aSet-Cookie:%20a=b",
        "https://example.com/%0d%0aSet-Cookie:%20a=b",
    ),
    (
        "https://example.com/?u=https://else.example/",
        "https://example.com/?u=https://else.example/",
    ),
    (
        "https://example.com/\"><script>",
        "https://example.com/%22%3E%3Cscript%3E",
    ),
    ("https://еxample.com/", "https://xn--xample-2of.com/"),
    ("http://0x7f000001/", "http://127.0.0.1/"),
];

/// Every URL field with its value in a body, and its name in a refusal.
fn fields(url: &str) -> Vec<(Value, Vec<Value>)> {
    let plain = [
        "targetUrl",
        "expiredRedirectUrl",
        "iosUrl",
        "androidUrl",
        "ogImageUrl",
        "ogVideoUrl",
    ];
    let mut all: Vec<(Value, Vec<Value>)> = plain
        .iter()
        .map(|name| (json!({ *name: url }), vec![json!(name)]))
        .collect();
    all.push((
        json!({ "countries": { "DE": url } }),
        vec![json!("countries"), json!("DE")],
    ));
    all.push((
        json!({ "languages": { "de": url } }),
        vec![json!("languages"), json!("de")],
    ));
    let variants = json!({ "variants": [{ "url": "https://example.com/", "weight": 1 }, { "url": url, "weight": 1 }] });
    all.push((variants, vec![json!("variants"), json!(1), json!("url")]));
    all
}

fn whole(fields: &Value) -> Value {
    let mut body = json!({ "name": "a", "targetUrl": "https://example.com/" });
    body.as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    body
}

/// The same link as a table.
fn table(fields: &Value) -> String {
    let link = whole(fields);
    let columns = link.as_object().unwrap();
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let names: Vec<&str> = columns.keys().map(String::as_str).collect();
    let cells = columns.values().map(|value| match value.as_str() {
        Some(text) => quoted(text),
        None => quoted(&value.to_string()),
    });
    format!(
        "{}\n{}\n",
        names.join(","),
        cells.collect::<Vec<_>>().join(",")
    )
}

async fn call(app: &App, path: &str, body: &Value) -> Answer {
    app.post(format!("{}/links/{path}", app.base), body).await
}

/// Segments of the place that a refusal names, whether they are names or numbers.
fn place(answer: &Answer) -> Vec<String> {
    let path = answer.body["data"]["issues"][0]["path"].as_array();
    let path = path.unwrap_or_else(|| panic!("{}", answer.text));
    path.iter()
        .map(|part| part.to_string().trim_matches('"').to_owned())
        .collect()
}

#[actix::test]
async fn no_field_of_a_link_takes_a_hostile_address_on_any_way_in() {
    let app = App::with(OWN).await;
    let kept = create_link(&app, json!({ "slug": "kept" })).await;
    for target in TARGETS {
        for (fields, named) in fields(target) {
            let named: Vec<String> = named
                .iter()
                .map(|part| part.to_string().trim_matches('"').to_owned())
                .collect();
            let mut patch = fields.clone();
            patch["id"] = kept["id"].clone();
            let ways = [
                ("create", whole(&fields), named.clone()),
                ("update", patch.clone(), named.clone()),
                (
                    "bulkCreate",
                    json!({ "links": [whole(&json!({})), whole(&fields)] }),
                    [vec!["links".into(), "1".into()], named.clone()].concat(),
                ),
                ("bulkUpdate", json!({ "links": [patch] }), named),
            ];
            for (way, body, named) in ways {
                let refused = call(&app, way, &body).await;
                assert_eq!(
                    refused.status, 400,
                    "{way} took {target:?}: {}",
                    refused.text
                );
                assert_eq!(place(&refused), named, "{way} {target:?}: {}", refused.text);
            }
            let refused = call(&app, "importCsv", &json!({ "csv": table(&fields) })).await;
            assert_eq!(
                refused.status, 400,
                "importCsv took {target:?}: {}",
                refused.text
            );
        }
    }
    let left = call(&app, "list", &json!({})).await;
    assert_eq!(
        left.body,
        json!([kept]),
        "nothing of what was refused is kept"
    );
    app.finish().await;
}

#[actix::test]
async fn what_is_harmless_is_stored_as_browsers_read_it() {
    let app = App::with("limits.key_requests = 0").await;
    for (at, (target, stored)) in HARMLESS.into_iter().enumerate() {
        let link = create_link(
            &app,
            json!({ "targetUrl": target, "slug": format!("link{at}") }),
        )
        .await;
        assert_eq!(link["targetUrl"], stored, "{target}");
        let led = follow(&app, &format!("link{at}"), &[]).await;
        let to = Url::parse(led.header("location")).unwrap();
        assert_eq!(
            to.host_str(),
            Url::parse(stored).unwrap().host_str(),
            "{target}"
        );
        let file = table(&json!({ "targetUrl": target, "slug": format!("file{at}") }));
        let imported = call(&app, "importCsv", &json!({ "csv": file })).await;
        assert_eq!(imported.body, json!({ "created": 1 }), "{}", imported.text);
        let led = follow(&app, &format!("file{at}"), &[]).await;
        assert_eq!(
            Url::parse(led.header("location")).unwrap().host_str(),
            to.host_str()
        );
    }
    app.finish().await;
}

/// Texts that would end a line of a head, an attribute or a cell.
const TEXTS: [&str; 6] = [
    "a\r\nSet-Cookie: evil=1",
    "a\nLocation: https://evil.example",
    "a\u{0}b",
    "a\u{1b}[2J",
    "a\u{85}b",
    "a\u{7f}b",
];

#[actix::test]
async fn no_text_of_a_link_breaks_out_of_its_line() {
    let app = App::with("limits.key_requests = 0").await;
    let names = [
        "name",
        "slug",
        "ogTitle",
        "ogDescription",
        "externalId",
        "sourceType",
        "sourceId",
        "sourceOwnerId",
        "targetDomain",
    ];
    for text in TEXTS {
        for name in names {
            let fields = json!({ name: text });
            let refused = call(&app, "create", &whole(&fields)).await;
            assert_eq!(
                (refused.status, place(&refused)),
                (400, vec![name.to_owned()]),
                "{name} {text:?}"
            );
            let refused = call(&app, "importCsv", &json!({ "csv": table(&fields) })).await;
            assert_eq!(refused.status, 400, "{name} {text:?}: {}", refused.text);
        }
        let refused = call(&app, "create", &whole(&json!({ "tags": ["fine", text] }))).await;
        assert_eq!(
            (refused.status, place(&refused)),
            (400, vec!["tags".to_owned(), "1".to_owned()])
        );
    }
    let left = call(&app, "list", &json!({})).await;
    assert_eq!(left.body, json!([]));
    app.finish().await;
}

#[actix::test]
async fn nothing_of_a_request_gets_into_the_head_of_the_answer() {
    let app = App::with("limits.query_requests = 0").await;
    let link = create_link(
        &app,
        json!({ "slug": "spring", "targetUrl": "https://example.com/a?x=1" }),
    )
    .await;
    let wanted = format!(
        "https://example.com/a?x=1&ref={}",
        link["id"].as_str().unwrap()
    );
    let bad = "evil%0d%0aSet-Cookie:%20evil=1";
    for path in [
        format!("spring?{bad}"),
        format!("spring?utm_source={bad}&utm_campaign={bad}&utm_content=%00%1b%5b2J"),
        format!("spring?url={bad}&redirect=https://evil.example&ref=evil"),
        "spring?https://evil.example".to_owned(),
        "spring?/../..//evil.example".to_owned(),
        "spring?@evil.example".to_owned(),
    ] {
        let headers = [
            ("referer", "https://evil.example/%0d%0aSet-Cookie:%20evil=1"),
            ("x-request-id", "evil%0d%0aSet-Cookie: evil=1"),
            ("x-forwarded-host", "evil.example"),
            ("x-original-url", "https://evil.example"),
            ("accept-language", "evil%0d%0a"),
            ("host", "evil.example"),
        ];
        let led = follow(&app, &path, &headers).await;
        assert_eq!(
            (led.status, led.header("location")),
            (302, &*wanted),
            "{path}"
        );
        let told = format!("{:?} {}", led.headers, led.text);
        assert!(!told.contains("evil"), "{path}: {told}");
    }
    // Spellings of the path that a client library would mend.
    let address = app.links.strip_prefix("http://").unwrap().to_owned();
    for target in [
        "/spring%0d%0aSet-Cookie:evil=1",
        "//evil.example/spring",
        "/\\evil.example",
        "http://evil.example/spring",
        "/spring/../../evil.example",
        "/%2f%2fevil.example",
        "/..%2fspring",
    ] {
        let answer = raw(&address, target).await;
        let head = answer.split("\r\n\r\n").next().unwrap();
        let lines = head.lines().filter(|line| {
            let line = line.to_lowercase();
            line.starts_with("set-cookie")
                || (line.starts_with("location") && line.contains("evil"))
        });
        assert_eq!(lines.count(), 0, "{target}: {head}");
    }
    // What came along is in the books as text without anything that ends a line.
    app.platform.as_ref().unwrap().clicks().flush().await;
    let body = json!({ "parameters": ["link_total_clicks"], "startDate": "2026-10-01", "endDate": "2026-12-31",
        "filters": [{ "field": "utm_campaign", "op": "contains", "value": "\n" }] });
    let url = format!(
        "{}/v1/query?link_id={}",
        app.base,
        link["id"].as_str().unwrap()
    );
    assert_eq!(app.post(url, &body).await.rows(0)[0]["total"], 0);
    app.finish().await;
}

/// Sends a request line that no client library would.
async fn raw(address: &str, target: &str) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let request = format!("GET {target} HTTP/1.1\r\nHost: go.example\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

/// A query of anything that a URL may hold.
fn query() -> impl Strategy<Value = String> {
    let pieces = select(vec![
        "url=",
        "ref=",
        "redirect=",
        "https://evil.example",
        "//evil.example",
        "%0d%0a",
        "&",
        "=",
        "@",
        "#",
        "?",
        "..",
        "\\",
        "utm_source=",
        "host=evil.example",
        "%2f%2f",
        "x",
        "é",
    ]);
    vec(pieces, 0..6).prop_map(|pieces| pieces.concat())
}

/// The target depends only on the link, not on requests.
#[actix::test]
async fn the_host_that_is_led_to_is_the_stored_one_for_every_query() {
    let app = App::with("limits.key_requests = 0").await;
    create_link(&app, json!({ "slug": "spring", "targetUrl": "https://example.com/a",
        "countries": { "DE": "https://example.com/de" }, "languages": { "de": "https://example.com/deutsch" },
        "variants": [{ "url": "https://example.com/b", "weight": 1 }, { "url": "https://example.com/c", "weight": 2 }] })).await;
    let mut runner = TestRunner::deterministic();
    let queries: Vec<String> = (0..100)
        .map(|_| query().new_tree(&mut runner).unwrap().current())
        .collect();
    let http = client();
    for query in queries {
        let answer = http
            .get(format!("{}/spring?{query}", app.links))
            .header("accept-language", "de")
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 302, "{query}");
        let to = answer.headers()["location"].to_str().unwrap();
        assert_eq!(
            Url::parse(to).unwrap().host_str(),
            Some("example.com"),
            "{query}"
        );
        assert!(!to.contains("evil"), "{query}: {to}");
    }
    app.finish().await;
}
