//! The tracker in a real browser: what pages and their visitors do is what the queries answer.
//!
//! `tests/clients/browser.mjs` drives Chromium through the scenarios. `scripts/test` installs both; where Chromium
//! cannot be had it says so and sets `PHAROS_NO_BROWSER`.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use pharos::clock::Clock;
use serde_json::{Value, json};

use crate::app::{App, until};

const PROXIED: &str = "server.trusted_proxies = [\"127.0.0.0/8\"]\nserver.tracker_path = \"/app.js\"\n\
    limits.track_requests = 0";

/// The program with a website for the pages of the scenarios; nothing where there is no browser.
async fn shop() -> Option<App> {
    if std::env::var_os("PHAROS_NO_BROWSER").is_some() {
        return None;
    }
    // Browsers say when something happened, by the machine's clock.
    let mut app = App::at(Clock::system(), PROXIED).await;
    let website = json!({ "name": "Shop", "domain": "shop.example.com" });
    let made = app
        .post(format!("{}/websites/create", app.base), &website)
        .await;
    assert_eq!(made.status, 200, "{}", made.text);
    made.body["id"]
        .as_str()
        .unwrap()
        .clone_into(&mut app.website);
    Some(app)
}

/// Runs a scenario to its end and gives what it says.
async fn browse(app: &App, scenario: &str) -> Value {
    let clients = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    let chromium = std::env::var_os("PHAROS_CHROMIUM")
        .map_or_else(|| PathBuf::from("/usr/bin/chromium"), PathBuf::from);
    for needed in [clients.join("node_modules/playwright-core"), chromium] {
        assert!(
            needed.exists(),
            "{} is not there: run scripts/test, which installs it",
            needed.display()
        );
    }
    let mut node = Command::new("node");
    node.current_dir(clients)
        .args(["browser.mjs", scenario, &app.track, &app.website]);
    let output = tokio::task::spawn_blocking(move || node.output()).await;
    let output = output.unwrap().unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{out}{err}");
    serde_json::from_str(&out).unwrap()
}

/// The rows of a type as pairs of two columns, in the order of the first.
async fn pairs(app: &App, parameter: &str, name: &str, value: &str) -> Vec<(String, Value)> {
    let rows = app.rows(parameter).await;
    let mut pairs: Vec<(String, Value)> = rows
        .iter()
        .map(|row| (row[name].as_str().unwrap().to_owned(), row[value].clone()))
        .collect();
    pairs.sort_by(|a, b| a.0.cmp(&b.0));
    pairs
}

async fn total(app: &App, parameter: &str, column: &str) -> i64 {
    let rows = app.rows(parameter).await;
    rows.iter()
        .filter_map(|row| row[column].as_i64())
        .sum::<i64>()
}

fn named(pairs: &[(&str, i64)]) -> Vec<(String, Value)> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), json!(value)))
        .collect()
}

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
async fn who_opted_out_or_is_no_visitor_sends_nothing() {
    let Some(app) = shop().await else { return };
    let said = browse(&app, "silent").await;
    assert_eq!(said["before"], 0, "{said}");
    let stored = said["stored"].as_object().unwrap();
    for (case, keys) in stored {
        let expected = match case.as_str() {
            // Whether a session is in the sample is known once there is one.
            "not in the sample" | "seen" => continue,
            // Who somebody is is kept for the pages that are not skipped.
            "on a skipped page" => json!(["did_profile"]),
            _ => json!([]),
        };
        assert_eq!(*keys, expected, "{case}");
    }
    assert_eq!(stored.len(), 13);
    let routes = said["routes"].as_array().unwrap();
    for route in ["/batch", "/track", "/errors", "/vitals", "/engagement"] {
        assert!(routes.contains(&json!(route)), "{route} of {routes:?}");
    }
    assert_eq!(
        said["left"],
        json!({ "more": 0, "did": null, "out": "true" })
    );
    assert_eq!(said["leaked"], false);
    until("who is tracked", async || {
        pairs(&app, "custom_events", "name", "total_events")
            .await
            .iter()
            .any(|(name, _)| name == "after_coming_back")
    })
    .await;
    let custom = pairs(&app, "custom_events", "name", "total_events").await;
    assert_eq!(
        custom,
        named(&[("after_coming_back", 1), ("clicked", 1), ("said", 1)])
    );
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
        assert!(time("timeOnPage") >= 65, "{span}");
        // A quarter of a minute of a silent minute counts.
        assert!((15..=25).contains(&time("activeTime")), "{span}");
        assert!(time("timeToFirstInteraction") >= 2_000, "{span}");
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
    let share = quality["attention_ratio"].as_f64().unwrap();
    assert!((20.0..40.0).contains(&share), "{quality}");
    assert!(
        quality["median_time_to_first_interaction"]
            .as_f64()
            .unwrap()
            >= 2_000.0,
        "{quality}"
    );

    let text = said.to_string();
    assert!(!text.contains("Jane") && !text.contains("secret"), "{text}");
    app.finish().await;
}

#[actix::test]
async fn what_failed_on_the_way_is_sent_again_and_counts_once() {
    let Some(app) = shop().await else { return };
    let said = browse(&app, "delivery").await;
    let tries = said["tries"].as_array().unwrap();
    let statuses: Vec<_> = tries.iter().map(|one| one["status"].as_i64()).collect();
    assert_eq!(statuses, [Some(503), Some(503), Some(503), Some(200)]);
    assert!(
        tries.iter().all(|one| one["id"] == tries[0]["id"]),
        "{tries:?}"
    );
    let pages = pairs(&app, "top_pages", "path", "pageviews").await;
    assert_eq!(pages, named(&[("/trouble", 1)]));

    let beacons = said["beacons"].as_array().unwrap();
    assert!(beacons.len() > 1, "{beacons:?}");
    for beacon in beacons {
        assert!(beacon["bytes"].as_i64().unwrap() <= 60 * 1024, "{beacon}");
        assert_eq!(beacon["type"], "text/plain;charset=UTF-8");
        assert_eq!(beacon["status"], 200);
    }
    let custom = pairs(&app, "custom_events", "name", "total_events").await;
    assert_eq!(
        custom,
        named(&[("at_the_end", 16), ("good_after", 1), ("good_before", 1)])
    );
    app.finish().await;
}

#[actix::test]
async fn a_visitor_who_comes_back_is_the_same_through_the_sites_own_address() {
    let Some(app) = shop().await else { return };
    let said = browse(&app, "people").await;
    assert_eq!(said["first"], said["second"]);
    assert_eq!(said["view"]["page_count"], 2);
    assert_eq!(said["view"]["gclid"], "ad7");
    assert_eq!(said["view"]["profileId"], "user_1");
    // A conversion on a later page still knows its ad.
    assert_eq!(said["paid"]["properties"]["gclid"], "ad7");
    assert_eq!(said["storage"]["local"]["did"], said["first"]["anonId"]);
    assert_eq!(said["storage"]["local"]["did_profile"], "user_1");
    assert_eq!(
        said["storage"]["session"]["did_session"],
        said["first"]["sessionId"]
    );
    assert_eq!(said["after"]["profile"], Value::Null);
    assert_ne!(said["after"]["ids"]["anonId"], said["first"]["anonId"]);
    assert_ne!(
        said["after"]["ids"]["sessionId"],
        said["first"]["sessionId"]
    );
    assert_eq!(said["handed"], said["ids"], "handed over by the address");
    assert_eq!(said["kept"], said["ids"], "nonsense in the address");
    let identified = said["identified"].as_array().unwrap();
    assert_eq!(identified.len(), 1, "{identified:?}");
    assert_eq!(identified[0]["profileId"], "user_1");
    assert_eq!(identified[0]["anonymousId"], said["first"]["anonId"]);
    assert_eq!(identified[0]["traits"], json!({ "plan": "pro" }));

    until("five exits", async || {
        total(&app, "top_pages", "pageviews").await == 5
    })
    .await;
    let summary = &app.rows("summary_metrics").await[0];
    assert_eq!(summary["visitors"], 2, "{summary}");
    assert_eq!(summary["sessions"], 2, "{summary}");
    // The proxy is no visitor: it says whose requests it hands on.
    let countries = pairs(&app, "country", "country_name", "visitors").await;
    assert_eq!(countries, named(&[("United States", 2)]));
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
        total(&app, "top_pages", "pageviews").await == 6
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
