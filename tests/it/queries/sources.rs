//! A view belongs to the source of its session.

use serde_json::{Value, json};

use crate::app::{App, NOW};

const MINUTE: i64 = 60_000;

/// A view of a session, so many minutes ago; every view after a session's first says that it comes from the website itself.
fn view(session: &str, ago: i64, query: &str, referrer: &str) -> Value {
    json!({
        "eventId": format!("{session}-{ago}"), "name": "screen_view", "anonymousId": format!("anon-{session}"),
        "sessionId": session, "timestamp": NOW - ago * MINUTE, "path": format!("https://localhost/{ago}{query}"),
        "referrer": referrer,
    })
}

fn session(name: &str, begun: i64, query: &str, referrer: &str, views: i64) -> Vec<Value> {
    let first = view(name, begun, query, referrer);
    let further = (1..views).map(|nth| view(name, begun - nth, "", "https://localhost/"));
    std::iter::once(first).chain(further).collect()
}

/// What rows are called, and their views.
fn named(rows: &[Value]) -> Vec<(String, i64)> {
    let row = |row: &Value| {
        let name = row["name"].as_str().unwrap().to_owned();
        (name, row["pageviews"].as_i64().unwrap())
    };
    rows.iter().map(row).collect()
}

fn is(rows: &[Value], expected: &[(&str, i64)]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|(name, views)| ((*name).to_owned(), *views))
        .collect();
    assert_eq!(named(rows), expected, "{rows:?}");
}

async fn views_with(app: &App, field: &str, value: &str) -> i64 {
    let body = json!({
        "parameters": ["summary_totals"], "preset": "today",
        "filters": [{ "field": field, "op": "eq", "value": value }],
    });
    let rows = app.ask(&body).await.rows(0);
    rows[0]["pageviews"].as_i64().unwrap()
}

#[actix::test]
async fn every_view_of_a_session_belongs_to_where_the_session_came_from() {
    let app = App::with("limits.query_requests = 0").await;
    let sessions = [
        session("google", 30, "", "https://www.google.com/", 4),
        session("direct", 60, "", "", 3),
        session(
            "mail",
            90,
            "?utm_source=news&utm_medium=email&utm_campaign=may",
            "",
            2,
        ),
        // It is found in a search engine after it began.
        [
            session("late", 120, "", "", 1),
            session("late", 110, "", "https://duckduckgo.com/", 1),
        ]
        .concat(),
    ];
    app.send_pages(&sessions.concat()).await;

    let sources = app.rows("traffic_sources").await;
    is(
        &sources,
        &[("Google", 4), ("Direct", 3), ("DuckDuckGo", 2), ("news", 2)],
    );
    is(
        &app.rows("top_referrers").await,
        &[("Direct", 5), ("google.com", 4), ("duckduckgo.com", 2)],
    );
    is(
        &app.rows("traffic_channels").await,
        &[("search", 6), ("Direct", 3), ("email", 2)],
    );
    is(&app.rows("utm_campaigns").await, &[("may", 2)]);
    is(&app.rows("utm_sources").await, &[("news", 2)]);
    let all = app.rows("summary_metrics").await[0]["pageviews"].as_i64();
    for parameter in ["traffic_sources", "top_referrers", "traffic_channels"] {
        let rows = app.rows(parameter).await;
        let sum: i64 = named(&rows).iter().map(|(_, views)| views).sum();
        assert_eq!(Some(sum), all, "{parameter}: {rows:?}");
    }

    for (field, value, views) in [
        ("source", "Google", 4),
        ("source", "Direct", 3),
        ("source", "news", 2),
        ("referrer", "google.com", 4),
        ("referrer", "direct", 5),
        ("channel", "search", 6),
        ("channel", "direct", 3),
        ("channel", "Direct", 3),
        ("utm_campaign", "may", 2),
    ] {
        assert_eq!(
            views_with(&app, field, value).await,
            views,
            "{field} {value}"
        );
    }
    // Rows that are grouped by a source add up to the same.
    let body =
        json!({ "parameters": ["summary_totals"], "preset": "today", "groupBy": ["channel"] });
    let groups = app.ask(&body).await.rows(0);
    let found = |name: &str| {
        let row = groups.iter().find(|row| row["channel"] == name);
        row.and_then(|row| row["pageviews"].as_i64())
    };
    assert_eq!(
        (found("search"), found("Direct"), found("direct")),
        (Some(6), Some(3), None)
    );
    app.finish().await;
}

#[actix::test]
async fn a_session_that_began_before_the_range_keeps_its_source() {
    let app = App::with("limits.query_requests = 0").await;
    // Noon is 12 hours after midnight: it begins five minutes before, and goes on until now.
    let begun = 12 * 60 + 5;
    let first = session("night", begun, "", "https://www.google.com/", 1);
    let today = [
        view("night", 12 * 60 - 5, "", "https://localhost/"),
        view("night", 3, "", "https://localhost/"),
    ];
    app.send_pages(&[first, today.to_vec()].concat()).await;
    is(&app.rows("traffic_sources").await, &[("Google", 2)]);
    is(&app.rows("traffic_channels").await, &[("search", 2)]);
    is(&app.rows("realtime_referrers").await, &[("google.com", 1)]);
    assert_eq!(views_with(&app, "source", "Google").await, 2);
    assert_eq!(views_with(&app, "referrer", "direct").await, 0);
    // Nothing of yesterday is counted.
    let summary = app.rows("summary_metrics").await;
    assert_eq!((summary.len(), &summary[0]["pageviews"]), (1, &json!(2)));
    app.finish().await;
}
