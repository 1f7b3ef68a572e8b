//! What works.

use std::time::Duration;

use serde_json::json;

use super::{ACME, Provider, ada};
use crate::{app::App, people::browser::Browser};

#[actix::test]
async fn a_person_signs_in_and_gets_an_account_of_their_own() {
    let provider = Provider::start();
    let app = App::with(&provider.toml(ACME)).await;
    let browser = provider.signed_in(&app, &ada(&[])).await;
    let first = browser.current_session().await;
    assert_eq!(first["user"]["email"], "ada@acme.example");
    assert_eq!(first["user"]["name"], "Ada Lovelace");
    assert_eq!(first["user"]["emailVerified"], true);
    assert_eq!(first["session"]["method"], "oidc");
    assert_eq!(first["session"]["provider"], "test");
    assert_eq!(first["session"]["activeOrganizationId"], json!(null));

    // Whatever the provider says later of the address, it is the same person.
    let mut moved = ada(&[]);
    moved["email"] = json!("ada@elsewhere.example");
    moved["email_verified"] = json!(false);
    let again = provider
        .signed_in(&app, &moved)
        .await
        .current_session()
        .await;
    assert_eq!(again["user"]["id"], first["user"]["id"]);
    assert_eq!(again["user"]["email"], "ada@acme.example");

    let mut other = ada(&[]);
    other["sub"] = json!("ada-2");
    let refused = provider.failed(&app, &other).await;
    assert!(refused.contains("You already linked"), "{refused}");
    app.finish().await;
}

#[actix::test]
async fn claims_come_from_the_token_or_from_the_user_info() {
    let provider = Provider::start();
    let app = App::with(&provider.toml(ACME)).await;
    provider.control(&json!({ "userinfo": true })).await;
    let browser = provider.signed_in(&app, &ada(&[])).await;
    assert_eq!(provider.count("/me").await, 1);
    let session = browser.current_session().await;
    assert_eq!(session["user"]["email"], "ada@acme.example");
    app.finish().await;
}

#[actix::test]
async fn the_page_offers_the_provider_and_leads_back_to_where_the_person_was() {
    let provider = Provider::start();
    let app = App::with(&provider.toml(ACME)).await;
    let browser = Browser::new(&app);
    let page = browser.get("/login?next=/console/account").await.text;
    let link = "/api/auth/oidc/test?next=%2Fconsole%2Faccount";
    assert!(
        page.contains(&format!("href=\"{link}\">Continue with Test<")),
        "{page}"
    );
    provider.expect(&app, &ada(&[])).await;
    let back = provider.begin(&app, &browser, link).await;
    let answer = browser.get(&back).await;
    assert_eq!(
        answer.header("location"),
        "/console/account",
        "{}",
        answer.text
    );

    let account = browser.get("/console/account").await.text;
    assert!(account.contains("Linked sign-ins"), "{account}");
    let unknown = browser.get("/api/auth/oidc/other").await;
    assert_eq!(unknown.status, 404);
    app.finish().await;
}

#[actix::test]
async fn keys_are_asked_for_again_when_the_provider_signs_with_a_new_one() {
    let provider = Provider::start();
    let app = App::with(&provider.toml(ACME)).await;
    provider.signed_in(&app, &ada(&[])).await;
    provider.signed_in(&app, &ada(&[])).await;
    assert_eq!(provider.count("/jwks").await, 1);

    // Not again within a minute, whoever asks.
    provider.control(&json!({ "rotate": true })).await;
    for _ in 0..2 {
        let refused = provider.failed(&app, &ada(&[])).await;
        assert!(
            refused.contains("isn't signed with one of its keys"),
            "{refused}"
        );
    }
    assert_eq!(provider.count("/jwks").await, 1);

    app.clock.advance(Duration::from_mins(1));
    provider
        .control(&json!({ "now": app.clock.now_ms() }))
        .await;
    provider.signed_in(&app, &ada(&[])).await;
    assert_eq!(provider.count("/jwks").await, 2);
    app.finish().await;
}

#[actix::test]
async fn every_sign_in_and_every_link_is_in_the_audit_log() {
    let provider = Provider::start();
    let mut app = App::spawn().await;
    let rule = format!(
        "roles = {{ staff = '{}:viewer' }}\n{ACME}",
        app.organization
    );
    app.configure(&provider.toml(&rule));
    app.restart().await;
    provider.signed_in(&app, &ada(&["staff"])).await;
    let owner = Browser::owner(&app).await;
    let listed = owner.post("/audit/list", &json!({})).await;
    let entries = listed.body.as_array().unwrap();
    let told: Vec<_> = entries
        .iter()
        .map(|entry| {
            let details = &entry["details"];
            json!([entry["action"], details["method"], details["provider"]])
        })
        .collect();
    for expected in [
        json!(["member.add", null, "test"]),
        json!(["identity.link", null, "test"]),
        json!(["session.create", "oidc", "test"]),
        json!(["session.create", "password", null]),
    ] {
        assert!(told.contains(&expected), "{expected} in {}", listed.text);
    }
    app.finish().await;
}
