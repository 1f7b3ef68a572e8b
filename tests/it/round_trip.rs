//! What is exported of a website and imported elsewhere gives the same answers.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::{Value, json};

use crate::{
    app::Answer,
    process::{Credentials, Process, pharos, set_up, start},
};

/// Parts of the names of types that are about something else than the events of a website: things with numbers of their own,
/// names that were given later, this very moment, and what was not stored.
const ELSEWHERE: [&str; 8] = [
    "link_",
    "uptime_",
    "profile",
    "realtime",
    "active",
    "quality",
    "blocked",
    "session_events",
];

async fn serve(data: &Path) -> Process {
    let mut command = pharos(data);
    command.arg("serve");
    command.env("PHAROS__LIMITS__QUERY_REQUESTS", "0");
    start(command).await
}

fn run(data: &Path, arguments: &[&str]) -> String {
    let output = pharos(data).args(arguments).output().unwrap();
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {wrong}");
    String::from_utf8(output.stdout).unwrap()
}

/// Rows in an order of their own, with numbers as precise as sums in any order are.
fn comparable(rows: Vec<Value>) -> Vec<String> {
    fn rounded(value: Value) -> Value {
        match value {
            Value::Number(number) => json!(format!("{:.5e}", number.as_f64().unwrap())),
            Value::Array(all) => all.into_iter().map(rounded).collect(),
            Value::Object(all) => all
                .into_iter()
                .map(|(name, value)| (name, rounded(value)))
                .collect(),
            other => other,
        }
    }
    let mut rows: Vec<String> = rows
        .into_iter()
        .map(|row| rounded(row).to_string())
        .collect();
    rows.sort_unstable();
    rows
}

/// What every type says of the days up to yesterday.
async fn answers(process: &Process, made: &Credentials) -> BTreeMap<String, Vec<String>> {
    let url = format!("{}/v1/query?website_id={}", process.base, made.website);
    answers_at(&url, process, &made.key, &ELSEWHERE, 1).await
}

/// What every type says, whose name has none of these parts, of the twenty days that ended so many days ago.
pub async fn answers_at(
    url: &str,
    process: &Process,
    key: &str,
    without: &[&str],
    end: i64,
) -> BTreeMap<String, Vec<String>> {
    let http = crate::web::client();
    let types = Answer::send(http.get(format!("{}/v1/query/types", process.base))).await;
    let types = types.body["types"].as_array().unwrap().clone();
    let day = |ago: i64| {
        (chrono::Utc::now() - chrono::Duration::days(ago))
            .format("%Y-%m-%d")
            .to_string()
    };
    let mut all = BTreeMap::new();
    let names = types.iter().map(|name| name.as_str().unwrap());
    let names = names.filter(|name| !without.iter().any(|part| name.contains(part)));
    let names: Vec<&str> = names.collect();
    for names in names.chunks(50) {
        let body = json!({ "parameters": names, "startDate": day(20), "endDate": day(end), "limit": 1000 });
        let answer = Answer::send(http.post(url).header("x-api-key", key).json(&body)).await;
        for (place, name) in names.iter().enumerate() {
            if answer.body["data"][place]["success"] == true {
                all.insert((*name).to_owned(), comparable(answer.rows(place)));
            }
        }
    }
    all
}

#[actix::test]
async fn a_website_that_is_exported_and_imported_gives_the_same_answers() {
    let first = tempfile::tempdir().unwrap();
    let made = set_up(first.path());
    run(
        first.path(),
        &[
            "demo",
            "--events",
            "3000",
            "--days",
            "15",
            "--website",
            &made.website,
        ],
    );
    let process = serve(first.path()).await;
    let expected = answers(&process, &made).await;
    let filled = expected.values().filter(|rows| !rows.is_empty()).count();
    assert!(
        filled > 60,
        "{filled} of {} types say something",
        expected.len()
    );
    let mut files = Vec::new();
    for format in ["ndjson", "csv"] {
        let url = format!(
            "{}/v1/export?website_id={}&format={format}",
            process.base, made.website
        );
        let sent = crate::web::client().get(url).header("x-api-key", &made.key);
        files.push((format, Answer::send(sent).await.text));
    }
    process.stop();
    for (format, text) in files {
        let other = tempfile::tempdir().unwrap();
        let (data, copy) = (other.path(), set_up(other.path()));
        fs::write(data.join("events"), &text).unwrap();
        let import = [
            "import",
            "pharos",
            "events",
            "--website",
            &copy.website,
            "--json",
        ];
        let said: Value = serde_json::from_str(&run(data, &import)).unwrap();
        let rows = text.lines().count() as u64 - u64::from(format == "csv");
        assert!(
            said["events"].as_u64().unwrap() <= rows && said["refused"] == 0,
            "{format}: {said}"
        );
        let again: Value = serde_json::from_str(&run(data, &import)).unwrap();
        assert_eq!(
            (&again["events"], &again["earlier"]),
            (&json!(0), &said["events"]),
            "{again}"
        );
        let process = serve(data).await;
        let found = answers(&process, &copy).await;
        let names = expected
            .iter()
            .filter(|(name, rows)| found.get(*name) != Some(rows));
        let different: Vec<&String> = names.map(|(name, _)| name).collect();
        assert!(different.is_empty(), "{format}: {different:?}");
        process.stop();
    }
}

/// Lines, and why they are refused.
fn lines() -> Vec<(String, &'static str)> {
    let good =
        json!({ "event_type": "custom", "timestamp": "2026-01-01T00:00:00.000Z", "name": "e" });
    let with = |field: &str, value: Value| {
        let mut row = good.clone();
        row[field] = value;
        row.to_string()
    };
    vec![
        (good.to_string(), ""),
        ("{ this is not JSON".to_owned(), "this is no JSON object"),
        (
            with("event_type", json!("check")),
            "`event_type` is none that can be imported: check",
        ),
        (with("event_type", json!("vital")), "`value` is missing"),
        (
            with("timestamp", json!("yesterday")),
            "`timestamp` is no time",
        ),
        (
            with("timestamp", json!("1999-12-31T23:59:59Z")),
            "`timestamp` is before 2000",
        ),
        (
            with("anonymous_id", json!("ann")),
            "`anonymous_id` is no number of 16 hexadecimal digits",
        ),
        (
            with("bot_verdict", json!("perhaps")),
            "`bot_verdict` is none: perhaps",
        ),
        (
            with("title", json!("x".repeat(3000))),
            "`title` is longer than 2048 characters",
        ),
        (
            with("properties", json!("text")),
            "`properties` is no JSON object",
        ),
        (with("name", json!("f")), ""),
    ]
}

#[test]
fn rows_that_are_none_are_refused_with_their_line_and_the_rest_is_there() {
    let data = tempfile::tempdir().unwrap();
    let made = set_up(data.path());
    let lines = lines();
    let text: String = lines.iter().map(|(line, _)| line.clone() + "\n").collect();
    fs::write(data.path().join("events"), text).unwrap();
    let arguments = [
        "import",
        "pharos",
        "events",
        "--website",
        &made.website,
        "--json",
    ];
    let output = pharos(data.path()).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&said["events"], &said["refused"]),
        (&json!(2), &json!(9)),
        "{said}"
    );
    let wrong = lines
        .iter()
        .enumerate()
        .filter(|(_, (_, why))| !why.is_empty());
    for ((at, (_, why)), told) in wrong.zip(said["refusals"].as_array().unwrap()) {
        assert_eq!(told["line"], at + 1);
        assert!(told["why"].as_str().unwrap().starts_with(why), "{told}");
    }
}
