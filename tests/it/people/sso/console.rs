//! The pages of single sign-on, without a script.

use serde_json::json;

use super::{Names, open};
use crate::people::{browser::Browser, oidc::Provider};

#[actix::test]
async fn an_owner_sets_single_sign_on_up_with_forms() {
    let (names, provider) = (Names::start(), Provider::start());
    let app = open(&names, "").await;
    let owner = Browser::owner(&app).await;
    let members = owner.get("/console/members").await;
    assert!(
        members.text.contains("/console/members/sso"),
        "{}",
        members.text
    );

    let sso = "/console/members/sso";
    let wrong = owner
        .submit("/console/members/sso/domains/add", &[("domain", "co.uk")])
        .await;
    assert_eq!(wrong.status, 400, "{}", wrong.text);
    assert!(wrong.text.contains("public suffixes"), "{}", wrong.text);
    let added = owner
        .submit(
            "/console/members/sso/domains/add",
            &[("domain", "acme.example")],
        )
        .await;
    assert_eq!(added.status, 303, "{}", added.text);
    let listed = owner.post("/sso/listDomains", &json!({})).await;
    let domain = &listed.body[0];
    let id = domain["id"].as_str().unwrap();
    let page = owner.get(sso).await;
    assert!(page.text.contains("_pharos.acme.example"), "{}", page.text);
    assert!(
        page.text.contains(domain["recordText"].as_str().unwrap()),
        "{}",
        page.text
    );
    let check = async || {
        owner
            .submit("/console/members/sso/domains/check", &[("id", id)])
            .await
    };
    assert_eq!(check().await.status, 303);
    let page = owner.get(sso).await;
    assert!(
        page.text.contains("No TXT record with this name"),
        "{}",
        page.text
    );
    names.publish(domain);
    check().await;
    let page = owner.get(sso).await;
    assert!(page.text.contains("Verified"), "{}", page.text);

    let fields = [
        ("label", "Acme"),
        ("issuer", &provider.url),
        ("clientId", "pharos"),
        ("clientSecret", super::SECRET),
        ("joinRole", "member"),
        ("enabled", "on"),
        ("roles", "admin The bosses\nviewer staff"),
    ];
    let made = owner.submit("/console/members/sso/new", &fields).await;
    assert_eq!(made.status, 303, "{}", made.text);
    let path = made.header("location").to_owned();
    let listed = owner.post("/sso/listProviders", &json!({})).await;
    assert_eq!(
        listed.body[0]["roles"],
        json!([{ "group": "The bosses", "role": "admin" }, { "group": "staff", "role": "viewer" }])
    );
    let tested = owner.submit(&format!("{path}/test"), &[]).await;
    assert!(
        tested.text.contains("description was read"),
        "{}",
        tested.text
    );
    let changed = owner
        .submit(
            &path,
            &[
                ("label", "Renamed"),
                ("issuer", &provider.url),
                ("clientId", "pharos"),
            ],
        )
        .await;
    assert_eq!(changed.status, 303, "{}", changed.text);
    let listed = owner.post("/sso/listProviders", &json!({})).await;
    let one = &listed.body[0];
    assert_eq!(
        (&one["label"], &one["enabled"]),
        (&json!("Renamed"), &json!(false))
    );
    assert_eq!(
        one["hasClientSecret"], true,
        "an empty field keeps the secret"
    );
    let deleted = owner.submit(&format!("{path}/delete"), &[]).await;
    assert_eq!(deleted.header("location"), sso, "{}", deleted.text);
    let removed = owner
        .submit("/console/members/sso/domains/remove", &[("id", id)])
        .await;
    assert_eq!(removed.status, 303, "{}", removed.text);
    app.finish().await;
}
