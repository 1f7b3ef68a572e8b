//! An organization is a stranger to all others (threat T88).

use pharos::entities::user;
use sea_orm::{EntityTrait as _, QueryFilter as _, sea_query::Expr};
use serde_json::json;

use super::{Company, Names, is_in, open, person};
use crate::{
    database,
    people::{OPEN, browser::Browser, oidc::Provider, team::invite},
};

#[actix::test]
async fn no_address_outside_of_the_verified_domains_signs_in() {
    let (names, provider) = (Names::start(), Provider::start());
    let app = open(&names, "").await;
    let company = Company::found(&app, &names, &provider, &json!({})).await;
    let mut unverified = person("a", "ada@acme.example");
    unverified["email_verified"] = json!(false);
    let mut nameless = person("a", "x");
    nameless["email"] = json!(null);
    for (account, says) in [
        (unverified, "is verified"),
        (nameless, "doesn't send your email"),
        (person("v", "victim@other.example"), "verified domains"),
        (person("v", "victim@eu.acme.example"), "verified domains"),
        (
            person("v", "victim@acme.example@other.example"),
            "verified domains",
        ),
        (person("v", &app.email), "verified domains"),
    ] {
        let refused = company.refused(&account).await;
        assert!(refused.contains(says), "{account}: {refused}");
    }
    app.finish().await;
}

#[actix::test]
async fn an_account_with_another_address_is_not_opened_even_if_it_is_linked() {
    let (names, provider) = (Names::start(), Provider::start());
    let mut app = open(&names, "").await;
    let id = {
        let company = Company::found(&app, &names, &provider, &json!({})).await;
        company.signed_in(&person("a", "ada@acme.example")).await;
        // What it says of the linked subject counts, too.
        let refused = company.refused(&person("a", "ada@other.example")).await;
        assert!(refused.contains("verified domains"), "{refused}");
        company.id
    };
    app.restart_after(async |directory| {
        let db = database::open(directory).await;
        let write = db.begin().await.unwrap();
        user::Entity::update_many()
            .col_expr(user::Column::Email, Expr::value("ada@private.example"))
            .filter(user::COLUMN.email.eq("ada@acme.example"))
            .exec(&*write)
            .await
            .unwrap();
        write.commit().await.unwrap();
        db.close().await.unwrap();
    })
    .await;
    let account = person("a", "ada@acme.example");
    let (browser, answer) = super::try_at(&app.base, &provider, &id, &account).await;
    assert_eq!(answer.status, 403, "{}", answer.text);
    assert!(!is_in(&browser).await);
    app.finish().await;
}

#[actix::test]
async fn a_stranger_does_not_wait_in_an_account_with_the_address() {
    let (names, provider) = (Names::start(), Provider::start());
    let app = open(&names, OPEN).await;
    let company = Company::found(&app, &names, &provider, &json!({})).await;
    let stranger = Browser::new(&app);
    let body = json!({ "name": "x", "email": "ada@acme.example", "password": "long enough" });
    assert_eq!(
        stranger.post("/api/auth/sign-up/email", &body).await.status,
        200
    );
    let refused = company.refused(&person("a", "ada@acme.example")).await;
    assert!(refused.contains("already exists"), "{refused}");
    app.finish().await;
}

#[actix::test]
async fn invitations_of_other_organizations_stay_open_and_no_link_begins_on_the_account_page() {
    let (names, provider) = (Names::start(), Provider::start());
    let app = open(&names, "").await;
    let company = Company::found(&app, &names, &provider, &json!({})).await;
    let made = company
        .owner
        .post("/api/auth/organization/create", &json!({ "name": "Other" }))
        .await;
    let other = made.body["id"].as_str().unwrap().to_owned();
    let body = json!({ "organizationId": other, "email": "ada@acme.example", "role": "owner" });
    let invited = company
        .owner
        .post("/api/auth/organization/invite-member", &body)
        .await;
    assert_eq!(invited.status, 200, "{}", invited.text);
    invite(&app, &company.owner, "ada@acme.example", "member").await;
    let ada = company.signed_in(&person("a", "ada@acme.example")).await;
    let listed = ada.get("/api/auth/organization/list").await;
    assert!(!listed.text.contains(&other), "{}", listed.text);
    assert!(listed.text.contains(&app.organization), "{}", listed.text);
    let start = format!("/api/auth/oidc/{}?link=anything", company.id);
    let refused = company.owner.get(&start).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    app.finish().await;
}

#[actix::test]
async fn addresses_that_are_not_public_are_no_providers() {
    let provider = Provider::start();
    let app = crate::app::App::spawn().await;
    let owner = Browser::owner(&app).await;
    for issuer in [
        provider.url.as_str(),
        "https://127.0.0.1",
        "https://10.0.0.1",
        "https://[::1]",
        "https://localhost",
        "https://169.254.169.254",
        "http://id.example.com",
        "https://idp.internal",
        "nonsense",
    ] {
        let body = super::settings(&provider, &json!({ "issuer": issuer }));
        let refused = owner.post("/sso/createProvider", &body).await;
        assert_eq!(refused.status, 400, "{issuer}: {}", refused.text);
    }
    app.finish().await;
}

#[actix::test]
async fn what_a_provider_names_is_judged_like_its_issuer() {
    let (names, provider) = (Names::start(), Provider::start());
    let app = open(&names, "egress.blocked_ports = [9]").await;
    let company = Company::found(&app, &names, &provider, &json!({})).await;
    let described = |token: &str, keys: &str| {
        let described = json!({
            "issuer": provider.url, "authorization_endpoint": format!("{}/auth", provider.url),
            "token_endpoint": token, "jwks_uri": keys,
        });
        json!({ "answers": { "/.well-known/openid-configuration": { "body": described.to_string() } } })
    };
    let own = |path: &str| format!("{}{path}", provider.url);
    for described in [
        described("http://10.0.0.1/token", &own("/jwks")),
        described("http://127.0.0.1:9/token", &own("/jwks")),
        described(&own("/token"), "http://169.254.169.254/latest"),
    ] {
        app.clock.advance(std::time::Duration::from_hours(2));
        provider
            .control(&json!({ "now": app.clock.now_ms() }))
            .await;
        provider.control(&described).await;
        let refused = company.refused(&person("a", "ada@acme.example")).await;
        assert!(refused.contains("can't be reached"), "{refused}");
    }
    // A redirect leads nowhere.
    let moved = json!({ "answers": { "/.well-known/openid-configuration": { "status": 302, "body": "" } } });
    provider.control(&moved).await;
    let tested = company
        .owner
        .post("/sso/testProvider", &json!({ "id": company.id }))
        .await;
    assert_eq!(tested.body["success"], false, "{}", tested.text);
    assert!(tested.text.contains("its status is 302"), "{}", tested.text);
    app.finish().await;
}
