//! The page of the last minutes.

use serde_json::json;

use super::{page, reports::something};
use crate::{
    app::{Answer, App, NOW},
    people::browser::Browser,
};

#[actix::test]
async fn realtime_shows_views_by_minute_and_the_latest_events() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let path = format!("/console/site/{}/now", app.website);
    let empty = page(&owner, &path).await;
    assert!(empty.contains("No active visitors"), "{empty}");
    something(&app).await;
    let shown = page(&owner, &path).await;
    for said in [
        "data-live=\"10\"",
        "1 visitor</strong> online, in 1 session",
        "Pageviews by minute",
        "Latest events",
        "bought &lt;b&gt;",
        "Viewed page",
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    let session = format!("/console/site/{}/session/", app.website);
    assert!(
        shown.contains(&session),
        "an event leads to its session: {shown}"
    );
    app.finish().await;
}

#[actix::test]
async fn countries_are_on_a_map_above_their_list() {
    let app =
        App::with("server.trusted_proxies = ['127.0.0.1/32']\ngeo.country_header = 'x-country'\n")
            .await;
    let owner = Browser::owner(&app).await;
    let view = json!([{
        "eventId": uuid::Uuid::new_v4().to_string(), "name": "screen_view", "anonymousId": "a", "sessionId": "a",
        "path": "https://localhost/", "timestamp": NOW,
    }]);
    let url = format!("{}/batch?client_id={}", app.track, app.website);
    let request = app.http.post(url).json(&view);
    let request = request
        .header("x-forwarded-for", "198.51.100.7")
        .header("x-country", "DE");
    assert_eq!(Answer::send(request).await.status, 200);
    let shown = page(&owner, &format!("/console/site/{}/now", app.website)).await;
    let map = shown
        .split("aria-label=\"Map by country: pageviews\"")
        .nth(1);
    let map = map.unwrap_or_else(|| panic!("{shown}"));
    assert!(map.contains("Germany: 1 pageviews</text></a>"), "{map}");
    assert!(map.contains("title=\"Filter today by Germany\""), "{map}");
    app.finish().await;
}
