//! Probes in the console.

use serde_json::json;

use super::{OPEN, call, count_place_checks};
use crate::{
    app::{App, until},
    people::browser::Browser,
    uptime::{self, Target},
};

#[actix::test]
async fn a_member_creates_renames_revokes_and_deletes_a_probe_with_forms() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let empty = owner.get("/console/probes").await;
    assert!(empty.text.contains("No probes yet"), "{}", empty.text);
    let wrong = owner.submit("/console/probes/new", &[("name", " ")]).await;
    assert_eq!(wrong.status, 400, "{}", wrong.text);
    let fields = [
        ("name", "Sydney <1>"),
        ("country", "au"),
        ("latitude", "-33.9"),
        ("longitude", "151.2"),
    ];
    let made = owner.submit("/console/probes/new", &fields).await;
    assert_eq!(made.status, 200, "{}", made.text);
    assert!(made.text.contains("pharos probe --join"), "{}", made.text);
    assert!(made.text.contains("--token prb_"), "{}", made.text);
    let listed = call(&app, "list", json!({})).await;
    let probe = &listed.body[0];
    assert_eq!(probe["latitude"], -33.9);
    assert_eq!(probe["country"], "AU");
    let path = format!("/console/probe/{}", probe["id"].as_str().unwrap());
    let list = owner.get("/console/probes").await;
    for text in [
        "Sydney &lt;1&gt;",
        "Not connected yet",
        "aria-label=\"Locations of probes\"",
    ] {
        assert!(list.text.contains(text), "{text}: {}", list.text);
    }
    assert!(!list.text.contains("prb_"));
    let renamed = owner.submit(&path, &[("name", "Sydney")]).await;
    assert_eq!(renamed.status, 303, "{}", renamed.text);
    let renewed = owner.submit(&format!("{path}/renew"), &[]).await;
    assert!(renewed.text.contains("--token prb_"), "{}", renewed.text);
    let revoked = owner.submit(&format!("{path}/revoke"), &[]).await;
    assert_eq!(revoked.status, 303, "{}", revoked.text);
    let page = owner.get(&path).await;
    assert!(page.text.contains("Revoked") && page.text.contains("Sydney"));
    let deleted = owner.submit(&format!("{path}/delete"), &[]).await;
    assert_eq!(deleted.status, 303, "{}", deleted.text);
    assert_eq!(owner.get(&path).await.status, 404);
    app.finish().await;
}

#[actix::test]
async fn a_monitor_chooses_places_in_its_form_and_shows_what_each_found() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let target = Target::start().await;
    let (id, _) = super::create(&app, "Oslo").await;
    let form = owner.get("/console/monitors/new").await;
    assert!(form.text.contains("This server") && form.text.contains("Oslo"));
    let fields = [
        ("kind", "http"),
        ("url", target.url.as_str()),
        ("granularity", "minute"),
        ("places", "here"),
        ("places", id.as_str()),
        ("quorum", "1"),
    ];
    let made = owner.submit("/console/monitors/new", &fields).await;
    assert_eq!(made.status, 303, "{}", made.text);
    let path = made.header("location").split('?').next().unwrap();
    let monitor = path.rsplit('/').next().unwrap().to_owned();
    let stored = uptime::call_ok(&app, "getSchedule", json!({ "scheduleId": monitor })).await;
    assert_eq!(stored["places"], json!(["here", id]));
    assert_eq!(stored["quorum"], 1);
    // The probe never connected, so this server decides alone.
    until("this server has checked", async || {
        count_place_checks(&app, &monitor).await > 0
    })
    .await;
    let page = owner.get(path).await;
    assert!(page.text.contains("Locations (30 days)"), "{}", page.text);
    app.finish().await;
}
