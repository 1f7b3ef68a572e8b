//! What people see of the apps that they have connected.

use std::time::Duration;

use pharos::access::Role;
use serde_json::json;

use super::{
    flow::{audit, connect, opens},
    rights::browser,
};
use crate::{
    app::App,
    cast::Cast,
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

#[actix::test]
async fn administrators_see_the_apps_of_members_and_end_their_access() {
    let cast = Cast::with(OPEN).await;
    let app = &cast.app;
    let [owner, viewer] = [Role::Owner, Role::Viewer].map(|role| browser(&cast, role));
    let theirs = connect(app, &viewer, &["read:data"]).await;
    assert!(opens(app, &theirs.access).await);

    let listed = owner.post("/apps/list", &json!({})).await.body;
    assert_eq!(listed[0]["clientId"], theirs.client, "{listed}");
    let id = listed[0]["id"].as_str().unwrap();
    let body = json!({ "id": id });
    let eve = Browser::signed_up(app, "eve").await;
    for (who, stranger) in [(&viewer, 403), (&eve, 404)] {
        assert_eq!(who.post("/apps/revoke", &body).await.status, stranger);
    }
    assert_eq!(viewer.post("/apps/list", &json!({})).await.status, 403);
    assert!(opens(app, &theirs.access).await);

    let page = owner.get("/console/members").await;
    assert!(page.text.contains("Connected apps"), "{}", page.text);
    let hidden = viewer.get("/console/members").await;
    assert!(!hidden.text.contains("Connected apps"), "{}", hidden.text);
    let ended = owner
        .submit("/console/members/apps/revoke", &[("id", id)])
        .await;
    assert_eq!(ended.status, 303, "{}", ended.text);
    assert!(!opens(app, &theirs.access).await, "at once");
    let noted = audit(&owner, "grant.revoke").await;
    assert_eq!(noted[0]["details"]["reason"], "an administrator revoked it");
    cast.app.finish().await;
}
