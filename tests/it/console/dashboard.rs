//! A website's dashboard: numbers, lists, filters in the address, notes, and what leaves as a file.

use serde_json::{Value, json};

use super::{is_page, leads_to, page};
use crate::{
    app::{App, NOW},
    people::{OPEN, browser::Browser, team::invited},
};

const HOUR: i64 = 3_600_000;

/// A page view of a visitor, so many hours ago.
fn view(who: &str, path: &str, hours: i64) -> Value {
    json!({
        "eventId": uuid::Uuid::new_v4().to_string(), "name": "screen_view", "anonymousId": who, "sessionId": who,
        "path": format!("https://localhost{path}"), "timestamp": NOW - hours * HOUR,
        "referrer": if who == "a" { "https://www.google.com/" } else { "" },
    })
}

async fn send_views(app: &App) {
    let now = [
        view("a", "/", 0),
        view("a", "/pricing", 0),
        view("b", "/pricing", 30),
    ];
    let before = [view("c", "/", 24 * 9)];
    app.send_pages(&[&now[..], &before].concat()).await;
}

#[actix::test]
async fn numbers_lists_and_their_comparison_are_there() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let path = format!("/console/site/{}", app.website);
    let empty = page(&owner, &format!("{path}?preset=today")).await;
    assert!(empty.contains("Nothing was seen in these days"), "{empty}");
    send_views(&app).await;
    let shown = page(&owner, &path).await;
    assert!(
        shown.contains("<strong title=\"2\">2</strong><span class=\"change good\">+100"),
        "{shown}"
    );
    assert!(
        shown.contains("<strong title=\"3\">3</strong><span class=\"change good\">+200"),
        "{shown}"
    );
    assert!(
        shown.contains("Oct 8 – Oct 14, 2026") && shown.contains("Oct 1 – Oct 7, 2026"),
        "{shown}"
    );
    assert!(
        shown.contains("title=\"Only /pricing\">/pricing</a>"),
        "{shown}"
    );
    assert!(shown.contains("title=\"Only Google\""), "{shown}");
    assert!(shown.contains("1 now"), "{shown}");
    assert!(
        shown.contains("<th scope=\"row\">Wed, Oct 14</th>"),
        "{shown}"
    );
    assert!(
        shown.contains("&quot;events_by_date&quot;"),
        "the query is shown: {shown}"
    );
    assert!(shown.len() < 150_000, "{}", shown.len());
    let today = page(
        &owner,
        &format!("{path}?preset=today&metric=pageviews&compare=year"),
    )
    .await;
    assert!(today.contains("Wed, Oct 14, 12:00 pm: 2"), "{today}");
    assert!(today.contains("Oct 14, 2025"), "{today}");
    let now = page(&owner, &format!("{path}/now")).await;
    assert!(
        now.contains("<strong>1 visitor</strong> in 1 visit"),
        "{now}"
    );
    let way = format!("href=\"{path}?preset=today&amp;f=path%3Aeq%3A");
    assert!(now.contains(&way), "a click filters: {now}");
    app.finish().await;
}

#[actix::test]
async fn filters_are_in_the_address_and_act_on_all_of_the_page() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    send_views(&app).await;
    let path = format!("/console/site/{}", app.website);
    let chosen = owner
        .get(&format!(
            "{path}?preset=last_14d&field=path&op=contains&value=pricing"
        ))
        .await;
    let address = leads_to(&chosen).to_owned();
    assert_eq!(
        address,
        format!("{path}?preset=last_14d&f=path%3Acontains%3Apricing")
    );
    let shown = page(&owner, &address).await;
    assert!(
        shown.contains("<strong>Path</strong> contains <span class=\"value\">pricing</span>"),
        "{shown}"
    );
    assert!(
        shown.contains("title=\"Only /pricing\"") && !shown.contains("title=\"Only /\""),
        "{shown}"
    );
    assert!(
        shown.contains(&format!("{path}?preset=last_14d\" aria-label=\"Remove")),
        "{shown}"
    );
    for (op, value, rows) in [
        ("eq", "/pricing", 1),
        ("ne", "/pricing", 1),
        ("not_contains", "pricing", 1),
        ("starts_with", "/pri", 1),
        ("in", "/pricing|/", 2),
        ("not_in", "/pricing|/", 0),
    ] {
        let query = [("f", format!("path:{op}:{value}"))];
        let query = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(query)
            .finish();
        let shown = page(&owner, &format!("{path}?{query}")).await;
        let pages = shown
            .split("id=\"pages\"")
            .nth(1)
            .unwrap()
            .split("</section>")
            .next()
            .unwrap();
        assert_eq!(
            pages.matches("title=\"Only ").count(),
            rows,
            "{op}: {pages}"
        );
    }
    let none = page(&owner, &format!("{path}?f=country:eq:DE")).await;
    assert!(
        none.contains("No visit of these days passes all filters"),
        "{none}"
    );
    for (wrong, said) in [
        ("f=colour:eq:red", "Unknown filter field: colour"),
        ("f=path:like:x", "Unknown filter operator: like"),
        ("preset=nonsense", "There is no range “nonsense”."),
        (
            "from=2026-10-10&to=2026-10-01",
            "The last day lies before the first.",
        ),
        (
            "f=path:eq:%3Cscript%3Ealert(1)%3C/script%3E",
            "&lt;script&gt;alert",
        ),
    ] {
        let shown = page(&owner, &format!("{path}?{wrong}")).await;
        assert!(shown.contains(said), "{wrong}: {shown}");
        assert!(!shown.contains("<script>alert"), "{shown}");
        assert!(!shown.contains("This was not asked"), "{shown}");
    }
    app.finish().await;
}

#[actix::test]
async fn notes_are_written_seen_and_deleted_by_who_may() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let viewer = invited(&app, &owner, "viewer").await;
    send_views(&app).await;
    let path = format!("/console/site/{}", app.website);
    let back = format!("{path}?preset=last_30d");
    let note = [
        ("day", "2026-10-12"),
        ("text", "New <b>prices"),
        ("back", &back),
    ];
    let notes = format!("{path}/notes");
    is_page(&viewer.submit(&notes, &note).await, 403);
    assert_eq!(leads_to(&owner.submit(&notes, &note).await), back);
    let shown = page(&owner, &back).await;
    assert!(
        shown.contains("New &lt;b&gt;prices") && shown.contains("class=\"mark\""),
        "{shown}"
    );
    let seen = page(&viewer, &path).await;
    assert!(
        seen.contains("New &lt;b&gt;prices") && !seen.contains("/notes\""),
        "no form: {seen}"
    );
    let id = shown
        .split("/notes/delete")
        .nth(1)
        .unwrap()
        .split("value=\"")
        .nth(1)
        .unwrap();
    let id = id.split('"').next().unwrap();
    let delete = [("id", id), ("back", "//evil.example")];
    let deletes = format!("{path}/notes/delete");
    is_page(&viewer.submit(&deletes, &delete).await, 403);
    assert_eq!(leads_to(&owner.submit(&deletes, &delete).await), "/");
    assert!(!page(&owner, &path).await.contains("New &lt;b&gt;prices"));
    app.finish().await;
}

#[actix::test]
async fn what_is_seen_leaves_as_a_file() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    send_views(&app).await;
    app.send_pages(&[view("d", "/=cmd", 0)]).await;
    let path = format!("/console/site/{}/export", app.website);
    let csv = owner
        .get(&format!("{path}?list=pages&as=csv&f=path:contains:p"))
        .await;
    assert_eq!(
        (csv.status, csv.header("content-type")),
        (200, "text/csv; charset=utf-8")
    );
    assert_eq!(
        csv.header("content-disposition"),
        "attachment; filename=\"top_pages-2026-10-08-2026-10-14.csv\""
    );
    assert!(
        csv.text.contains("/pricing") && !csv.text.contains("/=cmd"),
        "{}",
        csv.text
    );
    let json = owner.get(&format!("{path}?list=sources&as=json")).await;
    assert_eq!(json.body[0]["name"], "Direct", "{}", json.text);
    is_page(&owner.get(&format!("{path}?list=nonsense")).await, 404);
    app.finish().await;
}

#[actix::test]
async fn the_hours_of_a_month_are_no_long_page() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    send_views(&app).await;
    let path = format!("/console/site/{}?preset=last_30d&by=hourly", app.website);
    let shown = page(&owner, &path).await;
    assert!(shown.matches("<th scope=\"row\">").count() > 600);
    assert!(shown.len() < 150_000, "{} bytes", shown.len());
    app.finish().await;
}

#[actix::test]
async fn countries_are_on_a_map_on_which_a_click_filters() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    crate::filled::website(&app, 5_000).await;
    let path = format!("/console/site/{}", app.website);
    let shown = page(&owner, &path).await;
    let places = |shown: &str| {
        let from = shown.split("id=\"places\"").nth(1).unwrap();
        from.split("</section>").next().unwrap().to_owned()
    };
    let drawn = places(&shown);
    let (list, map) = drawn.split_once("<svg class=\"map\"").unwrap();
    let listed = list.matches("<tr>").count() - 1;
    assert!((2..=9).contains(&listed), "{list}");
    let squares = map.matches("<title>").count();
    assert!(
        squares >= listed,
        "{listed} in the list, {squares} on the map"
    );
    let first = map.split("href=\"").nth(1).unwrap();
    let way = first.split('"').next().unwrap();
    assert!(way.starts_with("?f=country%3Aeq%3A"), "{way}");
    assert!(
        list.contains(&format!("{path}{way}")) || squares > 9,
        "{way} in {list}"
    );
    let only = page(&owner, &format!("{path}{way}")).await;
    assert_eq!(places(&only).matches("<title>").count(), 1, "{only}");
    let cities = page(&owner, &format!("{path}?places=city")).await;
    assert!(!places(&cities).contains("class=\"map\""), "{cities}");
    assert!(shown.len() < 150_000, "{} bytes", shown.len());
    app.finish().await;
}
