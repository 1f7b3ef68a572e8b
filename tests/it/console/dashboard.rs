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
    assert!(empty.contains("No data for this period"), "{empty}");
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
        shown.contains("title=\"Filter by /pricing\">/pricing</a>"),
        "{shown}"
    );
    assert!(shown.contains("title=\"Filter by Google\""), "{shown}");
    assert!(shown.contains("1 online"), "{shown}");
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
    assert!(today.contains("Wed, Oct 14, 12:00 PM: 2"), "{today}");
    assert!(today.contains("Oct 14, 2025"), "{today}");
    assert!(
        today.contains("data-series=\"before\">Previous year</th>"),
        "{today}"
    );
    let now = page(&owner, &format!("{path}/now")).await;
    assert!(
        now.contains("<strong>1 visitor</strong> online, in 1 session"),
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
        shown.contains("title=\"Filter by /pricing\"") && !shown.contains("title=\"Filter by /\""),
        "{shown}"
    );
    assert!(
        shown.contains(&format!(
            "{path}?preset=last_14d\" aria-label=\"Remove filter"
        )),
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
            pages.matches("title=\"Filter by ").count(),
            rows,
            "{op}: {pages}"
        );
    }
    let none = page(&owner, &format!("{path}?f=country:eq:DE")).await;
    assert!(none.contains("No sessions match all filters"), "{none}");
    for (wrong, said) in [
        ("f=colour:eq:red", "Unknown filter field: colour"),
        ("f=path:like:x", "Unknown filter operator: like"),
        ("preset=nonsense", "Unknown range: nonsense."),
        (
            "from=2026-10-10&to=2026-10-01",
            "The end date is before the start date.",
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
        ("time", "02:22"),
        ("text", "New <b>prices"),
        ("back", &back),
    ];
    let notes = format!("{path}/notes");
    is_page(&viewer.submit(&notes, &note).await, 403);
    assert_eq!(leads_to(&owner.submit(&notes, &note).await), back);
    let shown = page(&owner, &back).await;
    let mark = |shown: &str| {
        let (_, mark) = shown.split_once("<path class=\"mark\"").unwrap();
        mark.split("</path>").next().unwrap().to_owned()
    };
    let text = "<title>New &lt;b&gt;prices</title>";
    // 30 days up to October 14: the 12th is the 28th of them, and the middle of its step is the line's point.
    assert!(mark(&shown).contains("data-step=\"27\""), "{shown}");
    assert!(mark(&shown).contains("d=\"M916.7 0V100\""), "{shown}");
    assert!(mark(&shown).contains(text), "{shown}");
    let hours = page(
        &owner,
        &format!("{path}?from=2026-10-12&to=2026-10-13&by=hourly"),
    )
    .await;
    assert!(
        mark(&hours).contains("data-step=\"2\""),
        "its own hour: {hours}"
    );
    assert!(hours.contains("Oct 12, 2026, 2:22 AM"), "{hours}");
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
    let locations = |shown: &str| {
        let from = shown.split("id=\"locations\"").nth(1).unwrap();
        from.split("</section>").next().unwrap().to_owned()
    };
    let drawn = locations(&shown);
    let (list, map) = drawn.split_once("<svg class=\"map\"").unwrap();
    let listed = list.matches("<tr>").count() - 1;
    assert!((2..=10).contains(&listed), "{list}");
    let links = map.matches("<a class=\"some").count();
    assert!(links >= listed, "{listed} in the list, {links} on the map");
    assert!(
        !map.contains("tabindex=\"-1\""),
        "keys reach every country: {map}"
    );
    assert!(map.contains("pageviews</text></a>"), "each is named: {map}");
    assert!(map.contains("<ul class=\"legend scale\""), "{map}");
    let first = map.split("href=\"").nth(1).unwrap();
    let way = first.split('"').next().unwrap().replace("&amp;", "&");
    assert!(
        way.starts_with("?f=country%3Aeq%3A") && way.ends_with("&locations=region#locations"),
        "{way}"
    );
    let only = page(&owner, &format!("{path}{way}")).await;
    let regions = locations(&only);
    assert!(
        regions.contains("<th scope=\"col\">Regions</th>"),
        "{regions}"
    );
    assert!(!regions.contains("class=\"map\""), "{regions}");
    assert!(shown.len() < 150_000, "{} bytes", shown.len());
    app.finish().await;
}

#[actix::test]
async fn a_change_from_nothing_is_new_and_a_huge_one_has_no_number() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let path = format!("/console/site/{}", app.website);
    app.send_pages(&[view("a", "/", 0)]).await;
    let new = page(&owner, &path).await;
    assert!(
        new.contains("<span class=\"change good\">New</span>"),
        "{new}"
    );
    let before = view("b", "/", 24 * 9);
    let many: Vec<Value> = (0..15)
        .map(|place| view("c", &format!("/{place}"), 1))
        .collect();
    app.send_pages(&[&[before][..], &many].concat()).await;
    let shown = page(&owner, &format!("{path}?metric=pageviews")).await;
    assert!(
        shown.contains("<span class=\"change good\">&gt;999%</span>"),
        "{shown}"
    );
    app.finish().await;
}

#[actix::test]
async fn a_comparison_can_be_switched_off() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    send_views(&app).await;
    let path = format!("/console/site/{}", app.website);
    let shown = page(&owner, &path).await;
    assert!(
        shown.contains("data-series=\"before\">Previous period</th>"),
        "{shown}"
    );
    let way = format!("href=\"{path}?compare=none\">No comparison</a>");
    assert!(shown.contains(&way), "{shown}");
    let alone = page(&owner, &format!("{path}?compare=none")).await;
    for gone in [
        "data-series=\"before\"",
        "class=\"change",
        "Oct 1 – Oct 7, 2026",
    ] {
        assert!(!alone.contains(gone), "{gone}: {alone}");
    }
    assert!(
        alone.contains("data-series=\"current\">Visitors</th>"),
        "{alone}"
    );
    app.finish().await;
}

#[actix::test]
async fn a_chart_has_a_name_a_table_and_days_to_zoom_into() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    send_views(&app).await;
    let path = format!("/console/site/{}", app.website);
    let shown = page(&owner, &path).await;
    let name = "role=\"img\" aria-label=\"Visitors, Thu, Oct 8 to Wed, Oct 14\"";
    assert!(shown.contains(name), "{shown}");
    assert!(
        shown.contains("data-zoom=\"2026-10-08\" data-per-day=\"1\""),
        "{shown}"
    );
    assert!(
        shown.contains("<summary>View as table</summary>"),
        "{shown}"
    );
    let row = "<th scope=\"row\">Wed, Oct 14</th><td>1</td><td>0</td><td>New</td>";
    assert!(shown.contains(row), "{shown}");
    app.finish().await;
}

#[actix::test]
async fn details_are_searched_sorted_and_read_page_by_page() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let mut views = Vec::new();
    for place in 0..60 {
        views.push(view("a", &format!("/page-{place:02}"), 0));
    }
    views.push(view("b", "/page-07", 0));
    app.send_pages(&views).await;
    let path = format!("/console/site/{}", app.website);
    let shown = page(&owner, &format!("{path}?preset=today")).await;
    let pages = shown.split("id=\"pages\"").nth(1).unwrap();
    let pages = pages.split("</section>").next().unwrap();
    assert_eq!(pages.matches("title=\"Filter by ").count(), 10, "{pages}");
    let details = format!("{path}/details/pages?preset=today");
    assert!(
        pages.contains(&format!("href=\"{details}\"")),
        "the range travels: {pages}"
    );
    let rows = |shown: &str| shown.matches("title=\"Filter by ").count();
    let first = page(&owner, &details).await;
    assert_eq!(rows(&first), 50, "{first}");
    assert!(
        first.contains("1–50") && first.contains("rel=\"next\""),
        "{first}"
    );
    assert!(
        first.contains(&format!(
            "href=\"{path}?preset=today&amp;f=path%3Aeq%3A%2Fpage-07\""
        )),
        "{first}"
    );
    let second = page(&owner, &format!("{details}&page=2")).await;
    assert_eq!(rows(&second), 10, "{second}");
    assert!(
        second.contains("51–60") && !second.contains("rel=\"next\""),
        "{second}"
    );
    let found = page(&owner, &format!("{details}&q=page-07")).await;
    assert_eq!(rows(&found), 1, "{found}");
    let least = page(&owner, &format!("{details}&sort=visitors&order=asc")).await;
    assert!(least.contains("aria-sort=\"ascending\""), "{least}");
    let most = page(&owner, &format!("{details}&sort=visitors&order=desc")).await;
    let place = |shown: &str| shown.find("Filter by /page-07");
    assert!(
        place(&least) > place(&most) || place(&least).is_none(),
        "{least}"
    );
    let odd = page(&owner, &format!("{details}&sort=nonsense&page=x&order=y")).await;
    assert_eq!(rows(&odd), 50, "{odd}");
    let none = page(&owner, &format!("{details}&q=nonsense")).await;
    assert!(none.contains("No data for this period"), "{none}");
    is_page(&owner.get(&format!("{path}/details/nonsense")).await, 404);
    app.finish().await;
}

#[actix::test]
async fn range_and_filters_travel_with_the_links_of_the_dashboard() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    send_views(&app).await;
    let path = format!("/console/site/{}", app.website);
    let chosen = "preset=last_30d&amp;compare=year&amp;f=path%3Aeq%3A%2Fpricing";
    let shown = page(&owner, &format!("{path}?{}", chosen.replace("&amp;", "&"))).await;
    for place in ["", "/now", "/segments"] {
        assert!(
            shown.contains(&format!("href=\"{path}{place}?{chosen}")),
            "{place}: {shown}"
        );
    }
    app.finish().await;
}

#[actix::test]
async fn values_complete_a_filter_while_it_is_typed() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    send_views(&app).await;
    let values = format!("/console/site/{}/values", app.website);
    let paths = page(&owner, &format!("{values}?field=path&op=eq&value=pri")).await;
    assert!(paths.contains("<option value=\"/pricing\">"), "{paths}");
    assert!(!paths.contains("value=\"/\""), "{paths}");
    let second = page(&owner, &format!("{values}?field=path&op=in&value=/,+pri")).await;
    assert!(second.contains("value=\"/, /pricing\""), "{second}");
    for (field, typed, shown) in [
        ("host", "local", "localhost"),
        ("trust", "cli", "client"),
        ("bot_verdict", "", "suspected"),
    ] {
        let found = page(&owner, &format!("{values}?field={field}&value={typed}")).await;
        let option = format!("<option value=\"{shown}\">");
        assert!(found.contains(&option), "{field}: {found}");
    }
    let other = page(&owner, &format!("{values}?field=host&value=shop")).await;
    assert!(!other.contains("<option"), "{other}");
    let unknown = page(&owner, &format!("{values}?field=trait&value=x")).await;
    assert!(!unknown.contains("<option"), "{unknown}");
    let dashboard = page(
        &owner,
        &format!("/console/site/{}?preset=today", app.website),
    )
    .await;
    assert!(
        dashboard.contains(&format!("data-suggest=\"{values}\"")),
        "{dashboard}"
    );
    app.finish().await;
}
