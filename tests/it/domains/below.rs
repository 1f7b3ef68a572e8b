//! Names below the registered domain of the installation's own hosts.

use serde_json::json;

use super::{add, check, second_organization};
use crate::{app::App, names::Names, people::browser::Browser};

/// Threat T97: a wildcard record of the operator's leads any name here, so that alone gives no organization one of them.
#[actix::test]
async fn a_name_below_the_domain_of_the_installation_needs_the_text_record() {
    let names = Names::start();
    let toml = format!(
        "server.links_url = 'http://short.pharos.example'\n{}",
        names.toml()
    );
    let app = App::with(&toml).await;
    let owner = Browser::owner(&app).await;
    // Alone, an organization has no one to protect a name from, and keeps it when others come.
    let alone = add(
        &app,
        &json!({ "host": "go.pharos.example", "use": "links" }),
    )
    .await;
    assert_eq!(alone.body["requiresTxtRecord"], false, "{}", alone.text);
    names.set_alias("go.pharos.example", "short.pharos.example.");
    let alone = alone.body["id"].as_str().unwrap();
    assert_eq!(check(&app, alone).await.body["verified"], true);
    second_organization(&owner).await;
    assert_eq!(check(&app, alone).await.body["verified"], true);
    for host in [
        "www.pharos.example",
        "pharos.example",
        "a.short.pharos.example",
    ] {
        let added = add(&app, &json!({ "host": host, "use": "links" }))
            .await
            .body;
        assert_eq!(added["requiresTxtRecord"], true, "{added}");
        names.set_alias(host, "short.pharos.example.");
        let id = added["id"].as_str().unwrap();
        let led = check(&app, id).await.body;
        assert_eq!(
            (&led["findings"]["points"], &led["verified"]),
            (&json!("here"), &json!(false)),
            "{led}"
        );
        let page = owner.get(&format!("/console/domain/{id}")).await;
        assert!(page.text.contains("create the TXT record"), "{}", page.text);
        let record = |part: &str| added["verification"][part].as_str().unwrap();
        names.set(record("name"), &[record("value")]);
        let proved = check(&app, id).await.body;
        assert_eq!(proved["verified"], true, "{proved}");
    }
    // Elsewhere nothing changes.
    let other = add(&app, &json!({ "host": "go.acme.example", "use": "links" })).await;
    assert_eq!(other.body["requiresTxtRecord"], false, "{}", other.text);
    app.finish().await;
}
