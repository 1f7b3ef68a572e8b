//! Status pages at the console: create, fill, report, follow, delete.

use serde_json::{Value, json};

use super::{is_page, leads_to, page};
use crate::{
    app::App,
    people::{OPEN, browser::Browser, team::invited},
};

const NEW: &str = "/console/status-pages/new";

async fn stored(app: &App, id: &str) -> Value {
    let url = format!("{}/statusPage/get", app.base);
    app.post(url, &json!({ "statusPageId": id })).await.body
}

/// Makes a page, and says where it is changed.
async fn create_page(owner: &Browser<'_>, slug: &str) -> String {
    let answer = owner
        .submit(NEW, &[("name", "Shop <b>"), ("slug", slug)])
        .await;
    leads_to(&answer).to_owned()
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

#[actix::test]
async fn a_status_page_is_made_given_monitors_changed_and_deleted() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let empty = page(&owner, "/console/status-pages").await;
    assert!(empty.contains("No status pages yet"), "{empty}");
    page(&owner, NEW).await;
    let wrong = owner
        .submit(NEW, &[("name", "Kept"), ("slug", "No slug")])
        .await;
    is_page(&wrong, 400);
    let kept = wrong.text.contains("id=\"slug-wrong\"") && wrong.text.contains("value=\"Kept\"");
    assert!(kept, "{}", wrong.text);

    let path = create_page(&owner, "shop").await;
    let shown = page(&owner, &path).await;
    assert!(
        shown.contains("Shop &lt;b&gt;")
            && shown.contains("/status/shop")
            && shown.contains("Create a monitor first"),
        "{shown}"
    );
    let push = [
        ("kind", "push"),
        ("name", "Backup"),
        ("granularity", "hour"),
    ];
    let monitor = owner.submit("/console/monitors/new", &push).await;
    let monitor = last(leads_to(&monitor)).to_owned();
    let done = format!("{path}?done=1");
    let added = owner
        .submit(&format!("{path}/monitors/add"), &[("monitor", &monitor)])
        .await;
    assert_eq!(leads_to(&added), done);
    let twice = owner
        .submit(&format!("{path}/monitors/add"), &[("monitor", &monitor)])
        .await;
    is_page(&twice, 400);
    assert!(twice.text.contains("already on the page"), "{}", twice.text);
    let own = stored(&app, last(&path)).await["monitors"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let look = [
        ("id", own.as_str()),
        ("displayName", "Nightly"),
        ("order", "3"),
        ("hideUrl", "on"),
        ("automaticIncidents", "false"),
    ];
    assert_eq!(
        leads_to(&owner.submit(&format!("{path}/monitors/set"), &look).await),
        done
    );
    let one = stored(&app, last(&path)).await["monitors"][0].clone();
    assert_eq!(one["displayName"], "Nightly");
    assert_eq!(
        (
            &one["hideUrl"],
            &one["hideLatency"],
            &one["automaticIncidents"]
        ),
        (&json!(true), &json!(false), &json!(false))
    );
    let wrong = [("id", own.as_str()), ("order", "first")];
    is_page(
        &owner.submit(&format!("{path}/monitors/set"), &wrong).await,
        400,
    );

    let change = [
        ("name", "Store"),
        ("slug", "store"),
        ("theme", "dark"),
        ("automaticIncidents", "on"),
        ("supportUrl", "https://example.com/help"),
    ];
    assert_eq!(leads_to(&owner.submit(&path, &change).await), done);
    let after = stored(&app, last(&path)).await;
    assert_eq!(
        (
            &after["slug"],
            &after["theme"],
            &after["automaticIncidents"]
        ),
        (&json!("store"), &json!("dark"), &json!(true))
    );
    assert_eq!(owner.get("/status/store").await.status, 200);
    let taken = owner
        .submit(&format!("{path}/monitors/remove"), &[("monitor", &monitor)])
        .await;
    assert_eq!(leads_to(&taken), done);
    assert!(
        page(&owner, "/console/status-pages")
            .await
            .contains("No open incidents")
    );
    let gone = owner.submit(&format!("{path}/delete"), &[]).await;
    assert_eq!(leads_to(&gone), "/console/status-pages");
    is_page(&owner.get(&path).await, 404);
    app.finish().await;
}

#[actix::test]
async fn an_incident_is_told_as_it_was_previewed_and_ends_with_what_was_learned() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let path = create_page(&owner, "shop").await;
    let new = format!("{path}/incidents/new");
    page(&owner, &new).await;
    let said = "**Nobody** can pay. <script>alert(1)</script> [More](data:text/html,x)";
    let fields = [
        ("title", "Payments"),
        ("severity", "critical"),
        ("message", said),
    ];
    let preview = owner
        .submit(&new, &[&fields[..], &[("preview", "1")]].concat())
        .await;
    is_page(&preview, 200);
    let drawn = "<strong>Nobody</strong> can pay. &lt;script&gt;alert(1)&lt;/script&gt; More";
    assert!(preview.text.contains(drawn), "{}", preview.text);
    assert!(
        preview
            .text
            .contains("<option value=\"critical\" selected>"),
        "{}",
        preview.text
    );
    assert_eq!(stored(&app, last(&path)).await["monitors"], json!([]));
    assert!(page(&owner, &path).await.contains("No incidents"));

    let told = owner.submit(&new, &fields).await;
    let incident = leads_to(&told).to_owned();
    let shown = page(&owner, &incident).await;
    assert!(
        shown.contains(drawn) && shown.contains("Investigating"),
        "{shown}"
    );
    assert!(!shown.contains("<script>alert"), "{shown}");
    assert!(
        owner
            .get("/status/shop")
            .await
            .text
            .contains("<strong>Nobody</strong>")
    );
    assert!(
        page(&owner, "/console/status-pages")
            .await
            .contains("1 open incident")
    );
    let early = owner
        .submit(&format!("{incident}/learned"), &[("learned", "Too soon")])
        .await;
    is_page(&early, 400);
    assert!(
        early.text.contains("Resolve the incident before"),
        "{}",
        early.text
    );
    let empty = owner
        .submit(&incident, &[("status", "monitoring"), ("message", " ")])
        .await;
    is_page(&empty, 400);
    assert!(
        empty.text.contains("id=\"message-wrong\""),
        "{}",
        empty.text
    );
    let over = owner
        .submit(
            &incident,
            &[("status", "resolved"), ("message", "All is well.")],
        )
        .await;
    assert_eq!(leads_to(&over), format!("{incident}?done=1"));
    let long = "x".repeat(20_001);
    let wrong = owner
        .submit(&format!("{incident}/learned"), &[("learned", &long)])
        .await;
    is_page(&wrong, 400);
    assert!(
        wrong.text.contains("id=\"learned-wrong\"") && !wrong.text.contains("id=\"message-wrong\""),
        "what is wrong stands beside the field that it is about"
    );
    let learned = owner
        .submit(
            &format!("{incident}/learned"),
            &[("learned", "Pay *twice*.")],
        )
        .await;
    assert_eq!(leads_to(&learned), format!("{incident}?done=1"));
    let after = page(&owner, &incident).await;
    assert!(
        after.contains("All is well.") && after.contains("<em>twice</em>"),
        "{after}"
    );
    assert_eq!(
        leads_to(&owner.submit(&format!("{incident}/delete"), &[]).await),
        path
    );
    is_page(&owner.get(&incident).await, 404);
    app.finish().await;
}

#[actix::test]
async fn maintenance_is_planned_in_the_readers_zone_and_viewers_only_look() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let zone = json!({ "timezone": "Europe/Berlin" });
    let set = owner
        .post("/preferences/updateUserPreferences", &zone)
        .await;
    assert_eq!(set.status, 200, "{}", set.text);
    let path = create_page(&owner, "shop").await;
    let new = format!("{path}/maintenance/new");
    page(&owner, &new).await;
    let mut fields = vec![
        ("title", "New disks"),
        ("message", "It is slow."),
        ("startsAt", "2026-12-01T22:00"),
        ("automatic", "on"),
    ];
    let wrong = owner.submit(&new, &fields).await;
    is_page(&wrong, 400);
    assert!(wrong.text.contains("id=\"endsAt-wrong\""), "{}", wrong.text);
    fields.push(("endsAt", "2026-12-01T23:30"));
    let planned = leads_to(&owner.submit(&new, &fields).await).to_owned();
    let url = format!("{}/statusPage/listIncidents", app.base);
    let listed = app.post(url, &json!({ "statusPageId": last(&path) })).await;
    assert_eq!(listed.body[0]["startsAt"], "2026-12-01T21:00:00.000Z");
    assert_eq!(listed.body[0]["automatic"], true);

    let viewer = invited(&app, &owner, "viewer").await;
    let seen = page(&viewer, &path).await;
    assert!(
        !seen.contains("Delete status page") && !seen.contains("Subscribers"),
        "{seen}"
    );
    assert!(page(&viewer, &planned).await.contains("It is slow."));
    is_page(
        &viewer.submit(NEW, &[("name", "x"), ("slug", "x")]).await,
        403,
    );
    is_page(
        &viewer
            .submit(&planned, &[("status", "completed"), ("message", "x")])
            .await,
        403,
    );
    is_page(&viewer.submit(&new, &fields).await, 403);
    app.finish().await;
}
