//! People who sign in at the provider of their organization.

use serde_json::{Value, json};

use super::{Company, Names, add, open, person, verify};
use crate::{
    app::App,
    people::{
        browser::Browser,
        oidc::Provider,
        team::{invite, roles},
    },
};

async fn role(browser: &Browser<'_>) -> Value {
    let member = browser
        .get("/api/auth/organization/get-active-member")
        .await;
    member.body["role"].clone()
}

#[actix::test]
async fn a_person_of_a_verified_domain_finds_the_provider_and_joins() {
    let (names, provider) = (Names::start(), Provider::start());
    let app = open(&names, "").await;
    let company = Company::found(&app, &names, &provider, &json!({})).await;
    let browser = Browser::new(&app);
    let page = browser.get("/login").await;
    assert!(page.text.contains("Use single sign-on"), "{}", page.text);
    assert!(!page.text.contains(&company.id), "{}", page.text);
    let found = browser
        .submit(
            "/login/sso",
            &[("email", " Ada@ACME.example"), ("next", "//evil.example")],
        )
        .await;
    assert_eq!(found.status, 200, "{}", found.text);
    let start = format!("href=\"/api/auth/oidc/{}\"", company.id);
    assert!(found.text.contains(&start), "{}", found.text);

    let ada = company.signed_in(&person("a", "Ada@acme.example")).await;
    let session = ada.current_session().await;
    assert_eq!(session["user"]["email"], "ada@acme.example");
    assert_eq!(session["session"]["activeOrganizationId"], app.organization);
    assert_eq!(role(&ada).await, "viewer");
    let sessions = ada.get("/api/auth/list-sessions").await;
    assert_eq!(
        sessions.body[0]["provider"], company.id,
        "{}",
        sessions.text
    );
    app.finish().await;
}

#[actix::test]
async fn addresses_of_other_domains_lead_nowhere() {
    let (names, provider) = (Names::start(), Provider::start());
    let app = open(&names, "").await;
    Company::found(&app, &names, &provider, &json!({})).await;
    let browser = Browser::new(&app);
    let ask = async |email: &str| browser.submit("/login/sso", &[("email", email)]).await;
    for other in ["a@other.example", "a@eu.acme.example", "acme.example", ""] {
        let answer = ask(other).await;
        assert_eq!(answer.status, 400, "{other}: {}", answer.text);
        assert!(!answer.text.contains("/api/auth/oidc/"), "{}", answer.text);
    }
    for _ in 4..30 {
        assert_eq!(ask("a@other.example").await.status, 400);
    }
    assert_eq!(ask("a@acme.example").await.status, 429);
    app.finish().await;
}

#[actix::test]
async fn without_a_join_role_only_members_and_invited_people_come_in() {
    let (names, provider) = (Names::start(), Provider::start());
    let app = open(&names, "").await;
    let company = Company::found(&app, &names, &provider, &json!({ "joinRole": null })).await;
    let refused = company.refused(&person("a", "ada@acme.example")).await;
    assert!(
        refused.contains("aren&#39;t a member") || refused.contains("aren't a member"),
        "{refused}"
    );
    invite(&app, &company.owner, "ada@acme.example", "admin").await;
    let ada = company.signed_in(&person("a", "ada@acme.example")).await;
    assert_eq!(role(&ada).await, "admin");
    app.finish().await;
}

#[actix::test]
async fn a_member_who_was_removed_does_not_join_again() {
    let (names, provider) = (Names::start(), Provider::start());
    let app = open(&names, "").await;
    let company = Company::found(&app, &names, &provider, &json!({})).await;
    let ada = company.signed_in(&person("a", "ada@acme.example")).await;
    let bob = company.signed_in(&person("c", "bob@acme.example")).await;
    let id = ada.current_session().await["user"]["id"].clone();
    let body = json!({ "organizationId": app.organization, "memberIdOrEmail": id });
    let removed = company
        .owner
        .post("/api/auth/organization/remove-member", &body)
        .await;
    assert_eq!(removed.status, 200, "{}", removed.text);
    // Neither by another subject nor without the link.
    for sub in ["a", "b"] {
        let refused = company.refused(&person(sub, "ada@acme.example")).await;
        assert!(
            refused.contains("a member of the organization"),
            "{refused}"
        );
    }
    let linked = bob.get("/api/auth/list-accounts").await;
    let unlink = json!({ "id": linked.body[0]["id"] });
    let refused = bob.post("/api/auth/unlink-account", &unlink).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    app.finish().await;
}

#[actix::test]
async fn groups_give_roles_in_the_own_organization() {
    let (names, provider) = (Names::start(), Provider::start());
    let app = open(&names, "").await;
    let rules = json!({
        "joinRole": null,
        "roles": [{ "group": "staff", "role": "member" }, { "group": "bosses", "role": "owner" }],
    });
    let company = Company::found(&app, &names, &provider, &rules).await;
    let with = |groups: &[&str]| {
        let mut account = person("a", "ada@acme.example");
        account["groups"] = json!(groups);
        account
    };
    assert_eq!(
        role(&company.signed_in(&with(&["staff"])).await).await,
        "member"
    );
    let boss = company.signed_in(&with(&["staff", "bosses"])).await;
    assert_eq!(role(&boss).await, "owner");
    // Who is in no group any more leaves, and their session ends.
    let refused = company.refused(&with(&["others"])).await;
    assert!(
        refused.contains("a member of the organization"),
        "{refused}"
    );
    assert_eq!(boss.current_session().await, Value::Null);
    let left = roles(&company.owner).await;
    assert!(
        !left.iter().any(|(email, _)| email == "ada@acme.example"),
        "{left:?}"
    );
    app.finish().await;
}

#[actix::test]
async fn a_provider_needs_a_verified_domain() {
    let (names, provider) = (Names::start(), Provider::start());
    let app: App = open(&names, "").await;
    let owner = Browser::owner(&app).await;
    let id = add(&owner, &provider, &json!({})).await;
    let early = Browser::new(&app)
        .get(&format!("/api/auth/oidc/{id}"))
        .await;
    assert_eq!(early.status, 403, "{}", early.text);
    verify(&owner, &names, &app.organization, "acme.example").await;
    let begun = Browser::new(&app)
        .get(&format!("/api/auth/oidc/{id}"))
        .await;
    assert_eq!(begun.status, 303, "{}", begun.text);
    app.finish().await;
}
