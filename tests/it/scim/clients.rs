//! The requests of Okta and of Microsoft Entra ID, in the order in which they send them.

use serde_json::{Value, json};

use super::client::{Client, GROUP, PATCH, USER, id};
use crate::{
    app::App,
    people::{
        browser::Browser,
        team::{self, Team},
    },
};

#[actix::test]
async fn okta_tests_the_connection_and_sends_users_and_groups() {
    let app = App::with("signup.open = true").await;
    let team = Team::invite(&app).await;
    let okta = Client::made_by(&app, &team.owner).await;
    // The test of the connection, and the question whether a user is there.
    let empty = okta.get("/Users?startIndex=1&count=2").await;
    assert_eq!(
        (empty.status, &empty.body["totalResults"]),
        (200, &json!(0))
    );
    let asked = "/Users?filter=userName%20eq%20%22member%40example.com%22&startIndex=1&count=100";
    assert_eq!(okta.get(asked).await.body["Resources"], json!([]));
    let body = json!({
        "schemas": [USER], "userName": "member@example.com", "name": { "givenName": "M", "familyName": "Ember" },
        "emails": [{ "primary": true, "value": "member@example.com", "type": "work" }], "displayName": "M Ember",
        "locale": "en-US", "externalId": "00ujl29u0le5T6Aj10h7", "groups": [], "password": "1mz050nq", "active": true,
    });
    let created = okta.post("/Users", &body).await;
    assert_eq!(
        (created.status, &created.body["active"]),
        (201, &json!(true))
    );
    let path = format!("/Users/{}", id(&created));
    assert_eq!(okta.get(asked).await.body["totalResults"], 1);
    // The whole user, with what the answer had.
    let mut whole = created.body.clone();
    whole["name"]["givenName"] = json!("Another");
    let replaced = okta.put(&path, &whole).await;
    assert_eq!(
        replaced.body["name"]["givenName"], "Another",
        "{}",
        replaced.text
    );
    let deactivate = json!([{ "op": "replace", "value": { "active": false } }]);
    assert_eq!(okta.patch(&path, deactivate).await.body["active"], false);

    let group = okta
        .post(
            "/Groups",
            &json!({ "schemas": [GROUP], "displayName": "Test", "members": [] }),
        )
        .await;
    let group = id(&group);
    let rename = json!([{ "op": "replace", "value": { "id": group, "displayName": "Renamed" } }]);
    assert_eq!(
        okta.patch(&format!("/Groups/{group}"), rename).await.body["displayName"],
        "Renamed"
    );
    let add = json!([{ "op": "add", "path": "members", "value": [{ "value": id(&created), "display": "m" }] }]);
    let added = okta.patch(&format!("/Groups/{group}"), add).await;
    assert_eq!(added.body["members"][0]["value"], id(&created));
    app.finish().await;
}

#[actix::test]
async fn entra_id_sends_capitals_texts_for_booleans_and_attributes_that_are_not_kept() {
    let app = App::with("signup.open = true").await;
    let team = Team::invite(&app).await;
    let entra = Client::made_by(&app, &team.owner).await;
    // The test of the connection asks for somebody who cannot be there.
    let nobody = "/Users?filter=userName+eq+%227bb90e42-ab10-4bd4-9128-1e8f4d9d7e7c%22";
    assert_eq!(entra.get(nobody).await.body["totalResults"], 0);
    let enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
    let body = json!({
        "schemas": [USER, enterprise], "externalId": "0a21f0f2", "userName": "member@example.com", "active": true,
        "displayName": "M Ember", "emails": [{ "primary": true, "type": "work", "value": "member@example.com" }],
        "meta": { "resourceType": "User" }, "name": { "formatted": "M Ember", "familyName": "Ember", "givenName": "M" },
        "roles": [], "title": "Engineer", (enterprise): { "department": "Research" },
    });
    let created = entra.post("/Users", &body).await;
    assert_eq!(
        (created.status, &created.body["active"]),
        (201, &json!(true)),
        "{}",
        created.text
    );
    let path = format!("/Users/{}", id(&created));
    let change = json!([
        { "op": "Replace", "path": "emails[type eq \"work\"].value", "value": "updated@example.com" },
        { "op": "Add", "path": "emails[type eq \"other\"].value", "value": "other@example.com" },
        { "op": "Replace", "path": "name.familyName", "value": "Updated" },
        { "op": "Add", "path": "title", "value": "Manager" },
        { "op": "Replace", "path": format!("{enterprise}:department"), "value": "Sales" },
    ]);
    let changed = entra.patch(&path, change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_eq!(changed.body["name"]["familyName"], "Updated");
    let values: Vec<&Value> = changed.body["emails"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["value"])
        .collect();
    assert_eq!(values, ["updated@example.com", "other@example.com"]);
    // The account is the same one.
    assert_eq!(changed.body["active"], true);
    let disable = json!([{ "op": "Replace", "path": "active", "value": "False" }]);
    assert_eq!(entra.patch(&path, disable).await.body["active"], false);
    assert!(
        !team::roles(&team.owner)
            .await
            .iter()
            .any(|(email, _)| email == "member@example.com")
    );
    let enable = json!([{ "op": "Replace", "value": { "active": "True" } }]);
    assert_eq!(entra.patch(&path, enable).await.body["active"], true);
    assert_eq!(entra.delete(&path).await.status, 204);
    app.finish().await;
}

#[actix::test]
async fn entra_id_sends_members_of_groups_in_lists() {
    let app = App::spawn().await;
    let entra = Client::made_by(&app, &Browser::owner(&app).await).await;
    let user = entra.create("ada@example.com").await;
    let group =
        json!({ "schemas": [GROUP], "externalId": "8aa1a0c0", "displayName": "displayName" });
    let group = format!("/Groups/{}", id(&entra.post("/Groups", &group).await));
    let found = "/Groups?excludedAttributes=members&filter=displayName+eq+%22displayName%22";
    assert_eq!(entra.get(found).await.body["totalResults"], 1);
    let add =
        json!([{ "op": "Add", "path": "members", "value": [{ "$ref": null, "value": user }] }]);
    assert_eq!(
        entra.patch(&group, add).await.body["members"][0]["value"],
        user
    );
    let asked = "/Groups?attributes=id&filter=members+eq+%22".to_owned() + &user + "%22";
    assert_eq!(entra.get(&asked).await.body["totalResults"], 1);
    let remove =
        json!([{ "op": "Remove", "path": "members", "value": [{ "$ref": null, "value": user }] }]);
    assert!(
        entra
            .patch(&group, remove)
            .await
            .body
            .get("members")
            .is_none()
    );
    assert_eq!(entra.delete(&group).await.status, 204);
    app.finish().await;
}

#[actix::test]
async fn a_patch_needs_operations() {
    let app = App::spawn().await;
    let client = Client::made_by(&app, &Browser::owner(&app).await).await;
    let path = format!("/Users/{}", client.create("ada@example.com").await);
    for body in [
        json!({ "schemas": [PATCH] }),
        json!({ "schemas": [PATCH], "Operations": [] }),
    ] {
        let answer = client.send("PATCH", &path, Some(&body)).await;
        super::client::assert_failed(&answer, 400, Some("invalidSyntax"));
    }
    app.finish().await;
}
