//! `/v1/query/compile`: what would run and what it would read, in both shapes of body.

use pharos::actors::ingest::Seal;
use serde_json::{Value, json};

use super::{ms, view};
use crate::app::{Answer, App};

impl App {
    async fn compile(&self, body: &Value) -> Answer {
        let path = format!("/v1/query/compile?website_id={}", self.website);
        self.post(format!("{}{path}", self.base), body).await
    }
}

/// Page views of these days, each sealed into a segment of its own but for the last.
async fn spread(app: &App) {
    for (day, views) in [("2026-08-01", 3), ("2026-09-01", 2), ("2026-10-01", 4)] {
        let time = ms(&format!("{day}T12:00:00Z"));
        let views = (0..views).map(|n| view(format!("{day}-{n}"), time, "/"));
        app.send_pages(&views.collect::<Vec<_>>()).await;
        if day != "2026-10-01" {
            let ingest = &app.platform.as_ref().unwrap().domains().ingest;
            ingest.ask(Seal).await.unwrap();
        }
    }
}

fn within(first: &str, last: &str) -> Value {
    json!({ "parameters": ["top_pages"], "startDate": first, "endDate": last })
}

#[actix::test]
async fn it_names_the_files_and_rows_that_would_be_read() {
    let app = App::spawn().await;
    spread(&app).await;
    let reads = async |first, last| {
        let answer = app.compile(&within(first, last)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.body["reads"].clone()
    };
    let all = reads("2026-08-01", "2026-10-31").await;
    let files = all["segments"].as_array().unwrap();
    let rows: Vec<u64> = files
        .iter()
        .map(|file| file["rows"].as_u64().unwrap())
        .collect();
    assert_eq!(rows, [3, 2], "{all}");
    let seen = |count: u64| json!({ "tailRows": 4, "segmentRows": count, "rows": count + 4 });
    let counts = |reads: &Value| json!({ "tailRows": reads["tailRows"], "segmentRows": reads["segmentRows"], "rows": reads["rows"] });
    assert_eq!(
        (counts(&all), all["skippedSegments"].as_u64()),
        (seen(5), Some(0))
    );
    for file in files {
        let name = file["file"].as_str().unwrap();
        assert!(app.directory().join("segments").join(name).is_file());
        assert_eq!(file["damaged"], false);
    }
    // The boundary of a file's times, from both sides.
    let first = reads("2026-07-01", "2026-08-01").await;
    assert_eq!(first["segments"], json!([files[0]]), "{first}");
    assert_eq!(
        (counts(&first), first["skippedSegments"].as_u64()),
        (seen(3), Some(1))
    );
    let none = reads("2026-07-01", "2026-07-31").await;
    assert_eq!(
        (counts(&none), none["skippedSegments"].as_u64()),
        (seen(0), Some(2))
    );
    app.finish().await;
}

#[actix::test]
async fn it_says_which_filters_act_and_binds_their_values() {
    let app = App::spawn().await;
    let body = json!({
        "id": "mine", "parameters": ["top_pages", "custom_events"], "preset": "last_7d",
        "filters": [
            { "field": "country", "op": "in", "value": ["DE", "FR"] },
            { "field": "event_name", "op": "eq", "value": "signup" },
        ],
    });
    let answer = app.compile(&body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let statements = answer.body["statements"].as_array().unwrap();
    let filters = |acts: [bool; 2]| {
        json!([
            { "field": "country", "op": "in", "applied": acts[0] },
            { "field": "event_name", "op": "eq", "applied": acts[1] },
        ])
    };
    for (statement, acts, ignored) in [
        (&statements[0], [true, false], json!(["event_name"])),
        (&statements[1], [true, true], json!([])),
    ] {
        assert_eq!(statement["filters"], filters(acts));
        assert_eq!(statement["ignoredFilters"], ignored);
        assert_eq!(
            statement["filtersApplied"],
            acts.iter().filter(|acts| **acts).count()
        );
        let sql = statement["sql"].as_str().unwrap();
        let params = statement["params"].as_object().unwrap();
        // `?` in the one engine, `{p0:String}` in the other; `{pages}` is neither.
        let named = sql.split("{p").skip(1);
        let named = named.filter(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
        let places = sql.matches('?').count() + named.count();
        assert_eq!(places, params.len(), "{sql}");
        assert!(params.values().any(|value| value == "FR"), "{params:?}");
        assert!(!sql.contains("'FR'") && !sql.contains("signup"), "{sql}");
    }
    let names = ["success", "sql", "params", "requestId", "queryId"];
    for name in names {
        assert!(answer.body.get(name).is_some(), "{name}");
    }
    assert_eq!(answer.body["queryId"], "mine");
    assert_eq!(answer.body["sql"], statements[0]["sql"]);
    app.finish().await;
}

#[actix::test]
async fn it_takes_whatever_the_query_route_takes() {
    let app = App::spawn().await;
    let ordinary = within("2026-10-01", "2026-10-02");
    let one = app.compile(&ordinary).await;
    let batch = json!([ordinary, { "id": "b", "parameters": ["top_page"], "preset": "today" }]);
    let answer = app.compile(&batch).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.body["batch"], true);
    let [good, bad] = answer.body["results"].as_array().unwrap().as_slice() else {
        panic!("{}", answer.text)
    };
    assert_eq!(good["sql"], one.body["sql"]);
    assert_eq!(
        (&bad["queryId"], &bad["success"]),
        (&json!("b"), &json!(false))
    );
    assert_eq!(bad["code"], "VALIDATION_ERROR");
    for refused in [json!([]), json!(vec![ordinary.clone(); 51])] {
        assert_eq!(app.compile(&refused).await.status, 400);
    }
    let most = app.compile(&json!(vec![ordinary; 50])).await;
    assert_eq!(most.body["results"].as_array().unwrap().len(), 50);

    // The low-level shape names its website itself, and means the same.
    let low = json!({
        "projectId": app.website, "type": "top_pages", "from": "2026-10-01", "to": "2026-10-02",
        "timeUnit": "daily", "limit": 100, "offset": 0,
    });
    let url = format!("{}/v1/query/compile", app.base);
    let answer = app.post(url, &low).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.body["sql"], one.body["sql"]);
    assert_eq!(answer.body["params"], one.body["params"]);
    for (unit, named) in [
        ("minute", "minute"),
        ("hour", "hourly"),
        ("week", "week"),
        ("month", "month"),
    ] {
        let mut series = low.clone();
        series["type"] = json!("events_by_date");
        series["timeUnit"] = json!(unit);
        let answer = app.compile(&series).await;
        assert_eq!(answer.status, 200, "{unit}: {}", answer.text);
        assert_eq!(answer.body["range"]["granularity"], named);
        // Queries themselves know hours and days alone.
        let ordinary = json!({
            "parameters": ["events_by_date"], "startDate": "2026-10-01", "endDate": "2026-10-02", "granularity": unit,
        });
        let answer = app.compile(&ordinary).await;
        let status = if unit == "hour" { 200 } else { 400 };
        assert_eq!(answer.status, status, "{unit}: {}", answer.text);
    }
    let mut long = low.clone();
    long["timeUnit"] = json!("minute");
    long["to"] = json!("2026-10-03");
    assert_eq!(app.compile(&long).await.status, 400);
    for (field, value) in [
        ("type", "top_page"),
        ("timeUnit", "fortnight"),
        ("orderBy", "visitors ASC, name"),
        ("from", "yesterday"),
    ] {
        let mut wrong = low.clone();
        wrong[field] = json!(value);
        let answer = app.compile(&wrong).await;
        assert_eq!(
            (answer.status, &answer.body["code"]),
            (400, &json!("COMPILATION_ERROR")),
            "{field}"
        );
    }
    app.finish().await;
}

#[actix::test]
async fn strangers_learn_nothing_of_the_files() {
    let app = App::spawn().await;
    let public = json!({ "id": app.website, "isPublic": true });
    let made = app
        .post(format!("{}/websites/togglePublic", app.base), &public)
        .await;
    assert_eq!(made.status, 200, "{}", made.text);
    let url = format!("{}/v1/query/compile?website_id={}", app.base, app.website);
    let body = within("2026-10-01", "2026-10-02");
    let theirs = app.post_anonymously(url.clone(), &body).await;
    assert_eq!(theirs.status, 200, "{}", theirs.text);
    assert!(theirs.body["sql"].is_string() && theirs.body["reads"].is_null());
    let ours = app.post(url, &body).await;
    assert!(ours.body["reads"].is_object());
    app.finish().await;
}
