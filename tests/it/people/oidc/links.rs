//! Linking and unlinking by the person.

use serde_json::{Value, json};

use super::{ACME, Provider, ada, is_refused};
use crate::{app::App, people::browser::Browser};

/// The address of the button that links, on the account page.
async fn link_address(browser: &Browser<'_>) -> String {
    let page = browser.get("/console/account").await.text;
    let at = page
        .find("/api/auth/oidc/test?link=")
        .unwrap_or_else(|| panic!("{page}"));
    page[at..].split('"').next().unwrap().to_owned()
}

async fn links(browser: &Browser<'_>) -> Vec<Value> {
    let listed = browser.get("/api/auth/list-accounts").await;
    listed.body.as_array().unwrap().clone()
}

#[actix::test]
async fn a_person_links_an_account_and_signs_in_with_it() {
    let provider = Provider::start();
    let app = App::with(&provider.toml("")).await;
    let owner = Browser::owner(&app).await;
    provider.expect(&app, &ada(&[])).await;
    let back = provider
        .begin(&app, &owner, &link_address(&owner).await)
        .await;
    let linked = owner.get(&back).await;
    assert_eq!(
        linked.header("location"),
        "/console/account?done=1",
        "{}",
        linked.text
    );
    assert_eq!(links(&owner).await[0]["providerId"], "test");

    let other = provider.signed_in(&app, &ada(&[])).await;
    assert_eq!(other.current_session().await["user"]["email"], app.email);
    let sessions = owner.get("/api/auth/list-sessions").await.body;
    let methods: Vec<_> = sessions
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["method"].clone())
        .collect();
    assert_eq!(json!(methods), json!(["oidc", "password"]));

    // The owner has a password; the sessions of the link end with it.
    let body = json!({ "id": links(&owner).await[0]["id"] });
    assert_eq!(
        owner.post("/api/auth/unlink-account", &body).await.status,
        200
    );
    assert_eq!(other.current_session().await, Value::Null);
    assert!(links(&owner).await.is_empty());
    let again = owner.post("/api/auth/unlink-account", &body).await;
    assert_eq!(again.status, 404, "{}", again.text);
    app.finish().await;
}

#[actix::test]
async fn only_the_account_page_of_a_session_can_begin_a_link() {
    let provider = Provider::start();
    let app = App::with(&provider.toml("")).await;
    let (owner, other) = (Browser::owner(&app).await, Browser::owner(&app).await);
    let address = link_address(&owner).await;
    for (browser, address) in [
        (&other, address.as_str()),
        (&Browser::new(&app), address.as_str()),
        (&owner, "/api/auth/oidc/test?link=1"),
    ] {
        let refused = is_refused(&browser.get(address).await);
        assert!(refused.contains("expired"), "{refused}");
    }
    // Who signs out meanwhile links nothing.
    provider.expect(&app, &ada(&[])).await;
    let back = provider.begin(&app, &owner, &address).await;
    owner.post("/api/auth/sign-out", &json!({})).await;
    is_refused(&owner.get(&back).await);
    assert!(links(&other).await.is_empty());
    app.finish().await;
}

#[actix::test]
async fn an_account_at_the_provider_belongs_to_one_person_and_the_last_way_in_stays() {
    let provider = Provider::start();
    let app = App::with(&provider.toml(ACME)).await;
    let ada_browser = provider.signed_in(&app, &ada(&[])).await;
    let owner = Browser::owner(&app).await;
    let back = provider
        .begin(&app, &owner, &link_address(&owner).await)
        .await;
    let taken = is_refused(&owner.get(&back).await);
    assert!(taken.contains("linked to another account"), "{taken}");

    let own = links(&ada_browser).await;
    let body = json!({ "id": own[0]["id"] });
    let last = ada_browser.post("/api/auth/unlink-account", &body).await;
    assert_eq!(last.status, 403, "{}", last.text);
    assert!(last.text.contains("only way to sign in"), "{}", last.text);
    // Nobody unlinks for somebody else.
    assert_eq!(
        owner.post("/api/auth/unlink-account", &body).await.status,
        404
    );
    // There is no password that could be guessed or changed.
    for password in ["", "x"] {
        let tried = Browser::new(&app)
            .sign_in("ada@acme.example", password)
            .await;
        assert_eq!(tried.status, 401, "{}", tried.text);
    }
    app.finish().await;
}
