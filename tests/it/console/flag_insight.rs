//! What a flag's page tells beside its settings.

use std::time::Duration;

use serde_json::json;

use super::{
    flags::{flag, new_flag},
    is_page, page,
};
use crate::{app::App, people::browser::Browser};

#[actix::test]
async fn a_flag_shows_its_evaluations_by_variant_and_code_for_clients() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let path = new_flag(&app, &owner, &[("key", "dark"), ("type", "boolean")]).await;
    let none = page(&owner, &path).await;
    assert!(none.contains("No evaluations yet"), "{none}");
    let report = |flag: &str, variant: &str, visitor: &str| {
        json!({
            "name": "$flag_evaluated", "websiteId": app.website, "anonymousId": visitor,
            "properties": { "flag": flag, "value": true, "variant": variant, "enabled": true },
        })
    };
    let reports = json!([
        report("dark", "treatment", "v1"),
        report("dark", "treatment", "v2"),
        report("dark", "", "v3"),
        report("other", "unrelated", "v1"),
    ]);
    assert_eq!(app.send(&reports).await.status, 200);
    let shown = page(&owner, &path).await;
    assert!(
        shown.contains("<code>treatment</code><span class=\"dim\"> 2 evaluations"),
        "{shown}"
    );
    assert!(
        shown.contains("<code>true</code><span class=\"dim\"> 1 evaluation"),
        "the value stands in for a variant: {shown}"
    );
    assert!(!shown.contains("unrelated"), "{shown}");
    let evaluate = format!(
        "/public/v1/flags/evaluate?clientId={}&amp;key=dark",
        app.website
    );
    assert!(shown.contains(&evaluate), "{shown}");
    for client in [
        "curl (OFREP)",
        "OpenFeature for the web",
        "getBooleanValue(",
        "get_boolean_value(",
    ] {
        assert!(shown.contains(client), "{client}: {shown}");
    }
    app.finish().await;
}

#[actix::test]
async fn a_flag_that_has_not_changed_in_a_month_is_marked_as_stale() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let path = new_flag(&app, &owner, &[("key", "shipped"), ("type", "boolean")]).await;
    let fresh = page(&owner, "/console/flags").await;
    assert!(!fresh.contains("Stale"), "{fresh}");
    app.clock.advance(Duration::from_hours(24 * 31));
    let owner = Browser::owner(&app).await;
    let list = page(&owner, "/console/flags").await;
    assert!(list.contains("state warn\">Stale<"), "{list}");
    let shown = page(&owner, &path).await;
    assert!(shown.contains("This flag is stale."), "{shown}");
    assert!(
        shown.contains("It has the same value for everyone."),
        "{shown}"
    );
    app.finish().await;
}

#[actix::test]
async fn a_change_is_previewed_without_saving_it() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let path = new_flag(&app, &owner, &[("key", "dark"), ("type", "boolean")]).await;
    let url = format!("{}/public/v1/flags/bulk", app.base);
    let ask = json!({ "clientId": app.website, "keys": ["dark"], "userId": "anna" });
    assert_eq!(app.post_anonymously(url, &ask).await.status, 200);
    let change = [
        ("type", "boolean"),
        ("defaultValue", "on"),
        ("status", "active"),
        ("preview", "1"),
    ];
    let preview = owner.submit(&path, &change).await;
    is_page(&preview, 200);
    assert!(
        preview.text.contains("1 turned on, 0 turned off"),
        "{}",
        preview.text
    );
    assert!(preview.text.contains("anna"), "{}", preview.text);
    let ticked = "name=\"defaultValue\" type=\"checkbox\" value=\"on\" checked";
    assert!(
        preview.text.contains(ticked),
        "the form stays as it was sent: {}",
        preview.text
    );
    let id = path.rsplit('/').next().unwrap();
    assert_eq!(
        flag(&app, id).await["defaultValue"],
        false,
        "nothing is saved"
    );
    app.finish().await;
}
