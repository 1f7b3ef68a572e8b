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
    assert!(refused.contains("Events are rejected"), "{refused}");
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
async fn problems_with_a_website_are_shown_beside_their_field() {
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

#[actix::test]
async fn a_website_without_events_opens_its_installation_and_a_test_event_ends_that() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let site = format!("/console/site/{}", app.website);
    let setup = format!("{site}/setup");
    assert_eq!(leads_to(&owner.get(&site).await), setup);
    page(&owner, &format!("{site}?preset=today")).await;
    let viewer = invited(&app, &owner, "viewer").await;
    assert!(!page(&viewer, &setup).await.contains("Send test event"));
    is_page(&viewer.submit(&format!("{setup}/test"), &[]).await, 403);

    assert!(page(&owner, &setup).await.contains("Send test event"));
    let sent = owner.submit(&format!("{setup}/test"), &[]).await;
    assert_eq!(leads_to(&sent), setup);
    let arrived = page(&owner, &setup).await;
    assert!(
        arrived.contains("1 event has arrived") && arrived.contains("/pharos-test"),
        "{arrived}"
    );
    assert!(page(&owner, &site).await.contains("/pharos-test"));
    app.finish().await;
}

#[actix::test]
async fn the_script_is_shown_for_each_platform_and_links_lead_to_its_options() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let path = format!("/console/site/{}/setup", app.website);
    for (with, word) in [
        ("", "&lt;script defer"),
        ("nextjs", "next/script"),
        ("wordpress", "wp_head"),
        ("gtm", "setAttribute"),
        ("javascript", "pharos.track"),
        ("other", "&lt;script defer"),
    ] {
        let shown = page(&owner, &format!("{path}?with={with}")).await;
        assert!(
            shown.contains(word) && shown.contains(&app.website),
            "{with}: {shown}"
        );
    }
    let shown = page(&owner, &path).await;
    let docs = Browser::new(&app).get("/docs").await.text;
    for anchor in shown.split("href=\"/docs#").skip(1) {
        let anchor = anchor.split('"').next().unwrap();
        assert!(docs.contains(&format!("id=\"{anchor}\"")), "{anchor}");
    }
    assert!(shown.contains("/docs#tracker-script"), "{shown}");
    app.finish().await;
}
