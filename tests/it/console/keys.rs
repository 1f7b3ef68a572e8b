//! API keys at the console.

use super::{is_page, leads_to, page};
use crate::{
    app::{Answer, App},
    people::{OPEN, browser::Browser, team::invited},
};

/// The secret on a page that shows one.
fn secret(answer: &Answer) -> String {
    is_page(answer, 200);
    assert!(answer.text.contains("shown again"), "{}", answer.text);
    let inside = answer.text.split("<code>").nth(1).unwrap();
    inside.split("</code>").next().unwrap().to_owned()
}

/// The websites that a key sees.
async fn websites(app: &App, key: &str) -> u16 {
    let request = app.http.get(format!("{}/v1/query/websites", app.base));
    Answer::send(request.header("x-api-key", key)).await.status
}

#[actix::test]
async fn a_key_is_created_used_rotated_and_revoked() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let form = page(&owner, "/console/keys/new").await;
    assert!(form.contains("value=\"read:data\" checked"), "{form}");
    let fields = [
        ("name", "Reports <b>"),
        ("scopes", "read:data"),
        ("scopes", "read:links"),
        ("expiresAt", "2027-01-01T00:00"),
    ];
    let made = owner.submit("/console/keys/new", &fields).await;
    let first = secret(&made);
    assert_eq!(websites(&app, &first).await, 200);
    let list = page(&owner, "/console/keys").await;
    assert!(
        list.contains("Reports &lt;b&gt;") && !list.contains(&first),
        "{list}"
    );
    assert!(list.contains("read:data, read:links"), "{list}");
    let path = format!(
        "/console/key/{}",
        made.text
            .split("/console/key/")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap()
    );
    let one = page(&owner, &path).await;
    assert!(
        one.contains("2027-01-01T00:00") && !one.contains(&first),
        "{one}"
    );

    let change = [
        ("name", "Numbers"),
        ("scopes", "read:links"),
        ("enabled", "on"),
    ];
    assert_eq!(
        leads_to(&owner.submit(&path, &change).await),
        format!("{path}?done=1")
    );
    assert_eq!(websites(&app, &first).await, 403, "it may not any more");
    let change = [
        ("name", "Numbers"),
        ("scopes", "read:data"),
        ("enabled", "on"),
    ];
    leads_to(&owner.submit(&path, &change).await);
    let second = secret(&owner.submit(&format!("{path}/rotate"), &[]).await);
    assert_eq!(
        (websites(&app, &first).await, websites(&app, &second).await),
        (401, 200)
    );
    leads_to(
        &owner
            .submit(&path, &[("name", "Numbers"), ("scopes", "read:data")])
            .await,
    );
    assert_eq!(websites(&app, &second).await, 401, "it is switched off");
    assert_eq!(
        leads_to(&owner.submit(&format!("{path}/revoke"), &[]).await),
        path
    );
    let revoked = page(&owner, &path).await;
    assert!(
        revoked.contains("Revoked") && !revoked.contains("/rotate"),
        "{revoked}"
    );
    assert_eq!(
        leads_to(&owner.submit(&format!("{path}/delete"), &[]).await),
        "/console/keys"
    );
    is_page(&owner.get(&path).await, 404);
    app.finish().await;
}

#[actix::test]
async fn a_key_for_one_website_shows_its_permissions_by_website() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let fields = [
        ("name", "One"),
        ("scopes", "read:data"),
        ("resources", app.website.as_str()),
    ];
    let made = owner.submit("/console/keys/new", &fields).await;
    assert_eq!(websites(&app, &secret(&made)).await, 200);
    let id = made
        .text
        .split("/console/key/")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let one = page(&owner, &format!("/console/key/{id}")).await;
    assert!(one.contains(&format!("website:{}", app.website)), "{one}");
    assert!(
        !one.contains("name=\"scopes\""),
        "its rights are of its websites: {one}"
    );
    let wrong = owner
        .submit("/console/keys/new", &[("name", ""), ("expiresAt", "")])
        .await;
    is_page(&wrong, 400);
    assert!(wrong.text.contains("id=\"name-wrong\""), "{}", wrong.text);
    let wrong = owner
        .submit("/console/keys/new", &[("name", "A"), ("expiresAt", "soon")])
        .await;
    is_page(&wrong, 400);
    assert!(
        wrong.text.contains("id=\"expiresAt-wrong\""),
        "{}",
        wrong.text
    );
    app.finish().await;
}

#[actix::test]
async fn viewers_have_no_keys_and_members_grant_no_more_than_they_have() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let viewer = invited(&app, &owner, "viewer").await;
    is_page(&viewer.get("/console/keys").await, 403);
    assert!(
        !page(&viewer, "/").await.contains("/console/keys"),
        "no way leads there"
    );
    let member = invited(&app, &owner, "member").await;
    page(&member, "/console/keys").await;
    let fields = [("name", "Mine"), ("scopes", "manage:websites")];
    is_page(&member.submit("/console/keys/new", &fields).await, 403);
    secret(
        &member
            .submit(
                "/console/keys/new",
                &[("name", "Mine"), ("scopes", "read:data")],
            )
            .await,
    );
    app.finish().await;
}
