//! What tables and diagrams of reports can do: sorting, search, pages, one event, paths, cohorts, vitals, errors.

use serde_json::json;

use super::{page, reports::something};
use crate::{
    app::{App, NOW},
    filled,
    people::browser::Browser,
};

/// The address of the first link whose text is this.
fn find_link(html: &str, text: &str) -> String {
    let end = html.find(&format!(">{text}</a>"));
    let end = end.unwrap_or_else(|| panic!("no link {text}: {html}"));
    let start = html[..end].rfind("href=\"").unwrap() + 6;
    let address = html[start..].split('"').next().unwrap();
    address.replace("&amp;", "&")
}

#[actix::test]
async fn tables_have_pages_with_the_number_of_all_rows() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    filled::website(&app, 3_000).await;
    let sessions = format!("/console/site/{}/sessions", app.website);
    let first = page(&owner, &sessions).await;
    assert!(first.contains(">1–50 of "), "{first}");
    assert!(!first.contains(">Previous</a>"), "{first}");
    let second = page(&owner, &find_link(&first, "Next")).await;
    assert!(second.contains(">51–100 of "), "{second}");
    let back = find_link(&second, "Previous");
    assert!(page(&owner, &back).await.contains(">1–50 of "));
    let few = "class=\"unfold\" id=\"all-session_list\"";
    assert!(first.contains(few), "phones show ten rows first: {first}");
    app.finish().await;
}

#[actix::test]
async fn tables_are_sorted_by_their_headings_and_searched() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    for (name, count) in [("alpha", 1), ("beta", 3), ("gamma", 2)] {
        for _ in 0..count {
            let event = json!({ "name": name, "websiteId": app.website, "anonymousId": "anon", "sessionId": "sess", "timestamp": NOW - 30_000 });
            assert_eq!(app.send(&event).await.status, 200);
        }
    }
    let events = format!("/console/site/{}/events", app.website);
    let table = |html: String| {
        let table = html.split("<h2>By name</h2>").nth(1);
        let table = table.unwrap_or_else(|| panic!("no table: {html}"));
        table.split("</section>").next().unwrap().to_owned()
    };
    let by_size = table(page(&owner, &events).await);
    let down = table(page(&owner, &find_link(&by_size, "Events")).await);
    let place = |html: &str, name: &str| {
        let row = format!("event_name%3Aeq%3A{name}\"");
        html.find(&row).unwrap_or_else(|| panic!("{name}: {html}"))
    };
    assert!(down.contains("aria-sort=\"descending\""), "{down}");
    assert!(place(&down, "beta") < place(&down, "gamma"), "{down}");
    let up = table(page(&owner, &find_link(&down, "Events")).await);
    assert!(up.contains("aria-sort=\"ascending\""), "{up}");
    assert!(place(&up, "alpha") < place(&up, "gamma"), "{up}");
    let searched = page(&owner, &format!("{events}?in=custom_events&q=amm")).await;
    let found = table(searched);
    assert!(
        found.contains(">gamma</a>") && !found.contains(">beta</a>"),
        "{found}"
    );
    let nothing = page(&owner, &format!("{events}?in=custom_events&q=omega")).await;
    assert!(nothing.contains("No results"), "{nothing}");
    app.finish().await;
}

#[actix::test]
async fn an_event_has_a_page_with_its_properties_by_key() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    something(&app).await;
    let site = format!("/console/site/{}", app.website);
    let listed = page(&owner, &format!("{site}/events")).await;
    let way = find_link(&listed, "bought &lt;b&gt;");
    assert!(
        way.starts_with(&format!("{site}/event?f=event_name")),
        "{way}"
    );
    let shown = page(&owner, &way).await;
    for said in [
        "<h1>bought &lt;b&gt;</h1>",
        "aria-label=\"currency\"",
        "EUR",
        "&lt;i&gt;Plan",
        "By page",
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    let none = page(&owner, &format!("{site}/event")).await;
    assert!(none.contains("No event selected"), "{none}");
    app.finish().await;
}

#[actix::test]
async fn paths_are_a_diagram_whose_pages_start_other_paths() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    something(&app).await;
    let paths = format!("/console/site/{}/journeys", app.website);
    let shown = page(&owner, &paths).await;
    let svg = shown.split("class=\"sankey\"").nth(1);
    let svg = svg.unwrap_or_else(|| panic!("no diagram: {shown}"));
    let svg = svg.split("</svg>").next().unwrap();
    assert!(
        svg.contains("role=\"group\" aria-label=\"User paths"),
        "{svg}"
    );
    assert!(
        svg.contains("aria-label=\"/first 1: /first, step 1, 1 session. Start here\""),
        "{svg}"
    );
    assert!(
        svg.contains("<title>/first → /second: 1 session</title>"),
        "{svg}"
    );
    assert!(svg.contains("/second → Exited"), "{svg}");
    assert!(
        svg.contains(&format!("{paths}?f=journey_start%3Aeq%3A%2Fsecond")),
        "{svg}"
    );
    app.finish().await;
}

#[actix::test]
async fn retention_names_its_periods_and_counts_weeks_over_a_month() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    filled::website(&app, 3_000).await;
    let retention = format!("/console/site/{}/retention", app.website);
    let week = page(&owner, &retention).await;
    for said in [
        ">Day 0</th>",
        ">Day 6</th>",
        "Average retention",
        ">Average</th>",
    ] {
        assert!(week.contains(said), "{said}: {week}");
    }
    let month = page(&owner, &format!("{retention}?preset=last_30d")).await;
    assert!(month.contains(">Week 0</th>"), "{month}");
    assert!(!month.contains(">Day 1</th>"), "{month}");
    app.finish().await;
}

#[actix::test]
async fn vitals_have_cards_and_errors_say_when_and_where_they_happen() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    something(&app).await;
    let site = format!("/console/site/{}", app.website);
    let vitals = page(&owner, &format!("{site}/vitals")).await;
    for said in [
        "Largest Contentful Paint",
        "Interaction to Next Paint",
        "class=\"part bad\">Poor 100",
        "LCP, p75",
    ] {
        assert!(vitals.contains(said), "{said}: {vitals}");
    }
    let errors = page(&owner, &format!("{site}/errors")).await;
    for said in [
        "First seen",
        "By browser",
        "class=\"spark\"",
        "<caption class=\"hide\">Trend</caption>",
        "aria-label=\"Errors\"",
    ] {
        assert!(errors.contains(said), "{said}: {errors}");
    }
    for (name, title) in [
        ("revenue", "Net revenue (EUR)"),
        ("engagement", "Active time"),
        ("events", "<h2>Events</h2>"),
    ] {
        let shown = page(&owner, &format!("{site}/{name}")).await;
        assert!(shown.contains(title), "{name}: {shown}");
    }
    app.finish().await;
}
