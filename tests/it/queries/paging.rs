//! The answer around the rows: order, pages, meta, batches.

use serde_json::{Value, json};

use super::{column, shapes::pages, view};
use crate::app::{App, NOW};

fn keys(value: &Value) -> Vec<&String> {
    value.as_object().unwrap().keys().collect()
}

#[actix::test]
async fn an_answer_has_the_fields_of_the_spec_and_says_how_true_it_is() {
    let app = App::spawn().await;
    pages(&app).await;
    let own = json!({ "name": "top_pages", "start_date": "2026-10-13", "end_date": "2026-10-13", "id": "before" });
    let parameters = json!(["summary_metrics", own]);
    let body = json!({
        "id": "mine", "parameters": parameters, "preset": "today", "limit": 7, "page": 2, "ignored": { "by": "us" },
        "filters": [{ "field": "path", "op": "ne", "value": "/x" }],
    });
    let answer = app.ask(&body).await;
    assert_eq!(
        keys(&answer.body),
        ["success", "queryId", "data", "meta", "requestId"]
    );
    assert_eq!(answer.body["queryId"], "mine");
    assert_eq!(answer.body["requestId"], answer.header("x-request-id"));
    for result in answer.body["data"].as_array().unwrap() {
        assert_eq!(keys(result), ["parameter", "success", "data"]);
    }
    assert_eq!(
        answer.body["meta"],
        json!({
            "parameters": parameters, "total_parameters": 2, "page": 2, "limit": 7, "filters_applied": 1,
            "accuracy": "exact", "error_bound": 0, "complete": true,
        })
    );

    let plain = app
        .ask(&json!({ "parameters": ["country"], "preset": "today" }))
        .await;
    assert_eq!(
        plain.body["meta"],
        json!({
            "parameters": ["country"], "total_parameters": 1, "page": 1, "limit": 100, "filters_applied": 0,
            "accuracy": "exact", "error_bound": 0, "complete": true,
        })
    );
    assert_eq!(plain.body["queryId"], "");
    app.finish().await;
}

#[actix::test]
async fn pages_cut_the_rows_and_sorting_comes_before() {
    let app = App::spawn().await;
    pages(&app).await;
    let ask = async |more: Value| {
        let mut body = json!({ "parameters": ["top_pages"], "preset": "today" });
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        column(&app.ask(&body).await.rows(0), "path")
    };
    assert_eq!(
        ask(json!({})).await,
        ["/", "/docs", "/docs/api", "/100%", "/pricing"]
    );
    assert_eq!(ask(json!({ "limit": 2 })).await, ["/", "/docs"]);
    assert_eq!(
        ask(json!({ "limit": 2, "page": 2 })).await,
        ["/docs/api", "/100%"]
    );
    assert_eq!(ask(json!({ "limit": 2, "page": 3 })).await, ["/pricing"]);
    assert!(ask(json!({ "limit": 2, "page": 4 })).await.is_empty());
    assert_eq!(
        ask(json!({ "sortBy": "path" })).await,
        ["/pricing", "/docs/api", "/docs", "/100%", "/"],
        "a column alone sorts downwards"
    );
    let turned = ask(json!({ "sortOrder": "asc" })).await;
    assert_eq!(
        turned[2..],
        ["/docs/api", "/docs", "/"],
        "an order alone turns the type's own"
    );
    for (body, field) in [
        (json!({ "limit": 0 }), "limit"),
        (json!({ "limit": 10_001 }), "limit"),
        (json!({ "limit": "many" }), "limit"),
        (json!({ "page": 0 }), "page"),
        (json!({ "page": 1.5 }), "page"),
        (json!({ "page": 1_000_000, "limit": 10_000 }), "page"),
        (json!({ "sortBy": "pageview" }), "sortBy"),
        (json!({ "sortOrder": "up" }), "sortOrder"),
    ] {
        let mut body = body;
        body["parameters"] = json!(["top_pages"]);
        body["preset"] = json!("today");
        assert_eq!(app.refused(&body).await["field"], field, "{body}");
    }
    assert_eq!(ask(json!({ "limit": 10_000 })).await.len(), 5);
    app.finish().await;
}

#[actix::test]
async fn an_unknown_type_is_refused_with_the_nearest_name() {
    let app = App::spawn().await;
    let body = json!({ "parameters": ["country", "top_page"], "preset": "today" });
    let answer = app.post(app.query_url(), &body).await;
    assert_eq!(answer.status, 400);
    assert_eq!(
        answer.body,
        json!({
            "success": false,
            "error": "Unknown query type: top_page. Did you mean 'top_pages'?",
            "code": "VALIDATION_ERROR",
            "requestId": answer.header("x-request-id"),
            "details": [{
                "field": "parameters[1]", "message": "Unknown query type: top_page",
                "suggestion": "Did you mean 'top_pages'?",
            }],
        })
    );
    for parameters in [
        json!([]),
        json!("country"),
        json!([1]),
        json!(null),
        json!(vec!["country"; 101]),
    ] {
        let detail = app
            .refused(&json!({ "parameters": parameters, "preset": "today" }))
            .await;
        assert!(
            detail["field"].as_str().unwrap().starts_with("parameters"),
            "{parameters}: {detail}"
        );
    }
    app.finish().await;
}

#[actix::test]
async fn a_failing_member_of_a_batch_fails_alone() {
    let app = App::spawn().await;
    app.send_pages(&[view(1, NOW, "/")]).await;
    let good = |id: &str| json!({ "id": id, "parameters": ["summary_totals"], "preset": "today" });
    let bad = json!({ "id": "bad", "parameters": ["sumary_totals"], "preset": "today" });
    let answer = app.ask(&json!([good("a"), bad, good("b")])).await;
    assert_eq!(
        keys(&answer.body),
        ["success", "batch", "results", "requestId"]
    );
    assert_eq!(
        (&answer.body["success"], &answer.body["batch"]),
        (&json!(true), &json!(true))
    );
    let results = answer.body["results"].as_array().unwrap();
    assert_eq!(
        column(results, "queryId"),
        ["a", "bad", "b"],
        "in the same order"
    );
    for index in [0, 2] {
        assert_eq!(keys(&results[index]), ["queryId", "data", "meta"]);
        assert_eq!(results[index]["data"][0]["data"][0]["pageviews"], 1);
    }
    let failed = &results[1];
    assert_eq!(
        (&failed["success"], &failed["data"]),
        (&json!(false), &json!([]))
    );
    assert_eq!(failed["code"], "VALIDATION_ERROR");
    assert!(
        failed["error"]
            .as_str()
            .unwrap()
            .contains("'summary_totals'"),
        "{failed}"
    );
    assert_eq!(failed["meta"]["parameters"], json!(["sumary_totals"]));

    for (count, status) in [(0, 400), (50, 200), (51, 400)] {
        let batch = json!(vec![good("x"); count]);
        let answer = app.post(app.query_url(), &batch).await;
        assert_eq!(answer.status, status, "{count}: {}", answer.text);
    }
    app.finish().await;
}

#[actix::test]
async fn compiling_shows_the_statement_and_runs_nothing() {
    let app = App::spawn().await;
    let url = format!("{}/v1/query/compile?website_id={}", app.base, app.website);
    let value = "' OR 1=1 --";
    let body = json!({
        "parameters": ["top_pages", "country"], "preset": "last_7d", "limit": 5,
        "filters": [{ "field": "path", "op": "eq", "value": value }],
    });
    let answer = app.post(url.clone(), &body).await;
    assert_eq!(
        (answer.status, &answer.body["success"]),
        (200, &json!(true)),
        "{}",
        answer.text
    );
    let statements = answer.body["statements"].as_array().unwrap();
    assert_eq!(column(statements, "type"), ["top_pages", "country"]);
    assert_eq!(
        answer.body["sql"], statements[0]["sql"],
        "the first one's stands at the top"
    );
    for statement in statements {
        let sql = statement["sql"].as_str().unwrap();
        assert!(
            sql.contains("SELECT") && !sql.contains(value),
            "values are bound: {sql}"
        );
        let params: Vec<&Value> = statement["params"].as_object().unwrap().values().collect();
        assert!(params.contains(&&json!(value)), "{params:?}");
    }
    assert!(answer.body.get("data").is_none());
    let unknown = app
        .post(
            url,
            &json!({ "parameters": ["top_page"], "preset": "today" }),
        )
        .await;
    assert_eq!(unknown.status, 400);
    assert!(
        unknown.body["error"]
            .as_str()
            .unwrap()
            .contains("'top_pages'"),
        "{}",
        unknown.text
    );
    app.finish().await;
}

#[actix::test]
async fn a_body_that_is_no_query_is_refused_by_both_routes() {
    let app = App::spawn().await;
    for route in ["query", "query/compile"] {
        let url = format!("{}/v1/{route}?website_id={}", app.base, app.website);
        for body in [
            "",
            "{",
            "[1]x",
            "null",
            "7",
            "\"country\"",
            "{\"parameters\": {}}",
        ] {
            let request = app.http.post(&url).header("x-api-key", &app.key).body(body);
            let answer = crate::app::Answer::send(request).await;
            assert_eq!(answer.status, 400, "{route} {body}: {}", answer.text);
            assert_eq!(answer.body["success"], false);
            assert!(answer.body["code"].is_string() && answer.body["error"].is_string());
        }
        let deep = "[".repeat(100_000);
        let request = app.http.post(&url).header("x-api-key", &app.key).body(deep);
        assert_eq!(crate::app::Answer::send(request).await.status, 400);
    }
    app.finish().await;
}

/// Spec: `limit` is 100 unless the type says otherwise, and then that is applied.
#[actix::test]
async fn the_default_limit_of_a_type_is_the_one_that_acts() {
    let app = App::spawn().await;
    let events: Vec<Value> = (0..60)
        .map(|n| json!({ "timestamp": NOW, "path": "/a", "message": format!("message {n}") }))
        .collect();
    let url = format!("{}/errors?client_id={}", app.track, app.website);
    assert_eq!(app.post_anonymously(url, &json!(events)).await.status, 200);
    let types = app.get(format!("{}/v1/query/types", app.base)).await.body;
    let default = |name: &str| types["configs"][name]["defaultLimit"].clone();
    assert_eq!(
        (default("error_types"), default("errors_by_type")),
        (json!(50), json!(100))
    );
    let ask = async |more: Value| {
        let mut body = json!({ "parameters": ["error_types"], "preset": "today" });
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let answer = app.ask(&body).await;
        (answer.rows(0).len(), answer.body["meta"]["limit"].clone())
    };
    assert_eq!(ask(json!({})).await, (50, json!(50)));
    assert_eq!(
        ask(json!({ "page": 2 })).await,
        (10, json!(50)),
        "pages are as long"
    );
    assert_eq!(ask(json!({ "limit": 100 })).await, (60, json!(100)));
    let both = json!({ "parameters": ["error_types", "errors_by_type"], "preset": "today" });
    let answer = app.ask(&both).await;
    assert_eq!(
        (answer.rows(0).len(), &answer.body["meta"]["limit"]),
        (50, &json!(100))
    );

    // Whatever cuts its rows in its statement binds what it advertises.
    let targets = ["website_id", "organization_id"];
    let ids = [&app.website, &app.organization];
    let mut seen = 0;
    for name in types["types"].as_array().unwrap() {
        let name = name.as_str().unwrap();
        let advertised = default(name).as_u64();
        assert!(
            advertised.is_some_and(|limit| (1..=10_000).contains(&limit)),
            "{name}"
        );
        for (target, id) in targets.iter().zip(ids) {
            let url = format!("{}/v1/query/compile?{target}={id}", app.base);
            let body = json!({ "parameters": [name], "preset": "today", "page": 3 });
            let compiled = app.post(url, &body).await.body;
            let sql = compiled["sql"].as_str().unwrap_or_default();
            let sql = sql.split(" SETTINGS ").next().unwrap_or_default();
            // Its last words are the two bound numbers, however the engine spells those.
            let cut = sql.rsplit_once(" LIMIT ").map_or("", |(_, cut)| cut);
            let spelled = |text: &str| text.replace(|letter: char| letter.is_ascii_digit(), "");
            let is_bound = |(limit, offset): (&str, &str)| {
                !spelled(limit).is_empty() && spelled(limit) == spelled(offset)
            };
            if !cut.split_once(" OFFSET ").is_some_and(is_bound) {
                continue;
            }
            let params = compiled["params"].as_object().unwrap();
            let bound = |back: usize| params[&format!("p{}", params.len() - back)].as_u64();
            let limit = advertised.unwrap();
            assert_eq!(
                (bound(1), bound(0)),
                (Some(limit), Some(2 * limit)),
                "{name}"
            );
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen}");
    app.finish().await;
}

/// Spec: `granularity` is daily by default, whatever the type.
#[actix::test]
async fn every_type_is_daily_by_default() {
    let app = App::spawn().await;
    let types = app.get(format!("{}/v1/query/types", app.base)).await.body;
    let url = format!(
        "{}/v1/query/compile?organization_id={}",
        app.base, app.organization
    );
    let mut seen = 0;
    for name in types["types"].as_array().unwrap() {
        let body = json!({ "parameters": [name], "preset": "last_7d" });
        let compiled = app.post(url.clone(), &body).await;
        if compiled.status != 200 {
            // It needs a filter.
            continue;
        }
        assert_eq!(
            compiled.body["statements"][0]["range"]["granularity"], "daily",
            "{name}"
        );
        seen += 1;
    }
    assert!(seen > 50, "{seen}");
    app.finish().await;
}
