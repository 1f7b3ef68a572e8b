//! All that is stored of a website as a file: whole, in order, in every format, and harmless to spreadsheets.

use std::collections::HashSet;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use parquet::{
    file::reader::{FileReader as _, SerializedFileReader},
    record::RowAccessor as _,
};
use pharos::access::{Role, Scope};
use serde_json::{Value, json};

use crate::{
    app::{App, NOW},
    cast::{Cast, Proof},
};

/// Names that a spreadsheet would calculate.
const NASTY: [&str; 4] = ["=HYPERLINK(\"http://a\")", "+1", "-1+cmd", "@sum"];

async fn file(app: &App, format: &str) -> reqwest::Response {
    let url = format!(
        "{}/v1/export?website_id={}&format={format}",
        app.base, app.website
    );
    let sent = app
        .http
        .get(url)
        .header("x-api-key", &app.key)
        .send()
        .await
        .unwrap();
    assert_eq!(sent.status(), 200, "{format}");
    sent
}

async fn filled() -> App {
    let app = App::with("").await;
    for (number, name) in NASTY.iter().enumerate() {
        let event = json!({
            "name": name, "eventId": format!("e{number}"), "websiteId": app.website,
            "timestamp": NOW - 1_000 + number as i64, "properties": { "n": number, "text": "a,\"b\"\nä" },
        });
        let sent = app.send(&event).await;
        assert_eq!(sent.status, 200, "{}", sent.text);
    }
    app
}

#[actix::test]
async fn every_format_has_every_event_in_order() {
    let app = filled().await;
    let csv = file(&app, "csv").await;
    let named = csv.headers()["content-disposition"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(
        named.starts_with("attachment; filename=\"events-") && named.ends_with(".csv\""),
        "{named}"
    );
    let csv = csv.text().await.unwrap();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let place =
        |headers: &csv::StringRecord, name| headers.iter().position(|one| one == name).unwrap();
    let headers = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let names: Vec<&str> = rows
        .iter()
        .map(|row| &row[place(&headers, "name")])
        .collect();
    assert_eq!(names, NASTY.map(|name| format!("'{name}")));
    let properties: Value = serde_json::from_str(&rows[2][place(&headers, "properties")]).unwrap();
    assert_eq!(properties, json!({ "n": 2, "text": "a,\"b\"\nä" }));
    assert!(rows.iter().all(|row| &row[0] == "custom"));

    let list: Value = file(&app, "json").await.json().await.unwrap();
    let names: Vec<&str> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, NASTY, "only tables are calculated");
    assert_eq!(list[1]["properties"]["n"], 1);
    let lines = file(&app, "ndjson").await.text().await.unwrap();
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(json!(lines), list);
    let tabs = file(&app, "txt").await.text().await.unwrap();
    assert!(
        tabs.lines()
            .next()
            .unwrap()
            .starts_with("event_type\ttimestamp\t")
    );

    let whole: Bytes = file(&app, "parquet").await.bytes().await.unwrap();
    let reader = SerializedFileReader::new(whole).unwrap();
    let rows: Vec<_> = reader
        .get_row_iter(None)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let columns: Vec<String> = rows[0]
        .get_column_iter()
        .map(|(name, _)| name.clone())
        .collect();
    let named = columns.iter().position(|name| name == "name").unwrap();
    let names: Vec<&str> = rows
        .iter()
        .map(|row| row.get_string(named).unwrap().as_str())
        .collect();
    assert_eq!(names, NASTY);
    app.finish().await;
}

/// More events than a page has, many of them in the same millisecond: none is missing and none is there twice.
#[actix::test]
async fn pages_neither_lose_nor_double_what_happened_at_once() {
    let app = App::with("limits.track_requests = 0").await;
    let count = 23_000;
    for chunk in (0..count).collect::<Vec<i64>>().chunks(2_000) {
        let events = chunk.iter().map(|number| {
            // Half of them at one moment, which no page holds.
            let at = if number % 2 == 0 { NOW - 5_000 } else { NOW - 5_001 - number / 3 };
            json!({ "name": "e", "eventId": format!("e{number}"), "websiteId": app.website, "timestamp": at,
                    "properties": { "n": number } })
        });
        let sent = app.send(&events.collect()).await;
        assert_eq!(sent.status, 200, "{}", sent.text);
    }
    let lines = file(&app, "ndjson").await.text().await.unwrap();
    let mut numbers: Vec<i64> = Vec::new();
    let mut before = String::new();
    for line in lines.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        numbers.push(row["properties"]["n"].as_i64().unwrap());
        let at = row["timestamp"].as_str().unwrap().to_owned();
        assert!(before <= at, "{before} {at}");
        before = at;
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (0..count).collect::<Vec<_>>());
    app.finish().await;
}

#[actix::test]
async fn an_answer_holds_a_file_and_a_range_cuts_it() {
    let app = filled().await;
    let url = format!("{}/websites/exportDownload", app.base);
    let body = json!({ "websiteId": app.website, "format": "csv" });
    let answer = app.post(url.clone(), &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let data = STANDARD
        .decode(answer.body["data"].as_str().unwrap())
        .unwrap();
    let streamed = file(&app, "csv").await.bytes().await.unwrap();
    assert_eq!(data, streamed, "the same as the stream");
    assert_eq!(answer.body["metadata"]["rows"], NASTY.len());
    assert!(answer.body["filename"].as_str().unwrap().contains(".csv"));
    let before = json!({ "websiteId": app.website, "format": "json", "endDate": "2020-01-01" });
    let none = app.post(url.clone(), &before).await;
    assert_eq!(none.body["metadata"]["rows"], 0, "{}", none.text);
    for (wrong, field) in [
        (
            json!({ "websiteId": app.website, "format": "xml" }),
            "format",
        ),
        (
            json!({ "websiteId": app.website, "format": "csv", "startDate": "soon" }),
            "startDate",
        ),
        (
            json!({ "websiteId": app.website, "format": "csv", "startDate": "2026-02-01", "endDate": "2026-01-01" }),
            "endDate",
        ),
    ] {
        let refused = app.post(url.clone(), &wrong).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
        assert!(refused.text.contains(field), "{}", refused.text);
    }
    app.finish().await;
}

#[actix::test]
async fn an_answer_that_cannot_hold_all_says_where_all_is() {
    // A page of so many events at once takes its time on a busy machine.
    let app = App::with("query.deadline_seconds = 120").await;
    let url = format!("{}/websites/exportDownload", app.base);
    let wish = json!({ "websiteId": app.website, "format": "csv" });
    // All of one millisecond: some differ in nothing.
    let one = |name: String| json!({ "name": name, "websiteId": app.website });
    let most = vec![one("e".to_owned()); 20_000];
    for batch in 0..5 {
        let others = || (0..20_000).map(|number| one(format!("{batch}-{number}")));
        let sent = match batch {
            0 | 1 => app.send(&json!(others().collect::<Vec<_>>())).await,
            _ => app.send(&json!(most)).await,
        };
        assert_eq!(sent.status, 200, "{}", sent.text);
    }
    let whole = app.post(url.clone(), &wish).await;
    assert_eq!(whole.status, 200, "{}", whole.text);
    assert_eq!(whole.body["metadata"]["rows"], 100_000);
    assert_eq!(app.send(&json!([most[0]])).await.status, 200);
    let refused = app.post(url, &wish).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert_eq!(refused.body["code"], "BAD_REQUEST");
    let message = refused.body["message"].as_str().unwrap();
    assert!(message.contains("GET /v1/export"), "{message}");
    let streamed = file(&app, "csv").await.text().await.unwrap();
    assert_eq!(streamed.lines().count(), 100_002, "with its heading");
    let lines: HashSet<&str> = streamed.lines().collect();
    assert_eq!(lines.len(), 40_002, "none of the others twice");
    app.finish().await;
}

#[actix::test]
async fn only_who_may_read_all_of_a_website_gets_its_events() {
    let cast = Cast::spawn().await;
    let public = json!({ "id": cast.app.website, "isPublic": true });
    cast.call_ok(&cast.person(Role::Owner), "/websites/togglePublic", &public)
        .await;
    let url = format!(
        "{}/v1/export?website_id={}",
        cast.app.base, cast.app.website
    );
    let reader = cast.key(&[Scope::ReadData]).await;
    for (who, status) in [
        (Proof::Nobody, 401),
        (cast.stranger().clone(), 403),
        (cast.person(Role::Viewer), 200),
        (reader, 200),
    ] {
        let answer = who.on(cast.app.http.get(&url)).send().await.unwrap();
        assert_eq!(answer.status(), status, "{who:?}");
    }
    cast.app.finish().await;
}
