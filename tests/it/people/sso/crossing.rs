//! The same issuer in two organizations and in the configuration: links don't cross (threat T90).

use serde_json::{Value, json};

use super::{Company, Names, is_in, open, person, try_at, verify};
use crate::people::oidc::Provider;

#[actix::test]
async fn providers_with_the_same_issuer_share_no_links() {
    let (names, provider) = (Names::start(), Provider::start());
    let toml =
        provider.toml("create_accounts = 'verified_email'\nemail_domains = ['operator.example']");
    let app = open(&names, &toml).await;
    let company = Company::found(&app, &names, &provider, &json!({})).await;
    let made = company
        .owner
        .post("/api/auth/organization/create", &json!({ "name": "Other" }))
        .await;
    let other = made.body["id"].as_str().unwrap().to_owned();
    verify(&company.owner, &names, &other, "other.example").await;
    let body = super::settings(&provider, &json!({ "organizationId": other }));
    let second = company.owner.post("/sso/createProvider", &body).await;
    let second = second.body["id"].as_str().unwrap().to_owned();

    // One subject, three providers, three accounts.
    let user = async |browser: &crate::people::browser::Browser<'_>| -> Value {
        browser.current_session().await["user"]["email"].clone()
    };
    let one = company.signed_in(&person("a", "ada@acme.example")).await;
    assert_eq!(user(&one).await, "ada@acme.example");
    let account = person("a", "ada@other.example");
    let (two, answer) = try_at(&app.base, &provider, &second, &account).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
    assert_eq!(user(&two).await, "ada@other.example");
    assert_eq!(
        two.current_session().await["session"]["activeOrganizationId"],
        other
    );
    let account = person("a", "ada@operator.example");
    let (three, answer) = try_at(&app.base, &provider, "test", &account).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
    assert_eq!(user(&three).await, "ada@operator.example");

    // Neither signs in the people of the other, linked or not.
    for (id, email) in [
        (&second, "ada@acme.example"),
        (&company.id, "ada@other.example"),
    ] {
        let (browser, answer) = try_at(&app.base, &provider, id, &person("a", email)).await;
        assert_eq!(answer.status, 403, "{}", answer.text);
        assert!(!is_in(&browser).await);
    }

    // Deleting one ends its own sessions alone.
    let deleted = company
        .owner
        .post("/sso/deleteProvider", &json!({ "id": second }))
        .await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    assert!(is_in(&one).await && !is_in(&two).await && is_in(&three).await);
    app.finish().await;
}

#[actix::test]
async fn the_answer_of_one_provider_is_none_for_another() {
    let (names, provider) = (Names::start(), Provider::start());
    let app = open(&names, "").await;
    let company = Company::found(&app, &names, &provider, &json!({})).await;
    let second = super::add(&company.owner, &provider, &json!({ "label": "Second" })).await;
    let account = person("a", "ada@acme.example");
    let names = json!({ "app": app.base, "names": [company.id, second], "account": account });
    provider.control(&names).await;
    let browser = crate::people::browser::Browser::new(&app);
    let start = format!("/api/auth/oidc/{}", company.id);
    let back = provider.begin(&app, &browser, &start).await;
    let answer = browser.get(&back.replace(&company.id, &second)).await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert!(!is_in(&browser).await);
    app.finish().await;
}
