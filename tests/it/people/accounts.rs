//! Accounts: making, changing and deleting them.

use serde_json::{Value, json};

use super::{
    OPEN,
    browser::{Browser, PASSWORD},
};
use crate::app::App;

#[actix::test]
async fn strangers_make_no_accounts_unless_sign_up_is_open() {
    let app = App::spawn().await;
    let stranger = Browser::new(&app);
    let body = json!({ "name": "Eve", "email": "eve@example.com", "password": PASSWORD });
    let refused = stranger.post("/api/auth/sign-up/email", &body).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    assert!(refused.headers.get("set-cookie").is_none());
    // Not even whether an account exists.
    let taken = json!({ "name": "Eve", "email": app.email, "password": PASSWORD });
    let other = stranger.post("/api/auth/sign-up/email", &taken).await;
    assert_eq!(other.body["error"], refused.body["error"]);
    let sign_in = stranger.sign_in("eve@example.com", PASSWORD).await;
    assert_eq!(sign_in.status, 401);
    app.finish().await;
}

#[actix::test]
async fn an_open_door_makes_accounts_that_belong_to_nobody_yet() {
    let mut app = App::with(OPEN).await;
    let eve = Browser::new(&app);
    let body = json!({ "name": " Eve ", "email": " Eve@Example.com ", "password": PASSWORD });
    let made = eve.post("/api/auth/sign-up/email", &body).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let user = &made.body["user"];
    assert_eq!(user["email"], "eve@example.com");
    assert_eq!(
        (&user["name"], &user["emailVerified"]),
        (&json!("Eve"), &json!(false))
    );
    let session = &eve.current_session().await["session"];
    assert_eq!(session["activeOrganizationId"], Value::Null);
    let websites = eve.get("/v1/query/websites").await;
    assert_eq!(websites.body["total"].as_u64().unwrap_or_default(), 0);
    let foreign = eve
        .post("/websites/getById", &json!({ "id": app.website }))
        .await;
    assert_eq!(foreign.status, 404);

    let again = Browser::new(&app)
        .post("/api/auth/sign-up/email", &body)
        .await;
    assert_eq!(again.status, 409, "{}", again.text);
    app.restart().await;
    let back = Browser::new(&app);
    assert_eq!(back.sign_in("EVE@example.com", PASSWORD).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn an_account_is_refused_with_the_field_that_is_wrong() {
    let app = App::with(OPEN).await;
    let long = "x".repeat(101);
    for (name, email, password, field) in [
        ("", "a@b", PASSWORD, "name"),
        (&long, "a@b", PASSWORD, "name"),
        ("a\nb", "a@b", PASSWORD, "name"),
        ("Eve", "nowhere", PASSWORD, "email"),
        ("Eve", "a\r\nbcc: c@b", PASSWORD, "email"),
        ("Eve", "a@b", "7 chars", "password"),
    ] {
        let body = json!({ "name": name, "email": email, "password": password });
        let refused = Browser::new(&app)
            .post("/api/auth/sign-up/email", &body)
            .await;
        assert_eq!(refused.status, 400, "{}", refused.text);
        assert_eq!(refused.body["details"][0]["field"], field);
    }
    app.finish().await;
}

#[actix::test]
async fn only_one_of_many_at_once_gets_an_address() {
    let app = App::with(OPEN).await;
    let body = json!({ "name": "Eve", "email": "eve@example.com", "password": PASSWORD });
    let browsers: Vec<_> = (0..8).map(|_| Browser::new(&app)).collect();
    let asked = browsers.iter();
    let asked = asked.map(|browser| browser.post("/api/auth/sign-up/email", &body));
    let answers = futures_util::future::join_all(asked).await;
    let mut made: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    made.sort_unstable();
    assert_eq!(made, [200, 409, 409, 409, 409, 409, 409, 409]);
    app.finish().await;
}

#[actix::test]
async fn people_change_what_they_are_called() {
    let mut app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let renamed = owner
        .post("/api/auth/update-user", &json!({ "name": "Ada" }))
        .await;
    assert_eq!(renamed.body, json!({ "status": true }));
    assert_eq!(owner.current_session().await["user"]["name"], "Ada");
    let refused = owner
        .post("/api/auth/update-user", &json!({ "name": " " }))
        .await;
    assert_eq!(refused.status, 400);
    let cookie = owner.cookie();
    app.restart().await;
    let owner = Browser::with(&app, &cookie);
    assert_eq!(owner.current_session().await["user"]["name"], "Ada");
    app.finish().await;
}

#[actix::test]
async fn a_deleted_account_is_gone_with_its_sessions() {
    let mut app = App::with(OPEN).await;
    let (one, other) = (Browser::signed_up(&app, "eve").await, Browser::new(&app));
    other.sign_in("eve@example.com", PASSWORD).await;
    let wrong = one
        .post("/api/auth/delete-user", &json!({ "password": "wrong" }))
        .await;
    assert_eq!(wrong.status, 400, "{}", wrong.text);
    let cookie = one.cookie();
    let gone = one
        .post("/api/auth/delete-user", &json!({ "password": PASSWORD }))
        .await;
    assert_eq!(gone.status, 200, "{}", gone.text);
    for cookie in [&cookie, &other.cookie()] {
        assert_eq!(
            Browser::with(&app, cookie).current_session().await,
            Value::Null
        );
    }
    app.restart().await;
    let back = Browser::new(&app);
    assert_eq!(back.sign_in("eve@example.com", PASSWORD).await.status, 401);
    Browser::signed_up(&app, "eve").await;
    app.finish().await;
}

#[actix::test]
async fn the_only_owner_of_an_organization_stays() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let body = json!({ "password": app.password });
    let refused = owner.post("/api/auth/delete-user", &body).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    let error = refused.body["error"].as_str().unwrap();
    assert!(error.contains("only owner of Default"), "{error}");
    assert_ne!(owner.current_session().await, Value::Null);
    app.finish().await;
}
