//! A person whom the provider deactivates loses everything of the organization at once (threats T11 and T83).

use serde_json::{Value, json};

use super::client::{Client, assert_failed, set_role};
use crate::{
    app::{Answer, App},
    oauth::flow,
    people::{
        browser::Browser,
        team::{self, Team},
    },
};

async fn works_in(browser: &Browser<'_>) -> Value {
    browser.current_session().await["session"]["activeOrganizationId"].clone()
}

async fn key(browser: &Browser<'_>, app: &App) -> String {
    let body = json!({ "name": "k", "organizationId": app.organization, "scopes": ["read:data"] });
    let made = browser.post("/apikeys/create", &body).await;
    assert_eq!(made.status, 200, "{}", made.text);
    made.body["secret"].as_str().unwrap().to_owned()
}

async fn opens(app: &App, key: &str) -> bool {
    let request = app.http.post(format!("{}/websites/list", app.base));
    let answer = Answer::send(request.header("x-api-key", key).json(&json!({}))).await;
    answer.status == 200
}

#[actix::test]
async fn sessions_keys_and_apps_end_at_once_and_the_role_comes_back() {
    let app = App::with("signup.open = true").await;
    let team = Team::invite(&app).await;
    let client = Client::made_by(&app, &team.owner).await;
    let member = client.create("member@example.com").await;
    assert!(
        client.is_active(&member).await,
        "who is a member already is active"
    );
    let key = key(&team.member, &app).await;
    let connected = flow::connect_api(&app, &team.member, &["read:data"]).await;
    assert!(opens(&app, &key).await && flow::opens(&app, &connected.access).await);
    assert_eq!(works_in(&team.member).await, app.organization);

    let ended = client.set_active(&member, false).await;
    assert_eq!(ended.body["active"], false, "{}", ended.text);
    assert!(!opens(&app, &key).await && !flow::opens(&app, &connected.access).await);
    assert_eq!(works_in(&team.member).await, Value::Null);
    let list = json!({ "organizationId": app.organization });
    assert_eq!(team.member.post("/websites/list", &list).await.status, 404);
    assert_eq!(
        client.set_active(&member, false).await.status,
        200,
        "twice is once"
    );

    let back = client.set_active(&member, true).await;
    assert_eq!(back.body["active"], true, "{}", back.text);
    let roles = team::roles(&team.owner).await;
    assert!(
        roles.contains(&("member@example.com".to_owned(), "member".to_owned())),
        "{roles:?}"
    );
    assert!(!opens(&app, &key).await, "what ended stays ended");
    assert_eq!(client.delete(&format!("/Users/{member}")).await.status, 204);
    assert!(
        !team::roles(&team.owner)
            .await
            .iter()
            .any(|(email, _)| email == "member@example.com")
    );
    let entries = flow::audit(&team.owner, "member.remove").await;
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0]["actorType"], "scim");
    app.finish().await;
}

#[actix::test]
async fn the_last_owner_stays() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let client = Client::made_by(&app, &owner).await;
    let last = client.create(&app.email).await;
    assert_failed(&client.set_active(&last, false).await, 409, None);
    assert_failed(&client.delete(&format!("/Users/{last}")).await, 409, None);
    // A group that gives less does not take what it did not give.
    let group = client.group("Everybody", &[&last]).await;
    assert_eq!(set_role(&owner, &group, Some("viewer")).await.status, 200);
    assert_eq!(
        team::roles(&owner).await,
        [(app.email.clone(), "owner".to_owned())]
    );
    // Nor does one that gave the ownership once more, where nobody else is left.
    assert_eq!(set_role(&owner, &group, Some("owner")).await.status, 200);
    let remove = json!([{ "op": "remove", "path": "members" }]);
    let removed = client.patch(&format!("/Groups/{group}"), remove).await;
    assert_failed(&removed, 409, None);
    assert!(client.is_active(&last).await);
    app.finish().await;
}

#[actix::test]
async fn two_owners_cannot_be_taken_in_one_request() {
    let app = App::with("signup.open = true").await;
    let team = Team::invite(&app).await;
    let client = Client::made_by(&app, &team.owner).await;
    let first = client.create(&app.email).await;
    let second = client.create("admin@example.com").await;
    let group = client.group("Owners", &[&first, &second]).await;
    assert_eq!(
        set_role(&team.owner, &group, Some("owner")).await.status,
        200
    );
    assert_failed(&client.delete(&format!("/Groups/{group}")).await, 409, None);
    let roles = team::roles(&team.owner).await;
    assert_eq!(
        roles.iter().filter(|(_, role)| role == "owner").count(),
        2,
        "{roles:?}"
    );
    let remove = json!([{ "op": "remove", "path": format!("members[value eq \"{second}\"]") }]);
    assert_eq!(
        client
            .patch(&format!("/Groups/{group}"), remove)
            .await
            .status,
        200
    );
    app.finish().await;
}
