//! Domains in the console.

use serde_json::json;

use super::{HERE, open};
use crate::{names::Names, people::browser::Browser};

#[actix::test]
async fn an_admin_adds_checks_and_removes_a_domain_with_forms() {
    let names = Names::start();
    let app = open(&names).await;
    let owner = Browser::owner(&app).await;
    let empty = owner.get("/console/domains").await;
    assert_eq!(empty.status, 200, "{}", empty.text);
    assert!(empty.text.contains("No domains yet") && empty.text.contains("/console/domains/new"));
    let form = owner.get("/console/domains/new").await;
    assert!(
        form.text.contains("First-party script") || form.text.contains("first-party script"),
        "{}",
        form.text
    );
    let wrong = owner
        .submit(
            "/console/domains/new",
            &[("host", "not a host"), ("use", "links")],
        )
        .await;
    assert!(
        wrong.text.contains("Enter a host name of your own"),
        "{}",
        wrong.text
    );
    let added = owner
        .submit(
            "/console/domains/new",
            &[("host", "go.acme.example"), ("use", "links")],
        )
        .await;
    assert_eq!(added.status, 303, "{}", added.text);
    let path = added
        .header("location")
        .split('?')
        .next()
        .unwrap()
        .to_owned();
    let page = owner.get(&path).await;
    for text in [
        "Not verified",
        "_pharos.go.acme.example",
        "pharos-verification=",
        HERE,
    ] {
        assert!(page.text.contains(text), "{text}: {}", page.text);
    }
    names.set_address("go.acme.example", Some(HERE));
    let checked = owner.submit(&format!("{path}/check"), &[]).await;
    assert_eq!(checked.status, 303, "{}", checked.text);
    let page = owner.get(&path).await;
    assert!(
        page.text.contains("Verified") && page.text.contains("The domain leads here."),
        "{}",
        page.text
    );
    let saved = owner
        .submit(&path, &[("rootUrl", "https://acme.example")])
        .await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    assert!(
        owner
            .get(&path)
            .await
            .text
            .contains("https://acme.example/")
    );

    // The form of a link offers it.
    let form = owner.get("/console/links/new").await;
    assert!(form.text.contains("go.acme.example"), "{}", form.text);
    let link = [
        ("targetUrl", "https://a.example/"),
        ("slug", "sale"),
        ("domain", "go.acme.example"),
    ];
    assert_eq!(owner.submit("/console/links/new", &link).await.status, 303);
    let refused = owner.submit(&format!("{path}/delete"), &[]).await;
    assert!(refused.text.contains("1 short link"), "{}", refused.text);
    let links = owner.post("/links/list", &json!({})).await;
    owner
        .post("/links/delete", &json!({ "id": links.body[0]["id"] }))
        .await;
    assert_eq!(
        owner.submit(&format!("{path}/delete"), &[]).await.status,
        303
    );
    assert!(
        owner
            .get("/console/domains")
            .await
            .text
            .contains("No domains yet")
    );
    app.finish().await;
}
