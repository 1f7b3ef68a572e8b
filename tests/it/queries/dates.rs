//! Ranges: presets, dates, zones, hours.

use serde_json::{Value, json};

use super::{column, ms, view};
use crate::app::{App, NOW};

const DAY: i64 = 86_400_000;

#[actix::test]
async fn every_preset_covers_its_days() {
    let app = App::spawn().await;
    // Noon of every day from New Year's Day to today.
    let views: Vec<Value> = (0..287)
        .map(|back| view(back, NOW - back * DAY, "/"))
        .collect();
    app.send_pages(&views).await;
    for (preset, first, last, days) in [
        ("today", "2026-10-14", "2026-10-14", 1),
        ("yesterday", "2026-10-13", "2026-10-13", 1),
        ("last_7d", "2026-10-08", "2026-10-14", 7),
        ("last_14d", "2026-10-01", "2026-10-14", 14),
        ("last_30d", "2026-09-15", "2026-10-14", 30),
        ("last_90d", "2026-07-17", "2026-10-14", 90),
        ("this_week", "2026-10-11", "2026-10-14", 4),
        ("last_week", "2026-10-04", "2026-10-10", 7),
        ("this_month", "2026-10-01", "2026-10-14", 14),
        ("last_month", "2026-09-01", "2026-09-30", 30),
        ("this_year", "2026-01-01", "2026-10-14", 287),
    ] {
        let parameters = ["summary_metrics", "summary_totals"];
        let body = json!({ "parameters": parameters, "preset": preset, "limit": 1_000 });
        let answer = app.ask(&body).await;
        let mut dates = column(&answer.rows(0), "date");
        dates.sort();
        assert_eq!(dates.len(), days, "{preset}");
        assert_eq!(
            (dates[0].as_str(), dates[days - 1].as_str()),
            (first, last),
            "{preset}"
        );
        assert!(
            answer.rows(0).iter().all(|row| row["pageviews"] == 1),
            "{preset}"
        );
        assert_eq!(answer.rows(1)[0]["pageviews"], days, "{preset}");

        let dates =
            json!({ "parameters": ["summary_totals"], "startDate": first, "endDate": last });
        assert_eq!(
            app.ask(&dates).await.rows(0)[0]["pageviews"],
            days,
            "{preset} as dates"
        );
    }
    app.finish().await;
}

#[actix::test]
async fn ranges_that_are_none_are_refused_with_their_place() {
    let app = App::spawn().await;
    for (mut body, field) in [
        (json!({}), "startDate"),
        (json!({ "startDate": "2026-10-01" }), "endDate"),
        (
            json!({ "startDate": "2026-10-32", "endDate": "2026-11-01" }),
            "startDate",
        ),
        (
            json!({ "startDate": "2026-10-02", "endDate": "2026-10-01" }),
            "endDate",
        ),
        (json!({ "preset": "last_8d" }), "preset"),
        (
            json!({ "preset": "today", "timeZone": "Europe/Berlyn" }),
            "timeZone",
        ),
        (
            json!({ "preset": "today", "granularity": "weekly" }),
            "granularity",
        ),
    ] {
        body["parameters"] = json!(["summary_metrics"]);
        let detail = app.refused(&body).await;
        assert_eq!(detail["field"], field, "{body}: {detail}");
        assert!(!detail["message"].as_str().unwrap().is_empty());
    }
    let preset = json!({ "parameters": ["country"], "preset": "last_8d" });
    assert_eq!(
        app.refused(&preset).await["suggestion"],
        "Did you mean 'last_7d'?"
    );
    let zone = json!({ "parameters": ["country"], "preset": "today", "timeZone": "Europe/Berlyn" });
    assert_eq!(
        app.refused(&zone).await["suggestion"],
        "Did you mean 'Europe/Berlin'?"
    );
    app.finish().await;
}

#[actix::test]
async fn days_follow_the_zone_through_its_clock_changes() {
    let app = App::spawn().await;
    // Summer time begins in Berlin on 2026-03-29 at 01:00 UTC, and ended on 2025-10-26 at the same time.
    let times = [
        "2026-03-28T22:30:00Z",
        "2026-03-28T23:30:00Z",
        "2026-03-29T00:30:00Z",
        "2026-03-29T01:30:00Z",
        "2026-03-29T21:30:00Z",
        "2026-03-29T22:30:00Z",
        "2025-10-26T00:30:00Z",
        "2025-10-26T01:30:00Z",
    ];
    let views: Vec<Value> = times.iter().map(|time| view(time, ms(time), "/")).collect();
    app.send_pages(&views).await;

    let days = async |zone: &str| {
        let body = json!({
            "parameters": ["summary_metrics"], "startDate": "2026-03-28", "endDate": "2026-03-30", "timeZone": zone,
        });
        let rows = app.ask(&body).await.rows(0);
        let mut days: Vec<_> = column(&rows, "date")
            .into_iter()
            .zip(column(&rows, "pageviews"))
            .collect();
        days.sort();
        days.into_iter().map(|(_, views)| views).collect::<Vec<_>>()
    };
    assert_eq!(days("UTC").await, ["2", "4", "0"]);
    assert_eq!(days("Europe/Berlin").await, ["1", "4", "1"]);

    let hours = async |date: &str| {
        let body = json!({
            "parameters": ["summary_metrics"], "startDate": date, "endDate": date, "timeZone": "Europe/Berlin",
            "granularity": "hourly",
        });
        let mut rows = app.ask(&body).await.rows(0);
        rows.sort_by_key(|row| row["date"].to_string());
        rows
    };
    let spring = hours("2026-03-29").await;
    assert_eq!(spring.len(), 23, "an hour is missing");
    let busy: Vec<Value> = spring
        .iter()
        .filter(|row| row["pageviews"] == 1)
        .cloned()
        .collect();
    assert_eq!(
        column(&busy, "date"),
        [
            "2026-03-29 00:00:00",
            "2026-03-29 01:00:00",
            "2026-03-29 03:00:00",
            "2026-03-29 23:00:00"
        ]
    );
    let autumn = hours("2025-10-26").await;
    assert_eq!(autumn.len(), 25, "an hour comes twice");
    let busy: Vec<Value> = autumn
        .iter()
        .filter(|row| row["pageviews"] == 1)
        .cloned()
        .collect();
    assert_eq!(
        column(&busy, "date"),
        ["2025-10-26 02:00:00", "2025-10-26 02:00:00"]
    );
    assert_eq!(column(&busy, "offset"), ["+02:00", "+01:00"], "told apart");
    let told = autumn.iter().filter(|row| row.get("offset").is_some());
    assert_eq!(told.count(), 2, "the others need no offset");
    for row in &autumn {
        let date = row["date"].as_str().unwrap();
        let read = chrono::NaiveDateTime::parse_from_str(date, "%Y-%m-%d %H:%M:%S");
        assert!(read.is_ok(), "{date}");
    }

    let body = json!({
        "parameters": ["summary_totals"], "startDate": "2026-03-30", "endDate": "2026-03-30", "timeZone": "UTC",
    });
    let url = format!("{}&timezone=Europe/Berlin", app.query_url());
    let answer = app.post(url, &body).await;
    assert_eq!(
        answer.rows(0)[0]["pageviews"],
        1,
        "the query string's zone counts"
    );
    app.finish().await;
}

#[actix::test]
async fn hours_are_for_ranges_of_up_to_30_days() {
    const TOO_LONG: &str = "Hourly granularity only supports up to 30 days";
    let app = App::spawn().await;
    let body = |start: &str, granularity: &str| {
        json!({
            "parameters": ["summary_metrics"], "startDate": start, "endDate": "2026-10-14", "limit": 10_000,
            "granularity": granularity,
        })
    };
    for granularity in ["hourly", "hour"] {
        let rows = app.ask(&body("2026-09-14", granularity)).await.rows(0);
        assert_eq!(rows.len(), 30 * 24 + 13, "up to the present hour");
        assert!(column(&rows, "date").contains(&"2026-10-14 12:00:00".to_owned()));
        let refused = app.refused(&body("2026-09-13", granularity)).await;
        assert_eq!(
            (&refused["field"], &refused["message"]),
            (&json!("granularity"), &json!(TOO_LONG))
        );
    }
    for granularity in ["daily", "day"] {
        assert_eq!(
            app.ask(&body("2026-09-13", granularity))
                .await
                .rows(0)
                .len(),
            32
        );
    }

    let own = json!({
        "parameters": [
            { "name": "summary_metrics", "granularity": "hour", "start_date": "2026-01-01", "id": "long" },
            { "name": "summary_metrics", "granularity": "hour", "start_date": "2026-10-13", "id": "short" },
            "summary_metrics",
        ],
        "startDate": "2026-10-12", "endDate": "2026-10-13",
    });
    let answer = app.ask(&own).await;
    assert_eq!(answer.body["success"], true, "the request was valid");
    let found = |label: &str| {
        let results = answer.body["data"].as_array().unwrap();
        let result = results.iter().find(|result| result["parameter"] == label);
        result.unwrap().clone()
    };
    assert_eq!(found("short")["data"].as_array().unwrap().len(), 24);
    assert_eq!(
        found("summary_metrics")["data"].as_array().unwrap().len(),
        2
    );
    let long = found("long");
    assert_eq!(
        (&long["success"], &long["error"], &long["data"]),
        (&json!(false), &json!(TOO_LONG), &json!([]))
    );
    app.finish().await;
}

#[actix::test]
async fn a_parameter_may_have_its_own_range_and_name() {
    let app = App::spawn().await;
    app.send_pages(&[
        view(1, NOW, "/"),
        view(2, NOW - DAY, "/"),
        view(3, NOW - DAY, "/"),
    ])
    .await;
    let body = json!({
        "parameters": [
            "summary_totals",
            { "name": "summary_totals", "start_date": "2026-10-13", "end_date": "2026-10-13", "id": "before" },
            { "name": "summary_totals", "start_date": "2026-10-13", "id": "both" },
            { "name": "summary_totals", "start_date": "nonsense", "id": "wrong" },
        ],
        "preset": "today",
    });
    let answer = app.ask(&body).await;
    let data = answer.body["data"].as_array().unwrap();
    let labels: Vec<&Value> = data.iter().map(|result| &result["parameter"]).collect();
    assert_eq!(labels, ["summary_totals", "before", "both", "wrong"]);
    for (parameter, views) in [(0, 1), (1, 2), (2, 3)] {
        assert_eq!(answer.rows(parameter)[0]["pageviews"], views, "{parameter}");
    }
    assert_eq!(data[3]["success"], false);
    assert!(!data[3]["error"].as_str().unwrap().is_empty());
    app.finish().await;
}
