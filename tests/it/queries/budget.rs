//! A request has a budget of rows and bytes over all of its bodies and parameters (threat T17).

use pharos::access::Scope;
use serde_json::{Value, json};

use super::view;
use crate::app::{Answer, App, NOW};

/// Hours of 30 days, which have rows whatever is stored.
const HOURS: usize = 720;

async fn publish(app: &App) {
    let public = json!({ "id": app.website, "isPublic": true });
    let url = format!("{}/websites/togglePublic", app.base);
    assert_eq!(app.post(url, &public).await.status, 200);
}

/// So many times 720 rows.
fn hours(times: usize) -> Value {
    let parameters: Vec<Value> = (0..times)
        .map(|place| json!({ "name": "events_by_date", "id": format!("p{place}") }))
        .collect();
    json!({
        "parameters": parameters, "startDate": "2026-09-01", "endDate": "2026-09-30",
        "granularity": "hourly", "limit": 10_000,
    })
}

/// The budget and the parameter that a refusal names.
fn refused(answer: &Answer) -> [String; 3] {
    assert_eq!(answer.status, 400, "{:.400}", answer.text);
    assert_eq!(answer.body["code"], "VALIDATION_ERROR");
    assert_eq!(answer.body["success"], false);
    let details = &answer.body["details"];
    assert_eq!(details.as_array().unwrap().len(), 2, "{details}");
    assert_eq!(details[0]["field"], "");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    [
        text(&details[0]["message"]),
        text(&details[1]["field"]),
        text(&details[1]["message"]),
    ]
}

#[actix::test]
async fn rows_of_a_request_are_counted_over_all_of_its_bodies() {
    let app = App::spawn().await;
    publish(&app).await;
    let two = app.ask(&json!([hours(100), hours(100)])).await;
    let second = &two.body["results"][1]["data"];
    assert_eq!(second.as_array().unwrap().len(), 100);
    assert_eq!(second[99]["parameter"], "p99");
    assert_eq!(second[99]["data"].as_array().unwrap().len(), HOURS);

    let three = json!([hours(100), hours(100), hours(100)]);
    let [budget, place, most] = refused(&app.post(app.query_url(), &three).await);
    assert_eq!(
        budget,
        "A request may be answered with at most 200,000 rows or 32 MB"
    );
    assert!(
        place.starts_with('[') && place.contains("].parameters["),
        "{place}"
    );
    assert!(
        most.starts_with("`events_by_date` asked for most"),
        "{most}"
    );

    // Callers without credentials have a quarter of it.
    let asked = app.post_anonymously(app.query_url(), &hours(60)).await;
    assert_eq!(asked.status, 200, "{:.400}", asked.text);
    let asked = app.post_anonymously(app.query_url(), &hours(70)).await;
    let [budget, place, _] = refused(&asked);
    assert_eq!(
        budget,
        "A request may be answered with at most 50,000 rows or 8 MB"
    );
    assert_eq!(place, "parameters[0]");
    app.finish().await;
}

#[actix::test]
async fn bytes_of_a_request_are_counted_as_they_come() {
    let app = App::spawn().await;
    publish(&app).await;
    for part in 0..5 {
        let views = (0..500).map(|place| {
            let path = format!("/{part}-{place}-{:x<1000}", "");
            view(format!("{part}-{place}"), NOW - 1_000, &path)
        });
        app.send_pages(&views.collect::<Vec<_>>()).await;
    }
    // 2,500 paths of 1 KB, which are in a row twice, each time another question.
    let paths = |times: usize| {
        let parameter = |place: usize| json!({ "name": "top_pages", "id": format!("p{place}"), "start_date": format!("2026-10-{:02}", place + 1) });
        json!({
            "parameters": (0..times).map(parameter).collect::<Vec<_>>(),
            "startDate": "2026-10-01", "endDate": "2026-10-14", "limit": 10_000,
        })
    };
    let one = app.post_anonymously(app.query_url(), &paths(1)).await;
    assert_eq!(one.rows(0).len(), 2_500);
    assert_eq!(one.header("content-length"), one.text.len().to_string());
    let [_, place, most] = refused(&app.post_anonymously(app.query_url(), &paths(2)).await);
    assert!(place.starts_with("parameters["), "{place}");
    assert!(
        most.contains(" rows and ") && most.contains(" MB"),
        "{most}"
    );
    let five = app.ask(&paths(5)).await;
    assert_eq!(five.rows(4).len(), 2_500);
    refused(&app.post(app.query_url(), &paths(7)).await);
    // The next one is answered as ever.
    assert_eq!(app.ask(&paths(1)).await.rows(0).len(), 2_500);
    app.finish().await;
}

#[actix::test]
async fn a_parameter_that_is_there_again_is_computed_once() {
    let app = App::with("query.cache = \"0\"").await;
    let computed = async || {
        let metrics = Answer::send(app.http.get(format!("{}/metrics", app.base))).await;
        let mut lines = metrics.text.lines();
        let name = "pharos_query_duration_seconds_count{type=\"events_by_date\"} ";
        let count = lines.find_map(|line| line.strip_prefix(name));
        count.map_or(0, |count| count.parse::<u64>().unwrap())
    };
    let answer = app.ask(&hours(100)).await;
    assert_eq!(answer.body["data"].as_array().unwrap().len(), 100);
    assert_eq!(answer.rows(99).len(), HOURS);
    assert_eq!(computed().await, 1);
    // Another range is another question, and so is another body.
    let mut other = hours(3);
    other["parameters"][1]["start_date"] = json!("2026-09-02");
    app.ask(&json!([other, other])).await;
    assert_eq!(computed().await, 1 + 2 * 2);
    app.finish().await;
}

#[actix::test]
async fn compiling_has_the_budget_of_an_answer() {
    let app = App::spawn().await;
    publish(&app).await;
    let url = format!("{}/v1/query/compile?website_id={}", app.base, app.website);
    let values: Vec<String> = (0..1_000).map(|place| format!("/{place:0>200}")).collect();
    let mut body = hours(100);
    body["filters"] = json!([{ "field": "path", "op": "in", "value": values }]);
    let [budget, ..] = refused(&app.post_anonymously(url.clone(), &body).await);
    assert!(budget.ends_with("8 MB"), "{budget}");
    let one = app.post_anonymously(url, &hours(100)).await;
    assert_eq!(one.status, 200, "{:.400}", one.text);
    assert_eq!(one.body["statements"].as_array().unwrap().len(), 100);
    app.finish().await;
}

/// A caller without permission is refused before anything is counted.
#[actix::test]
async fn a_refused_batch_is_refused_as_before() {
    let app = App::spawn().await;
    let key = app.key_with(&[Scope::TrackEvents]).await;
    let request = app.http.post(app.query_url()).header("x-api-key", key);
    let body = json!([hours(100), hours(100), hours(100)]);
    assert_eq!(Answer::send(request.json(&body)).await.status, 403);
    app.finish().await;
}
