//! What requests may ask, and how they are refused.

use serde_json::{Value, json};

use super::{NOW, ask, rows, seed, seed::page, store::Bare, target};
use crate::{
    analytics::request::parse,
    events::event::{Event, identity},
    fault::{Issue, Kind},
};

fn issues(body: &Value) -> Vec<Issue> {
    match parse(body, None, NOW).unwrap_err().kind {
        Kind::Invalid { issues } => issues,
        other => panic!("{other:?}"),
    }
}

/// The place and the suggestion of the only thing that is wrong.
fn wrong(more: &Value) -> (String, Option<String>) {
    let mut body = json!({"parameters": ["top_pages"], "preset": "today"});
    body.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    let issues = issues(&body);
    assert_eq!(issues.len(), 1, "{issues:?}");
    (issues[0].field.clone(), issues[0].suggestion.clone())
}

fn suggested(field: &str, name: &str) -> (String, Option<String>) {
    (field.to_owned(), Some(format!("Did you mean '{name}'?")))
}

fn at(field: &str) -> (String, Option<String>) {
    (field.to_owned(), None)
}

#[test]
fn mistakes_are_named_with_their_place_and_the_nearest_name() {
    assert_eq!(
        wrong(&json!({"parameters": ["top_page"]})),
        suggested("parameters[0]", "top_pages")
    );
    assert_eq!(
        wrong(&json!({"preset": "last_7"})),
        suggested("preset", "last_7d")
    );
    let filter =
        |field, op, value: Value| json!({"filters": [{"field": field, "op": op, "value": value}]});
    assert_eq!(
        wrong(&filter("contry", "eq", json!("a"))),
        suggested("filters[0].field", "country")
    );
    assert_eq!(
        wrong(&filter("country", "contain", json!("a"))),
        suggested("filters[0].op", "contains")
    );
    assert_eq!(
        wrong(&filter("country", "in", json!("a"))),
        at("filters[0].value")
    );
    assert_eq!(
        wrong(&filter("country", "eq", json!(["a"]))),
        at("filters[0].value")
    );
    assert_eq!(
        wrong(&filter("country", "in", json!(vec!["a"; 1_001]))),
        at("filters[0].value")
    );
    assert_eq!(
        wrong(&json!({"sortBy": "pagevews"})),
        suggested("sortBy", "pageviews")
    );
    assert_eq!(
        wrong(&json!({"groupBy": ["contry"]})),
        suggested("groupBy", "country")
    );
    assert_eq!(
        wrong(&json!({"groupBy": ["path", "city", "country", "region"]})),
        at("groupBy")
    );
}

#[test]
fn rows_are_as_many_as_the_body_says_or_else_each_type() {
    let read = |more: Value| {
        let mut body = json!({"parameters": ["top_pages", "error_types", "link_top_devices"], "preset": "today"});
        let own = more.as_object().unwrap().clone();
        body.as_object_mut().unwrap().extend(own);
        let request = parse(&body, None, NOW).unwrap();
        let pages = request.parameters.iter().map(|one| (one.limit, one.offset));
        (pages.collect::<Vec<_>>(), request.limit)
    };
    let usual = vec![(100, 0), (50, 0), (10_000, 0)];
    assert_eq!(read(json!({})), (usual, 10_000));
    let second = vec![(100, 100), (50, 50), (10_000, 10_000)];
    assert_eq!(read(json!({"page": 2})), (second, 10_000));
    let said = vec![(7, 14), (7, 14), (7, 14)];
    assert_eq!(read(json!({"limit": 7, "page": 3})), (said, 7));
    // A page of the type with the longest ones may lie too far.
    assert_eq!(
        issues(&json!({"parameters": ["link_top_devices"], "preset": "today", "page": 102})),
        issues(
            &json!({"parameters": ["link_top_devices"], "preset": "today", "page": 102, "limit": 10_000})
        ),
    );
}

#[test]
fn numbers_dates_and_caps_are_checked() {
    assert_eq!(
        wrong(&json!({"timeZone": "Europe/Berln"})),
        suggested("timeZone", "Europe/Berlin")
    );
    assert_eq!(wrong(&json!({"sortOrder": "up"})), at("sortOrder"));
    assert_eq!(wrong(&json!({"limit": 0})), at("limit"));
    assert_eq!(wrong(&json!({"limit": 10_001})), at("limit"));
    assert_eq!(wrong(&json!({"page": 0})), at("page"));
    assert_eq!(wrong(&json!({"page": 10_002, "limit": 100})), at("page"));
    assert_eq!(wrong(&json!({"parameters": []})), at("parameters"));
    assert_eq!(
        wrong(&json!({"parameters": vec!["city"; 101]})),
        at("parameters")
    );
    assert_eq!(
        wrong(&json!({"granularity": "hourly", "preset": "last_90d"})),
        at("granularity")
    );
    assert_eq!(
        wrong(&json!({"preset": null, "startDate": "2025-01-02"})),
        at("endDate")
    );
    assert_eq!(
        wrong(&json!({"preset": null, "startDate": "2025-01-02", "endDate": "2025-01-01"})),
        at("endDate")
    );
    assert_eq!(issues(&json!([1]))[0].field, "");
    let fault = parse(
        &json!({"parameters": ["top_page"], "preset": "today"}),
        None,
        NOW,
    )
    .unwrap_err();
    assert_eq!(
        fault.message,
        "Unknown query type: top_page. Did you mean 'top_pages'?"
    );
    assert_eq!(fault.code, Some("VALIDATION_ERROR"));
}

#[test]
fn thirty_days_by_the_hour_are_allowed_and_null_means_not_given() {
    let body = json!({"parameters": ["summary_metrics"], "startDate": "2025-05-01", "endDate": "2025-05-31",
        "granularity": "hour", "limit": null, "filters": null, "groupBy": null, "surprise": {"a": 1}});
    let request = parse(&body, Some("Asia/Tokyo"), NOW).unwrap();
    assert_eq!(
        (request.limit, request.page, request.zone),
        (100, 1, chrono_tz::Asia::Tokyo)
    );
}

#[tokio::test]
async fn a_batch_answers_each_member_and_a_body_each_parameter() {
    let store = Bare::new(&seed::week());
    let long = json!({"name": "summary_metrics", "id": "long", "granularity": "hourly",
        "start_date": "2025-01-01", "end_date": "2025-03-01"});
    let own =
        json!({"name": "summary_totals", "start_date": "2025-06-12", "end_date": "2025-06-12"});
    let filters = json!([
        {"field": "country", "op": "eq", "value": "DE"},
        {"field": "event_name", "op": "eq", "value": "signup"},
        {"field": "href", "op": "eq", "value": "x"},
    ]);
    let good = json!({"id": "q", "parameters": [long, "country", own, "custom_events"], "preset": "last_7d",
        "filters": filters});
    let body = json!([good, {"id": "bad", "parameters": ["nope"], "preset": "today"}, 5]);
    let answer = ask(&store, &target(), &body).await.unwrap();
    assert_eq!(
        (&answer["success"], &answer["batch"]),
        (&json!(true), &json!(true))
    );
    let first = &answer["results"][0];
    assert_eq!(first["queryId"], json!("q"));
    let names: Vec<&str> = first["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["parameter"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["country", "summary_totals", "custom_events", "long"]
    );
    assert_eq!(
        first["data"][0]["ignoredFilters"],
        json!(["event_name", "href"])
    );
    assert_eq!(first["data"][3]["success"], json!(false));
    assert_eq!(first["data"][3]["data"], json!([]));
    assert_eq!(first["meta"]["filters_applied"], json!(2));
    assert_eq!(first["meta"]["total_parameters"], json!(4));
    assert_eq!(first["meta"]["parameters"], good["parameters"]);
    let bad = &answer["results"][1];
    assert_eq!(
        (&bad["success"], &bad["code"]),
        (&json!(false), &json!("VALIDATION_ERROR"))
    );
    assert_eq!((&bad["queryId"], &bad["data"]), (&json!("bad"), &json!([])));
    assert_eq!(answer["results"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn filters_mean_what_they_say() {
    let view = |visitor: u64, change: fn(&mut Event)| {
        let mut event = page(NOW - 1_000, "screen_view", visitor, visitor, "/100%_sure");
        change(&mut event);
        event
    };
    let events = [
        view(identity("anna"), |event| event.country = Some("DE".into())),
        view(2, |event| event.path = "/docs".into()),
        view(3, |event| event.referrer = Some("google.com/search".into())),
        view(4, |event| event.referrer_domain = Some("google.com".into())),
    ];
    let store = Bare::new(&events);
    let cases = [
        ("country", "eq", json!("germany"), 1),
        ("country", "starts_with", json!("Ger"), 1),
        ("country", "ne", json!("DE"), 3),
        ("country", "eq", json!("Unknown"), 3),
        ("country", "eq", json!("Atlantis"), 0),
        ("path", "eq", json!("/docs/"), 1),
        ("path", "contains", json!("%_"), 3),
        ("path", "contains", json!("x%"), 0),
        ("path", "starts_with", json!("/100%"), 3),
        ("path", "not_contains", json!("_"), 1),
        ("path", "in", json!(["/docs", "/a", "/b"]), 1),
        ("path", "not_in", json!(["/docs"]), 3),
        ("referrer", "eq", json!("direct"), 4),
        ("referrer", "contains", json!("google"), 2),
        ("referrer", "not_contains", json!("google"), 2),
        ("anonymous_id", "eq", json!("anna"), 1),
        (
            "anonymous_id",
            "eq",
            json!(format!("{:016x}", identity("anna"))),
            1,
        ),
        ("anonymous_id", "not_in", json!(["0000000000000002"]), 3),
    ];
    for (field, op, value, wanted) in cases {
        let filter = json!({"filters": [{"field": field, "op": op, "value": value}]});
        let row = &rows(&store, "summary_totals", filter).await[0];
        assert_eq!(row["pageviews"], json!(wanted), "{field} {op} {value}");
    }
}

#[tokio::test]
async fn series_are_filled_up_to_now_and_cut_into_pages() {
    let store = Bare::new(&[page(NOW, "screen_view", 1, 1, "/")]);
    let body = json!({"preset": null, "startDate": "2025-06-01", "endDate": "2025-12-31"});
    let dates = |rows: Vec<Value>| -> Vec<String> {
        rows.iter()
            .map(|row| row["date"].as_str().unwrap()[8..10].to_owned())
            .collect()
    };
    let all = dates(rows(&store, "summary_metrics", body.clone()).await);
    assert_eq!((all.len(), all[11].as_str()), (12, "12"));
    let mut paged = body.clone();
    paged["limit"] = json!(5);
    paged["page"] = json!(3);
    assert_eq!(
        dates(rows(&store, "summary_metrics", paged.clone()).await),
        ["11", "12"]
    );
    paged["sortOrder"] = json!("desc");
    assert_eq!(
        dates(rows(&store, "summary_metrics", paged.clone()).await),
        ["02", "01"]
    );
    paged["page"] = json!(1);
    paged["sortBy"] = json!("pageviews");
    assert_eq!(dates(rows(&store, "summary_metrics", paged).await)[0], "12");
    let hours = rows(
        &store,
        "summary_metrics",
        json!({"preset": "today", "granularity": "hour"}),
    )
    .await;
    assert_eq!(hours.len(), 16);
    assert_eq!(hours[15]["date"], json!("2025-06-12 15:00:00"));
    assert_eq!(hours[15]["pageviews"], json!(1));
}

#[tokio::test]
async fn lists_show_people_and_their_visits() {
    let store = Bare::new(&seed::week());
    let sessions = rows(&store, "session_list", json!({"limit": 3})).await;
    assert_eq!(sessions.len(), 3);
    let starts: Vec<&str> = sessions
        .iter()
        .map(|row| row["first_visit"].as_str().unwrap())
        .collect();
    assert!(starts.is_sorted_by(|a, b| a >= b));
    let events = sessions[0]["events"].as_array().unwrap();
    assert_eq!(json!(events.len()), sessions[0]["total_events"]);
    assert!(events[0]["timestamp"].as_str().unwrap().ends_with('Z'));
    assert_eq!(sessions[0]["session_id"].as_str().unwrap().len(), 16);
    // Visitors 100 and 101 are the same profile.
    let people = rows(&store, "profile_list", json!({})).await;
    assert_eq!(people.len(), 4);
    let anna = people
        .iter()
        .filter(|row| row["profile_id"] == json!("anna"));
    assert_eq!(anna.count(), 1);
    let referrers = rows(&store, "top_referrers", json!({})).await;
    let names: Vec<&str> = referrers
        .iter()
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"Direct")
            && names.contains(&"google.com")
            && !names.contains(&"example.com")
    );
    let domains = rows(&store, "outbound_domains", json!({})).await;
    assert_eq!(domains[0]["domain"], json!("rust-lang.org"));
}
