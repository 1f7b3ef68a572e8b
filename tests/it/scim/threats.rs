//! Nothing else opens SCIM, a token opens nothing else, and another organization gains nothing (threats T76 and T84).

use pharos::access::{Role, Scope};
use serde_json::json;

use super::client::{Client, assert_failed, user};
use crate::{
    app::Answer,
    cast::{Cast, OTHER, Proof},
    people::browser::Browser,
};

fn browser<'a>(cast: &'a Cast, proof: &Proof) -> Browser<'a> {
    let Proof::Cookie(cookie) = proof else {
        unreachable!("people have cookies");
    };
    Browser::with(&cast.app, cookie)
}

#[actix::test]
async fn a_token_sees_and_changes_nothing_of_another_organization() {
    let cast = Cast::spawn().await;
    let app = &cast.app;
    let own = Client::made_by(app, &browser(&cast, &cast.person(Role::Owner))).await;
    let other = Client::made_by(app, &browser(&cast, cast.stranger())).await;
    let id = own.create("ada@example.com").await;
    let group = own.group("Staff", &[&id]).await;
    for path in [format!("/Users/{id}"), format!("/Groups/{group}")] {
        let unknown = "/Users/00000000-0000-0000-0000-000000000000";
        let (foreign, nothing) = (other.get(&path).await, other.get(unknown).await);
        assert_failed(&foreign, 404, None);
        if path.starts_with("/Users") {
            assert_eq!(foreign.text, nothing.text);
        }
        let replaced = other.put(&path, &user("eve@example.com")).await;
        assert_failed(&replaced, 404, None);
        let operation =
            json!([{ "op": "replace", "value": { "active": false, "displayName": "Eve" } }]);
        assert_failed(&other.patch(&path, operation).await, 404, None);
        assert_failed(&other.delete(&path).await, 404, None);
    }
    for path in ["/Users", "/Groups"] {
        assert_eq!(other.get(path).await.body["totalResults"], 0);
    }
    let body = json!({ "displayName": "Ours", "members": [{ "value": id }] });
    assert_failed(
        &other.post("/Groups", &body).await,
        400,
        Some("invalidValue"),
    );
    // Their people and tokens are nobody else's, either.
    let stranger = browser(&cast, cast.stranger());
    let listed = browser(&cast, &cast.person(Role::Owner))
        .post("/scim/listTokens", &json!({}))
        .await;
    let token = json!({ "id": listed.body[0]["id"] });
    let role = json!({ "id": group, "role": "viewer" });
    for (path, body) in [("/scim/revokeToken", token), ("/scim/setGroupRole", role)] {
        assert_eq!(stranger.post(path, &body).await.status, 404, "{path}");
    }
    assert_eq!(own.get(&format!("/Users/{id}")).await.status, 200);
    cast.app.finish().await;
}

#[actix::test]
async fn only_a_token_opens_scim_and_opens_nothing_else() {
    let cast = Cast::spawn().await;
    let app = &cast.app;
    let owner = cast.person(Role::Owner);
    let client = Client::made_by(app, &browser(&cast, &owner)).await;
    let users = format!("{}/scim/v2/Users", app.base);
    let every = cast.key(&Scope::ALL).await;
    let connected = cast.app_of(Role::Owner, &[Scope::ReadData]).await;
    for proof in [
        Proof::Nobody,
        owner.clone(),
        every,
        connected,
        Proof::Key("sct_none".into()),
    ] {
        assert_failed(
            &Answer::send(proof.on(app.http.get(&users))).await,
            401,
            None,
        );
        let create = app.http.post(&users).json(&user("eve@example.com"));
        assert_failed(&Answer::send(proof.on(create)).await, 401, None);
    }
    for path in [
        "/websites/list",
        "/scim/listTokens",
        "/apikeys/list",
        "/audit/list",
    ] {
        let request = app
            .http
            .post(format!("{}{path}", app.base))
            .json(&json!({}));
        let answer = Answer::send(request.bearer_auth(&client.token)).await;
        assert_eq!(answer.status, 401, "{path}: {}", answer.text);
    }
    assert_eq!(client.get("/Users").await.body["totalResults"], 0);
    cast.app.finish().await;
}

#[actix::test]
async fn a_deleted_organizations_token_opens_nothing() {
    let cast = Cast::spawn().await;
    let stranger = browser(&cast, cast.stranger());
    let client = Client::made_by(&cast.app, &stranger).await;
    let body = json!({ "organizationId": OTHER });
    let deleted = stranger.post("/api/auth/organization/delete", &body).await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    assert_failed(&client.get("/Users").await, 401, None);
    cast.app.finish().await;
}
