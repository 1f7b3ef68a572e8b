//! The same events and the same requests, in programs with either store: every type answers alike, row for row.

use pharos::events::demo::Generator;
use proptest::{prelude::*, sample::select, strategy::ValueTree, test_runner::TestRunner};
use serde_json::{Map, Value, json};

use super::{Server, settings, shipped};
use crate::{
    app::{Answer, App, NOW},
    filled,
};

/// The last digit that is shown of a percentile or a mean. The one is computed from two values by another formula in each engine, the
/// other from numbers that are added up in another order, so their last bits differ; of what lies half-way between two digits, that bit
/// decides the digit.
const LAST_DIGIT: f64 = 1.01e-4;
/// Requests of each type.
const EACH: usize = 3;

/// What a request says beside its type.
#[derive(Debug, Clone)]
struct Manner {
    preset: &'static str,
    zone: &'static str,
    hourly: bool,
    limit: u8,
    page: u8,
    group: Option<usize>,
    filter: Option<(&'static str, &'static str, &'static str)>,
}

fn manner() -> impl Strategy<Value = Manner> {
    let when = (
        select(vec![
            "today",
            "yesterday",
            "last_7d",
            "last_30d",
            "this_month",
        ]),
        select(vec![
            "UTC",
            "Europe/Berlin",
            "America/St_Johns",
            "Australia/Lord_Howe",
        ]),
        any::<bool>(),
    );
    let filters = vec![
        ("country", "eq", "DE"),
        ("path", "starts_with", "/"),
        ("path", "contains", "p"),
        ("browser_name", "ne", "Chrome"),
        ("device_type", "eq", "desktop"),
        ("utm_source", "eq", "newsletter"),
        ("referrer", "contains", "o"),
    ];
    let page = prop_oneof![3 => Just((200, 1)), 1 => (1..9_u8, 1..3_u8)];
    let rest = (
        page,
        proptest::option::of(any::<usize>()),
        proptest::option::of(select(filters)),
    );
    (when, rest).prop_map(
        |((preset, zone, hourly), ((limit, page), group, filter))| Manner {
            preset,
            zone,
            hourly,
            limit,
            page,
            group,
            filter,
        },
    )
}

impl Manner {
    fn body(&self, name: &str, config: &Value, session: &Value) -> Value {
        let mut filters: Vec<Value> = Vec::new();
        if let Some((field, op, value)) = self.filter {
            filters.push(json!({ "field": field, "op": op, "value": value }));
        }
        if name == "session_events" {
            filters.push(json!({ "field": "session_id", "op": "eq", "value": session }));
        }
        if name == "identified_profile_retention" {
            for (field, value) in [
                ("activation_event", json!("signup")),
                ("return_event", json!("signup")),
                ("horizon_days", json!(7)),
                ("observation_end", json!("2099-01-01")),
            ] {
                filters.push(json!({ "field": field, "op": "eq", "value": value }));
            }
        }
        let mut body = json!({
            "parameters": [name], "preset": self.preset, "timezone": self.zone, "filters": filters,
            "granularity": if self.hourly && self.preset != "last_30d" { "hourly" } else { "daily" },
            "limit": self.limit, "page": self.page,
        });
        let fields = config["allowedFilters"].as_array().unwrap();
        if let (Some(group), true) = (self.group, config["customizable"] == true) {
            body["groupBy"] = json!([fields[group % fields.len()]]);
        }
        body
    }
}

/// Whether answers are the same, but for the last digit of percentiles and means.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| {
                    let theirs = other.get(name);
                    theirs.is_some_and(|theirs| same(value, theirs) || near(name, value, theirs))
                })
        }
        _ => one == other,
    }
}

/// Whether two percentiles or means are as near as they can be without being the same. Counts, sums and texts never are.
fn near(name: &str, one: &Value, other: &Value) -> bool {
    let digits = |rest: &str| rest.chars().take_while(char::is_ascii_digit).count();
    let is_percentile = name.strip_prefix('p').is_some_and(|rest| digits(rest) == 2);
    let apart = one.as_f64().zip(other.as_f64());
    (is_percentile || name.starts_with("avg_"))
        && apart.is_some_and(|(one, other)| (one - other).abs() <= LAST_DIGIT)
}

/// A few days of realistic events, the same ones for both.
async fn generate(apps: [&App; 2], seed: u64) {
    for app in apps {
        let platform = app.platform.as_ref().unwrap();
        for mut chunk in Generator::new(filled::plan(app, (4_000, 12), seed)) {
            // Numbers such as 12.50, which the engines write differently, as one of their tests says.
            for accepted in &mut chunk {
                let properties = &mut accepted.event.properties;
                *properties = properties.take().filter(|text| !text.contains('.'));
            }
            platform.stores().events.append(chunk).await.unwrap();
        }
    }
}

/// Events as senders send them, in every way: some of them twice, some refused.
async fn send(app: &App) {
    let mut pages = Vec::new();
    for n in 0..60_i64 {
        let visitor = n * n % 17;
        pages.push(json!({
            "eventId": format!("page-{n}"), "name": if n % 5 == 0 { "page_exit" } else { "screen_view" },
            "anonymousId": format!("anon-{visitor}"), "sessionId": format!("session-{}", n * n % 23),
            "timestamp": NOW - n * 1_777_000, "path": format!("https://localhost/ä/{}?utm_source=newsletter", n % 7),
            "referrer": "https://www.google.com/search", "language": "de-DE", "screen": "1000x800",
            "time_on_page": n, "scroll_depth": n, "interaction_count": n % 4,
        }));
    }
    app.send_pages(&pages).await;
    let first = json!(pages[..20]);
    let again = app.post_anonymously(
        format!("{}/batch?client_id={}", app.track, app.website),
        &first,
    );
    assert_eq!(again.await.status, 200);
    let mut events = Vec::new();
    let names = ["signup", "buy", "say \"ö\" \\ \n"];
    for n in 0..40_i64 {
        events.push(json!({
            "websiteId": app.website, "name": names[n as usize % names.len()],
            "anonymousId": format!("anon-{}", n % 17), "sessionId": format!("session-{}", n % 23),
            "timestamp": NOW - n * 2_000_000, "eventId": format!("custom-{}", n % 33),
            "properties": { "plan": if n % 2 == 0 { "pro" } else { "free" }, "price": n as f64 + 0.25, "list": [n, null], "deep": { "a": true } },
        }));
    }
    assert_eq!(app.send(&json!(events)).await.status, 200);
    for n in 0..6 {
        let who = json!({ "websiteId": app.website, "profileId": format!("user-{}", n % 4),
            "anonymousId": format!("anon-{n}"), "traits": { "name": format!("N {n}") } });
        let said = app.post(format!("{}/identify", app.track), &who).await;
        assert_eq!(said.status, 200, "{}", said.text);
    }
    let url = format!("{}/track?website_id={}", app.track, app.website);
    let foreign = app.http.post(url).header("origin", "https://else.example");
    let refused = foreign.json(&json!({ "name": "a" })).send().await.unwrap();
    assert_eq!(refused.status(), 403);
}

#[actix::test]
async fn either_store_answers_every_type_alike() {
    let Some(server) = Server::start() else {
        return;
    };
    let limits =
        "limits.query_requests = 0\nlimits.key_requests = 0\nquery.deadline_seconds = 60\n";
    let mut embedded = App::with(limits).await;
    let remote = embedded
        .twin(&format!("{limits}{}", settings(&server)))
        .await;
    for app in [&embedded, &remote] {
        send(app).await;
    }
    generate([&embedded, &remote], 11).await;
    shipped(&remote).await;
    let url = |app: &App| format!("{}/v1/query/types?include_meta=true", app.base);
    let types = embedded.get(url(&embedded)).await.body;
    let theirs = remote.get(url(&remote)).await.body;
    assert!(types["configs"] == theirs["configs"], "the types differ");
    let sessions = json!({ "parameters": ["session_list"], "preset": "last_7d" });
    let session = embedded.ask(&sessions).await.rows(0)[0]["session_id"].clone();
    let mut runner = TestRunner::deterministic();
    let (mut wrong, mut rows) = (Vec::new(), Map::new());
    for name in types["types"].as_array().unwrap() {
        let name = name.as_str().unwrap();
        for _ in 0..EACH {
            let manner = manner().new_tree(&mut runner).unwrap().current();
            let body = manner.body(name, &types["configs"][name], &session);
            let asked = (
                embedded.post(embedded.query_url(), &body),
                remote.post(remote.query_url(), &body),
            );
            let (one, other) = (asked.0.await, asked.1.await);
            assert_eq!(
                one.status, other.status,
                "{body}: {} {}",
                one.text, other.text
            );
            let (one, other) = (&one.body["data"], &other.body["data"]);
            if !same(one, other) {
                eprintln!("{body}\nembedded:   {one}\nclickhouse: {other}\n");
                wrong.push(name.to_owned());
            }
            if one[0]["data"]
                .as_array()
                .is_some_and(|rows| !rows.is_empty())
            {
                rows.insert(name.to_owned(), json!(true));
            }
        }
    }
    assert_eq!(wrong, [""; 0], "types that the stores answer differently");
    assert!(
        rows.len() > 40,
        "types that had rows to compare: {}",
        rows.len()
    );
    others_are_alike(&embedded, &remote).await;
    embedded.finish().await;
    remote.finish().await;
}

/// What reads events beside the query types.
async fn others_are_alike(embedded: &App, remote: &App) {
    for format in ["csv", "json"] {
        let file = async |app: &App| {
            let url = format!(
                "{}/v1/export?website_id={}&format={format}",
                app.base, app.website
            );
            app.get(url).await
        };
        let (one, other) = (file(embedded).await, file(remote).await);
        both_answer(&one, &other);
        assert!(one.text.len() > 100_000, "{}", one.text.len());
        assert!(one.text == other.text, "the stores export different events");
    }
    let body = json!({ "websiteId": embedded.website, "startDate": "2026-10-01", "endDate": "2026-10-14" });
    let values = async |app: &App| {
        app.post(format!("{}/autocomplete/get", app.base), &body)
            .await
    };
    let (one, other) = (values(embedded).await, values(remote).await);
    both_answer(&one, &other);
    assert_eq!(one.body, other.body, "what there is to filter by");
}

fn both_answer(one: &Answer, other: &Answer) {
    let statuses = (one.status, other.status);
    assert_eq!(statuses, (200, 200), "{} {}", one.text, other.text);
}
