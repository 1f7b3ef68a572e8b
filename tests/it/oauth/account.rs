//! What people see of the apps that they have connected.

use std::time::Duration;

use serde_json::json;

use super::flow::{audit, connect, opens};
use crate::{
    app::App,
    people::{OPEN, browser::Browser},
};

#[actix::test]
async fn people_see_their_apps_and_end_their_access() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let empty = owner.get("/console/account").await;
    assert!(
        empty.text.contains("No connected apps yet"),
        "{}",
        empty.text
    );
    let first = connect(&app, &owner, &["read:data", "read:links"]).await;
    app.clock.advance(Duration::from_secs(1));
    let second = connect(&app, &owner, &["read:data"]).await;
    assert!(opens(&app, &first.access).await);

    let listed = owner.get("/api/auth/list-apps").await.body;
    assert_eq!(
        listed[0]["clientId"], second.client,
        "newest first: {listed}"
    );
    assert_eq!(listed[0]["lastUsedAt"], json!(null));
    assert_eq!(listed[1]["name"], "Robot");
    assert_eq!(listed[1]["organizationId"], app.organization);
    assert_eq!(listed[1]["scopes"], json!(["read:data", "read:links"]));
    assert_eq!(listed[1]["resource"], "mcp");
    assert_eq!(
        listed[1]["lastUsedAt"],
        pharos::clock::iso_ms(app.clock.now_ms())
    );

    let page = owner.get("/console/account").await;
    for said in [
        "Connected apps",
        "Robot",
        "app.example",
        "read:data, read:links",
        "Never",
    ] {
        assert!(page.text.contains(said), "{said}: {}", page.text);
    }
    // Nobody ends what another person allowed, or learns that it is there.
    let id = listed[1]["id"].as_str().unwrap();
    let eve = Browser::signed_up(&app, "eve").await;
    assert!(
        eve.get("/api/auth/list-apps")
            .await
            .body
            .as_array()
            .unwrap()
            .is_empty()
    );
    let foreign = eve.post("/api/auth/revoke-app", &json!({ "id": id })).await;
    let unknown = eve
        .post("/api/auth/revoke-app", &json!({ "id": "nothing" }))
        .await;
    assert_eq!((foreign.status, unknown.status), (404, 404));
    assert!(opens(&app, &first.access).await);

    let form = [("id", id)];
    let ended = owner.submit("/console/account/apps/revoke", &form).await;
    assert_eq!(ended.status, 303, "{}", ended.text);
    assert!(!opens(&app, &first.access).await, "at once");
    assert!(opens(&app, &second.access).await, "the other one");
    let again = owner
        .post("/api/auth/revoke-app", &json!({ "id": id }))
        .await;
    assert_eq!(again.status, 404);
    let noted = audit(&owner, "grant.revoke").await;
    assert_eq!(noted[0]["targetId"], id);
    assert_eq!(noted[0]["actorType"], "user");
    assert_eq!(noted[0]["details"]["reason"], "its person revoked it");
    app.finish().await;
}
