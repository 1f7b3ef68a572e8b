//! Bots: who is ignored, who is doubted, and what the website's rules make of them, also later.

use super::*;
use crate::{
    actors::websites::{SettingsChange, UpdateSettings},
    events::enrich::bot::{BotAction, BotKind, BotRules},
    fault::Fault,
    http::{GeoHeaders, edge::Proxies},
};

const HEADLESS: (&str, &str) = (
    "user-agent",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36",
);
const PREVIEW: (&str, &str) = ("user-agent", "facebookexternalhit/1.1");
const AGENT: &str = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot";

impl TestApp {
    async fn rules(&self, everyone: bool, rules: &[(BotKind, BotAction)]) {
        let message = UpdateSettings {
            id: self.website(),
            change: SettingsChange {
                ignore_bot_detection: Some(everyone),
                bot_rules: Some(rules.iter().copied().collect::<BotRules>()),
                ..SettingsChange::default()
            },
        };
        let asked = self.shared.websites.ask(message).await;
        asked.map_err(Fault::from).unwrap();
    }

    /// The rows of a type, of the website or of its organization.
    async fn ask(&self, target: &str, kind: &str, more: &Value) -> Vec<Value> {
        let mut body = json!({"parameters": [kind], "preset": "today"});
        let object = body.as_object_mut().unwrap();
        object.extend(more.as_object().unwrap().clone());
        let key = self.key();
        let headers = [("x-api-key", key.as_str())];
        let path = self.path(&format!("/v1/query{target}"));
        let answer = self.post(&path, &headers, body).await.json();
        assert_eq!(answer["data"][0]["success"], true, "{answer}");
        answer["data"][0]["data"].as_array().unwrap().clone()
    }

    /// Views of today, of the website and of its organization alike.
    async fn views(&self, more: Value) -> i64 {
        let mut found = Vec::new();
        for target in ["?website_id=ID", ""] {
            let rows = self.ask(target, "summary_totals", &more).await;
            found.push(rows[0]["pageviews"].as_i64().unwrap());
        }
        assert_eq!(found[0], found[1]);
        found[0]
    }

    async fn view(&self, headers: &[(&str, &str)], id: &str) -> Value {
        let path = self.path("/?client_id=ID");
        let answer = self.track(&path, headers, &page(id)).await;
        assert_eq!(answer.status, 200, "{id}");
        answer.json()
    }
}

#[actix::test]
async fn suspected_bots_are_stored_left_out_and_asked_for_by_name() {
    let app = TestApp::open().await;
    assert_eq!(app.view(&[HEADLESS], "1").await["status"], "success");
    assert_eq!(
        app.view(&[("user-agent", CHROME)], "2").await["status"],
        "success"
    );
    assert_eq!(app.stored("bot").await, ["0", "1"]);
    assert_eq!(app.views(json!({})).await, 1);
    let with = |op: &str, value: Value| json!({"filters": [{"field": "bot_verdict", "op": op, "value": value}]});
    assert_eq!(
        app.views(with("in", json!(["person", "suspected"]))).await,
        2
    );
    assert_eq!(app.views(with("eq", json!("suspected"))).await, 1);
    assert_eq!(app.views(with("ne", json!("suspected"))).await, 1);
    let rows = app
        .ask("?website_id=ID", "suspected_bots", &json!({}))
        .await;
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (&rows[0]["verdict"], &rows[0]["reasons"], &rows[0]["events"]),
        (
            &json!("suspected"),
            &json!("automation, no_accept_language, no_fetch_metadata"),
            &json!(1)
        )
    );
    let reason = |name: &str| {
        json!({"filters": [
            {"field": "bot_verdict", "op": "in", "value": ["person", "suspected"]},
            {"field": "bot_reason", "op": "eq", "value": name},
        ]})
    };
    assert_eq!(app.views(reason("automation")).await, 1);
    assert_eq!(app.views(reason("no_accept_language")).await, 2);
    assert_eq!(app.views(reason("no_such_reason")).await, 0);
    app.close().await;
}

#[actix::test]
async fn a_rule_decides_about_what_is_stored_already_and_can_be_taken_back() {
    let app = TestApp::open().await;
    app.view(&[HEADLESS], "1").await;
    assert_eq!(app.views(json!({})).await, 0);
    app.rules(false, &[(BotKind::Suspected, BotAction::Allow)])
        .await;
    assert_eq!(app.views(json!({})).await, 1);
    app.rules(true, &[]).await;
    assert_eq!(app.views(json!({})).await, 1);
    assert_eq!(app.view(&[PREVIEW], "2").await["status"], "success");
    assert_eq!(app.views(json!({})).await, 2);
    app.rules(false, &[]).await;
    assert_eq!(app.views(json!({})).await, 0);
    app.rules(false, &[(BotKind::Preview, BotAction::Allow)])
        .await;
    assert_eq!(app.views(json!({})).await, 1);
    app.rules(false, &[(BotKind::Suspected, BotAction::Block)])
        .await;
    assert_eq!(
        app.view(&[HEADLESS], "3").await,
        json!({"status": "ignored"})
    );
    assert_eq!(app.stored("kind").await.len(), 2);
    app.close().await;
}

#[actix::test]
async fn settings_of_bots_are_checked() {
    let app = TestApp::open().await;
    let key = app.key();
    let headers = [("x-api-key", key.as_str())];
    let change = async |settings: Value| {
        let body = json!({"id": app.website().as_str(), "settings": settings});
        app.post("/websites/updateSettings", &headers, body).await
    };
    let done =
        change(json!({"botRules": {"ai_training": "block"}, "ignoreBotDetection": true})).await;
    assert_eq!(done.status, 200, "{:?}", done.body);
    let settings = &done.json()["settings"];
    assert_eq!(settings["botRules"], json!({"ai_training": "block"}));
    assert_eq!(settings["ignoreBotDetection"], true);
    for wrong in [
        json!({"botRules": {"robots": "block"}}),
        json!({"botRules": {"seo": "maybe"}}),
        json!({"ignoreBotDetection": "yes"}),
    ] {
        assert_eq!(change(wrong.clone()).await.status, 400, "{wrong}");
    }
    app.close().await;
}

#[actix::test]
async fn what_agents_read_is_known_whoever_saw_it() {
    let app = TestApp::open().await;
    // The agent ran the tracker.
    let ignored = app.view(&[("user-agent", AGENT)], "1").await;
    assert_eq!(ignored, json!({"status": "ignored"}));
    // The website's server reports, with a key and without.
    let key = app.key();
    let path = app.path("/ai-traffic?website_id=ID");
    let hit = |agent: &str| json!({"path": "/docs", "userAgent": agent, "ip": "192.0.2.7", "host": "localhost"});
    for headers in [&[("x-api-key", key.as_str())][..], &[]] {
        let answer = app.track(&path, headers, &hit("GPTBot/1.2")).await;
        assert_eq!((answer.status.as_u16(), answer.body.len()), (202, 0));
    }
    for nothing in [CHROME, "curl/8", "Googlebot/2.1"] {
        let answer = app.track(&path, &[], &hit(nothing)).await;
        assert_eq!(
            (answer.status.as_u16(), answer.body.len()),
            (204, 0),
            "{nothing}"
        );
    }
    let rows = app
        .ask("?website_id=ID", "ai_traffic_agents", &json!({}))
        .await;
    let told: Vec<[&str; 4]> = rows
        .iter()
        .map(|row| {
            ["agent", "product", "operator", "purpose"].map(|name| row[name].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        told,
        [
            ["GPTBot", "ChatGPT", "OpenAI", "ai_training"],
            ["ChatGPT-User", "ChatGPT", "OpenAI", "ai_user"]
        ]
    );
    assert_eq!(
        (&rows[0]["requests"], &rows[1]["requests"]),
        (&json!(2), &json!(1))
    );
    let pages = app
        .ask("?website_id=ID", "ai_traffic_pages", &json!({}))
        .await;
    assert_eq!(
        (&pages[0]["page"], &pages[0]["requests"]),
        (&json!("/docs"), &json!(2))
    );
    let all = app
        .ask("?website_id=ID", "ai_traffic_summary", &json!({}))
        .await;
    assert_eq!(
        (
            &all[0]["requests"],
            &all[0]["training"],
            &all[0]["on_demand"]
        ),
        (&json!(3), &json!(2), &json!(1))
    );
    assert_eq!(app.views(json!({})).await, 0);
    let books = app
        .ask("?website_id=ID", "data_quality_totals", &json!({}))
        .await;
    assert_eq!(
        (
            &books[0]["received"],
            &books[0]["stored"],
            &books[0]["bots"]
        ),
        (&json!(3), &json!(2), &json!(1))
    );
    app.close().await;
}

#[actix::test]
async fn reports_of_agents_are_refused_like_events() {
    let app = TestApp::open().await;
    let hit = json!({"path": "/", "userAgent": "GPTBot/1.2"});
    let missing = app.track("/ai-traffic", &[], &hit).await;
    assert_eq!(missing.code(), (401, "AUTH_REQUIRED".into()));
    let unknown = app.track("/ai-traffic?website_id=nothing", &[], &hit).await;
    assert_eq!(unknown.code(), (404, "WEBSITE_NOT_FOUND".into()));
    let path = app.path("/ai-traffic?website_id=ID");
    let empty = app.track(&path, &[], &json!({})).await;
    assert_eq!(empty.code(), (400, "INVALID_REQUEST_BODY".into()));
    let foreign = json!({"path": "https://else.example/", "userAgent": "GPTBot/1.2"});
    let refused = app.track(&path, &[], &foreign).await;
    assert_eq!(refused.code(), (403, "ORIGIN_NOT_AUTHORIZED".into()));
    let key = app.key();
    let believed = app
        .track(&path, &[("x-api-key", key.as_str())], &foreign)
        .await;
    assert_eq!(believed.status, 202);
    app.rules(false, &[(BotKind::AiTraining, BotAction::Block)])
        .await;
    assert_eq!(app.track(&path, &[], &hit).await.status, 204);
    app.close().await;
}

#[actix::test]
async fn hints_name_the_browser_that_the_user_agent_hides() {
    let app = TestApp::open().await;
    let headers = [
        ("user-agent", CHROME),
        (
            "sec-ch-ua",
            r#""Chromium";v="126", "Not=A?Brand";v="24", "Brave";v="126""#,
        ),
        ("sec-ch-ua-platform", "\"Windows\""),
        ("sec-ch-ua-platform-version", "\"15.0.0\""),
    ];
    app.view(&headers, "1").await;
    assert_eq!(app.stored("browser_name").await, ["Brave"]);
    assert_eq!(app.stored("os_version").await, ["11"]);
    app.close().await;
}

#[actix::test]
async fn places_are_taken_from_trusted_proxies_only() {
    for (trusted, expected) in [
        ("192.0.2.0/24", ["FR", "Toulouse", ""]),
        ("10.0.0.0/8", ["", "", ""]),
    ] {
        let options = Options {
            proxies: Proxies {
                trusted: vec![trusted.parse().unwrap()],
                ..Proxies::default()
            },
            geo_headers: GeoHeaders {
                country: Some("cf-ipcountry".parse().unwrap()),
                city: Some("cf-ipcity".parse().unwrap()),
                region: None,
            },
            ..Options::default()
        };
        let app = TestApp::with(Limits::default(), options).await;
        let headers = [
            ("cf-ipcountry", "FR"),
            ("cf-ipcity", "Toulouse"),
            ("cf-region", "Occitanie"),
        ];
        app.view(&headers, "1").await;
        for (column, told) in ["country", "city", "region"].into_iter().zip(expected) {
            let stored = app.stored(&format!("coalesce({column}, '')")).await;
            assert_eq!(stored, [told], "{trusted}: {column}");
        }
        app.close().await;
    }
}
