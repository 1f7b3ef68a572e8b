//! What narrows and widens rows: filters and groups.

use serde_json::{Value, json};

use super::{column, view};
use crate::app::{App, NOW};

/// Views: `/` 4, `/docs` 3, `/docs/api` 2, `/pricing` 1, `/100%` 1.
pub(super) async fn pages(app: &App) {
    let paths = [
        ("/", 4),
        ("/docs", 3),
        ("/docs/api", 2),
        ("/pricing", 1),
        ("/100%25", 1),
    ];
    let mut views: Vec<Value> = Vec::new();
    for (path, count) in paths {
        views.extend((0..count).map(|n| view(format!("{path}-{n}"), NOW, path)));
    }
    // The first two come from a newsletter, the third from a search.
    views[0]["utm_source"] = json!("newsletter");
    views[1]["utm_source"] = json!("newsletter");
    views[2]["referrer"] = json!("https://www.google.com/");
    app.send_pages(&views).await;
}

#[actix::test]
async fn each_of_the_seven_operators_compares_as_it_says() {
    let app = App::spawn().await;
    pages(&app).await;
    for (op, value, expected) in [
        ("eq", json!("/docs"), &["/docs"][..]),
        (
            "ne",
            json!("/docs"),
            &["/", "/100%", "/docs/api", "/pricing"],
        ),
        ("contains", json!("doc"), &["/docs", "/docs/api"]),
        ("contains", json!("%"), &["/100%"]),
        ("contains", json!("_"), &[]),
        ("not_contains", json!("doc"), &["/", "/100%", "/pricing"]),
        ("starts_with", json!("/pri"), &["/pricing"]),
        (
            "in",
            json!(["/", "/pricing", "/nowhere"]),
            &["/", "/pricing"],
        ),
        (
            "not_in",
            json!(["/", "/pricing"]),
            &["/100%", "/docs", "/docs/api"],
        ),
        ("eq", json!("' OR 1=1 --"), &[]),
    ] {
        let body = json!({
            "parameters": ["top_pages"], "preset": "today", "sortBy": "path", "sortOrder": "asc",
            "filters": [{ "field": "path", "op": op, "value": value }],
        });
        let answer = app.ask(&body).await;
        assert_eq!(column(&answer.rows(0), "path"), expected, "{op} {value}");
        assert_eq!(answer.body["meta"]["filters_applied"], 1, "{op}");
    }
    app.finish().await;
}

#[actix::test]
async fn an_operator_beside_the_seven_is_refused_with_the_list_of_them() {
    let app = App::spawn().await;
    for op in ["ends_with", "regex", "EQ", ""] {
        let body = json!({
            "parameters": ["top_pages"], "preset": "today",
            "filters": [{ "field": "path", "op": op, "value": "x" }],
        });
        let detail = app.refused(&body).await;
        assert_eq!(detail["field"], "filters[0].op", "{op}");
        let message = detail["message"].as_str().unwrap();
        for known in [
            "eq",
            "ne",
            "contains",
            "not_contains",
            "starts_with",
            "in",
            "not_in",
        ] {
            assert!(message.contains(known), "{known} in {message}");
        }
        let compiled = app.post(
            format!("{}/v1/query/compile?website_id={}", app.base, app.website),
            &body,
        );
        assert_eq!(compiled.await.status, 400, "{op}");
    }
    app.finish().await;
}

#[actix::test]
async fn today_says_its_date_and_time_on_pages_their_views() {
    let app = App::spawn().await;
    let mut events: Vec<Value> = (0..3).map(|n| view(n, NOW, "/a")).collect();
    let exit = |id: &str, of: usize, seconds: u32| {
        let mut exit = view(of, NOW, "/a");
        exit["eventId"] = json!(id);
        exit["name"] = json!("page_exit");
        exit["time_on_page"] = json!(seconds);
        exit
    };
    events.extend([exit("e0", 0, 10), exit("e1", 1, 30), view(7, NOW, "/b")]);
    app.send_pages(&events).await;
    let body = json!({
        "parameters": ["today_metrics", "page_time_analysis"], "startDate": "2026-10-01", "endDate": "2026-10-02",
    });
    let today = app.ask(&body).await.rows(0);
    let expected = json!([{
        "date": "2026-10-14", "pageviews": 4, "visitors": 4, "unique_visitors": 4, "sessions": 4,
    }]);
    assert_eq!(json!(today), expected);
    let body = json!({ "parameters": ["page_time_analysis"], "preset": "today" });
    let expected = json!([{
        "path": "/a", "name": "/a", "sessions_with_time": 2, "pageviews": 3, "visitors": 2, "unique_visitors": 2,
        "median_time_on_page": 20, "percentage_of_sessions": 100,
    }]);
    assert_eq!(
        json!(app.ask(&body).await.rows(0)),
        expected,
        "/b has no known time"
    );
    app.finish().await;
}

#[actix::test]
async fn filters_meet_what_rows_show_and_combine() {
    let app = App::spawn().await;
    pages(&app).await;
    let views = async |filters: Value| {
        let body =
            json!({ "parameters": ["summary_totals"], "preset": "today", "filters": filters });
        app.ask(&body).await.rows(0)[0]["pageviews"].clone()
    };
    let filter =
        |field: &str, op: &str, value: Value| json!({ "field": field, "op": op, "value": value });
    assert_eq!(
        views(json!([filter("referrer", "eq", json!("Direct"))])).await,
        10
    );
    assert_eq!(
        views(json!([filter("referrer", "contains", json!("google"))])).await,
        1
    );
    assert_eq!(
        views(json!([filter("utm_source", "eq", json!("newsletter"))])).await,
        2
    );
    assert_eq!(
        views(json!([filter("utm_source", "ne", json!("newsletter"))])).await,
        9
    );
    assert_eq!(
        views(json!([filter("country", "eq", json!("Unknown"))])).await,
        11
    );
    assert_eq!(
        views(json!([filter("country", "in", json!(["DE", "France"]))])).await,
        0
    );
    let both = json!([
        filter("utm_source", "eq", json!("newsletter")),
        filter("path", "eq", json!("/docs")),
    ]);
    assert_eq!(views(both).await, 0);
    app.finish().await;
}

#[actix::test]
async fn filters_that_nobody_knows_are_refused_and_foreign_ones_named() {
    let app = App::spawn().await;
    pages(&app).await;
    let body = |filter: Value| json!({ "parameters": ["top_pages", "custom_events"], "preset": "today", "filters": [filter] });
    for (filter, field, suggestion) in [
        (
            json!({ "field": "paths", "op": "eq", "value": "/" }),
            "filters[0].field",
            Some("Did you mean 'path'?"),
        ),
        (
            json!({ "field": "path", "op": "equal", "value": "/" }),
            "filters[0].op",
            None,
        ),
        (
            json!({ "field": "path", "op": "start_with", "value": "/" }),
            "filters[0].op",
            Some("Did you mean 'starts_with'?"),
        ),
        (
            json!({ "field": "path", "op": "in", "value": "/" }),
            "filters[0].value",
            None,
        ),
        (
            json!({ "field": "path", "op": "in", "value": [] }),
            "filters[0].value",
            None,
        ),
        (
            json!({ "field": "path", "op": "in", "value": vec!["/"; 1_001] }),
            "filters[0].value",
            None,
        ),
        (
            json!({ "field": "path", "op": "eq", "value": ["/"] }),
            "filters[0].value",
            None,
        ),
        (
            json!({ "field": "path", "op": "eq" }),
            "filters[0].value",
            None,
        ),
        (json!("path"), "filters[0]", None),
    ] {
        let detail = app.refused(&body(filter.clone())).await;
        assert_eq!(detail["field"], field, "{filter}: {detail}");
        if let Some(suggestion) = suggestion {
            assert_eq!(detail["suggestion"], suggestion, "{filter}");
        }
    }
    let known = json!({ "field": "event_name", "op": "eq", "value": "nothing" });
    let answer = app.ask(&body(known)).await;
    assert_eq!(
        answer.body["data"][0]["ignoredFilters"],
        json!(["event_name"])
    );
    assert_eq!(answer.rows(0).len(), 5, "it narrows nothing");
    assert!(answer.body["data"][1].get("ignoredFilters").is_none());
    assert_eq!(
        answer.body["meta"]["filters_applied"], 1,
        "it acted on one parameter"
    );

    let alone = json!({
        "parameters": ["top_pages"], "preset": "today",
        "filters": [{ "field": "event_name", "op": "eq", "value": "nothing" }],
    });
    assert_eq!(app.ask(&alone).await.body["meta"]["filters_applied"], 0);
    app.finish().await;
}

#[actix::test]
async fn group_by_adds_its_columns_where_a_type_allows_it() {
    let app = App::spawn().await;
    pages(&app).await;
    let body = |fields: Value| {
        json!({
            "parameters": ["top_pages", "vitals_overview"], "preset": "today", "groupBy": fields,
            "filters": [{ "field": "path", "op": "eq", "value": "/" }],
        })
    };
    for fields in [json!("utm_source"), json!(["utm_source"])] {
        let answer = app.ask(&body(fields)).await;
        let rows = answer.rows(0);
        assert_eq!(
            column(&rows, "utm_source"),
            ["Unknown", "newsletter"],
            "{}",
            answer.text
        );
        assert_eq!(column(&rows, "pageviews"), ["2", "2"]);
        assert_eq!(
            answer.body["data"][1]["ignoredGroupBy"],
            json!(["utm_source"])
        );
    }
    let answer = app
        .ask(&body(json!(["utm_source", "referrer", "event_name"])))
        .await;
    assert_eq!(answer.rows(0).len(), 3);
    assert_eq!(
        answer.body["data"][0]["ignoredGroupBy"],
        json!(["event_name"]),
        "known, not allowed here"
    );

    let unknown = app.refused(&body(json!(["utm_sauce"]))).await;
    assert_eq!(unknown["field"], "groupBy");
    assert_eq!(unknown["suggestion"], "Did you mean 'utm_source'?");
    let many = json!(["path", "host", "city", "country"]);
    assert_eq!(app.refused(&body(many)).await["field"], "groupBy");
    app.finish().await;
}
