//! Who gets which account (threat T65): none by naming an address.

use serde_json::json;

use super::{ACME, Provider, ada};
use crate::{
    app::App,
    people::{OPEN, browser::Browser, team::invite},
};

#[actix::test]
async fn an_account_is_made_only_for_a_verified_address_of_the_domains() {
    let provider = Provider::start();
    let app = App::with(&provider.toml(ACME)).await;
    let person = |email: serde_json::Value, verified: serde_json::Value| json!({ "sub": "x", "email": email, "email_verified": verified });
    for (account, says) in [
        (person(json!("x@acme.example"), json!(false)), "is verified"),
        (person(json!("x@acme.example"), json!(null)), "is verified"),
        (
            person(json!("x@other.example"), json!(true)),
            "get no account here",
        ),
        (
            person(json!("x@sub.acme.example"), json!(true)),
            "get no account here",
        ),
        (
            person(json!("x@acme.example@other.example"), json!(true)),
            "get no account here",
        ),
        (person(json!(null), json!(true)), "doesn't send your email"),
        (person(json!("x"), json!(true)), "doesn't send your email"),
    ] {
        let refused = provider.failed(&app, &account).await;
        assert!(refused.contains(says), "{account}: {refused}");
    }
    app.finish().await;
}

#[actix::test]
async fn without_leave_only_people_with_a_link_come_in() {
    let provider = Provider::start();
    let app = App::with(&provider.toml("")).await;
    let refused = provider.failed(&app, &ada(&[])).await;
    assert!(refused.contains("No account is linked"), "{refused}");
    app.finish().await;
}

#[actix::test]
async fn an_invited_person_gets_an_account_and_the_membership() {
    let provider = Provider::start();
    let app = App::with(&provider.toml("create_accounts = 'invited'")).await;
    let refused = provider.failed(&app, &ada(&[])).await;
    assert!(refused.contains("No account is linked"), "{refused}");
    let owner = Browser::owner(&app).await;
    invite(&app, &owner, "ada@acme.example", "member").await;
    let mut unverified = ada(&[]);
    unverified["email_verified"] = json!(false);
    let refused = provider.failed(&app, &unverified).await;
    assert!(refused.contains("is verified"), "{refused}");

    let browser = provider.signed_in(&app, &ada(&[])).await;
    let session = browser.current_session().await;
    assert_eq!(session["session"]["activeOrganizationId"], app.organization);
    let member = browser
        .get("/api/auth/organization/get-active-member")
        .await;
    assert_eq!(member.body["role"], "member", "{}", member.text);
    app.finish().await;
}

#[actix::test]
async fn an_address_alone_never_opens_an_account_that_is_there() {
    let provider = Provider::start();
    let toml = format!("{OPEN}\n{}", provider.toml(ACME));
    let app = App::with(&toml).await;
    // The owner's domain is not one that the provider is trusted for.
    let owner = json!({ "sub": "o", "email": app.email, "email_verified": true });
    let refused = provider.failed(&app, &owner).await;
    assert!(refused.contains("already exists"), "{refused}");

    // A stranger waits in an account with somebody else's address.
    let stranger = Browser::new(&app);
    let body = json!({ "name": "x", "email": "ada@acme.example", "password": "long enough" });
    assert_eq!(
        stranger.post("/api/auth/sign-up/email", &body).await.status,
        200
    );
    let refused = provider.failed(&app, &ada(&[])).await;
    assert!(refused.contains("already exists"), "{refused}");
    app.finish().await;
}

#[actix::test]
async fn a_trusted_domain_opens_the_account_whose_address_is_proven() {
    let provider = Provider::start();
    let app = App::with(&provider.toml("email_domains = ['localhost']")).await;
    assert_eq!(app.email, "admin@localhost");
    let mut owner = json!({ "sub": "o", "email": app.email, "email_verified": false });
    let refused = provider.failed(&app, &owner).await;
    assert!(refused.contains("is verified"), "{refused}");
    owner["email_verified"] = json!(true);
    let browser = provider.signed_in(&app, &owner).await;
    let session = browser.current_session().await;
    assert_eq!(session["user"]["email"], app.email);
    assert_eq!(session["session"]["activeOrganizationId"], app.organization);
    app.finish().await;
}
