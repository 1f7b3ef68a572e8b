//! A website's rules, as its owner sets them and as senders meet them.

use serde_json::{Value, json};

use crate::app::{Answer, App};

impl App {
    async fn call(&self, procedure: &str, body: Value) -> Answer {
        self.post(format!("{}/websites/{procedure}", self.base), &body)
            .await
    }

    async fn set(&self, settings: Value) -> Answer {
        self.call(
            "updateSettings",
            json!({ "id": self.website, "settings": settings }),
        )
        .await
    }

    /// A stranger's event, from a page of this origin.
    async fn from(&self, origin: Option<&str>) -> u16 {
        let url = format!("{}/track?website_id={}", self.track, self.website);
        let mut request = self.http.post(url).json(&json!({ "name": "signup" }));
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        Answer::send(request).await.status
    }

    async fn tracking(&self) -> Value {
        let answer = self
            .call("isTrackingSetup", json!({ "websiteId": self.website }))
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.body
    }
}

#[actix::test]
async fn settings_are_checked_kept_and_merged() {
    let mut app = App::spawn().await;
    let fresh = app.call("getById", json!({ "id": app.website })).await.body;
    assert_eq!(fresh["settings"]["excludedPaths"], json!([]));
    let set = app
        .set(
            json!({ "allowedOrigins": ["HTTPS://Shop.Example"], "excludedCountries": ["Germany"] }),
        )
        .await;
    assert_eq!(set.status, 200, "{}", set.text);
    app.set(json!({ "excludedIps": ["10.9.8.7/8"], "trackingIssueWarningsDisabled": true }))
        .await;
    for (settings, field) in [
        (
            json!({ "allowedIps": ["10.0.0.1", "nowhere"] }),
            "settings.allowedIps.1",
        ),
        (
            json!({ "allowedOrigins": ["https://a.example/page"] }),
            "settings.allowedOrigins.0",
        ),
        (
            json!({ "excludedPaths": "/admin" }),
            "settings.excludedPaths",
        ),
        (
            json!({ "excludedPath": ["/admin"] }),
            "settings.excludedPath",
        ),
    ] {
        let refused = app.set(settings.clone()).await;
        assert_eq!(refused.status, 400, "{settings}");
        let issue = &refused.body["data"]["issues"][0];
        let path = issue["path"].as_array().map(|path| {
            path.iter()
                .map(|part| {
                    part.as_str()
                        .map_or_else(|| part.to_string(), str::to_owned)
                })
                .collect::<Vec<_>>()
                .join(".")
        });
        let path = path.unwrap_or_else(|| issue["path"].as_str().unwrap_or_default().to_owned());
        assert_eq!(path, field, "{}", refused.text);
    }
    app.restart().await;
    let kept = app.call("getById", json!({ "id": app.website })).await.body;
    assert_eq!(
        kept["settings"],
        json!({
            "allowedOrigins": ["https://shop.example"], "allowedIps": [], "ignoredTrackingOrigins": [],
            "trackingIssueWarningsDisabled": true, "excludedIps": ["10.0.0.0/8"], "excludedCountries": ["DE"],
            "excludedPaths": [], "excludedHosts": [], "retentionDays": null,
            "ignoreBotDetection": false, "botRules": {},
        })
    );
    let unknown = app
        .call("updateSettings", json!({ "id": "unknown", "settings": {} }))
        .await;
    assert_eq!(unknown.status, 404);
    app.finish().await;
}

/// Threat T40: forged requests are refused where a list is set, and requests with a key are distinguishable.
#[actix::test]
async fn spoofed_events_are_refused_and_trusted_ones_are_told_apart() {
    let app = App::spawn().await;
    assert_eq!(app.from(None).await, 200, "no list, no origin");
    app.set(json!({ "allowedOrigins": ["https://shop.example"] }))
        .await;
    for (origin, expected) in [
        (None, 403),
        (Some("https://evil.example"), 403),
        (Some("https://shop.example.evil.example"), 403),
        (Some("https://shop.example"), 200),
    ] {
        assert_eq!(app.from(origin).await, expected, "{origin:?}");
    }
    let event = json!({ "name": "paid", "websiteId": app.website });
    assert_eq!(app.send(&event).await.status, 200, "a key needs no origin");
    let asked = async |trust: &str| {
        let body = json!({
            "parameters": ["custom_events"], "preset": "today",
            "filters": [{ "field": "trust", "op": "eq", "value": trust }],
        });
        let rows = app.ask(&body).await.rows(0);
        let row = |row: &Value| (row["name"].clone(), row["total_events"].clone());
        rows.iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(asked("key").await, [(json!("paid"), json!(1))]);
    assert_eq!(asked("client").await, [(json!("signup"), json!(2))]);
    let totals = app.rows("data_quality_totals").await.remove(0);
    for (part, expected) in [
        ("received", 6),
        ("stored", 3),
        ("sent_with_key", 1),
        ("rejected", 3),
    ] {
        assert_eq!(totals[part], expected, "{part}: {totals}");
    }
    app.finish().await;
}

#[actix::test]
async fn blocked_origins_are_listed_with_what_to_change() {
    let app = App::spawn().await;
    let untracked = app.tracking().await;
    assert_eq!(untracked["tracking_setup"], false);
    assert_eq!(untracked["tracking_issue"], Value::Null);
    for origin in [
        "https://shop.example:8443",
        "https://shop.example:8443",
        "null",
    ] {
        assert_eq!(app.from(Some(origin)).await, 403);
    }
    let rows = app.rows("blocked_traffic").await;
    let told: Vec<_> = rows
        .iter()
        .map(|row| (&row["origin"], &row["reason"], &row["count"]))
        .collect();
    assert_eq!(
        told,
        [
            (
                &json!("https://shop.example:8443"),
                &json!("origin_not_authorized"),
                &json!(2)
            ),
            (&json!("null"), &json!("origin_not_authorized"), &json!(1)),
        ]
    );
    let fix = rows[0]["fix"].as_str().unwrap();
    assert!(
        fix.contains("add `shop.example:8443` to the website's allowedOrigins"),
        "{fix}"
    );

    let told = app.tracking().await;
    let issue = &told["tracking_issue"];
    for (field, expected) in [
        ("type", json!("origin_not_authorized")),
        ("severity", json!("critical")),
        ("count", json!(2)),
        ("origin", json!("https://shop.example:8443")),
        ("originHost", json!("shop.example")),
        ("expectedDomain", json!("localhost")),
        ("fix", json!(fix)),
    ] {
        assert_eq!(issue[field], expected, "{field}: {told}");
    }
    // What the advice says helps.
    app.set(json!({ "allowedOrigins": ["shop.example:8443"] }))
        .await;
    assert_eq!(app.from(Some("https://shop.example:8443")).await, 200);
    let told = app.tracking().await;
    assert_eq!(
        (&told["has_events"], &told["recent_events"]),
        (&json!(true), &json!(1))
    );
    assert_eq!(told["tracking_issue"]["severity"], "warning");
    app.set(json!({ "ignoredTrackingOrigins": ["shop.example"], "trackingIssueWarningsDisabled": false }))
        .await;
    assert_eq!(app.tracking().await["tracking_issue"]["origin"], "null");
    app.finish().await;
}

/// An attack with made-up origins leaves few rows, and its number is right.
#[actix::test]
async fn made_up_origins_are_bounded() {
    let app = App::with("limits.track_requests = 0").await;
    for n in 0..200 {
        assert_eq!(app.from(Some(&format!("https://a{n}.example"))).await, 403);
    }
    let rows = app.rows("blocked_traffic").await;
    assert!(rows.len() < 50, "{}", rows.len());
    let sum: u64 = rows.iter().map(|row| row["count"].as_u64().unwrap()).sum();
    assert_eq!(sum, 200);
    assert_eq!(rows[0]["origin"], "(others)");
    assert_eq!(app.rows("data_quality_totals").await[0]["rejected"], 200);
    app.finish().await;
}

/// Behind a trusted proxy, addresses and countries are the visitor's.
#[actix::test]
async fn visitors_behind_a_proxy_are_left_out_and_refused_by_their_own_address() {
    let app = App::with("server.trusted_proxies = [\"127.0.0.0/8\"]").await;
    let via = async |client: &str| {
        let url = format!("{}/track?website_id={}", app.track, app.website);
        let request = app.http.post(url).header("x-forwarded-for", client);
        Answer::send(request.json(&json!({ "name": client })))
            .await
            .status
    };
    app.set(json!({ "excludedCountries": ["Netherlands"], "excludedIps": ["200.160.2.0/24", "2001:4860::/32"] }))
        .await;
    for client in [
        "193.0.6.139",
        "200.160.2.3",
        "2001:4860:4860::8888",
        "8.8.8.8",
        "200.160.3.1",
    ] {
        assert_eq!(via(client).await, 200, "{client}");
    }
    let names: Vec<Value> = app
        .rows("custom_events")
        .await
        .iter()
        .map(|row| row["name"].clone())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names.contains(&json!("8.8.8.8")) && names.contains(&json!("200.160.3.1")));
    let totals = app.rows("data_quality_totals").await.remove(0);
    assert_eq!(
        (&totals["excluded"], &totals["stored"]),
        (&json!(3), &json!(2))
    );

    app.set(json!({ "allowedIps": ["8.8.8.0/24"] })).await;
    assert_eq!(via("8.8.8.1").await, 200);
    assert_eq!(via("8.8.9.1").await, 403);
    assert_eq!(via("8.8.8.1, 8.8.9.1").await, 403, "made up before it");
    let blocked = app.rows("blocked_traffic").await;
    assert_eq!(
        (&blocked[0]["reason"], &blocked[0]["count"]),
        (&json!("ip_not_authorized"), &json!(2))
    );
    let told = json!(blocked).to_string();
    assert!(!told.contains("8.8."), "never an address: {told}");
    app.finish().await;
}
