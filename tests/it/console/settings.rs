//! Settings of a website.

use serde_json::{Value, json};

use super::{is_page, leads_to, page};
use crate::{
    app::App,
    people::{OPEN, browser::Browser, team::invited},
};

async fn website(app: &App) -> Value {
    let url = format!("{}/websites/getById", app.base);
    app.post(url, &json!({ "id": app.website })).await.body
}

#[actix::test]
async fn settings_are_changed_and_what_is_wrong_is_said() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let path = format!("/console/site/{}/settings", app.website);
    page(&owner, &path).await;
    let send = async |part: &str, fields: &[(&str, &str)]| {
        owner.submit(&format!("{path}/{part}"), fields).await
    };
    let done = format!("{path}?done=1");
    let named = send("name", &[("name", "Shop"), ("domain", "shop.example.com")]).await;
    assert_eq!(leads_to(&named), done);
    assert!(
        page(&owner, &done)
            .await
            .contains("<span class=\"dim\">Shop</span>")
    );
    let wrong = send("name", &[("name", "Shop"), ("domain", "no domain")]).await;
    is_page(&wrong, 400);
    assert!(wrong.text.contains("id=\"domain-wrong\""), "{}", wrong.text);

    let rules = [
        (
            "settings.allowedOrigins",
            "*.example.com\r\n\r\nlocalhost:3000 ",
        ),
        ("settings.excludedPaths", "/admin/*"),
        ("settings.retentionDays", "90"),
        ("bots", "on"),
    ];
    assert_eq!(leads_to(&send("rules", &rules).await), done);
    let settings = website(&app).await["settings"].clone();
    assert_eq!(
        settings["allowedOrigins"],
        json!(["*.example.com", "localhost:3000"])
    );
    assert_eq!(settings["retentionDays"], 90);
    assert_eq!(settings["ignoreBotDetection"], true);
    let shown = page(&owner, &path).await;
    assert!(
        shown.contains("*.example.com\nlocalhost:3000</textarea>"),
        "{shown}"
    );
    let wrong = send(
        "rules",
        &[
            ("settings.allowedIps", "nonsense"),
            ("settings.retentionDays", ""),
        ],
    )
    .await;
    is_page(&wrong, 400);
    assert!(wrong.text.contains("nonsense"), "{}", wrong.text);
    assert_eq!(leads_to(&send("rules", &[]).await), done);
    assert_eq!(
        website(&app).await["settings"]["retentionDays"],
        Value::Null
    );

    assert_eq!(leads_to(&send("public", &[("public", "yes")]).await), done);
    assert!(
        page(&owner, &path)
            .await
            .contains(&format!("/v1/query?website_id={}", app.website))
    );
    assert_eq!(leads_to(&send("public", &[("public", "no")]).await), done);
    assert_eq!(leads_to(&send("rotate", &[]).await), done);
    assert_ne!(website(&app).await["clientId"], json!(app.website));
    app.finish().await;
}

#[actix::test]
async fn a_website_is_deleted_by_who_says_its_domain() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let viewer = invited(&app, &owner, "viewer").await;
    let path = format!("/console/site/{}/settings", app.website);
    let seen = page(&viewer, &path).await;
    assert!(!seen.contains("Delete website"), "{seen}");
    is_page(
        &viewer
            .submit(
                &format!("{path}/name"),
                &[("name", "a"), ("domain", "b.example")],
            )
            .await,
        403,
    );
    let delete = format!("{path}/delete");
    let wrong = owner.submit(&delete, &[("sure", "other.example")]).await;
    is_page(&wrong, 400);
    assert!(wrong.text.contains("wasn't deleted"), "{}", wrong.text);
    is_page(&viewer.submit(&delete, &[("sure", "localhost")]).await, 403);
    assert_eq!(
        leads_to(&owner.submit(&delete, &[("sure", "LOCALHOST")]).await),
        "/"
    );
    is_page(&owner.get(&path).await, 404);
    app.finish().await;
}

#[actix::test]
async fn clients_of_other_products_are_added_and_removed() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let path = format!("/console/site/{}/settings", app.website);
    let send = async |part: &str, fields: &[(&str, &str)]| {
        let path = format!("{path}/{part}");
        owner.submit(&path, fields).await
    };
    let fields = [("protocol", "plausible"), ("externalId", "shop.example")];
    let nothing = send("compatibility", &[("protocol", "nonsense")]).await;
    is_page(&nothing, 400);
    let added = send("compatibility", &fields).await;
    assert_eq!(leads_to(&added), format!("{path}?done=1"));
    let shown = page(&owner, &path).await;
    assert!(shown.contains("Remove Plausible shop.example"), "{shown}");
    is_page(&send("compatibility", &fields).await, 400);
    let secret = [
        ("protocol", "ga4"),
        ("externalId", "G-1"),
        ("secret", "0123456789"),
    ];
    send("compatibility", &secret).await;
    assert_eq!(
        website(&app).await["compatibility"],
        json!([
            { "protocol": "plausible", "id": "shop.example", "hasSecret": false },
            { "protocol": "ga4", "id": "G-1", "hasSecret": true },
        ])
    );
    let removed = send("compatibility/remove", &fields).await;
    assert_eq!(leads_to(&removed), format!("{path}?done=1"));
    assert_eq!(website(&app).await["compatibility"][0]["protocol"], "ga4");
    app.finish().await;
}
