//! What a passkey opens.

use serde_json::{Value, json};

use super::{add, audited, listed, sign_in};
use crate::{
    app::App,
    people::{
        browser::Browser,
        oidc::{Provider, require},
        second_factor,
    },
};

const BACKUP: &str = "/api/auth/two-factor/verify-backup-code";

#[actix::test]
async fn a_passkey_opens_a_session_without_a_password() {
    let mut app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let (mut passkey, _) = add(&app, &owner, "").await;
    app.restart().await;
    passkey.origin = super::authenticator::origin(&app);
    let browser = Browser::new(&app);
    let signed_in = sign_in(&browser, &mut passkey).await;
    assert_eq!(signed_in.status, 200, "{}", signed_in.text);
    assert_eq!(signed_in.body["user"]["email"], app.email.as_str());
    let session = &browser.current_session().await["session"];
    assert_eq!(session["method"], "passkey");
    assert_eq!(session["activeOrganizationId"], app.organization.as_str());
    let used = listed(&browser).await;
    assert_eq!(used[0]["counter"], 1);
    assert!(used[0]["lastUsedAt"].is_string(), "{used:?}");
    let entries = audited(&browser, "session.create").await;
    let last = entries.last().unwrap();
    assert_eq!(last["details"]["method"], "passkey", "{last}");

    // What can be synced all of a sudden is another one.
    passkey.counter = None;
    assert_eq!(sign_in(&Browser::new(&app), &mut passkey).await.status, 401);
    app.finish().await;
}

#[actix::test]
async fn a_synced_passkey_counts_nothing_and_is_used_as_often_as_one_likes() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let options = owner.get(super::REGISTER).await.body;
    let (mut passkey, made) = super::authenticator::Passkey::create_synced(&app, &options);
    let added = owner.post(super::ADD, &json!({ "response": made })).await;
    assert_eq!(added.body["deviceType"], "multiDevice", "{}", added.text);
    assert_eq!(added.body["backedUp"], true);
    for _ in 0..2 {
        let signed_in = sign_in(&Browser::new(&app), &mut passkey).await;
        assert_eq!(signed_in.status, 200, "{}", signed_in.text);
    }
    app.finish().await;
}

#[actix::test]
async fn after_a_password_a_passkey_or_a_backup_code_is_due() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let (mut passkey, added) = add(&app, &owner, "").await;
    assert_eq!(
        owner.current_session().await["user"]["twoFactorEnabled"],
        true
    );
    let due = json!({ "twoFactorRedirect": true, "twoFactorMethods": ["passkey"] });
    let browser = Browser::new(&app);
    let waits = browser.sign_in(&app.email, &app.password).await;
    assert_eq!(waits.body, due, "{}", waits.text);
    assert_eq!(browser.current_session().await, Value::Null);
    let done = sign_in(&browser, &mut passkey).await;
    assert_eq!(done.status, 200, "{}", done.text);
    assert_eq!(done.body["session"]["method"], "password");
    assert!(!browser.cookie().contains("two_factor"));

    let browser = Browser::new(&app);
    browser.sign_in(&app.email, &app.password).await;
    let code = json!({ "code": added["backupCodes"][0] });
    assert_eq!(browser.post(BACKUP, &code).await.status, 200);
    assert_eq!(browser.post(BACKUP, &code).await.status, 401, "once");

    // Without the last passkey the password is enough, and no code is left.
    let body = json!({ "id": added["id"] });
    assert_eq!(owner.post(super::REMOVE, &body).await.status, 200);
    Browser::owner(&app).await;
    app.finish().await;
}

#[actix::test]
async fn an_app_and_a_passkey_stand_in_for_each_other() {
    let app = App::spawn().await;
    let (owner, phone, codes) = second_factor::set_up(&app).await;
    let (mut passkey, added) = add(&app, &owner, "").await;
    assert_eq!(added.get("backupCodes"), None, "those of the app stay");
    let browser = Browser::new(&app);
    let waits = browser.sign_in(&app.email, &app.password).await;
    assert_eq!(waits.body["twoFactorMethods"], json!(["totp", "passkey"]));
    let code = json!({ "code": phone.shows(&app, 0) });
    let done = browser
        .post("/api/auth/two-factor/verify-totp", &code)
        .await;
    assert_eq!(done.status, 200, "{}", done.text);

    let body = json!({ "password": app.password });
    let off = owner.post("/api/auth/two-factor/disable", &body).await;
    assert_eq!(off.status, 200, "{}", off.text);
    let browser = Browser::new(&app);
    let waits = browser.sign_in(&app.email, &app.password).await;
    assert_eq!(waits.body["twoFactorMethods"], json!(["passkey"]));
    let code = json!({ "code": codes[0] });
    assert_eq!(browser.post(BACKUP, &code).await.status, 200);
    let browser = Browser::new(&app);
    browser.sign_in(&app.email, &app.password).await;
    assert_eq!(sign_in(&browser, &mut passkey).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn removing_a_passkey_ends_the_sessions_that_it_opened() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let (mut passkey, added) = add(&app, &owner, "").await;
    let browser = Browser::new(&app);
    assert_eq!(sign_in(&browser, &mut passkey).await.status, 200);
    let body = json!({ "id": added["id"] });
    assert_eq!(owner.post(super::REMOVE, &body).await.status, 200);
    assert_eq!(browser.current_session().await, Value::Null);
    assert_ne!(owner.current_session().await, Value::Null);
    assert_eq!(sign_in(&Browser::new(&app), &mut passkey).await.status, 401);
    app.finish().await;
}

#[actix::test]
async fn an_organization_that_requires_its_provider_is_closed_to_passkeys() {
    let provider = Provider::start();
    let app = App::with(&provider.toml("email_domains = ['localhost']")).await;
    let owner = Browser::owner(&app).await;
    let (mut passkey, _) = add(&app, &owner, "").await;
    let with_passkey = Browser::new(&app);
    assert_eq!(sign_in(&with_passkey, &mut passkey).await.status, 200);
    let person = json!({ "sub": "o", "email": app.email, "email_verified": true });
    let at_provider = provider.signed_in(&app, &person).await;
    assert_eq!(require(&at_provider, Some("test")).await, 200);
    let session = &with_passkey.current_session().await["session"];
    assert_eq!(session["activeOrganizationId"], Value::Null);
    let refused = sign_in(&Browser::new(&app), &mut passkey).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    assert!(
        refused.text.contains("requires you to sign in with Test"),
        "{}",
        refused.text
    );
    assert_eq!(require(&at_provider, None).await, 200);
    let again = sign_in(&Browser::new(&app), &mut passkey).await;
    assert_eq!(again.status, 200, "{}", again.text);
    app.finish().await;
}
