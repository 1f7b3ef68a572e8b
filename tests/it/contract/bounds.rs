//! Bounds of what is taken and asked, and what ends how.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    app::{Answer, App, NOW, until},
    people::browser::Browser,
};

const HOUR_MS: i64 = 3_600_000;

#[actix::test]
async fn events_are_refused_for_their_times_and_lengths_and_cut_where_that_was_said() {
    let app = App::spawn().await;
    let event = |more: Value| {
        let mut event = json!({ "name": "e", "websiteId": app.website });
        let more = more.as_object().unwrap().clone();
        event.as_object_mut().unwrap().extend(more);
        event
    };
    let text = |length: usize| "x".repeat(length);
    for (more, status) in [
        (json!({ "timestamp": "1999-12-31T23:59:59Z" }), 400),
        (json!({ "timestamp": "2000-01-01T00:00:00Z" }), 200),
        (json!({ "timestamp": NOW + HOUR_MS }), 200),
        (json!({ "timestamp": NOW + HOUR_MS + 1 }), 400),
        (json!({ "sessionId": text(256) }), 200),
        (json!({ "sessionId": text(257) }), 400),
        (json!({ "profileId": text(257) }), 400),
        (json!({ "eventId": text(512) }), 200),
        (json!({ "eventId": text(513) }), 400),
    ] {
        let sent = app.send(&event(more)).await;
        assert_eq!(sent.status, status, "{}", sent.text);
        let code = if status == 200 {
            ""
        } else {
            "INVALID_REQUEST_BODY"
        };
        assert_eq!(sent.body["code"].as_str().unwrap_or_default(), code);
    }
    let send = async |path: &str, body: Value| {
        let url = format!("{}{path}?client_id={}", app.track, app.website);
        app.post_anonymously(url, &body).await
    };
    let page = |more: Value| {
        let mut page =
            json!({ "eventId": "p", "name": "screen_view", "path": "https://localhost/" });
        let more = more.as_object().unwrap().clone();
        page.as_object_mut().unwrap().extend(more);
        page
    };
    for (more, status) in [
        (json!({ "name": text(129) }), 400),
        (json!({ "title": text(513) }), 400),
        (json!({ "title": text(512) }), 200),
    ] {
        let sent = send("/", page(more)).await;
        assert_eq!(sent.status, status, "{}", sent.text);
    }
    // A vital and an error say when they happened; what an error says may be of any length.
    let vital = json!({ "path": "https://localhost/", "metricName": "LCP", "metricValue": 1 });
    assert_eq!(send("/vitals", json!([vital])).await.status, 400);
    let error = json!({
        "path": "https://localhost/", "message": text(9_000), "stack": text(99_000), "timestamp": NOW,
    });
    let sent = send("/errors", json!([error])).await;
    assert_eq!(sent.status, 200, "{}", sent.text);
    app.finish().await;
}

#[actix::test]
async fn a_question_beyond_a_cap_is_refused_with_the_cap() {
    let app = App::spawn().await;
    let ask = json!({ "parameters": ["country"], "preset": "today" });
    let with = |field: &str, value: Value| {
        let mut ask = ask.clone();
        ask[field] = value;
        ask
    };
    let values: Vec<String> = (0..1_001).map(|number| number.to_string()).collect();
    let filter = json!([{ "field": "country", "op": "in", "value": values }]);
    for (body, cap) in [
        (json!(vec![ask.clone(); 51]), "50"),
        (with("parameters", json!(vec!["country"; 101])), "100"),
        (with("offset", json!(1_000_001)), "1000000"),
        (with("filters", filter), "1000"),
        (
            with("groupBy", json!(["path", "country", "city", "region"])),
            "3 fields",
        ),
    ] {
        let refused = app.post(app.query_url(), &body).await;
        assert_eq!(refused.status, 400, "{cap}: {}", refused.text);
        assert!(refused.text.contains(cap), "{cap}: {}", refused.text);
    }
    let most = json!(vec![ask.clone(); 50]);
    assert_eq!(app.post(app.query_url(), &most).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn a_summary_has_a_row_for_each_day_and_totals_are_one() {
    let app = App::spawn().await;
    let event = json!({ "name": "e", "websiteId": app.website });
    assert_eq!(app.send(&event).await.status, 200);
    let ask = json!({ "parameters": ["summary_metrics", "summary_totals"], "preset": "last_7d" });
    let answer = app.ask(&ask).await;
    let (days, totals) = (answer.rows(0), answer.rows(1));
    assert!(days.len() >= 7, "{}", answer.text);
    assert_eq!(totals.len(), 1);
    for row in days.iter().chain(&totals) {
        for column in [
            "date",
            "pageviews",
            "visitors",
            "unique_visitors",
            "sessions",
            "bounce_rate",
            "median_session_duration",
            "total_events",
        ] {
            assert!(row.get(column).is_some(), "{column}: {row}");
        }
    }
    app.finish().await;
}

#[actix::test]
async fn links_end_with_404_and_410_and_free_their_slugs() {
    let app = App::with("limits.query_requests = 0").await;
    let http = crate::web::builder()
        .redirect(reqwest::redirect::Policy::none())
        .user_agent("Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0")
        .build()
        .unwrap();
    let make = async |fields: Value| {
        let mut body = json!({ "name": "a", "targetUrl": "https://a.example/" });
        let fields = fields.as_object().unwrap().clone();
        body.as_object_mut().unwrap().extend(fields);
        app.post(format!("{}/links/create", app.base), &body).await
    };
    let follow = async |slug: &str, accept: &str| {
        let request = http.get(format!("{}/{slug}", app.links));
        Answer::send(request.header("accept", accept)).await
    };
    let expires = pharos::clock::iso_ms(NOW + 1_000);
    let over = make(json!({ "slug": "over", "expiresAt": expires })).await;
    let capped = make(json!({ "slug": "capped", "maxClicks": 1 })).await;
    let plain = make(json!({ "slug": "plain" })).await;
    for made in [&over, &capped, &plain] {
        assert_eq!(made.status, 200, "{}", made.text);
    }
    app.clock.advance(Duration::from_secs(2));
    assert_eq!(follow("capped", "text/html").await.status, 302);
    for (slug, status) in [("nothing", 404), ("over", 410), ("capped", 410)] {
        let page = follow(slug, "text/html").await;
        assert_eq!(page.status, status, "{slug}");
        assert!(page.header("content-type").starts_with("text/html"));
        let told = follow(slug, "application/json").await;
        assert_eq!(told.status, status, "{slug}");
        assert_eq!(told.body["requestId"], told.header("x-request-id"));
    }
    let reserved = make(json!({ "slug": "health" })).await;
    assert_eq!(reserved.status, 400, "{}", reserved.text);
    assert!(reserved.text.contains("metrics"), "{}", reserved.text);

    // One click for each address in five minutes.
    let clicks = async || {
        let id = plain.body["id"].as_str().unwrap();
        let url = format!("{}/v1/query?link_id={id}", app.base);
        let ask = json!({ "parameters": ["link_total_clicks"], "preset": "last_7d" });
        app.post(url, &ask).await.rows(0)[0]["total"].clone()
    };
    for _ in 0..3 {
        assert_eq!(follow("plain", "text/html").await.status, 302);
    }
    until("the click is stored", async || clicks().await == 1).await;
    app.clock.advance(Duration::from_mins(5));
    assert_eq!(follow("plain", "text/html").await.status, 302);
    until("the next one is stored", async || clicks().await == 2).await;

    let one = json!({ "id": plain.body["id"] });
    let delete = format!("{}/links/delete", app.base);
    assert_eq!(app.post(delete, &one).await.status, 200);
    assert_eq!(follow("plain", "text/html").await.status, 404);
    let again = make(json!({ "slug": "plain" })).await;
    assert_eq!(again.status, 200, "{}", again.text);
    app.finish().await;
}

#[actix::test]
async fn a_rollout_without_a_person_is_refused_by_ofrep_and_answered_elsewhere() {
    let app = App::spawn().await;
    let flag = json!({
        "key": "half", "type": "rollout", "rolloutPercentage": 50, "websiteId": app.website,
    });
    let made = app.post(format!("{}/flags/create", app.base), &flag).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let wrong = json!({ "key": "h/alf", "websiteId": app.website });
    let wrong = app.post(format!("{}/flags/create", app.base), &wrong).await;
    assert_eq!(wrong.status, 400, "{}", wrong.text);
    let site = format!("{}/public/v1/flags/{}", app.base, app.website);
    let ofrep = async |context: Value| {
        let url = format!("{site}/ofrep/v1/evaluate/flags/half");
        app.post_anonymously(url, &json!({ "context": context }))
            .await
    };
    let nobody = ofrep(json!({})).await;
    assert_eq!(
        (nobody.status, &nobody.body["errorCode"]),
        (400, &json!("TARGETING_KEY_MISSING")),
        "{}",
        nobody.text
    );
    let native = async |user: &str| {
        let url = format!("{}/public/v1/flags/evaluate", app.base);
        let url = format!("{url}?clientId={}&key=half{user}", app.website);
        let answer = Answer::send(app.http.get(url)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.body["enabled"].clone()
    };
    assert_eq!(native("").await, native("&userId=anonymous").await);
    let anonymous = ofrep(json!({ "targetingKey": "anonymous" })).await;
    assert_eq!(anonymous.body["value"], native("").await);

    let one = json!({ "id": made.body["id"] });
    let gone = app.post(format!("{}/flags/delete", app.base), &one).await;
    assert_eq!(gone.status, 200, "{}", gone.text);
    let gone = ofrep(json!({ "targetingKey": "anonymous" })).await;
    assert_eq!(gone.status, 404, "{}", gone.text);
    app.finish().await;
}

#[actix::test]
async fn a_key_that_is_sent_decides() {
    let app = App::with("limits.query_requests_anonymous = 0").await;
    let owner = Browser::owner(&app).await;
    let unknown = "svc_000000000000000000000000000000000000000000000000";
    let public = json!({ "id": app.website, "isPublic": true });
    let url = format!("{}/websites/togglePublic", app.base);
    assert_eq!(app.post(url, &public).await.status, 200);
    let ask = json!({ "parameters": ["country"], "preset": "today" });
    let stranger = app.post_anonymously(app.query_url(), &ask).await;
    assert_eq!(stranger.status, 200, "{}", stranger.text);
    for (header, other) in [
        (unknown.to_owned(), None),
        (unknown.to_owned(), Some(owner.cookie())),
        (app.key.clone(), Some(format!("Bearer {unknown}"))),
    ] {
        let mut request = app.http.post(app.query_url()).header("x-api-key", header);
        request = match other {
            Some(cookie) if !cookie.starts_with("Bearer") => request.header("cookie", cookie),
            Some(bearer) => request.header("authorization", bearer),
            None => request,
        };
        let refused = Answer::send(request.json(&ask)).await;
        assert_eq!(refused.status, 401, "{}", refused.text);
    }
    app.finish().await;
}
