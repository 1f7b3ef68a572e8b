//! A token does what the member who made it may do now, and no more (threat T82).

use serde_json::json;

use super::client::{Client, assert_failed, set_role};
use crate::{
    app::App,
    oauth::flow::audit,
    people::team::{self, Team},
};

#[actix::test]
async fn an_admins_token_makes_and_unmakes_no_owners() {
    let app = App::with("signup.open = true").await;
    let team = Team::invite(&app).await;
    let client = Client::made_by(&app, &team.admin).await;
    let owner = client.create(&app.email).await;
    assert_failed(&client.set_active(&owner, false).await, 403, None);
    assert_failed(&client.delete(&format!("/Users/{owner}")).await, 403, None);
    let group = client.group("Owners", &[]).await;
    assert_eq!(
        set_role(&team.admin, &group, Some("owner")).await.status,
        403
    );
    assert_eq!(
        set_role(&team.owner, &group, Some("owner")).await.status,
        200
    );
    let admin = client.create("admin@example.com").await;
    let add = json!([{ "op": "add", "path": "members", "value": [{ "value": admin }] }]);
    assert_failed(
        &client.patch(&format!("/Groups/{group}"), add).await,
        403,
        None,
    );
    let roles = team::roles(&team.owner).await;
    assert!(
        roles.contains(&("admin@example.com".to_owned(), "admin".to_owned())),
        "{roles:?}"
    );
    assert_eq!(
        set_role(&team.admin, &group, None).await.status,
        403,
        "what an owner chose is an owner's"
    );
    app.finish().await;
}

#[actix::test]
async fn a_token_ends_with_the_rights_of_its_maker() {
    let app = App::with("signup.open = true").await;
    let team = Team::invite(&app).await;
    let client = Client::made_by(&app, &team.admin).await;
    assert_eq!(client.get("/Users").await.status, 200);
    let role = |role: &str| json!({ "organizationId": app.organization, "memberId": "admin@example.com", "role": role });
    let path = "/api/auth/organization/update-member-role";
    assert_eq!(team.owner.post(path, &role("member")).await.status, 200);
    assert_failed(&client.get("/Users").await, 401, None);
    assert_eq!(team.owner.post(path, &role("admin")).await.status, 200);
    assert_eq!(client.get("/Users").await.status, 200);
    let body =
        json!({ "organizationId": app.organization, "memberIdOrEmail": "admin@example.com" });
    assert_eq!(
        team.owner
            .post("/api/auth/organization/remove-member", &body)
            .await
            .status,
        200
    );
    assert_failed(&client.get("/Users").await, 401, None);
    let listed = team.owner.post("/scim/listTokens", &json!({})).await;
    assert_eq!(listed.body, json!([]));
    app.finish().await;
}

#[actix::test]
async fn owners_and_admins_make_see_and_revoke_tokens() {
    let app = App::with("signup.open = true").await;
    let team = Team::invite(&app).await;
    for (name, browser) in [("member", &team.member), ("viewer", &team.viewer)] {
        for path in ["createToken", "listTokens", "listGroups"] {
            let answer = browser
                .post(&format!("/scim/{path}"), &json!({ "name": "x" }))
                .await;
            assert_eq!(answer.status, 403, "{name} {path}: {}", answer.text);
        }
    }
    let (secret, id) = super::client::token(&team.admin).await;
    let listed = team.owner.post("/scim/listTokens", &json!({})).await;
    assert_eq!(listed.body[0]["id"], id);
    assert!(
        !listed.text.contains(&secret) && !listed.text.contains("secret"),
        "it was shown once"
    );
    let client = Client {
        app: &app,
        token: secret,
    };
    assert_eq!(client.get("/Users").await.status, 200);
    let listed = team.owner.post("/scim/listTokens", &json!({})).await;
    assert!(listed.body[0]["lastUsedAt"].is_string());
    let revoke = json!({ "id": id });
    assert_eq!(
        team.owner.post("/scim/revokeToken", &revoke).await.status,
        200
    );
    assert_failed(&client.get("/Users").await, 401, None);
    assert_eq!(
        team.owner.post("/scim/revokeToken", &revoke).await.status,
        404
    );
    for action in ["scim_token.create", "scim_token.revoke"] {
        assert_eq!(audit(&team.owner, action).await.len(), 1, "{action}");
    }
    app.finish().await;
}
