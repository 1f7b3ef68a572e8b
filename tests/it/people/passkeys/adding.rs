//! Adding, naming and removing passkeys.

use std::time::Duration;

use serde_json::json;

use super::{ADD, LIST, REGISTER, REMOVE, RENAME, add, audited, authenticator::Passkey, listed};
use crate::{
    app::App,
    people::{
        OPEN,
        browser::{Browser, PASSWORD},
    },
};

#[actix::test]
async fn a_passkey_is_added_named_and_removed_and_the_audit_log_says_so() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let (passkey, added) = add(&app, &owner, " Laptop ").await;
    assert_eq!(added["name"], "Laptop");
    assert_eq!(added["credentialID"], passkey.id());
    assert_eq!(added["deviceType"], "singleDevice");
    assert_eq!(added["backedUp"], false);
    assert_eq!(added["lastUsedAt"], json!(null));
    assert_eq!(added["backupCodes"].as_array().unwrap().len(), 10);
    let (_, second) = add(&app, &owner, "").await;
    assert_eq!(second["name"], "Passkey");
    assert_eq!(second.get("backupCodes"), None, "those there are stay");
    let names: Vec<_> = listed(&owner).await;
    assert_eq!(names.len(), 2);

    let id = &added["id"];
    let renamed = owner
        .post(RENAME, &json!({ "id": id, "name": "Work" }))
        .await;
    assert_eq!(renamed.body["passkey"]["name"], "Work", "{}", renamed.text);
    let empty = owner.post(RENAME, &json!({ "id": id, "name": " " })).await;
    assert_eq!(empty.status, 400, "{}", empty.text);
    let removed = owner.post(REMOVE, &json!({ "id": id })).await;
    assert_eq!(removed.body, json!({ "status": true }), "{}", removed.text);
    assert_eq!(owner.post(REMOVE, &json!({ "id": id })).await.status, 404);
    let left = listed(&owner).await;
    assert_eq!((left.len(), &left[0]["name"]), (1, &json!("Passkey")));
    for (action, times) in [
        ("passkey.create", 2),
        ("passkey.update", 1),
        ("passkey.delete", 1),
    ] {
        let entries = audited(&owner, action).await;
        assert_eq!(entries.len(), times, "{action}");
    }
    app.finish().await;
}

#[actix::test]
async fn who_signed_in_long_ago_gives_the_password_again() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let (_, added) = add(&app, &owner, "").await;
    app.clock.advance(Duration::from_mins(10));
    let late = owner.get(REGISTER).await;
    assert_eq!(late.status, 400, "{}", late.text);
    assert!(late.text.contains("Enter your password"), "{}", late.text);
    let id = &added["id"];
    assert_eq!(owner.post(REMOVE, &json!({ "id": id })).await.status, 400);
    for (password, status) in [("another one", 400), (app.password.as_str(), 200)] {
        let body = json!({ "password": password });
        let asked = owner.post(REGISTER, &body).await;
        assert_eq!(asked.status, status, "{}", asked.text);
    }
    let body = json!({ "id": id, "password": app.password });
    assert_eq!(owner.post(REMOVE, &body).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn an_account_has_twenty_passkeys_and_an_authenticator_one_of_them() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let (first, _) = add(&app, &owner, "").await;
    for _ in 1..20 {
        add(&app, &owner, "").await;
    }
    let full = owner.get(REGISTER).await;
    assert_eq!(full.status, 403, "{}", full.text);
    let own = listed(&owner).await;
    let body = json!({ "id": own[19]["id"] });
    assert_eq!(owner.post(REMOVE, &body).await.status, 200);
    let asked = owner.get(REGISTER).await;
    let known = asked.body["excludeCredentials"].as_array().unwrap();
    assert_eq!(known.len(), 19);
    assert_eq!(known[0]["id"], first.id());
    app.finish().await;
}

#[actix::test]
async fn nobody_sees_names_or_removes_the_passkeys_of_somebody_else() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let other = Browser::signed_up(&app, "other").await;
    let (_, added) = add(&app, &owner, "").await;
    assert!(listed(&other).await.is_empty());
    let unknown = json!({ "id": "unknown", "name": "x" });
    let foreign = json!({ "id": added["id"], "name": "x" });
    for path in [RENAME, REMOVE] {
        let answers = [
            other.post(path, &foreign).await,
            other.post(path, &unknown).await,
        ];
        assert_eq!(answers[0].status, 404, "{path}");
        assert_eq!(answers[0].body["code"], answers[1].body["code"], "{path}");
    }
    let nobody = Browser::new(&app);
    for path in [LIST, REGISTER] {
        assert_eq!(nobody.get(path).await.status, 401, "{path}");
    }

    // What an authenticator has for one person it cannot have for another.
    let (_, made) = Passkey::create(&app, &owner.get(REGISTER).await.body);
    let taken = owner.post(ADD, &json!({ "response": made })).await;
    assert_eq!(taken.status, 200, "{}", taken.text);
    app.finish().await;
}

#[actix::test]
async fn passkeys_go_with_the_person() {
    let mut app = App::with(OPEN).await;
    let other = Browser::signed_up(&app, "other").await;
    let (mut passkey, _) = add(&app, &other, "").await;
    let body = json!({ "password": PASSWORD });
    let deleted = other.post("/api/auth/delete-user", &body).await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    let browser = Browser::new(&app);
    assert_eq!(super::sign_in(&browser, &mut passkey).await.status, 401);
    app.restart_after(async |directory| {
        use sea_orm::EntityTrait as _;
        let db = crate::database::open(directory).await;
        let left = pharos::entities::passkey::Entity::find();
        assert!(left.all(db.reader()).await.unwrap().is_empty());
        db.close().await.unwrap();
    })
    .await;
    app.finish().await;
}
