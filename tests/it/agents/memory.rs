//! What agents remember: for one person, in one organization.

use std::time::Duration;

use serde_json::{Value, json};

use super::call_ok as call_tool;
use crate::{
    app::App,
    people::{OPEN, browser::Browser, team::Team},
};

async fn call_ok(by: &Browser<'_>, path: &str, body: Value) -> Value {
    let answer = by.post(&format!("/agent-memory/{path}"), &body).await;
    assert_eq!(answer.status, 200, "{path} {body}: {}", answer.text);
    answer.body
}

#[actix::test]
async fn what_is_saved_is_found_by_its_words_until_it_is_forgotten() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let body = json!({ "text": " Sales counts paid signups only ", "websiteId": app.website });
    let sales = call_ok(&owner, "save", body).await;
    assert_eq!(
        sales,
        json!({
            "id": sales["id"], "websiteId": app.website, "text": "Sales counts paid signups only",
            "createdAt": "2026-10-14T12:00:00.000Z",
        })
    );
    app.clock.advance(Duration::from_secs(1));
    let week = call_ok(&owner, "save", json!({ "text": "Weeks begin on Sunday" })).await;
    for (query, found) in [
        (json!({}), json!([week, sales])),
        (json!({ "limit": 1 }), json!([week])),
        (json!({ "query": "PAID sales" }), json!([sales])),
        (json!({ "query": "paid sunday" }), json!([])),
    ] {
        assert_eq!(
            call_ok(&owner, "search", query.clone()).await,
            found,
            "{query}"
        );
    }
    for (body, status) in [
        (json!({ "text": " " }), 400),
        (json!({ "text": "x".repeat(1_001) }), 400),
        (json!({ "text": "x", "websiteId": "nowhere" }), 404),
    ] {
        let refused = owner.post("/agent-memory/save", &body).await;
        assert_eq!(refused.status, status, "{}", refused.text);
    }
    let id = json!({ "id": sales["id"] });
    assert_eq!(
        call_ok(&owner, "forget", id.clone()).await,
        json!({ "success": true })
    );
    assert_eq!(owner.post("/agent-memory/forget", &id).await.status, 404);
    assert_eq!(call_ok(&owner, "search", json!({})).await, json!([week]));
    app.finish().await;
}

#[actix::test]
async fn nobody_finds_what_is_remembered_for_somebody_else() {
    let app = App::with(OPEN).await;
    let team = Team::invite(&app).await;
    let body = json!({ "organizationId": app.organization, "text": "secret plans" });
    let kept = call_ok(&team.member, "save", body).await;
    for (name, somebody) in team.all() {
        if name == "member" {
            continue;
        }
        let body = json!({ "organizationId": app.organization });
        let found = somebody.post("/agent-memory/search", &body).await;
        assert!(!found.text.contains("plans"), "{name}: {}", found.text);
        let ask = async |id: &Value| {
            let refused = somebody
                .post("/agent-memory/forget", &json!({ "id": id }))
                .await;
            assert_eq!(refused.status, 404, "{name}: {}", refused.text);
            let request = refused.body["requestId"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            refused
                .text
                .replace(id.as_str().unwrap(), "ID")
                .replace(&request, "REQUEST")
        };
        let unknown = json!("00000000-0000-7000-8000-000000000000");
        assert_eq!(ask(&kept["id"]).await, ask(&unknown).await, "{name}");
    }
    let body = json!({ "organizationId": app.organization });
    assert_eq!(call_ok(&team.member, "search", body).await, json!([kept]));
    app.finish().await;
}

#[actix::test]
async fn agents_remember_in_two_steps_and_find_at_once() {
    let app = App::spawn().await;
    let text = json!({ "text": "Prices are in euros" });
    let shown = call_tool(&app, "save_memory", text.clone()).await;
    assert_eq!(shown["done"], false, "{shown}");
    assert_eq!(
        call_tool(&app, "search_memory", json!({})).await["count"],
        0
    );
    let mut confirmed = text;
    confirmed["confirmed"] = json!(true);
    let saved = call_tool(&app, "save_memory", confirmed).await;
    assert_eq!(saved["done"], true, "{saved}");
    let found = call_tool(&app, "search_memory", json!({ "query": "euros" })).await;
    assert_eq!(found["items"][0]["text"], "Prices are in euros", "{found}");
    let id = found["items"][0]["id"].clone();
    let forgotten = json!({ "id": id, "confirmed": true });
    let forgotten = call_tool(&app, "forget_memory", forgotten).await;
    assert_eq!(forgotten["done"], true, "{forgotten}");
    app.finish().await;
}
