//! Websites go and come back; what filters can be filled in with.

use pharos::access::Role;
use serde_json::json;

use crate::{
    app::{App, NOW},
    cast::Cast,
    people::browser::Browser,
};

#[actix::test]
async fn a_deleted_website_stops_at_once_and_an_owner_brings_it_back() {
    let cast = Cast::spawn().await;
    let app = &cast.app;
    let one = json!({ "id": app.website });
    let event = json!({ "name": "e", "websiteId": app.website });
    let track = format!("{}/track", app.track);
    assert_eq!(
        app.post_anonymously(track.clone(), &event).await.status,
        200
    );
    let deleted = cast
        .call_ok(&cast.person(Role::Admin), "/websites/delete", &one)
        .await;
    assert_eq!(deleted, json!({ "success": true }));
    assert_eq!(
        app.post_anonymously(track.clone(), &event).await.status,
        404
    );
    let query = json!({ "parameters": ["custom_events"], "preset": "today" });
    assert_eq!(app.post(app.query_url(), &query).await.status, 403);
    let owner = cast.person(Role::Owner);
    for path in [
        "/websites/getById",
        "/websites/delete",
        "/websites/rotateTracking",
    ] {
        assert_eq!(cast.post(&owner, path, &one).await.status, 404, "{path}");
    }
    assert_eq!(
        cast.call_ok(&owner, "/websites/list", &json!({})).await,
        json!([])
    );
    // It does not hold its domain, and does not come back onto a taken one.
    let same = json!({ "name": "again", "domain": "localhost" });
    let same = cast.call_ok(&owner, "/websites/create", &same).await;
    let refused = cast.post(&owner, "/websites/restore", &one).await;
    assert_eq!(
        (refused.status, &refused.body["code"]),
        (409, &json!("CONFLICT"))
    );
    cast.call_ok(&owner, "/websites/delete", &json!({ "id": same["id"] }))
        .await;
    for (who, status) in [
        (cast.person(Role::Admin), 403),
        (cast.stranger().clone(), 404),
    ] {
        assert_eq!(
            cast.post(&who, "/websites/restore", &one).await.status,
            status
        );
    }
    let restored = cast.call_ok(&owner, "/websites/restore", &one).await;
    assert_eq!(restored["id"], app.website.as_str());
    assert_eq!(
        cast.post(&owner, "/websites/restore", &one).await.status,
        400,
        "it is there"
    );
    assert_eq!(app.post_anonymously(track, &event).await.status, 200);
    assert_eq!(app.rows("custom_events").await[0]["total_events"], 2);
    cast.app.finish().await;
}

#[actix::test]
async fn a_new_client_id_ends_the_old_one() {
    let mut app = App::spawn().await;
    let one = json!({ "id": app.website });
    let rotated = app
        .post(format!("{}/websites/rotateTracking", app.base), &one)
        .await;
    assert_eq!(rotated.status, 200, "{}", rotated.text);
    assert_eq!(rotated.body["id"], app.website.as_str());
    let fresh = rotated.body["clientId"].as_str().unwrap().to_owned();
    assert_ne!(fresh, app.website);
    app.restart().await;
    for (client, status) in [(app.website.as_str(), 404), (&fresh, 200)] {
        let event = json!({ "name": "e", "websiteId": client });
        let sent = app
            .post_anonymously(format!("{}/track", app.track), &event)
            .await;
        assert_eq!(sent.status, status, "{}", sent.text);
    }
    assert_eq!(app.rows("custom_events").await.len(), 1, "asked by its id");
    app.finish().await;
}

#[actix::test]
async fn anybody_sees_the_summary_of_a_public_website_only() {
    let app = App::spawn().await;
    let one = json!({ "id": app.website });
    let url = format!("{}/websites/getPublicSummary", app.base);
    let nobody = async |body| app.post_anonymously(url.clone(), body).await.status;
    assert_eq!(nobody(&one).await, 401);
    assert_eq!(nobody(&json!({ "id": "no-such-website" })).await, 401);
    assert_eq!(app.post(url.clone(), &one).await.status, 200);
    let public = json!({ "id": app.website, "isPublic": true });
    app.post(format!("{}/websites/togglePublic", app.base), &public)
        .await;
    let seen = app.post_anonymously(url.clone(), &one).await;
    assert_eq!(seen.status, 200, "{}", seen.text);
    let mut names: Vec<&String> = seen.body.as_object().unwrap().keys().collect();
    names.sort();
    let shown = [
        "createdAt",
        "domain",
        "id",
        "isPublic",
        "name",
        "status",
        "updatedAt",
    ];
    assert_eq!(names, shown, "and nothing else");
    app.finish().await;
}

#[actix::test]
async fn filters_are_filled_in_with_what_was_there() {
    let app = App::spawn().await;
    for (event, times) in [("signup", 2), ("sale", 1)] {
        for number in 0..times {
            let event = json!({ "name": event, "eventId": format!("{event}{number}"), "websiteId": app.website });
            app.send(&event).await;
        }
    }
    app.send_pages(&[json!({
        "eventId": "view", "name": "screen_view", "anonymousId": "a", "sessionId": "s", "timestamp": NOW,
        "path": "https://localhost/pricing?utm_source=news",
    })])
    .await;
    let url = format!("{}/autocomplete/get", app.base);
    let found = app
        .post(url.clone(), &json!({ "websiteId": app.website }))
        .await;
    assert_eq!(found.status, 200, "{}", found.text);
    assert_eq!(found.body["customEvents"], json!(["signup", "sale"]));
    assert_eq!(found.body["pagePaths"], json!(["/pricing"]));
    assert_eq!(found.body["utmSources"], json!(["news"]));
    let before =
        json!({ "websiteId": app.website, "startDate": "2026-01-01", "endDate": "2026-01-31" });
    let found = app.post(url.clone(), &before).await;
    assert_eq!(found.body["customEvents"], json!([]));
    let wrong = json!({ "websiteId": app.website, "startDate": "soon" });
    assert_eq!(app.post(url, &wrong).await.status, 400);
    let owner = Browser::owner(&app).await;
    let seen = owner
        .post("/autocomplete/get", &json!({ "websiteId": app.website }))
        .await;
    assert_eq!(seen.status, 200);
    app.finish().await;
}

#[actix::test]
async fn websites_are_listed_with_their_week() {
    let app = App::spawn().await;
    let day = 86_400_000;
    // Two views today, one six days ago, and two in the week before.
    let views = [0, 0, 6, 7, 13].into_iter().enumerate().map(|(number, ago)| {
        json!({
            "eventId": format!("view-{number}"), "name": "screen_view", "anonymousId": format!("a-{number}"),
            "sessionId": format!("s-{number}"), "timestamp": NOW - ago * day, "path": "https://localhost/",
        })
    });
    app.send_pages(&views.collect::<Vec<_>>()).await;
    let listed = app
        .post(format!("{}/websites/listWithCharts", app.base), &json!({}))
        .await;
    assert_eq!(listed.status, 200, "{}", listed.text);
    assert_eq!(listed.body["websites"][0]["id"], app.website.as_str());
    let chart = &listed.body["chartData"][&app.website];
    let data = chart["data"].as_array().unwrap();
    let values: Vec<u64> = data
        .iter()
        .map(|one| one["value"].as_u64().unwrap())
        .collect();
    assert_eq!(values, [1, 0, 0, 0, 0, 0, 2]);
    assert_eq!(data[6]["date"], "2026-10-14");
    assert_eq!(chart["totalViews"], 3);
    assert_eq!(
        (&chart["hasAnyData"], &chart["hasHistoricalData"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(chart["trend"], json!({ "type": "up", "value": 50.0 }));
    assert_eq!(listed.body["activeUsers"][&app.website], 2);
    app.finish().await;
}
