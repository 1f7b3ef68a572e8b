//! All websites at a glance.

use serde_json::{Value, json};

use super::{is_page, leads_to, page};
use crate::{
    app::{App, NOW},
    people::{OPEN, browser::Browser},
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
    assert!(empty.contains("No event in two weeks"), "{empty}");
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
    assert!(full.contains("2 now"), "{full}");
    assert!(full.contains("title=\"3\">3</td>"), "visitors: {full}");
    assert!(full.contains("+200%"), "{full}");
    assert!(full.contains("title=\"4\">4</td>"), "views: {full}");
    assert!(full.contains("oldest first: 0, 0, 0, 1, 0, 0, 3"), "{full}");
    app.finish().await;
}

#[actix::test]
async fn who_has_nothing_yet_is_told_how_to_begin() {
    let app = App::with(OPEN).await;
    let new = Browser::signed_up(&app, "new").await;
    let home = page(&new, "/").await;
    assert!(home.contains("You are in no organization yet"), "{home}");
    let nameless = new
        .submit("/console/organization/new", &[("name", " ")])
        .await;
    is_page(&nameless, 400);
    let made = new
        .submit("/console/organization/new", &[("name", "Mine & Co")])
        .await;
    assert_eq!(leads_to(&made), "/");
    let home = page(&new, "/").await;
    assert!(home.contains("There is no website yet"), "{home}");
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
