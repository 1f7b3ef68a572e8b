//! The page on which owners and admins let an identity provider in, without a script.

use super::client::{Client, user};
use crate::{app::App, people::browser::Browser};

#[actix::test]
async fn a_token_is_created_shown_once_and_revoked_on_the_page_of_members() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let page = owner.get("/console/members").await;
    assert!(
        page.text.contains("User provisioning (SCIM)"),
        "{}",
        page.text
    );
    assert!(page.text.contains(&format!("{}/scim/v2", app.base)));
    let created = owner
        .submit("/console/members/scim/create", &[("name", "Okta")])
        .await;
    assert_eq!(created.status, 200, "{}", created.text);
    let (_, rest) = created.text.split_once("sct_").unwrap();
    let secret = format!("sct_{}", &rest[..48]);
    assert!(!owner.get("/console/members").await.text.contains(&secret));
    let client = Client {
        app: &app,
        token: secret,
    };
    assert_eq!(
        client.post("/Users", &user("ada@example.com")).await.status,
        201
    );
    let group = client.group("Engineers", &[]).await;
    let page = owner.get("/console/members").await.text;
    assert!(page.contains("Engineers") && page.contains("Okta"));
    let chosen = owner
        .submit(
            "/console/members/scim/role",
            &[("id", &group), ("role", "admin")],
        )
        .await;
    assert_eq!(chosen.status, 303, "{}", chosen.text);
    let listed = owner.post("/scim/listGroups", &serde_json::json!({})).await;
    assert_eq!(listed.body[0]["role"], "admin");
    let tokens = owner.post("/scim/listTokens", &serde_json::json!({})).await;
    let id = tokens.body[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(
        owner
            .submit("/console/members/scim/revoke", &[("id", &id)])
            .await
            .status,
        303
    );
    assert_eq!(client.get("/Users").await.status, 401);
    let wrong = owner
        .submit("/console/members/scim/create", &[("name", "")])
        .await;
    assert!(wrong.text.contains("1 to 100 characters"), "{}", wrong.text);
    app.finish().await;
}
