//! What ends with a provider (threat T91).

use serde_json::json;

use super::{Company, Names, is_in, open, person, settings};
use crate::people::oidc::Provider;

#[actix::test]
async fn sessions_end_with_the_provider_the_domain_and_the_organization() {
    let (names, provider) = (Names::start(), Provider::start());
    let app = open(&names, "").await;
    let company = Company::found(&app, &names, &provider, &json!({})).await;
    let account = person("a", "ada@acme.example");
    let change = async |more: serde_json::Value| {
        let mut body = settings(&provider, &more);
        body["id"] = json!(company.id);
        let changed = company.owner.post("/sso/updateProvider", &body).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
    };

    let ada = company.signed_in(&account).await;
    change(json!({ "label": "Renamed" })).await;
    assert!(is_in(&ada).await, "a new name ends nothing");
    change(json!({ "enabled": false })).await;
    assert!(!is_in(&ada).await);
    let refused = company.refused(&account).await;
    assert!(refused.contains("turned off"), "{refused}");
    change(json!({})).await;

    let ada = company.signed_in(&account).await;
    let removed = json!({ "id": company.domain });
    assert_eq!(
        company
            .owner
            .post("/sso/removeDomain", &removed)
            .await
            .status,
        200
    );
    assert!(!is_in(&ada).await);
    company.refused(&account).await;
    super::verify(&company.owner, &names, &app.organization, "acme.example").await;

    let ada = company.signed_in(&account).await;
    let deleted = json!({ "organizationId": app.organization });
    let answer = company
        .owner
        .post("/api/auth/organization/delete", &deleted)
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(!is_in(&ada).await);
    company.refused(&account).await;
    let restored = company.owner.post("/organizations/restore", &deleted).await;
    assert_eq!(restored.status, 200, "{}", restored.text);

    let ada = company.signed_in(&account).await;
    let deleted = json!({ "id": company.id });
    assert_eq!(
        company
            .owner
            .post("/sso/deleteProvider", &deleted)
            .await
            .status,
        200
    );
    assert!(!is_in(&ada).await);
    company.refused(&account).await;
    app.finish().await;
}

#[actix::test]
async fn the_provider_signs_people_out() {
    let (names, provider) = (Names::start(), Provider::start());
    let app = open(&names, "").await;
    let company = Company::found(&app, &names, &provider, &json!({})).await;
    let ada = company.signed_in(&person("a", "ada@acme.example")).await;
    let sid = provider.control(&json!({})).await["sid"].clone();
    let path = format!(
        "/api/auth/oidc/{}/logout?iss={}&sid={}",
        company.id,
        provider.url,
        sid.as_str().unwrap()
    );
    assert_eq!(company.owner.get(&path).await.status, 200);
    assert!(!is_in(&ada).await && is_in(&company.owner).await);
    app.finish().await;
}
