//! Who may change what, and what no answer shows (threat T92).

use serde_json::{Value, json};

use super::{Company, Names, SECRET, add, open, settings};
use crate::{
    app::App,
    oauth::leaks::is_in_files,
    people::{OPEN, browser::Browser, oidc::Provider, team::Team},
};

#[actix::test]
async fn only_owners_of_the_organization_see_and_change_anything() {
    let (names, provider) = (Names::start(), Provider::start());
    let app = open(&names, OPEN).await;
    let team = Team::invite(&app).await;
    let company = Company::found(&app, &names, &provider, &json!({})).await;
    let organization = json!({ "organizationId": app.organization });
    let mut new_domain = organization.clone();
    new_domain["domain"] = json!("other.example");
    let mut new_provider = settings(&provider, &organization);
    new_provider["label"] = json!("Other");
    let mut changed = settings(&provider, &json!({ "id": company.id }));
    changed["label"] = json!("Other");
    let domain = json!({ "id": company.domain });
    let own = json!({ "id": company.id });
    for (path, body) in [
        ("addDomain", &new_domain),
        ("listDomains", &organization),
        ("checkDomain", &domain),
        ("removeDomain", &domain),
        ("createProvider", &new_provider),
        ("listProviders", &organization),
        ("updateProvider", &changed),
        ("deleteProvider", &own),
        ("testProvider", &own),
    ] {
        let path = format!("/sso/{path}");
        for (who, browser) in team.all() {
            let expected = match who {
                "owner" => continue,
                "stranger" => 404,
                _ => 403,
            };
            let answer = browser.post(&path, body).await;
            assert_eq!(answer.status, expected, "{who} {path}: {}", answer.text);
        }
        let anonymous = Browser::new(&app).post(&path, body).await;
        assert_eq!(anonymous.status, 401, "{path}: {}", anonymous.text);
        let key = app.post(format!("{}{path}", app.base), body).await;
        assert_eq!(key.status, 403, "{path}: {}", key.text);
    }
    app.finish().await;
}

#[actix::test]
async fn the_client_secret_is_in_no_answer_no_log_and_no_file() {
    let provider = Provider::start();
    let app = App::outside("log.level = \"trace\"\negress.allow = ['127.0.0.0/8']").await;
    let owner = Browser::owner(&app).await;
    let secret = "the-client-secret-of-acme";
    let id = add(&owner, &provider, &json!({ "clientSecret": secret })).await;
    let mut kept = settings(&provider, &json!({ "id": id, "label": "Renamed" }));
    kept.as_object_mut().unwrap().remove("clientSecret");
    for (path, body) in [
        ("/sso/updateProvider", &kept),
        ("/sso/testProvider", &json!({ "id": id })),
        ("/sso/listProviders", &json!({})),
        ("/audit/list", &json!({})),
    ] {
        let answer = owner.post(path, body).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        assert!(!answer.text.contains(secret), "{path}: {}", answer.text);
    }
    let page = owner.get(&format!("/console/members/sso/{id}")).await;
    assert!(
        page.status == 200 && !page.text.contains(secret),
        "{}",
        page.text
    );
    let wrong = settings(
        &provider,
        &json!({ "clientSecret": secret, "issuer": "nonsense" }),
    );
    let refused = owner.post("/sso/createProvider", &wrong).await;
    assert!(
        refused.status == 400 && !refused.text.contains(secret),
        "{}",
        refused.text
    );
    let deleted = owner
        .post("/sso/deleteProvider", &json!({ "id": id }))
        .await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    assert_eq!(app.count_log_lines(secret), 0);
    assert!(!is_in_files(app.directory(), secret));
    app.finish().await;
}

#[actix::test]
async fn a_secret_goes_to_no_other_issuer_and_settings_have_limits() {
    let (names, provider) = (Names::start(), Provider::start());
    let app = open(&names, "").await;
    let company = Company::found(&app, &names, &provider, &json!({})).await;
    let change = async |more: Value| {
        let mut body = settings(&provider, &more);
        body["id"] = json!(company.id);
        if body["clientSecret"] == SECRET {
            body.as_object_mut().unwrap().remove("clientSecret");
        }
        company.owner.post("/sso/updateProvider", &body).await
    };
    let moved = change(json!({ "issuer": "https://evil.example.com" })).await;
    assert_eq!(moved.status, 400, "{}", moved.text);
    assert!(moved.text.contains("client secret again"), "{}", moved.text);
    let again = json!({ "issuer": "https://id.example.com", "clientSecret": "new" });
    assert_eq!(change(again).await.status, 200);
    for wrong in [
        json!({ "label": "" }),
        json!({ "label": "x".repeat(101) }),
        json!({ "clientId": "" }),
        json!({ "scopes": "email" }),
        json!({ "groupsClaim": "" }),
        json!({ "joinRole": "boss" }),
        json!({ "roles": [{ "group": "", "role": "viewer" }] }),
        json!({ "roles": [{ "group": "a", "role": "boss" }] }),
    ] {
        let mut body = wrong.clone();
        body["clientSecret"] = json!("new");
        let refused = change(body).await;
        assert_eq!(refused.status, 400, "{wrong}: {}", refused.text);
    }
    for _ in 1..10 {
        add(&company.owner, &provider, &json!({})).await;
    }
    let full = settings(&provider, &json!({}));
    let full = company.owner.post("/sso/createProvider", &full).await;
    assert_eq!(full.status, 403, "{}", full.text);
    app.finish().await;
}
