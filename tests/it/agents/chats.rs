//! Conversations with an agent are private to one person (threat T6).

use std::time::Duration;

use pharos::access::Scope;
use serde_json::{Value, json};

use crate::{
    app::{Answer, App},
    people::{
        OPEN,
        browser::Browser,
        team::{Team, id},
    },
};

async fn call_ok(by: &Browser<'_>, path: &str, body: Value) -> Value {
    let answer = by.post(path, &body).await;
    assert_eq!(answer.status, 200, "{path} {body}: {}", answer.text);
    answer.body
}

/// The answer for a key.
async fn by_key(app: &App, key: &str, path: &str, body: Value) -> Answer {
    let request = app.http.post(format!("{}{path}", app.base));
    Answer::send(request.header("x-api-key", key).json(&body)).await
}

#[actix::test]
async fn chats_are_made_listed_renamed_and_deleted_to_the_letter() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let body = json!({ "websiteId": app.website, "title": " Sales " });
    let first = call_ok(&owner, "/agent-chats/create", body).await;
    let expected = json!({
        "id": first["id"], "websiteId": app.website, "title": "Sales",
        "createdAt": "2026-10-14T12:00:00.000Z", "updatedAt": "2026-10-14T12:00:00.000Z",
    });
    assert_eq!(first, expected);
    app.clock.advance(Duration::from_secs(1));
    let second = call_ok(&owner, "/agent-chats/create", json!({})).await;
    assert_eq!(second["websiteId"], Value::Null);
    for body in [
        json!({}),
        json!({ "organizationId": null }),
        json!({ "organizationId": app.organization }),
    ] {
        let listed = call_ok(&owner, "/agent-chats/list", body).await;
        assert_eq!(listed, json!([second, first]), "the last one first");
    }
    app.clock.advance(Duration::from_secs(1));
    let chat = json!({ "id": first["id"] });
    let longest = "é".repeat(120);
    let body = json!({ "id": first["id"], "title": format!(" {longest} ") });
    let renamed = call_ok(&owner, "/agent-chats/rename", body).await;
    assert_eq!(renamed, json!({ "success": true }));
    let whole = call_ok(&owner, "/agent-chats/get", chat.clone()).await;
    let expected = json!({
        "id": first["id"], "websiteId": app.website, "title": longest, "messages": [], "activeStreamId": null,
        "createdAt": "2026-10-14T12:00:00.000Z", "updatedAt": "2026-10-14T12:00:02.000Z",
    });
    assert_eq!(whole, expected);
    let listed = call_ok(&owner, "/agent-chats/list", json!({})).await;
    assert_eq!(listed[0]["id"], first["id"], "renamed last");
    for title in ["", " ", &"x".repeat(121)] {
        let body = json!({ "id": first["id"], "title": title });
        let refused = owner.post("/agent-chats/rename", &body).await;
        let code = &refused.body["code"];
        assert_eq!((refused.status, code), (400, &json!("BAD_REQUEST")));
        assert_eq!(refused.body["data"]["issues"][0]["path"], json!(["title"]));
    }
    let deleted = call_ok(&owner, "/agent-chats/delete", chat.clone()).await;
    assert_eq!(deleted, json!({ "success": true }));
    assert_eq!(
        call_ok(&owner, "/agent-chats/get", chat.clone()).await,
        Value::Null
    );
    let renames = json!({ "id": first["id"], "title": "again" });
    for (path, body) in [
        ("/agent-chats/delete", &chat),
        ("/agent-chats/rename", &renames),
    ] {
        let again = owner.post(path, body).await;
        let told = (again.status, &again.body["code"], &again.body["defined"]);
        assert_eq!(told, (404, &json!("NOT_FOUND"), &json!(true)), "{path}");
        assert_eq!(again.body["data"]["resourceType"], "agent chat", "{path}");
    }
    app.finish().await;
}

/// Three people and two organizations: everybody has a chat, and finds no other by any call.
#[actix::test]
async fn nobody_finds_the_chats_of_somebody_else() {
    let app = App::with(OPEN).await;
    let team = Team::invite(&app).await;
    // The member is in a second organization, too, and its owner.
    let made = json!({ "name": "Second" });
    let made = team
        .member
        .post("/api/auth/organization/create", &made)
        .await;
    let second = made.body["id"].as_str().unwrap().to_owned();
    let first = app.organization.as_str();
    let chat = json!({ "organizationId": first, "title": "secret plans" });
    let chat = call_ok(&team.member, "/agent-chats/create", chat).await;
    let other = json!({ "organizationId": second, "title": "other plans" });
    let other = call_ok(&team.member, "/agent-chats/create", other).await;
    for (organization, expected) in [(first, &chat), (&second, &other)] {
        let body = json!({ "organizationId": organization });
        let listed = call_ok(&team.member, "/agent-chats/list", body).await;
        assert_eq!(listed, json!([expected]), "of one organization only");
    }
    for (name, somebody) in team.all() {
        if name == "member" {
            continue;
        }
        nothing_is_found(somebody, name, &chat["id"]).await;
        let body = json!({ "organizationId": first });
        let listed = somebody.post("/agent-chats/list", &body).await;
        assert!(!listed.text.contains("plans"), "{name}: {}", listed.text);
    }
    let whole = call_ok(
        &team.member,
        "/agent-chats/get",
        json!({ "id": chat["id"] }),
    )
    .await;
    assert_eq!(whole["title"], "secret plans");
    // Who leaves an organization leaves what they said about it.
    let member = id(&team.member).await;
    let body = json!({ "organizationId": first, "memberIdOrEmail": member });
    let left = team
        .owner
        .post("/api/auth/organization/remove-member", &body)
        .await;
    assert_eq!(left.status, 200, "{}", left.text);
    nothing_is_found(&team.member, "the former member", &chat["id"]).await;
    let whole = call_ok(
        &team.member,
        "/agent-chats/get",
        json!({ "id": other["id"] }),
    )
    .await;
    assert_eq!(whole["title"], "other plans");
    app.finish().await;
}

/// To other people, a chat does not exist.
async fn nothing_is_found(somebody: &Browser<'_>, name: &str, id: &Value) {
    let unknown = json!("00000000-0000-7000-8000-000000000000");
    let found = call_ok(somebody, "/agent-chats/get", json!({ "id": id })).await;
    assert_eq!(found, Value::Null, "{name}");
    for path in ["rename", "delete"] {
        let path = format!("/agent-chats/{path}");
        let ask = async |id: &Value| {
            let body = json!({ "id": id, "title": "mine" });
            let refused = somebody.post(&path, &body).await;
            assert_eq!(refused.status, 404, "{name} {path}: {}", refused.text);
            refused.text.replace(id.as_str().unwrap(), "ID")
        };
        assert_eq!(ask(id).await, ask(&unknown).await, "{name} {path}");
    }
}

#[actix::test]
async fn a_key_sees_the_chats_of_whoever_made_it() {
    let app = App::with(OPEN).await;
    let team = Team::invite(&app).await;
    let chat = json!({ "title": "secret plans" });
    let chat = call_ok(&team.member, "/agent-chats/create", chat).await;
    let id = json!({ "id": chat["id"] });
    let renames = json!({ "id": chat["id"], "title": "renamed" });
    let key = async |by: &Browser<'_>, scopes: &[&str]| {
        let body = json!({ "name": "k", "organizationId": app.organization, "scopes": scopes });
        let made = call_ok(by, "/apikeys/create", body).await;
        made["secret"].as_str().unwrap().to_owned()
    };
    let own = key(&team.member, &["read:data"]).await;
    let listed = by_key(&app, &own, "/agent-chats/list", json!({})).await;
    assert_eq!(listed.body, json!([chat]));
    let whole = by_key(&app, &own, "/agent-chats/get", id.clone()).await;
    assert_eq!(whole.body["title"], "secret plans");
    let refused = by_key(&app, &own, "/agent-chats/rename", renames.clone()).await;
    assert_eq!(refused.status, 403, "reading is all that it may");
    let others = key(&team.admin, &["read:data", "manage:config"]).await;
    let listed = by_key(&app, &others, "/agent-chats/list", json!({})).await;
    assert_eq!(listed.body, json!([]));
    let whole = by_key(&app, &others, "/agent-chats/get", id.clone()).await;
    assert_eq!((whole.status, whole.body), (200, Value::Null));
    let refused = by_key(&app, &others, "/agent-chats/rename", renames).await;
    assert_eq!(refused.status, 404, "{}", refused.text);
    app.finish().await;
}

/// A rotated key gives access to no conversation of its former holder.
#[actix::test]
async fn a_rotated_key_sees_the_chats_of_whoever_rotated_it_and_of_nobody_else() {
    let app = App::with(OPEN).await;
    let team = Team::invite(&app).await;
    let private = json!({ "title": "secret plans" });
    let private = call_ok(&team.member, "/agent-chats/create", private).await;
    let own = call_ok(
        &team.admin,
        "/agent-chats/create",
        json!({ "title": "own" }),
    )
    .await;
    let body = json!({ "name": "k", "organizationId": app.organization, "scopes": ["read:data"] });
    let key = call_ok(&team.member, "/apikeys/create", body).await;
    let rotated = call_ok(&team.admin, "/apikeys/rotate", json!({ "id": key["id"] })).await;
    let secret = rotated["secret"].as_str().unwrap();
    let id = json!({ "id": private["id"] });
    let whole = by_key(&app, secret, "/agent-chats/get", id).await;
    assert_eq!((whole.status, whole.body), (200, Value::Null));
    let listed = by_key(&app, secret, "/agent-chats/list", json!({})).await;
    assert_eq!(listed.body, json!([own]));
    let shown = call_ok(&team.admin, "/apikeys/getById", json!({ "id": key["id"] })).await;
    let admin = team.admin.current_session().await["user"]["id"].clone();
    assert_eq!(shown["createdBy"], admin);
    app.finish().await;
}

#[actix::test]
async fn a_key_that_nobody_has_made_has_no_chats() {
    let app = App::with(OPEN).await;
    let team = Team::invite(&app).await;
    let chat = call_ok(&team.member, "/agent-chats/create", json!({})).await;
    let id = json!({ "id": chat["id"] });
    let nobodys = app.key_with(&[Scope::ReadData, Scope::ManageConfig]).await;
    let found = by_key(&app, &nobodys, "/agent-chats/get", id).await;
    assert_eq!((found.status, found.body), (200, Value::Null));
    let nobodys = by_key(&app, &nobodys, "/agent-chats/create", json!({})).await;
    let nobody_made_it = nobodys.text.contains("no member has made this key");
    assert!(
        nobodys.status == 403 && nobody_made_it,
        "{} {}",
        nobodys.status,
        nobodys.text
    );
    app.finish().await;
}
