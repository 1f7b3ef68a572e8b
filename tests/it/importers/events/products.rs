//! What is kept of each product's export.

use std::fs;

use serde_json::{Value, json};

use super::{super::fixture, Served};

/// JSON lines as the Parquet file that an engine makes of them.
fn parquet(lines: &str, select: &str) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let (from, to) = (
        directory.path().join("a.jsonl"),
        directory.path().join("a.parquet"),
    );
    fs::write(&from, lines).unwrap();
    let engine = duckdb::Connection::open_in_memory().unwrap();
    let copy = format!(
        "COPY (SELECT {select} FROM read_json('{}', format = 'newline_delimited')) TO '{}' (FORMAT parquet, COMPRESSION snappy)",
        from.display(),
        to.display()
    );
    engine.execute_batch(&copy).unwrap();
    fs::read(to).unwrap()
}

/// What people see of a website.
async fn answers(served: &Served) -> Vec<Vec<Value>> {
    let kinds = [
        "summary_totals",
        "top_pages",
        "top_referrers",
        "utm_sources",
        "browser_name",
        "os_name",
        "device_types",
        "country",
        "region",
        "city",
        "custom_events",
        "outbound_links",
        "language",
    ];
    served.answers(&kinds).await
}

fn counts(report: &Value) -> Value {
    json!([report["events"], report["refused"], report["leftOut"]])
}

#[actix::test]
async fn a_ga4_export_keeps_visitors_campaigns_events_and_revenue() {
    let lines = fixture!("ga4.jsonl");
    let served = Served::start().await;
    let plan = served.plan("ga4", lines.as_bytes()).await;
    let derived = "session_start, first_visit and first_open, which follow from other events";
    assert_eq!(
        counts(&plan["plan"]),
        json!([7, 0, { derived: 2 }]),
        "{plan}"
    );
    assert_eq!(
        plan["plan"]["kinds"],
        json!({ "custom event": 3, "outbound link": 1, "pageview": 3 })
    );
    assert_eq!(plan["plan"]["first"], 1_789_034_400_000_i64);
    let omitted = plan["plan"]["omitted"].as_array().unwrap();
    let field = |name: &str| omitted.iter().find(|one| one["field"] == name).unwrap();
    assert_eq!(field("traffic_source")["records"], 9);
    assert_eq!(served.totals().await, [0, 0, 0], "a plan stores nothing");
    let id = plan["id"].as_str().unwrap();
    served.call("apply", id).await;
    let done = served.settled(id).await;
    assert_eq!(counts(&done["result"]), counts(&plan["plan"]), "{done}");
    assert_eq!(served.totals().await, [3, 2, 2]);
    assert_eq!(
        served.column("browser_name", "browser_name").await,
        ["Chrome", "Safari"]
    );
    assert_eq!(served.column("country", "country_code").await, ["DE", "FR"]);
    let events = served.column("custom_events", "name").await;
    assert_eq!(events, ["purchase", "scroll", "sign_up"]);
    let revenue = served.rows("revenue_overview").await;
    assert_eq!(revenue[0]["total_revenue"], 49.9, "{revenue:?}");
    let own = answers(&served).await;
    served.process.stop();

    // Parquet says the same: numbers are numbers there.
    let other = Served::start().await;
    let select = "* REPLACE (event_timestamp::BIGINT AS event_timestamp)";
    let done = other.import("ga4", &parquet(lines, select)).await;
    assert_eq!(counts(&done["result"]), counts(&plan["plan"]), "{done}");
    assert_eq!(answers(&other).await, own);
    other.process.stop();
}

#[actix::test]
async fn a_posthog_export_keeps_sessions_places_properties_and_errors() {
    let lines = fixture!("posthog.jsonl");
    let served = Served::start().await;
    let done = served.import("posthog", lines.as_bytes()).await;
    let library = "recordings, and what the library says about itself";
    assert_eq!(
        counts(&done["result"]),
        json!([6, 0, { library: 1 }]),
        "{done}"
    );
    let totals = served.totals().await;
    assert_eq!(totals[0], 2, "{totals:?}");
    assert_eq!(
        served.column("browser_name", "browser_name").await,
        ["Chrome", "Safari"]
    );
    assert_eq!(served.column("country", "country_code").await, ["DE", "FR"]);
    let revenue = served.rows("revenue_overview").await;
    assert_eq!(revenue[0]["total_revenue"], 49.9, "{revenue:?}");
    let own = answers(&served).await;
    served.process.stop();

    // In Parquet, properties are texts and moments are moments.
    let other = Served::start().await;
    let select = "* REPLACE (to_json(properties)::VARCHAR AS properties, to_json(person_properties)::VARCHAR AS person_properties, timestamp::TIMESTAMP AS timestamp)";
    let done = other.import("posthog", &parquet(lines, select)).await;
    assert_eq!(
        counts(&done["result"]),
        json!([6, 0, { library: 1 }]),
        "{done}"
    );
    assert_eq!(answers(&other).await, own);
    other.process.stop();
}

#[actix::test]
async fn visits_of_matomo_become_their_actions() {
    let served = Served::start().await;
    let done = served
        .import("matomo", fixture!("matomo.json").as_bytes())
        .await;
    assert_eq!(
        counts(&done["result"]),
        json!([9, 0, { "visits without actions": 1 }]),
        "{done}"
    );
    assert_eq!(served.totals().await, [3, 2, 2]);
    assert_eq!(
        served.column("device_types", "device_type").await,
        ["desktop", "mobile"]
    );
    let events = served.column("custom_events", "name").await;
    assert_eq!(
        events,
        ["download", "goal_1", "play", "purchase", "site_search"]
    );
    let revenue = served.rows("revenue_overview").await;
    assert_eq!(revenue[0]["total_revenue"], 49.9, "{revenue:?}");
    let omitted = done["result"]["omitted"].as_array().unwrap();
    assert!(
        omitted.iter().any(|one| one["field"] == "visitIp"),
        "{omitted:?}"
    );
    served.process.stop();
}
