//! The second factor of an account is asked for (threat T89).

use serde_json::{Value, json};

use super::{Company, Names, check, is_in, open, person};
use crate::{
    app::App,
    people::{
        browser::Browser,
        oidc::Provider,
        passkeys,
        second_factor::{Phone, set_up},
    },
};

const TOTP: &str = "/api/auth/two-factor/verify-totp";

/// An organization whose owner `admin@acme.example` has a second factor.
async fn waiting<'a>(company: &Company<'a>) -> Browser<'a> {
    let account = person("o", "admin@acme.example");
    let (browser, answer) = company.try_in(&account).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
    assert_eq!(answer.header("location"), "/login/code");
    assert!(!is_in(&browser).await, "nobody is signed in yet");
    browser
}

async fn prove(browser: &Browser<'_>, phone: &Phone, app: &App) -> u16 {
    let body = json!({ "code": phone.shows(app, 0) });
    browser.post(TOTP, &body).await.status
}

/// The owner has an address in the domain.
async fn rename_owner(app: &mut App) {
    use pharos::entities::user;
    use sea_orm::{EntityTrait as _, QueryFilter as _, sea_query::Expr};
    app.restart_after(async |directory| {
        let db = crate::database::open(directory).await;
        let write = db.begin().await.unwrap();
        user::Entity::update_many()
            .col_expr(user::Column::Email, Expr::value("admin@acme.example"))
            .filter(user::COLUMN.email.eq("admin@localhost"))
            .exec(&*write)
            .await
            .unwrap();
        write.commit().await.unwrap();
        db.close().await.unwrap();
    })
    .await;
    "admin@acme.example".clone_into(&mut app.email);
}

#[actix::test]
async fn a_sign_in_waits_for_the_second_factor_and_keeps_how_it_began() {
    let (names, provider) = (Names::start(), Provider::start());
    let mut app = open(&names, "").await;
    rename_owner(&mut app).await;
    let company = Company::found(&app, &names, &provider, &json!({})).await;
    let (_, phone, _) = set_up(&app).await;
    provider
        .control(&json!({ "now": app.clock.now_ms() }))
        .await;
    let browser = waiting(&company).await;
    assert_eq!(
        browser
            .post(TOTP, &json!({ "code": "000000" }))
            .await
            .status,
        401
    );
    assert_eq!(prove(&browser, &phone, &app).await, 200);
    let sessions = browser.get("/api/auth/list-sessions").await;
    let began = sessions.body.as_array().unwrap().iter();
    let began: Vec<&Value> = began.map(|one| &one["provider"]).collect();
    assert!(began.contains(&&json!(company.id)), "{}", sessions.text);

    // What was opened with the code ends with the provider, too.
    let off = super::settings(&provider, &json!({ "id": company.id, "enabled": false }));
    let changed = company.owner.post("/sso/updateProvider", &off).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert!(!is_in(&browser).await);
    app.finish().await;
}

#[actix::test]
async fn a_sign_in_that_waits_ends_with_the_domain_or_the_provider() {
    let (names, provider) = (Names::start(), Provider::start());
    let mut app = open(&names, "").await;
    rename_owner(&mut app).await;
    let company = Company::found(&app, &names, &provider, &json!({})).await;
    let (_, phone, _) = set_up(&app).await;
    provider
        .control(&json!({ "now": app.clock.now_ms() }))
        .await;
    let browser = waiting(&company).await;
    let removed = json!({ "id": company.domain });
    assert_eq!(
        company
            .owner
            .post("/sso/removeDomain", &removed)
            .await
            .status,
        200
    );
    assert_eq!(prove(&browser, &phone, &app).await, 401);

    let added = company
        .owner
        .post("/sso/addDomain", &json!({ "domain": "acme.example" }))
        .await;
    company.names.publish(&added.body);
    check(&company.owner, added.body["id"].as_str().unwrap()).await;
    let browser = waiting(&company).await;
    let deleted = json!({ "id": company.id });
    assert_eq!(
        company
            .owner
            .post("/sso/deleteProvider", &deleted)
            .await
            .status,
        200
    );
    assert_eq!(prove(&browser, &phone, &app).await, 401);
    assert!(!is_in(&browser).await);
    app.finish().await;
}

#[actix::test]
async fn a_passkey_is_the_second_factor_and_the_session_stays_the_providers() {
    let (names, provider) = (Names::start(), Provider::start());
    let mut app = open(&names, "").await;
    rename_owner(&mut app).await;
    let company = Company::found(&app, &names, &provider, &json!({})).await;
    let (mut passkey, _) = passkeys::add(&app, &company.owner, "").await;
    provider
        .control(&json!({ "now": app.clock.now_ms() }))
        .await;
    let account = person("o", "admin@acme.example");
    let (browser, answer) = company.try_in(&account).await;
    assert!(
        answer.header("location").contains("passkey=1"),
        "{}",
        answer.header("location")
    );
    assert!(!is_in(&browser).await, "nobody is signed in yet");
    let used = passkeys::sign_in(&browser, &mut passkey).await;
    assert_eq!(used.status, 200, "{}", used.text);
    let sessions = browser.get("/api/auth/list-sessions").await;
    let began = sessions.body.as_array().unwrap().iter();
    let began: Vec<&Value> = began.map(|one| &one["provider"]).collect();
    assert!(began.contains(&&json!(company.id)), "{}", sessions.text);

    let (waits, _) = company.try_in(&account).await;
    let deleted = json!({ "id": company.id });
    let ended = company.owner.post("/sso/deleteProvider", &deleted).await;
    assert_eq!(ended.status, 200, "{}", ended.text);
    assert!(!is_in(&browser).await);
    let late = passkeys::sign_in(&waits, &mut passkey).await;
    assert_eq!(late.status, 401, "{}", late.text);
    app.finish().await;
}
