//! The examples of RFC 7644 about one user (sections 3.3 to 3.6), with the address that an account needs.

use serde_json::{Value, json};

use super::client::{Client, USER, assert_failed, id, user};
use crate::{app::App, people::browser::Browser};

fn barbara() -> Value {
    json!({
        "schemas": [USER], "userName": "bjensen", "externalId": "bjensen",
        "name": { "formatted": "Ms. Barbara J Jensen III", "familyName": "Jensen", "givenName": "Barbara" },
        "emails": [{ "value": "bjensen@example.com", "type": "work" }],
    })
}

#[actix::test]
async fn a_user_is_created_read_replaced_and_deleted() {
    let app = App::spawn().await;
    let client = Client::made_by(&app, &Browser::owner(&app).await).await;
    let created = client.post("/Users", &barbara()).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let (id, body) = (id(&created), &created.body);
    let location = format!("{}/scim/v2/Users/{id}", app.base);
    assert_eq!(created.header("location"), location);
    assert_eq!(created.header("content-type"), "application/scim+json");
    assert_eq!(body["meta"]["location"], location);
    assert_eq!(body["meta"]["resourceType"], "User");
    assert_eq!(body["meta"]["created"], body["meta"]["lastModified"]);
    assert_eq!(body["meta"]["version"], created.header("etag"));
    for name in ["userName", "externalId", "name"] {
        assert_eq!(body[name], barbara()[name], "{name}");
    }
    // They are invited, and no member yet.
    assert_eq!(body["active"], false);

    let path = format!("/Users/{id}");
    assert_eq!(client.get(&path).await.body, *body);
    let mut replaced = barbara();
    replaced["id"] = json!("another");
    replaced["emails"] =
        json!([{ "value": "bjensen@example.com" }, { "value": "babs@jensen.org" }]);
    replaced["title"] = json!("ignored");
    replaced["externalId"] = Value::Null;
    let answer = client.put(&path, &replaced).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.body["id"], id);
    assert_eq!(answer.body["emails"], replaced["emails"]);
    assert!(answer.body.get("externalId").is_none() && answer.body.get("title").is_none());
    assert_ne!(answer.header("etag"), created.header("etag"));

    assert_eq!(client.delete(&path).await.status, 204);
    assert_failed(&client.get(&path).await, 404, None);
    assert_failed(&client.delete(&path).await, 404, None);
    assert_failed(&client.put(&path, &barbara()).await, 404, None);
    // The name and the address are free again.
    assert_eq!(client.post("/Users", &barbara()).await.status, 201);
    app.finish().await;
}

#[actix::test]
async fn a_user_is_changed_by_the_patches_of_the_specification() {
    let app = App::spawn().await;
    let client = Client::made_by(&app, &Browser::owner(&app).await).await;
    let path = format!("/Users/{}", id(&client.post("/Users", &barbara()).await));
    for (operations, name, value) in [
        (
            json!([{ "op": "add", "value": { "emails": [{ "value": "babs@jensen.org", "type": "home" }], "displayName": "Babs" } }]),
            "displayName",
            json!("Babs"),
        ),
        (
            json!([{ "op": "replace", "path": "emails[type eq \"work\"].value", "value": "b@example.com" }]),
            "emails",
            json!([{ "value": "b@example.com", "type": "work" }, { "value": "babs@jensen.org", "type": "home" }]),
        ),
        (
            json!([{ "op": "remove", "path": "emails[type eq \"work\" and value ew \"example.com\"]" }]),
            "emails",
            json!([{ "value": "babs@jensen.org", "type": "home" }]),
        ),
        (
            json!([{ "op": "replace", "path": "name.familyName", "value": "J" }, { "op": "remove", "path": "name.formatted" }]),
            "name",
            json!({ "familyName": "J", "givenName": "Barbara" }),
        ),
    ] {
        let answer = client.patch(&path, operations).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.body[name], value);
        assert_eq!(client.get(&path).await.body, answer.body);
    }
    app.finish().await;
}

#[actix::test]
async fn a_patch_with_a_wrong_operation_changes_nothing() {
    let app = App::spawn().await;
    let client = Client::made_by(&app, &Browser::owner(&app).await).await;
    let path = format!("/Users/{}", id(&client.post("/Users", &barbara()).await));
    let before = client.get(&path).await.body;
    for (operation, keyword) in [
        (
            json!({ "op": "replace", "path": "emails[type eq \"none\"].value", "value": "x" }),
            "noTarget",
        ),
        (json!({ "op": "remove" }), "noTarget"),
        (
            json!({ "op": "replace", "path": "emails[", "value": "x" }),
            "invalidPath",
        ),
        (
            json!({ "op": "replace", "path": "id", "value": "x" }),
            "mutability",
        ),
        (
            json!({ "op": "remove", "path": "userName" }),
            "invalidValue",
        ),
        (
            json!({ "op": "replace", "path": "active", "value": "perhaps" }),
            "invalidValue",
        ),
        (json!({ "op": "other" }), "invalidSyntax"),
    ] {
        // All or nothing.
        let first = json!({ "op": "replace", "path": "displayName", "value": "Not kept" });
        let answer = client.patch(&path, json!([first, operation])).await;
        assert_failed(&answer, 400, Some(keyword));
    }
    assert_eq!(client.get(&path).await.body, before);
    app.finish().await;
}

#[actix::test]
async fn a_user_that_cannot_be_is_refused_with_its_keyword() {
    let app = App::spawn().await;
    let client = Client::made_by(&app, &Browser::owner(&app).await).await;
    let first = client.create("ada@example.com").await;
    let mut same_address = user("other");
    same_address["emails"] = json!([{ "value": "ADA@example.com" }]);
    assert_failed(
        &client.post("/Users", &user("Ada@Example.com")).await,
        409,
        Some("uniqueness"),
    );
    assert_failed(
        &client.post("/Users", &same_address).await,
        409,
        Some("uniqueness"),
    );
    let second = format!("/Users/{}", client.create("bob@example.com").await);
    let operation = json!([{ "op": "replace", "path": "userName", "value": "ada@example.com" }]);
    assert_failed(
        &client.patch(&second, operation).await,
        409,
        Some("uniqueness"),
    );
    for body in [
        json!({ "userName": "no address" }),
        json!({ "displayName": "no name" }),
        json!({ "userName": 7 }),
        json!({ "userName": "x".repeat(300) }),
        json!({ "userName": "a\u{0}@b" }),
        json!({ "userName": "a@b", "emails": "c@d" }),
    ] {
        assert_failed(
            &client.post("/Users", &body).await,
            400,
            Some("invalidValue"),
        );
    }
    let raw = async |body: &'static str, media: &str| {
        let url = format!("{}/scim/v2/Users", app.base);
        let request = app.http.post(url).bearer_auth(&client.token);
        let request = request.header("content-type", media.to_owned()).body(body);
        crate::app::Answer::send(request).await
    };
    assert_failed(
        &raw("{", "application/scim+json").await,
        400,
        Some("invalidSyntax"),
    );
    assert_failed(
        &raw("[]", "application/json").await,
        400,
        Some("invalidSyntax"),
    );
    assert_failed(&raw("{}", "text/plain").await, 415, None);
    assert_eq!(client.get(&format!("/Users/{first}")).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn a_version_is_known_and_another_one_is_not_changed() {
    let app = App::spawn().await;
    let client = Client::made_by(&app, &Browser::owner(&app).await).await;
    let path = format!("/Users/{}", client.create("ada@example.com").await);
    let tag = client.get(&path).await.header("etag").to_owned();
    let known = client
        .send_with("GET", &path, None, &[("if-none-match", &tag)])
        .await;
    assert_eq!((known.status, known.text.as_str()), (304, ""));
    let body = user("ada@example.com");
    let outdated = [("if-match", "W/\"another\"")];
    let refused = client.send_with("PUT", &path, Some(&body), &outdated).await;
    assert_failed(&refused, 412, None);
    let mut named = body.clone();
    named["displayName"] = json!("Ada");
    let changed = client
        .send_with("PUT", &path, Some(&named), &[("if-match", &tag)])
        .await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let again = client
        .send_with("PUT", &path, Some(&body), &[("if-match", &tag)])
        .await;
    assert_failed(&again, 412, None);
    app.finish().await;
}
