//! Saved segments in queries.

use serde_json::{Value, json};

use super::saved;
use crate::app::{App, NOW};

fn view(number: usize, path: &str) -> Value {
    json!({
        "eventId": format!("v{number}"), "name": "screen_view", "anonymousId": format!("a{number}"),
        "sessionId": format!("s{number}"), "timestamp": NOW, "path": format!("https://localhost{path}"),
    })
}

#[actix::test]
async fn a_query_takes_the_filters_of_saved_segments() {
    let app = App::spawn().await;
    app.send_pages(&[
        view(0, "/a"),
        view(1, "/a/x"),
        view(2, "/b/x"),
        view(3, "/b"),
    ])
    .await;
    let segment = async |operator: &str, value: &str| {
        let filter = json!({ "field": "path", "operator": operator, "value": value });
        saved(
            &app,
            "segments",
            &json!({ "name": "s", "filters": [filter] }),
        )
        .await
    };
    let (below, last) = (
        segment("starts_with", "/a").await,
        segment("ends_with", "x").await,
    );
    let paths = async |more: Value| {
        let mut body = json!({ "parameters": ["top_pages"], "preset": "today", "sortBy": "path", "sortOrder": "asc" });
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let rows = app.ask(&body).await.rows(0);
        rows.iter()
            .map(|row| row["path"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(paths(json!({})).await, ["/a", "/a/x", "/b", "/b/x"]);
    assert_eq!(paths(json!({ "segments": [below] })).await, ["/a", "/a/x"]);
    assert_eq!(paths(json!({ "segments": [below, last] })).await, ["/a/x"]);
    let own = json!([{ "field": "path", "op": "ne", "value": "/a" }]);
    assert_eq!(
        paths(json!({ "segments": [below], "filters": own })).await,
        ["/a/x"]
    );
    // What compiles says the operator that only segments have; a body may not say it.
    let url = format!("{}/v1/query/compile?website_id={}", app.base, app.website);
    let body = json!({ "parameters": ["top_pages"], "preset": "today", "segments": [last] });
    let compiled = app.post(url, &body).await;
    let expected = json!([{ "field": "path", "op": "ends_with", "applied": true }]);
    assert_eq!(compiled.body["filters"], expected, "{}", compiled.text);
    // A batch is asked each by each.
    let body = |more: Value| {
        let mut body = json!({ "parameters": ["top_pages"], "preset": "today" });
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        body
    };
    let batch = json!([body(json!({ "segments": [last] })), body(json!({}))]);
    let answer = app.post(app.query_url(), &batch).await;
    let rows = |at: usize| {
        answer.body["results"][at]["data"][0]["data"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!((rows(0), rows(1)), (2, 4), "{}", answer.text);
    for wrong in [
        json!(["no-such-segment"]),
        json!(below),
        json!([1]),
        json!(vec![below.clone(); 11]),
    ] {
        let refused = app.refused(&body(json!({ "segments": wrong }))).await;
        assert_eq!(refused["field"], "segments");
    }
    // A segment is of one website, not of all that an organization has.
    let url = format!("{}/v1/query?organization_id={}", app.base, app.organization);
    let refused = app.post(url, &body(json!({ "segments": [below] }))).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    app.finish().await;
}
