//! Organizations that require their own provider.

use serde_json::json;

use super::{Company, Names, open, person, settings, try_at, verify};
use crate::people::oidc::Provider;

const REQUIRE: &str = "/api/auth/organization/require-provider";

#[actix::test]
async fn an_organization_requires_its_own_provider_and_keeps_it() {
    let (names, provider) = (Names::start(), Provider::start());
    let app = open(&names, "").await;
    let rules = json!({ "joinRole": "owner" });
    let company = Company::found(&app, &names, &provider, &rules).await;
    let ada = company.signed_in(&person("a", "ada@acme.example")).await;

    // The owner of two organizations signed in with the provider of the other one.
    let made = ada
        .post("/api/auth/organization/create", &json!({ "name": "Other" }))
        .await;
    let other = json!({ "organizationId": made.body["id"], "provider": company.id });
    let refused = ada.post(REQUIRE, &other).await;
    assert_eq!(refused.status, 403, "{}", refused.text);

    let own = json!({ "organizationId": app.organization, "provider": company.id });
    assert_eq!(company.owner.post(REQUIRE, &own).await.status, 403);
    let required = ada.post(REQUIRE, &own).await;
    assert_eq!(required.status, 200, "{}", required.text);
    let listed = company
        .owner
        .post(
            "/sso/listProviders",
            &json!({ "organizationId": app.organization }),
        )
        .await;
    assert_eq!(
        listed.status, 404,
        "a password opens it no more: {}",
        listed.text
    );

    // Nobody could come in without it.
    let mut off = settings(&provider, &json!({ "enabled": false, "id": company.id }));
    off["joinRole"] = json!("owner");
    for (path, body) in [
        ("/sso/deleteProvider", json!({ "id": company.id })),
        ("/sso/updateProvider", off),
        ("/sso/removeDomain", json!({ "id": company.domain })),
    ] {
        let refused = ada.post(path, &body).await;
        assert_eq!(refused.status, 409, "{path}: {}", refused.text);
    }
    verify(&ada, &names, &app.organization, "acme.test").await;
    let removed = ada
        .post("/sso/removeDomain", &json!({ "id": company.domain }))
        .await;
    assert_eq!(removed.status, 200, "{}", removed.text);
    let account = person("b", "bob@acme.test");
    let (bob, answer) = try_at(&app.base, &provider, &company.id, &account).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
    let freed = json!({ "organizationId": app.organization, "provider": null });
    assert_eq!(bob.post(REQUIRE, &freed).await.status, 200);
    app.finish().await;
}
