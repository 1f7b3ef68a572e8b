use serde_json::{Value, json};

use super::{
    Nowhere, ask, block_on, compile, need, organization, rows, seed, store::Bare, stranger, target,
    target_of_type,
};
use crate::analytics::{
    catalogue::{self, Category, RETENTION, Subject},
    run::Call,
    target::{ErrorTracking, Target},
};

/// Every type gives rows with exactly the columns that the catalogue promises, for websites and organizations,
/// by the day, by the hour and with every modifier.
#[tokio::test]
async fn every_type_runs_and_yields_its_promised_columns() {
    let store = Bare::new(&seed::week());
    let filter = json!([
        {"field": "country", "op": "in", "value": ["Germany", "US", "Unknown"]},
        {"field": "path", "op": "not_contains", "value": "%"},
        {"field": "session_id", "op": "ne", "value": "nobody"},
    ]);
    let modifiers = [
        json!({}),
        json!({"granularity": "hourly"}),
        json!({"timeZone": "America/New_York", "filters": filter}),
        json!({"page": 2, "limit": 1, "sortOrder": "asc"}),
    ];
    for kind in catalogue::all() {
        let promised: Vec<&str> = kind.columns().iter().map(|(name, ..)| *name).collect();
        for (index, more) in modifiers.iter().enumerate() {
            let paged = index == 3;
            if kind.name == RETENTION && (index == 1 || paged) {
                continue;
            }
            let rows = rows(&store, kind.name, more.clone()).await;
            assert!(paged || !rows.is_empty(), "{} {more}", kind.name);
            for row in rows {
                let names: Vec<&String> = row.as_object().unwrap().keys().collect();
                assert_eq!(names, promised, "{}", kind.name);
            }
        }
        let mut body = json!({"parameters": [kind.name], "preset": "last_30d"});
        need(kind.name, &mut body);
        let answer = ask(&store, &organization(), &body).await.unwrap();
        assert_eq!(answer["data"][0]["success"], json!(true), "{}", kind.name);
    }
}

#[tokio::test]
async fn rows_are_sorted_as_they_are_shown() {
    let store = Bare::new(&seed::week());
    let pages = rows(
        &store,
        "top_pages",
        json!({"sortBy": "visitors", "sortOrder": "asc"}),
    )
    .await;
    let visitors: Vec<i64> = pages
        .iter()
        .map(|row| row["visitors"].as_i64().unwrap())
        .collect();
    assert!(visitors.is_sorted() && visitors.len() == 3);
    let days = rows(&store, "summary_metrics", json!({"sortBy": "date"})).await;
    assert_eq!(days[0]["date"], json!("2025-06-12"));
    let countries = rows(
        &store,
        "country",
        json!({"sortBy": "name", "sortOrder": "asc"}),
    )
    .await;
    let names: Vec<&str> = countries
        .iter()
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Germany", "United States", "Unknown"]);
}

#[tokio::test]
async fn every_group_by_field_acts_on_customizable_types() {
    let store = Bare::new(&seed::week());
    for kind in catalogue::all().filter(|kind| kind.customizable) {
        let fields: Vec<&str> = kind
            .filter_fields()
            .filter(|field| field.is_key())
            .map(|field| field.name)
            .collect();
        for fields in fields.chunks(3) {
            for row in rows(&store, kind.name, json!({"groupBy": fields})).await {
                for field in fields {
                    assert!(row.get(field).is_some(), "{} by {field}", kind.name);
                }
            }
        }
    }
    let body = json!({"parameters": ["top_pages", "vitals_overview"], "preset": "last_7d", "groupBy": "website_id"});
    let answer = ask(&store, &organization(), &body).await.unwrap();
    assert_eq!(answer["data"][0]["data"][0]["website_id"], json!("site"));
    assert_eq!(answer["data"][1]["ignoredGroupBy"], json!(["website_id"]));
    let answer = ask(&store, &target(), &body).await.unwrap();
    assert_eq!(answer["data"][0]["ignoredGroupBy"], json!(["website_id"]));
}

#[tokio::test]
async fn strangers_see_public_types_of_nobody_in_particular() {
    let store = Bare::new(&seed::week());
    for kind in catalogue::all() {
        let body = json!({"parameters": [kind.name], "preset": "today", "groupBy": "profile_id",
            "filters": [{"field": "session_id", "op": "eq", "value": "a"}]});
        match ask(&store, &stranger(), &body).await {
            Ok(answer) => {
                assert!(kind.public, "{}", kind.name);
                assert_eq!(answer["data"][0]["ignoredFilters"], json!(["session_id"]));
                assert_eq!(answer["data"][0]["ignoredGroupBy"], json!(["profile_id"]));
            }
            Err(fault) => {
                assert!(!kind.public, "{}", kind.name);
                assert_eq!(fault.kind, crate::fault::Kind::Unauthenticated);
            }
        }
    }
}

#[tokio::test]
async fn error_types_need_the_plan() {
    let store = Bare::new(&[]);
    let target = Target {
        error_tracking: ErrorTracking::From(Some("hobby".into())),
        ..target()
    };
    for kind in catalogue::all() {
        let body = json!([{"parameters": [kind.name], "preset": "today"}]);
        let answer = ask(&store, &target, &body).await.unwrap();
        let code = &answer["results"][0]["code"];
        let gated = kind.category == Category::Errors;
        assert_eq!(
            *code == json!("FEATURE_UNAVAILABLE"),
            gated,
            "{}",
            kind.name
        );
    }
}

#[tokio::test]
async fn a_type_is_asked_of_what_it_is_about() {
    let store = Bare::new(&seed::week());
    for kind in catalogue::all() {
        for asked in ["summary_metrics", "link_top_browsers", "uptime_overview"] {
            let target = target_of_type(catalogue::find(asked).unwrap());
            let mut body = json!({"parameters": [kind.name], "preset": "last_7d"});
            need(kind.name, &mut body);
            let answer = ask(&store, &target, &body).await.unwrap();
            let fits = target.subject == Some(kind.subject);
            assert_eq!(answer["data"][0]["success"], json!(fits), "{}", kind.name);
            if !fits {
                let name = match kind.subject {
                    Subject::Website => "website_id",
                    Subject::Link => "link_id",
                    Subject::Schedule => "schedule_id",
                };
                let said = answer["data"][0]["error"].as_str().unwrap();
                assert!(said.contains(name), "{said}");
            }
        }
    }
}

#[test]
fn compile_takes_both_shapes_of_body() {
    let low = json!({"projectId": "x", "type": "top_pages", "from": "2025-06-01", "to": "2025-06-02",
        "orderBy": "visitors ASC", "limit": 5, "timeUnit": "day"});
    let answer = block_on(compile(&Nowhere::default(), &target(), call(&low))).unwrap();
    assert_eq!(answer["success"], json!(true));
    assert!(
        answer["sql"]
            .as_str()
            .unwrap()
            .contains("ORDER BY \"visitors\" ASC")
    );
    assert_eq!(answer["range"]["to"], json!("2025-06-02T23:59:59.999Z"));
    assert_eq!(answer["params"]["p1"], json!(5));
    let bad = json!({"type": "top_page", "from": "2025-06-01", "to": "2025-06-02"});
    let fault = block_on(compile(&Nowhere::default(), &target(), call(&bad))).unwrap_err();
    assert_eq!(fault.code, Some("COMPILATION_ERROR"));
    assert!(fault.message.contains("top_pages"));
}

fn call(body: &Value) -> Call<'_> {
    Call {
        body,
        timezone: None,
        now_ms: super::NOW,
    }
}
