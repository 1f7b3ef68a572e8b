//! Groups of RFC 7644, and the roles that follow from them.

use serde_json::json;

use super::client::{Client, GROUP, assert_failed, id, set_role};
use crate::{
    app::App,
    people::{
        browser::Browser,
        team::{self, Team},
    },
};

#[actix::test]
async fn a_group_is_created_read_replaced_changed_and_deleted() {
    let app = App::spawn().await;
    let client = Client::made_by(&app, &Browser::owner(&app).await).await;
    let ada = client.create("ada@example.com").await;
    let bob = client.create("bob@example.com").await;
    let body = json!({ "schemas": [GROUP], "displayName": "Tour Guides", "externalId": "t", "members": [{ "value": ada }] });
    let created = client.post("/Groups", &body).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let path = format!("/Groups/{}", id(&created));
    let member = &created.body["members"][0];
    assert_eq!(member["value"], ada);
    assert_eq!(member["$ref"], format!("{}/scim/v2/Users/{ada}", app.base));
    let user = client.get(&format!("/Users/{ada}")).await;
    assert_eq!(user.body["groups"][0]["display"], "Tour Guides");

    let members = async |operations| {
        let answer = client.patch(&path, operations).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let members = answer.body["members"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        members
            .iter()
            .map(|one| one["value"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let add = json!([{ "op": "add", "path": "members", "value": [{ "value": bob }] }]);
    assert_eq!(members(add.clone()).await, [&*ada, &*bob]);
    assert_eq!(members(add).await, [&*ada, &*bob], "twice is once");
    let remove = json!([{ "op": "remove", "path": format!("members[value eq \"{ada}\"]") }]);
    assert_eq!(members(remove).await, [&*bob]);
    assert!(
        members(json!([{ "op": "remove", "path": "members" }]))
            .await
            .is_empty()
    );
    let both = json!([
        { "op": "remove", "path": "members" },
        { "op": "add", "path": "members", "value": [{ "value": ada }, { "value": bob }] },
    ]);
    assert_eq!(members(both).await, [&*ada, &*bob]);
    let replaced = client
        .put(
            &path,
            &json!({ "displayName": "Guides", "members": [{ "value": bob }] }),
        )
        .await;
    assert_eq!(replaced.body["displayName"], "Guides");
    assert_eq!(replaced.body["members"].as_array().unwrap().len(), 1);
    assert!(replaced.body.get("externalId").is_none());
    assert_eq!(client.delete(&path).await.status, 204);
    assert_failed(&client.get(&path).await, 404, None);
    app.finish().await;
}

#[actix::test]
async fn a_group_has_users_that_are_there_and_a_name_of_its_own() {
    let app = App::spawn().await;
    let client = Client::made_by(&app, &Browser::owner(&app).await).await;
    let bob = client.create("bob@example.com").await;
    let path = format!("/Groups/{}", client.group("Guides", &[&bob]).await);
    // A deleted user is in no group.
    assert_eq!(client.delete(&format!("/Users/{bob}")).await.status, 204);
    assert!(client.get(&path).await.body.get("members").is_none());
    let unknown = json!([{ "op": "add", "path": "members", "value": [{ "value": bob }] }]);
    assert_failed(
        &client.patch(&path, unknown).await,
        400,
        Some("invalidValue"),
    );
    assert_failed(
        &client
            .post("/Groups", &json!({ "displayName": "GUIDES" }))
            .await,
        409,
        Some("uniqueness"),
    );
    let nested = json!({ "displayName": "n", "members": [{ "value": "x", "type": "Group" }] });
    assert_failed(
        &client.post("/Groups", &nested).await,
        400,
        Some("invalidValue"),
    );
    app.finish().await;
}

#[actix::test]
async fn the_highest_role_of_a_users_groups_counts_and_ends_with_them() {
    let app = App::with("signup.open = true").await;
    let team = Team::invite(&app).await;
    let client = Client::made_by(&app, &team.owner).await;
    let member = client.create("member@example.com").await;
    let role = async || {
        let roles = team::roles(&team.owner).await;
        roles
            .into_iter()
            .find(|(email, _)| email == "member@example.com")
            .unwrap()
            .1
    };
    let admins = client.group("Admins", &[&member]).await;
    let staff = client.group("Staff", &[&member]).await;
    assert_eq!(role().await, "member", "a group gives nothing by its name");
    assert_eq!(
        set_role(&team.owner, &admins, Some("admin")).await.status,
        200
    );
    assert_eq!(role().await, "admin");
    assert_eq!(
        set_role(&team.owner, &staff, Some("member")).await.status,
        200
    );
    assert_eq!(role().await, "admin");

    // The role follows the group, and the member's sessions end with another role.
    let again = Browser::new(&app);
    again
        .sign_in("member@example.com", crate::people::browser::PASSWORD)
        .await;
    let remove = json!([{ "op": "remove", "path": format!("members[value eq \"{member}\"]") }]);
    assert_eq!(
        client
            .patch(&format!("/Groups/{admins}"), remove)
            .await
            .status,
        200
    );
    assert_eq!(role().await, "member");
    assert!(again.current_session().await.is_null());
    assert_eq!(client.delete(&format!("/Groups/{staff}")).await.status, 204);
    assert_eq!(role().await, "viewer");

    // What a person gives stays where no group gives anything.
    let body = json!({ "organizationId": app.organization, "memberId": "viewer@example.com", "role": "admin" });
    assert_eq!(
        team.owner
            .post("/api/auth/organization/update-member-role", &body)
            .await
            .status,
        200
    );
    let viewer = client.create("viewer@example.com").await;
    client.group("Nothing", &[&viewer]).await;
    let roles = team::roles(&team.owner).await;
    assert!(
        roles.contains(&("viewer@example.com".to_owned(), "admin".to_owned())),
        "{roles:?}"
    );
    app.finish().await;
}
