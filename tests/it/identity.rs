//! Who a visitor is: `/identify` as callers meet it, and what answers say afterwards.

use std::time::Duration;

use pharos::{
    access::Scope,
    actors::{
        ingest::{Compact, Seal, Tick},
        keys::{CreateKey, Resources},
    },
    ids::{OrganizationId, WebsiteId},
};
use serde_json::{Value, json};

use crate::app::{Answer, App, NOW, until};

const DAY: Duration = Duration::from_hours(24);

impl App {
    async fn identify(&self, body: &Value) -> Answer {
        let url = format!("{}/identify?client_id={}", self.track, self.website);
        self.post_anonymously(url, body).await
    }

    /// [`App::identify`], which has to succeed.
    async fn named(&self, body: &Value) {
        let answer = self.identify(body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(
            answer.body,
            json!({ "status": "success", "type": "identify" })
        );
    }

    /// The rows of one type over the last week about one person.
    async fn about(&self, parameter: &str, profile: &str) -> Vec<Value> {
        let body = json!({
            "parameters": [parameter], "preset": "last_7d",
            "filters": [{ "field": "profile_id", "op": "eq", "value": profile }],
        });
        self.ask(&body).await.rows(0)
    }

    /// Profile → its number of events, over the last week.
    async fn people(&self) -> Vec<(String, i64)> {
        let body = json!({ "parameters": ["profile_list"], "preset": "last_7d" });
        let rows = self.ask(&body).await.rows(0);
        let mut people: Vec<_> = rows
            .iter()
            .map(|row| {
                let profile = row["profile_id"].as_str().unwrap_or("?").to_owned();
                (profile, row["total_events"].as_i64().unwrap())
            })
            .collect();
        people.sort();
        people
    }
}

fn view(id: &str, visitor: &str, more: &Value) -> Value {
    let mut event = json!({
        "eventId": id, "name": "screen_view", "path": format!("https://localhost/{id}"), "anonymousId": visitor,
        "sessionId": format!("sess_{visitor}"),
    });
    let more = more.as_object().unwrap().clone();
    event.as_object_mut().unwrap().extend(more);
    event
}

fn people(of: &[(&str, i64)]) -> Vec<(String, i64)> {
    let owned = of.iter().map(|(name, count)| ((*name).to_owned(), *count));
    owned.collect()
}

#[actix::test]
async fn earlier_anonymous_events_become_the_persons_and_stay_theirs() {
    let mut app = App::spawn().await;
    app.send_pages(&[
        view("first", "anon_1", &json!({})),
        view("second", "anon_1", &json!({ "profileId": "other" })),
        view("elsewhere", "anon_2", &json!({})),
    ])
    .await;
    let track = json!({ "name": "signup", "websiteId": app.website, "anonymousId": "anon_1" });
    assert_eq!(app.send(&track).await.status, 200);
    assert_eq!(app.people().await, people(&[("?", 1), ("other", 3)]));

    app.named(&json!({
        "profileId": "user-7", "anonymousId": "anon_1",
        "traits": { "email": "Anna@Example.com", "name": "Anna", "plan": "pro", "seats": 3, "gone": null },
    }))
    .await;
    let after = people(&[("?", 1), ("other", 1), ("user-7", 2)]);
    assert_eq!(app.people().await, after);

    let detail = app.about("profile_detail", "user-7").await;
    assert_eq!(detail.len(), 1);
    for (column, value) in [
        ("profile_id", json!("user-7")),
        ("display_name", json!("Anna")),
        ("email", json!("anna@example.com")),
        (
            "traits",
            json!({ "name": "Anna", "plan": "pro", "seats": 3 }),
        ),
        ("total_events", json!(2)),
        ("pageviews", json!(1)),
        ("session_count", json!(1)),
        ("unique_pages", json!(1)),
    ] {
        assert_eq!(detail[0][column], value, "{column}");
    }
    let sessions = app.about("profile_sessions", "user-7").await;
    assert_eq!(sessions.len(), 1);
    assert_eq!(sessions[0]["display_name"], "Anna");
    assert_eq!(sessions[0]["traits"]["plan"], "pro");
    assert_eq!(sessions[0]["events"][0]["path"], "/first");
    let pages = app.about("top_pages", "user-7").await;
    assert_eq!(pages.len(), 1);
    assert_eq!(pages[0]["path"], "/first");

    let ingest = app.platform.as_ref().unwrap().domains().ingest.clone();
    ingest.ask(Seal).await.unwrap();
    assert_eq!(app.people().await, after, "sealed");
    app.restart().await;
    assert_eq!(app.people().await, after, "after a restart");
    let detail = app.about("profile_detail", "user-7").await;
    assert_eq!(detail[0]["email"], "anna@example.com");
    app.finish().await;
}

#[actix::test]
async fn salted_ids_are_known_for_two_days_and_raw_ones_for_ever() {
    let app = App::spawn().await;
    let raw = json!({ "anonymizeVisitorIds": false });
    for (day, id) in ["today", "yesterday", "before"].iter().rev().enumerate() {
        let event_id = |kind: &str| format!("{kind}-{id}");
        app.send_pages(&[
            view(&event_id("salted"), "anon_s", &json!({})),
            view(&event_id("raw"), "anon_r", &raw),
        ])
        .await;
        if day < 2 {
            app.clock.advance(DAY);
            let ingest = &app.platform.as_ref().unwrap().domains().ingest;
            ingest.ask(Tick).await.unwrap();
        }
    }
    app.named(&json!({ "profileId": "s", "anonymousId": "anon_s" }))
        .await;
    app.named(&json!({ "profileId": "r", "anonymousId": "anon_r" }))
        .await;
    assert_eq!(app.people().await, people(&[("?", 1), ("r", 3), ("s", 2)]));

    // The declared transport of ids is believed.
    app.named(
        &json!({ "profileId": "only raw", "anonymousId": "anon_s", "anonymizeVisitorIds": false }),
    )
    .await;
    app.named(&json!({ "profileId": "only salted", "anonymousId": "anon_r", "anonymizeVisitorIds": true }))
        .await;
    assert_eq!(app.people().await, people(&[("?", 1), ("r", 3), ("s", 2)]));
    app.finish().await;
}

#[actix::test]
async fn the_last_name_counts_also_through_seals_and_merges() {
    let app = App::spawn().await;
    let ingest = app.platform.as_ref().unwrap().domains().ingest.clone();
    app.send_pages(&[view("a", "anon_1", &json!({}))]).await;
    // Sixteen segments are merged into one.
    for n in 0..16 {
        app.named(&json!({ "profileId": format!("user-{n}"), "anonymousId": "anon_1" }))
            .await;
        assert_eq!(app.people().await, people(&[(&format!("user-{n}"), 1)]));
        ingest.ask(Seal).await.unwrap();
    }
    until("all is merged", async || {
        matches!(ingest.ask(Compact { at_rest: false }).await, Ok(false))
    })
    .await;
    assert_eq!(app.people().await, people(&[("user-15", 1)]));
    let day = json!({ "parameters": ["summary_totals", "custom_events"], "preset": "today" });
    let answer = app.ask(&day).await;
    assert_eq!(
        answer.rows(0)[0]["total_events"],
        1,
        "aliases are no events"
    );
    assert!(answer.rows(1).is_empty());
    app.finish().await;
}

#[actix::test]
async fn a_key_names_the_website() {
    let app = App::spawn().await;
    app.send_pages(&[view("a", "anon_1", &json!({ "profileId": "u" }))])
        .await;
    let url = format!("{}/identify", app.track);
    let body = |website: &str, plan: &str| json!({ "profileId": "u", "websiteId": website, "traits": { "plan": plan } });
    let plan = async || app.about("profile_detail", "u").await[0]["traits"]["plan"].clone();

    assert_eq!(
        app.post(url.clone(), &body(&app.website, "pro"))
            .await
            .status,
        200
    );
    assert_eq!(plan().await, "pro");

    let own = app
        .make_key(CreateKey {
            organization: Some(OrganizationId::from(app.organization.as_str())),
            resources: Some(Resources {
                global: Vec::new(),
                websites: [(
                    WebsiteId::from(app.website.as_str()),
                    vec![Scope::TrackEvents],
                )]
                .into(),
            }),
            ..CreateKey::named("one website")
        })
        .await;
    let nameless = json!({ "profileId": "u", "traits": { "plan": "free" } });
    let by = async |key: &str, body: &Value| {
        Answer::send(app.http.post(&url).header("x-api-key", key).json(body)).await
    };
    assert_eq!(by(&own, &nameless).await.status, 200, "its own website");
    assert_eq!(plan().await, "free");

    let missing = by(&app.key, &nameless).await;
    assert_eq!(missing.status, 400, "{}", missing.text);
    assert_eq!(missing.body["errors"][0]["field"], "websiteId");
    assert_eq!(missing.body["error"], "Invalid request body");
    let reader = app.key_with(&[Scope::ReadData]).await;
    for named in [&nameless, &body(&app.website, "x")] {
        let refused = by(&reader, named).await;
        assert_eq!(
            (refused.status, &refused.body["code"]),
            (403, &json!("MISSING_SCOPE"))
        );
    }
    let unknown = by(&app.key, &body("nobody", "x")).await;
    assert_eq!(
        (unknown.status, &unknown.body["code"]),
        (404, &json!("WEBSITE_NOT_FOUND"))
    );
    let revoked = by("svc_unknown", &body(&app.website, "x")).await;
    assert_eq!(revoked.status, 401);
    assert_eq!(plan().await, "free", "nothing of a refused call is kept");
    app.finish().await;
}

#[actix::test]
async fn a_call_that_is_refused_says_why_and_leaves_nothing() {
    let app = App::spawn().await;
    app.send_pages(&[view("a", "anon_1", &json!({}))]).await;
    let traits: serde_json::Map<_, _> = (0..51).map(|n| (format!("k{n}"), json!(n))).collect();
    for (body, field) in [
        (json!({ "anonymousId": "anon_1" }), "profileId"),
        (
            json!({ "profileId": "u".repeat(257), "anonymousId": "anon_1" }),
            "profileId",
        ),
        (json!({ "profileId": "u", "anonymousId": 7 }), "anonymousId"),
        (
            json!({ "profileId": "u", "anonymousId": "anon_1", "traits": traits }),
            "traits",
        ),
        (
            json!({ "profileId": "u", "anonymousId": "anon_1", "traits": { "a": { "b": 1 } } }),
            "traits.a",
        ),
        (
            json!({ "profileId": "u", "anonymousId": "anon_1", "traits": { "email": true } }),
            "traits.email",
        ),
        (json!([{ "profileId": "u", "anonymousId": "anon_1" }]), ""),
    ] {
        let answer = app.identify(&body).await;
        assert_eq!(answer.status, 400, "{body}: {}", answer.text);
        for (name, value) in [
            ("success", json!(false)),
            ("status", json!("error")),
            ("error", json!("Invalid request body")),
            ("code", json!("INVALID_REQUEST_BODY")),
            ("retryable", json!(false)),
        ] {
            assert_eq!(answer.body[name], value, "{body} {name}");
        }
        assert_eq!(answer.body["errors"][0]["field"], field, "{body}");
    }
    let url = |query: &str| format!("{}/identify{query}", app.track);
    let good = json!({ "profileId": "u", "anonymousId": "anon_1" });
    let nobody = app.post_anonymously(url(""), &good).await;
    assert_eq!(
        (nobody.status, &nobody.body["code"]),
        (401, &json!("AUTH_REQUIRED"))
    );
    let unknown = app.post_anonymously(url("?client_id=nobody"), &good).await;
    assert_eq!(unknown.status, 404);
    let own = url(&format!("?client_id={}", app.website));
    let foreign = app
        .http
        .post(&own)
        .header("origin", "https://evil.example")
        .json(&good);
    let foreign = Answer::send(foreign).await;
    assert_eq!(
        (foreign.status, &foreign.body["code"]),
        (403, &json!("ORIGIN_NOT_AUTHORIZED"))
    );
    for (header, value) in [
        ("sec-gpc", "1"),
        (
            "user-agent",
            "Googlebot/2.1 (+http://www.google.com/bot.html)",
        ),
    ] {
        let left_out = Answer::send(app.http.post(&own).header(header, value).json(&good)).await;
        assert_eq!(left_out.body, json!({ "status": "ignored" }), "{header}");
    }
    assert_eq!(app.people().await, people(&[("?", 1)]));

    // What browsers send: no content type of their own, and the id in a header.
    let beacon = app
        .http
        .post(url(""))
        .header("databuddy-client-id", &app.website);
    let beacon = beacon
        .header("content-type", "text/plain")
        .body(good.to_string());
    assert_eq!(Answer::send(beacon).await.status, 200);
    assert_eq!(app.people().await, people(&[("u", 1)]));
    app.finish().await;
}

#[actix::test]
async fn people_of_one_website_are_not_those_of_another() {
    let app = App::spawn().await;
    let create = json!({ "name": "Shop", "domain": "shop.example" });
    let shop = app
        .post(format!("{}/websites/create", app.base), &create)
        .await;
    let shop = shop.body["id"].as_str().unwrap();
    let raw = json!({ "anonymizeVisitorIds": false, "timestamp": NOW - 1_000 });
    app.send_pages(&[view("a", "anon_1", &raw)]).await;
    let other = format!("{}/batch?client_id={shop}", app.track);
    let sent = app
        .post_anonymously(other, &json!([view("b", "anon_1", &raw)]))
        .await;
    assert_eq!(sent.status, 200);

    app.named(&json!({ "profileId": "u", "anonymousId": "anon_1", "traits": { "name": "Anna" } }))
        .await;
    assert_eq!(app.people().await, people(&[("u", 1)]));
    let body = json!({ "parameters": ["profile_list"], "preset": "today" });
    let of_shop = app
        .post(format!("{}/v1/query?website_id={shop}", app.base), &body)
        .await;
    let rows = of_shop.rows(0);
    assert_eq!((rows.len(), &rows[0]["profile_id"]), (1, &Value::Null));
    let whole = format!("{}/v1/query?organization_id={}", app.base, app.organization);
    let rows = app.post(whole, &body).await.rows(0);
    let named: Vec<_> = rows
        .iter()
        .filter(|row| row["display_name"] == "Anna")
        .collect();
    assert_eq!((rows.len(), named.len()), (2, 1), "{rows:?}");
    app.finish().await;
}
