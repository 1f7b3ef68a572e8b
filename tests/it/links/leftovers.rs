//! The remains of ended links.

use std::time::Duration;

use pharos::actors::{erasure::erase_links, ingest::Seal};
use serde_json::{Value, json};

use super::{count_clicks, create_link, follow};
use crate::{
    app::App,
    people::{OPEN, browser::Browser, team::invited},
};

const GRACE_MS: u64 = 7 * 86_400_000;

async fn erase(app: &App) -> usize {
    let domains = app.platform.as_ref().unwrap().domains();
    erase_links(domains).await.unwrap()
}

/// Rows of clicks in the segments, of all organizations.
async fn rows(app: &App) -> u64 {
    let domains = app.platform.as_ref().unwrap().domains();
    domains.ingest.ask(Seal).await.unwrap();
    let body = json!({ "parameters": ["link_total_clicks"], "startDate": "2020-01-01", "endDate": "2026-12-31" });
    let url = format!("{}/v1/query?organization_id={}", app.base, app.organization);
    app.post(url, &body).await.rows(0)[0]["total"]
        .as_u64()
        .unwrap()
}

#[actix::test]
async fn clicks_of_a_deleted_link_go_after_seven_days_and_no_others() {
    let app = App::with("").await;
    let gone = create_link(&app, json!({ "slug": "gone" })).await;
    let kept = create_link(&app, json!({ "slug": "kept" })).await;
    for slug in ["gone", "kept"] {
        assert_eq!(follow(&app, slug, &[]).await.status, 302);
    }
    assert_eq!((count_clicks(&app, &gone).await, rows(&app).await), (1, 2));
    let url = format!("{}/links/delete", app.base);
    let deleted = app.post(url, &json!({ "id": gone["id"] })).await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);

    app.clock.advance(Duration::from_millis(GRACE_MS - 1));
    assert_eq!((erase(&app).await, rows(&app).await), (0, 2));
    app.clock.advance(Duration::from_millis(1));
    assert_eq!((erase(&app).await, rows(&app).await), (1, 1));
    assert_eq!(count_clicks(&app, &kept).await, 1);
    assert_eq!(erase(&app).await, 0, "once");
    let owner = Browser::owner(&app).await;
    let log = json!({ "action": "link.erase" });
    let log = owner.post("/audit/list", &log).await;
    let entries = log.body.as_array().unwrap();
    assert_eq!(entries.len(), 1, "{}", log.text);
    assert_eq!(entries[0]["targetId"], gone["id"]);
    app.finish().await;
}

#[actix::test]
async fn what_is_taken_down_stays_down_for_whoever_made_it() {
    let app = App::with(OPEN).await;
    let fields = json!({ "slug": "phish", "expiredRedirectUrl": "https://example.com/over" });
    let link = create_link(&app, fields).await;
    let change = async |by: &Browser<'_>, down: Value| {
        let body = json!({ "id": link["id"], "takenDown": down });
        by.post("/links/update", &body).await
    };
    let owner = Browser::owner(&app).await;
    assert_eq!(follow(&app, "phish", &[]).await.status, 302);
    let answer = change(&owner, json!(true)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(follow(&app, "phish", &[]).await.status, 410);
    let later = json!({ "id": link["id"], "expiresAt": "2030-01-01T00:00:00Z" });
    assert_eq!(owner.post("/links/update", &later).await.status, 200);
    assert_eq!(follow(&app, "phish", &[]).await.status, 410);
    let member = invited(&app, &owner, "member").await;
    for down in [json!(false), json!(null)] {
        assert_eq!(change(&member, down).await.status, 403);
    }
    assert_eq!(follow(&app, "phish", &[]).await.status, 410);
    assert_eq!(change(&owner, json!(null)).await.status, 200);
    assert_eq!(follow(&app, "phish", &[]).await.status, 302);
    app.finish().await;
}
