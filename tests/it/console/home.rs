//! The first page: what needs attention, the first steps, and all websites at a glance.

use serde_json::{Value, json};

use super::{is_page, leads_to, page};
use crate::{
    app::{App, NOW},
    people::{OPEN, browser::Browser, team::invited},
};

/// A page view of a visitor, so many days ago.
fn view(who: &str, days: i64) -> Value {
    json!({
        "eventId": uuid::Uuid::new_v4().to_string(), "name": "screen_view", "anonymousId": who, "sessionId": who,
        "path": "https://localhost/", "timestamp": NOW - days * 86_400_000,
    })
}

#[actix::test]
async fn the_week_of_every_website_is_there() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let empty = page(&owner, "/").await;
    assert!(empty.contains("Waiting for the first event"), "{empty}");
    assert!(!empty.contains("No data for"), "it is minutes old: {empty}");
    assert!(
        empty.contains(&format!("/console/site/{}/setup", app.website)),
        "{empty}"
    );
    app.send_pages(&[
        view("a", 0),
        view("b", 0),
        view("b", 0),
        view("c", 3),
        view("d", 9),
    ])
    .await;
    let full = page(&owner, "/").await;
    assert!(full.contains("2 online"), "{full}");
    assert!(full.contains("title=\"3\">3</td>"), "visitors: {full}");
    assert!(full.contains("+200%"), "{full}");
    assert!(full.contains("title=\"4\">4</td>"), "pageviews: {full}");
    assert!(
        full.contains(
            " by day, last 7 days: 0, 0, 0, 1, 0, 0, 3\" data-steps=\"Thu, Oct 8: 0 pageviews\n"
        ),
        "{full}"
    );
    assert!(full.contains("\nWed, Oct 14: 3 pageviews\">"), "{full}");
    let (_, table) = full.split_once(">View as table</summary>").unwrap();
    assert!(table.contains(">Thu, Oct 8</th>"), "{table}");
    assert!(
        table.contains("<td>1</td><td>0</td><td>0</td><td>3</td></tr>"),
        "{table}"
    );
    app.finish().await;
}

#[actix::test]
async fn a_person_without_an_organization_creates_one() {
    let app = App::with(OPEN).await;
    let new = Browser::signed_up(&app, "new").await;
    let home = page(&new, "/").await;
    assert!(
        home.contains("aren't a member of any organization"),
        "{home}"
    );
    let nameless = new
        .submit("/console/organization/new", &[("name", " ")])
        .await;
    is_page(&nameless, 400);
    let made = new
        .submit("/console/organization/new", &[("name", "Mine & Co")])
        .await;
    assert_eq!(leads_to(&made), "/");
    let home = page(&new, "/").await;
    assert!(home.contains("No websites yet"), "{home}");
    assert!(
        !home.contains("organization/switch"),
        "there is nothing to switch to"
    );
    new.submit("/console/organization/new", &[("name", "Second")])
        .await;
    let home = page(&new, "/").await;
    assert!(
        home.contains("Mine &amp; Co") && home.contains("organization/switch"),
        "{home}"
    );
    let first = home.split("<option value=\"").nth(1).unwrap();
    let first = first.split('"').next().unwrap();
    let switched = new
        .submit("/console/organization/switch", &[("organizationId", first)])
        .await;
    assert_eq!(leads_to(&switched), "/");
    assert!(
        page(&new, "/")
            .await
            .contains(&format!("value=\"{first}\" selected"))
    );
    let foreign = [("organizationId", &*app.organization)];
    let foreign = new.submit("/console/organization/switch", &foreign).await;
    assert!([403, 404].contains(&foreign.status), "{}", foreign.status);
    app.finish().await;
}

#[actix::test]
async fn the_first_page_lists_open_incidents_and_says_when_nothing_is_wrong() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let home = page(&owner, "/").await;
    assert!(
        !home.contains("Alerts and incidents"),
        "nothing is watched: {home}"
    );
    let push = [
        ("kind", "push"),
        ("name", "Backup"),
        ("granularity", "hour"),
    ];
    leads_to(&owner.submit("/console/monitors/new", &push).await);
    let home = page(&owner, "/").await;
    assert!(home.contains("No alerts firing"), "{home}");
    let status = json!({ "name": "Shop status", "slug": "shop" });
    let status = owner.post("/statusPage/create", &status).await;
    let status = status.body["id"]
        .as_str()
        .unwrap_or_else(|| panic!("{}", status.text))
        .to_owned();
    let incident = json!({
        "statusPageId": status, "title": "Slow <checkout>", "severity": "major", "message": "We are looking.",
        "affectedMonitors": [],
    });
    let incident = owner.post("/statusPage/createIncident", &incident).await;
    assert_eq!(incident.status, 200, "{}", incident.text);
    let home = page(&owner, "/").await;
    assert!(
        home.contains("Open incident") && home.contains("Slow &lt;checkout&gt;"),
        "{home}"
    );
    let path = format!(
        "/console/status-page/{status}/incident/{}",
        incident.body["id"].as_str().unwrap()
    );
    assert!(home.contains(&format!("href=\"{path}\"")), "{home}");
    app.finish().await;
}

#[actix::test]
async fn the_checklist_shows_the_next_step_until_it_is_dismissed() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let home = page(&owner, "/").await;
    assert!(home.contains("1 of 5 steps done"), "{home}");
    let next = format!(
        "<a class=\"button first\" href=\"/console/site/{}/setup\">",
        app.website
    );
    assert!(home.contains(&next), "{home}");
    app.send_pages(&[view("a", 0)]).await;
    let goal =
        json!({ "websiteId": app.website, "type": "PAGE_VIEW", "target": "/", "name": "Home" });
    let goal = owner.post("/goals/create", &goal).await;
    assert_eq!(goal.status, 200, "{}", goal.text);
    let home = page(&owner, "/").await;
    assert!(home.contains("3 of 5 steps done"), "{home}");
    let viewer = invited(&app, &owner, "viewer").await;
    assert!(
        !page(&viewer, "/").await.contains("steps done"),
        "viewers can't take them"
    );
    let dismissed = owner.submit("/console/checklist/dismiss", &[]).await;
    assert_eq!(leads_to(&dismissed), "/");
    assert!(!page(&owner, "/").await.contains("steps done"));
    app.finish().await;
}

#[actix::test]
async fn home_is_sent_in_parts_of_which_the_websites_are_the_last() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let push = [
        ("kind", "push"),
        ("name", "Backup"),
        ("granularity", "hour"),
    ];
    leads_to(&owner.submit("/console/monitors/new", &push).await);
    let home = owner.get("/").await;
    is_page(&home, 200);
    assert_eq!(
        home.header("x-accel-buffering"),
        "no",
        "proxies pass parts on"
    );
    let parts = [
        "<h1>Home</h1>",
        "<a class=\"button first\" href=\"/console/sites/new\">",
        "<div id=\"home\" data-live=\"30\">",
        "<h2>Alerts and incidents</h2>",
        "<h2>Get started</h2>",
        "<h2>Websites</h2>",
        "</main>",
    ];
    let places = parts.map(|part| home.text.find(part));
    assert!(
        places.iter().all(Option::is_some),
        "{places:?}: {}",
        home.text
    );
    assert!(places.is_sorted(), "{places:?}");
    let stranger = Browser::new(&app).get("/").await;
    assert!(
        leads_to(&stranger).starts_with("/login"),
        "it is refused before the first part: {}",
        stranger.text
    );
    app.finish().await;
}

#[actix::test]
async fn demo_data_is_created_marked_and_removed() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    assert!(page(&owner, "/").await.contains("Explore demo data"));
    let made = owner.submit("/console/demo", &[]).await;
    let site = leads_to(&made).to_owned();
    let dashboard = page(&owner, &site).await;
    assert!(
        dashboard.contains("Demo data") && !dashboard.contains("Waiting for"),
        "{dashboard}"
    );
    let home = page(&owner, "/").await;
    assert!(
        home.contains("synthetic events") && home.contains("Remove demo data"),
        "{home}"
    );
    assert!(!home.contains("Explore demo data"), "there is one: {home}");
    assert!(
        home.contains("1 of 5 steps done"),
        "demo data is no installation: {home}"
    );
    assert_eq!(
        leads_to(&owner.submit("/console/demo", &[]).await),
        site,
        "once"
    );

    let viewer = invited(&app, &owner, "viewer").await;
    assert!(!page(&viewer, "/").await.contains("Remove demo data"));
    is_page(&viewer.submit("/console/demo", &[]).await, 403);
    let id = site.split(['/', '?']).nth(3).unwrap();
    is_page(
        &viewer.submit("/console/demo/remove", &[("id", id)]).await,
        403,
    );
    let other = owner
        .submit("/console/demo/remove", &[("id", app.website.as_str())])
        .await;
    is_page(&other, 400);
    let removed = owner.submit("/console/demo/remove", &[("id", id)]).await;
    assert_eq!(leads_to(&removed), "/");
    assert!(!page(&owner, "/").await.contains("synthetic events"));
    app.finish().await;
}
