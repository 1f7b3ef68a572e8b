//! Adding a website, and seeing its first event arrive.

use serde_json::json;

use super::{is_page, leads_to, page};
use crate::{
    app::{Answer, App},
    people::{OPEN, browser::Browser, team::invited},
};

#[actix::test]
async fn a_website_is_added_and_its_first_event_is_seen() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    page(&owner, "/console/sites/new").await;
    let made = owner
        .submit(
            "/console/sites/new",
            &[("domain", "https://Shop.example.com/x"), ("name", "")],
        )
        .await;
    let path = leads_to(&made).to_owned();
    let id = path.split('/').nth(3).unwrap();
    let setup = page(&owner, &path).await;
    assert!(setup.contains("Waiting for the first event"), "{setup}");
    assert!(
        setup.contains(&format!("data-client-id=&quot;{id}&quot;")),
        "{setup}"
    );
    assert!(
        setup.contains(&format!("{}/pharos.js", app.track)),
        "{setup}"
    );
    assert!(
        page(&owner, "/").await.contains("Shop.example.com"),
        "it is called like its domain"
    );

    let send = async |origin: &str| {
        let event = json!({
            "eventId": uuid::Uuid::new_v4().to_string(), "name": "screen_view", "anonymousId": "a", "sessionId": "s",
            "path": "https://shop.example.com/",
        });
        let request = app.http.post(format!("{}/?client_id={id}", app.track));
        Answer::send(request.header("origin", origin).json(&event))
            .await
            .status
    };
    assert_eq!(send("https://<b>.evil.example").await, 403);
    assert_eq!(send("https://other.example").await, 403);
    let refused = page(&owner, &path).await;
    assert!(refused.contains("Events are refused"), "{refused}");
    assert!(
        refused.contains("other.example") && !refused.contains("<b>.evil"),
        "{refused}"
    );
    assert_eq!(send("https://shop.example.com").await, 200);
    let arrived = page(&owner, &path).await;
    assert!(arrived.contains("1 event has arrived"), "{arrived}");
    app.finish().await;
}

#[actix::test]
async fn what_is_wrong_with_a_website_stands_beside_its_field() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let add = async |browser: &Browser<'_>, domain: &str, name: &str| {
        let fields = [("domain", domain), ("name", name)];
        browser.submit("/console/sites/new", &fields).await
    };
    let wrong = add(&owner, "not a domain", "Mine").await;
    is_page(&wrong, 400);
    assert!(
        wrong.text.contains("aria-invalid=\"true\""),
        "{}",
        wrong.text
    );
    assert!(
        wrong.text.contains("value=\"Mine\""),
        "what was typed stays: {}",
        wrong.text
    );
    let taken = add(&owner, "localhost", "Again").await;
    is_page(&taken, 409);
    assert!(taken.text.contains("role=\"alert\""), "{}", taken.text);
    let viewer = invited(&app, &owner, "viewer").await;
    let refused = add(&viewer, "example.org", "Theirs").await;
    is_page(&refused, 403);
    assert!(
        refused.text.contains("Missing required"),
        "{}",
        refused.text
    );
    let path = format!("/console/site/{}/setup", app.website);
    page(&viewer, &path).await;
    app.finish().await;
}
