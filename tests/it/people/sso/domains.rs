//! Whose a domain is.

use std::time::Duration;

use serde_json::json;

use super::{Names, check, open, verify};
use crate::people::browser::Browser;

#[actix::test]
async fn a_domain_counts_once_its_text_record_is_found() {
    let names = Names::start();
    let app = open(&names, "").await;
    let owner = Browser::owner(&app).await;
    let added = owner
        .post("/sso/addDomain", &json!({ "domain": " @Acme.Example. " }))
        .await;
    assert_eq!(added.status, 200, "{}", added.text);
    assert_eq!(added.body["domain"], "acme.example");
    assert_eq!(added.body["recordName"], "_pharos.acme.example");
    let text = added.body["recordText"].as_str().unwrap();
    assert!(
        text.starts_with("pharos-verification=") && text.len() > 50,
        "{text}"
    );
    let id = added.body["id"].as_str().unwrap();

    let missing = check(&owner, id).await.body;
    assert_eq!(
        (&missing["verified"], &missing["outcome"]),
        (&json!(false), &json!("missing"))
    );
    names.set("_pharos.acme.example", &["v=spf1 -all", &text[1..]]);
    let other = check(&owner, id).await.body;
    assert_eq!(other["verified"], false);
    assert_eq!(other["foundRecords"], json!(["v=spf1 -all", text[1..]]));
    names.set_broken(true);
    let silent = check(&owner, id).await.body;
    assert_eq!(
        (&silent["verified"], &silent["outcome"]),
        (&json!(false), &json!("unknown"))
    );
    names.set_broken(false);
    names.set("_pharos.acme.example", &["v=spf1 -all", text]);
    let found = check(&owner, id).await.body;
    assert_eq!(
        (&found["verified"], &found["outcome"]),
        (&json!(true), &json!("found"))
    );

    // Five checks a minute.
    assert_eq!(check(&owner, id).await.status, 200);
    let limited = check(&owner, id).await;
    assert_eq!(limited.status, 429, "{}", limited.text);
    app.clock.advance(Duration::from_mins(1));
    assert_eq!(check(&owner, id).await.status, 200);
    let listed = owner.post("/sso/listDomains", &json!({})).await;
    assert_eq!(listed.body.as_array().unwrap().len(), 1, "{}", listed.text);
    app.finish().await;
}

#[actix::test]
async fn addresses_and_names_that_anybody_registers_below_are_refused() {
    let names = Names::start();
    let app = open(&names, "").await;
    let owner = Browser::owner(&app).await;
    for wrong in [
        "",
        "com",
        "co.uk",
        "github.io",
        "localhost",
        "127.0.0.1",
        "[::1]",
        "2130706433",
        "a b.example",
        "https://acme.example",
        "acme.example/x",
        "a..example",
        "*.acme.example",
        "_dmarc.acme.example",
        "acme.example:443",
    ] {
        let answer = owner
            .post("/sso/addDomain", &json!({ "domain": wrong }))
            .await;
        assert_eq!(answer.status, 400, "{wrong}: {}", answer.text);
    }
    for good in [
        "me.github.io",
        "acme.co.uk",
        "eu.acme.example",
        "müller.example",
    ] {
        let answer = owner
            .post("/sso/addDomain", &json!({ "domain": good }))
            .await;
        assert_eq!(answer.status, 200, "{good}: {}", answer.text);
    }
    let again = owner
        .post("/sso/addDomain", &json!({ "domain": "ACME.co.uk" }))
        .await;
    assert_eq!(again.status, 409, "{}", again.text);
    for nth in 4..20 {
        let body = json!({ "domain": format!("d{nth}.example") });
        assert_eq!(owner.post("/sso/addDomain", &body).await.status, 200);
    }
    let full = owner
        .post("/sso/addDomain", &json!({ "domain": "d20.example" }))
        .await;
    assert_eq!(full.status, 403, "{}", full.text);
    app.finish().await;
}

#[actix::test]
async fn a_domain_is_verified_for_one_organization_at_a_time() {
    let names = Names::start();
    let app = open(&names, "").await;
    let owner = Browser::owner(&app).await;
    let first = verify(&owner, &names, &app.organization, "acme.example").await;
    let made = owner
        .post("/api/auth/organization/create", &json!({ "name": "Other" }))
        .await;
    let other = made.body["id"].as_str().unwrap();
    let body = json!({ "organizationId": other, "domain": "acme.example" });
    let second = owner.post("/sso/addDomain", &body).await;
    assert_eq!(second.status, 200, "{}", second.text);
    let id = second.body["id"].as_str().unwrap();
    names.publish(&second.body);
    let taken = check(&owner, id).await;
    assert_eq!(taken.status, 409, "{}", taken.text);

    let removed = owner
        .post("/sso/removeDomain", &json!({ "id": first }))
        .await;
    assert_eq!(removed.status, 200, "{}", removed.text);
    let checked = check(&owner, id).await;
    assert_eq!(checked.body["verified"], true, "{}", checked.text);
    app.finish().await;
}
