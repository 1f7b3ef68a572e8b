//! The catalogue as a caller meets it.

use serde_json::{Value, json};

use crate::app::App;

/// The types that are promised.
const PROMISED: [&str; 25] = [
    "summary_metrics",
    "top_pages",
    "traffic_sources",
    "top_referrers",
    "browser_name",
    "os_name",
    "device_types",
    "country",
    "city",
    "recent_errors",
    "error_summary",
    "vitals_overview",
    "page_performance",
    "session_metrics",
    "session_list",
    "custom_events",
    "profile_list",
    "outbound_links",
    "outbound_domains",
    "scroll_depth_summary",
    "interaction_summary",
    "frustration_by_page",
    "form_abandonment_by_page",
    "engagement_quality_by_page",
    "summary_totals",
];

/// Types that nothing in the week is about.
const ABSENT: [&str; 3] = ["utm_terms", "utm_content", "conversions_by_link"];

/// Whether the last minutes hold what this type is about is up to chance.
const BY_CHANCE: &str = "realtime_events";

/// A week of events, and one that is refused.
async fn fill(app: &App, events: u64) {
    crate::filled::website(app, events).await;
    let url = format!("{}/track?website_id={}", app.track, app.website);
    let foreign = app.http.post(url).header("origin", "https://else.example");
    let refused = foreign.json(&json!({ "name": "a" })).send().await.unwrap();
    assert_eq!(refused.status(), 403);
}

#[actix::test]
async fn every_type_runs_and_yields_its_promised_columns() {
    let app = App::with("limits.query_requests = 0").await;
    fill(&app, 30_000).await;
    let url = format!("{}/v1/query/types?include_meta=true", app.base);
    let types = app.get(url).await.body;
    let listed: Vec<&str> = types["types"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    for name in PROMISED {
        assert!(listed.contains(&name), "`{name}` is not listed");
    }
    let mut absent = Vec::new();
    let sessions = json!({ "parameters": ["session_list"], "preset": "last_7d" });
    let session = app.ask(&sessions).await.rows(0)[0]["session_id"].clone();
    for name in listed {
        let promised = &types["configs"][name]["meta"]["outputFields"];
        let body = asking(name, &session);
        let of_things = [("link_", "link_id"), ("uptime_", "schedule_id")];
        if let Some((_, id)) = of_things
            .iter()
            .find(|(family, _)| name.starts_with(family))
        {
            let answer = app.ask(&body).await.body;
            let why = answer["data"][0]["error"].as_str().unwrap();
            assert!(why.contains(id), "{why}");
            continue;
        }
        let rows = app.ask(&body).await.rows(0);
        if rows.is_empty() && name != BY_CHANCE {
            absent.push(name);
        }
        for row in &rows {
            let keys: Vec<&String> = row.as_object().unwrap().keys().collect();
            assert_eq!(json!(keys), *promised, "{name}: {row}");
        }
        let url = format!("{}/v1/query?organization_id={}", app.base, app.organization);
        let whole = app.post(url, &body).await;
        assert_eq!(
            whole.rows(0).len(),
            rows.len(),
            "{name} of the organization"
        );
    }
    assert_eq!(absent, ABSENT, "types without rows");
    a_summary_adds_up(&app).await;
    app.finish().await;
}

/// The body that asks for a type, with the filter that it needs.
fn asking(name: &str, session: &Value) -> Value {
    let mut body = json!({ "parameters": [name], "preset": "last_7d" });
    if name == "session_events" {
        body["filters"] = json!([{ "field": "session_id", "op": "eq", "value": session }]);
    }
    if name == "identified_profile_retention" {
        let settings = json!({ "activation_event": "signup", "return_event": "signup", "horizon_days": 7,
            "observation_end": "2099-01-01" });
        let settings = settings.as_object().unwrap().iter();
        body["filters"] = settings
            .map(|(field, value)| json!({ "field": field, "op": "eq", "value": value }))
            .collect();
    }
    body
}

/// What several types say about the same events agrees.
async fn a_summary_adds_up(app: &App) {
    let body = json!({
        "parameters": ["summary_totals", "summary_metrics", "top_pages", "device_types", "custom_events"],
        "preset": "last_7d", "limit": 10_000,
    });
    let answer = app.ask(&body).await;
    let sum = |rows: &[Value], field: &str| -> i64 {
        rows.iter().map(|row| row[field].as_i64().unwrap()).sum()
    };
    let views = sum(&answer.rows(0), "pageviews");
    assert!(views > 3_000, "{views}");
    for parameter in 1..=3 {
        assert_eq!(
            sum(&answer.rows(parameter), "pageviews"),
            views,
            "{parameter}"
        );
    }
    let shares: f64 = answer
        .rows(4)
        .iter()
        .map(|row| row["percentage"].as_f64().unwrap())
        .sum();
    assert!((shares - 100.0).abs() < 0.5, "{shares}");
}

#[actix::test]
async fn the_list_of_types_is_public_and_as_the_spec_says() {
    let app = App::spawn().await;
    let url = format!("{}/v1/query/types", app.base);
    let bare = app.http.get(&url).send().await.unwrap();
    assert_eq!(bare.status(), 200);
    let bare: Value = bare.json().await.unwrap();
    assert_eq!(bare["success"], true);
    for name in bare["types"].as_array().unwrap() {
        let config = &bare["configs"][name.as_str().unwrap()];
        assert!(config["allowedFilters"].is_array(), "{name}");
        assert!(config["customizable"].is_boolean(), "{name}");
        assert!(config.get("meta").is_none(), "{name}: only when asked for");
    }
    assert_eq!(bare["configs"]["top_pages"]["defaultLimit"], 100);
    let full = app.get(format!("{url}?include_meta=true")).await.body;
    let promised = [
        (
            "outbound_links",
            &[
                "href",
                "text",
                "total_clicks",
                "unique_users",
                "unique_sessions",
                "percentage",
                "last_clicked",
            ][..],
        ),
        (
            "outbound_domains",
            &[
                "domain",
                "total_clicks",
                "unique_users",
                "unique_links",
                "percentage",
            ],
        ),
        (
            "summary_metrics",
            &[
                "date",
                "pageviews",
                "visitors",
                "unique_visitors",
                "sessions",
                "bounce_rate",
                "median_session_duration",
                "total_events",
            ],
        ),
    ];
    for (name, fields) in promised {
        let meta = &full["configs"][name]["meta"];
        assert!(
            meta["description"].is_string() && meta["category"].is_string(),
            "{name}"
        );
        let mut listed = column_names(meta);
        let mut fields = fields.to_vec();
        listed.sort_unstable();
        fields.sort_unstable();
        assert_eq!(listed, fields, "{name}");
    }
    app.finish().await;
}

fn column_names(meta: &Value) -> Vec<&str> {
    let fields = meta["outputFields"].as_array().unwrap();
    fields.iter().map(|field| field.as_str().unwrap()).collect()
}
