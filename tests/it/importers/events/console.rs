use super::super::fixture;
use crate::{
    app::{App, until},
    console::page,
    people::browser::Browser,
};

const PATH: &str = "/console/import";

#[actix::test]
async fn a_file_of_events_is_uploaded_planned_and_imported_without_the_script() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let form = page(&owner, PATH).await;
    for word in [
        "Google Analytics 4 (events)",
        "Matomo (events)",
        "PostHog (events)",
    ] {
        assert!(form.contains(word), "{word}: {form}");
    }
    let file = fixture!("ga4.jsonl").as_bytes();
    let nowhere = owner
        .upload_with(PATH, &[("format", "ga4"), ("websiteId", "")], file)
        .await;
    assert_eq!(nowhere.status, 400, "{}", nowhere.text);
    assert!(
        nowhere.text.contains("Choose the website"),
        "{}",
        nowhere.text
    );
    let fields = [("format", "ga4"), ("websiteId", app.website.as_str())];
    let sent = owner.upload_with(PATH, &fields, file).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    let own = sent.header("location").to_owned();
    let mut shown = String::new();
    until("it is planned", async || {
        shown = page(&owner, &own).await;
        shown.contains("Import 7 events")
    })
    .await;
    for word in [
        "Nothing is stored yet",
        "traffic_source",
        "session_start",
        "outbound link",
        "Cancel import",
    ] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    let applied = owner.submit(&format!("{own}/apply"), &[]).await;
    assert_eq!(applied.status, 303, "{}", applied.text);
    until("it is imported", async || {
        shown = page(&owner, &own).await;
        shown.contains("7 events imported.")
    })
    .await;
    assert!(!shown.contains("Cancel import"), "{shown}");
    let list = page(&owner, PATH).await;
    assert!(
        list.contains("Recent imports of events") && list.contains(&own),
        "{list}"
    );

    let broken = owner.upload_with(PATH, &fields, b"<b>no export</b>").await;
    let own = broken.header("location").to_owned();
    until("it has failed", async || {
        page(&owner, &own)
            .await
            .contains("this is no BigQuery export")
    })
    .await;
    app.finish().await;
}
