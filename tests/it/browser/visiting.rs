//! Whole visits: what there is to see, and how routes are followed.

use serde_json::json;

use super::{browse, named, pairs, shop, total};
use crate::app::until;

#[actix::test]
async fn what_a_visitor_did_is_what_the_queries_answer() {
    let Some(app) = shop().await else { return };
    let said = browse(&app, "visit").await;
    until("the last beacon", async || {
        pairs(&app, "vitals_overview", "metric_name", "samples")
            .await
            .len()
            == 6
    })
    .await;

    let pages = pairs(&app, "top_pages", "path", "pageviews").await;
    assert_eq!(
        pages,
        named(&[("/account/*", 2), ("/done", 1), ("/start", 1)])
    );
    let summary = &app.rows("summary_metrics").await[0];
    assert_eq!(summary["sessions"], 1, "{summary}");
    assert_eq!(summary["visitors"], 1, "{summary}");
    assert_eq!(summary["bounce_rate"].as_f64(), Some(0.0), "{summary}");
    let sources = app.rows("traffic_sources").await;
    assert!(
        sources.iter().any(|row| row.to_string().contains("news")),
        "{sources:?}"
    );

    let links = pairs(&app, "conversions_by_link", "link_id", "visitors").await;
    assert_eq!(links, named(&[("0198a7f0-1111-7222-8333-444455556666", 1)]));

    let custom = pairs(&app, "custom_events", "name", "events_with_properties").await;
    assert_eq!(custom, named(&[("api_event", 1), ("signup_clicked", 1)]));
    let links = app.rows("outbound_links").await;
    assert_eq!(links.len(), 1, "{links:?}");
    assert_eq!(links[0]["text"], "Read the docs");
    let href = links[0]["href"].as_str().unwrap();
    assert!(
        href.starts_with("http://other.example.org:") && href.ends_with("/docs?page=2"),
        "{href}"
    );

    let errors = pairs(&app, "recent_errors", "error_type", "message").await;
    let kinds: Vec<_> = errors.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["RangeError", "TypeError"]);
    assert!(errors[1].1.as_str().unwrap().contains("boom"), "{errors:?}");
    let recent = app.rows("recent_errors").await;
    assert!(recent.iter().all(|row| row["path"] == "/start"));

    let vitals = app.rows("vitals_overview").await;
    let worth = |name: &str| {
        let row = vitals.iter().find(|row| row["metric_name"] == name);
        row.unwrap()["p99"].as_f64().unwrap()
    };
    for name in ["FCP", "LCP", "TTFB", "FPS", "INP"] {
        assert!(worth(name) > 0.0, "{name} of {vitals:?}");
    }
    assert!(worth("CLS") > 0.01, "{vitals:?}");
    assert!(worth("TTFB") <= worth("FCP") && worth("FCP") <= worth("LCP"));

    let performance = app.rows("page_performance").await;
    let start = performance.iter().find(|row| row["path"] == "/start");
    let start = start.unwrap();
    // Two seconds of frames had to pass before the page was left.
    assert!(
        start["avg_time_on_page"].as_f64().unwrap() >= 2.0,
        "{start}"
    );
    assert!(start["avg_load_time"].as_f64().unwrap() > 0.0, "{start}");
    let scrolled = &app.rows("scroll_depth_summary").await[0];
    assert_eq!(
        scrolled["avg_scroll_depth"].as_f64(),
        Some(100.0),
        "{scrolled}"
    );
    let interactions = &app.rows("interaction_summary").await[0];
    assert_eq!(interactions["interactive_sessions"], 1, "{interactions}");

    let items = said["items"].as_array().unwrap();
    let view = items.iter().find(|item| item["name"] == "screen_view");
    let view = view.unwrap();
    assert_eq!(view["language"], "en-GB");
    assert_eq!(view["timezone"], "Europe/Berlin");
    assert_eq!(view["viewport_size"], "1000x700");
    let text = said.to_string();
    for secret in ["secret=1", "token=x", "/account/42", "/admin", "never_sent"] {
        assert!(!text.contains(secret), "{secret} left the page");
    }
    app.finish().await;
}

#[actix::test]
async fn frustration_and_abandoned_forms_are_seen() {
    let Some(app) = shop().await else { return };
    let said = browse(&app, "frustration").await;
    let spans = said["spans"].as_array().unwrap();
    assert_eq!(spans.len(), 5, "{said}");
    for (nth, span) in spans.iter().enumerate() {
        assert_eq!(span["pageIndex"], nth + 1);
        assert_eq!(span["rageClickCount"], 1, "{span}");
        assert_eq!(span["rageClickTarget"], "button:submit:buy # now", "{span}");
        assert_eq!(span["deadClickCount"], 1, "{span}");
        assert_eq!(span["deadClickTarget"], "button:submit:buy # now", "{span}");
        assert_eq!(span["formFieldCount"], 2, "{span}");
        assert_eq!(span["formSubmitCount"], 0, "{span}");
        assert_eq!(span["lastFormField"], "input:email:email", "{span}");
        assert_eq!(span["keyCount"], 6, "{span}");
        let time = |key: &str| span[key].as_i64().unwrap();
        assert_eq!(time("timeOnPage"), 65, "{span}");
        // Of a minute without a sign of life the first quarter counts.
        assert_eq!(time("activeTime"), 20, "{span}");
        assert_eq!(time("timeToFirstInteraction"), 2_000, "{span}");
    }
    until("five spans", async || {
        total(&app, "engagement_quality_by_page", "page_views").await == 5
    })
    .await;
    let frustration = &app.rows("frustration_by_page").await[0];
    let target = "button:submit:buy # now";
    for (column, value) in [
        ("path", json!("/form")),
        ("page_views", json!(5)),
        ("visitors", json!(1)),
        ("rage_click_rate", json!(100)),
        ("dead_click_rate", json!(100)),
        ("error_rate", json!(0)),
        ("top_rage_click_target", json!(target)),
        ("top_dead_click_target", json!(target)),
    ] {
        assert_eq!(frustration[column], value, "{column} of {frustration}");
    }
    let forms = &app.rows("form_abandonment_by_page").await[0];
    for (column, value) in [
        ("form_starts", json!(5)),
        ("form_submits", json!(0)),
        ("abandonment_rate", json!(100)),
        ("top_abandoned_field", json!("input:email:email")),
    ] {
        assert_eq!(forms[column], value, "{column} of {forms}");
    }
    let quality = &app.rows("engagement_quality_by_page").await[0];
    for (column, value) in [
        ("avg_time_on_page", 65.0),
        ("avg_active_time", 20.0),
        ("attention_ratio", 30.8),
        ("median_time_to_first_interaction", 2_000.0),
    ] {
        assert_eq!(
            quality[column].as_f64(),
            Some(value),
            "{column} of {quality}"
        );
    }

    let text = said.to_string();
    assert!(!text.contains("Jane") && !text.contains("secret"), "{text}");
    app.finish().await;
}

#[actix::test]
async fn routes_options_and_the_published_sdk_are_understood() {
    let Some(app) = shop().await else { return };
    let said = browse(&app, "routing").await;
    assert_eq!(
        said["hashed"],
        json!([
            ["/app#/home", "A page"],
            ["/app#/users/*", "A page"],
            ["/new", "The new page"],
        ])
    );
    let batch = said["batch"].as_array().unwrap();
    assert_eq!(batch.len(), 5, "three views and two exits: {batch:?}");
    assert_eq!(said["whenHidden"], json!(["CLS"]), "of the third route");
    assert_eq!(
        said["plain"],
        json!([["/plain", "A page"], ["/plain/next", "A page"]])
    );
    let options = &said["options"];
    assert_eq!(options["trackErrors"], false);
    assert_eq!(options["trackWebVitals"], true);
    assert_eq!(said["sdk"], json!(["/nowhere"]));

    until("the SDK's page", async || {
        total(&app, "top_pages", "pageviews").await == 7
    })
    .await;
    let pages = pairs(&app, "top_pages", "path", "pageviews").await;
    let names: Vec<_> = pages.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(
        names,
        [
            "/app#/home",
            "/app#/users/*",
            "/new",
            "/plain",
            "/plain/next",
            "/sdk-page"
        ]
    );
    let custom = pairs(&app, "custom_events", "name", "total_events").await;
    assert_eq!(custom, named(&[("from_the_sdk", 1)]));
    app.finish().await;
}
