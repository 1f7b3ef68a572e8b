//! Pages of tables, visits event by event, and people visit by visit.

use serde_json::json;

use super::{is_page, leads_to, page};
use crate::{
    app::{App, NOW},
    people::browser::Browser,
};

const NO_DATA: &str = "No data for this period";

/// The pages, and what each says when there is nothing.
const PAGES: [(&str, &str); 10] = [
    ("sessions", NO_DATA),
    ("people", NO_DATA),
    ("events", NO_DATA),
    ("journeys", NO_DATA),
    ("retention", NO_DATA),
    ("engagement", NO_DATA),
    ("revenue", NO_DATA),
    ("vitals", NO_DATA),
    ("errors", "No errors in this period"),
    ("quality", NO_DATA),
];

pub(super) async fn something(app: &App) {
    let view = |path: &str, seconds: i64| {
        json!({
            "eventId": uuid::Uuid::new_v4().to_string(), "name": "screen_view", "anonymousId": "anon", "sessionId": "sess",
            "path": format!("https://localhost{path}"), "timestamp": NOW - seconds * 1_000,
        })
    };
    app.send_pages(&[view("/first", 90), view("/second", 60)])
        .await;
    let bought = json!({
        "name": "bought <b>", "websiteId": app.website, "anonymousId": "anon", "sessionId": "sess", "timestamp": NOW - 30_000,
        "properties": { "revenue": 12.5, "currency": "EUR", "product": "<i>Plan" },
    });
    assert_eq!(app.send(&bought).await.status, 200);
    let error = json!([{
        "message": "<script>alert(1)</script>", "errorType": "TypeError", "path": "https://localhost/second", "timestamp": NOW - 20_000,
        "anonymousId": "anon", "sessionId": "sess", "stack": "TypeError: a\n    at b (c.js:1:2)", "filename": "c.js",
    }]);
    let vital = json!([{
        "metricName": "LCP", "metricValue": 5_000.0, "path": "https://localhost/first", "timestamp": NOW - 80_000,
        "anonymousId": "anon", "sessionId": "sess",
    }]);
    let stayed = json!([{
        "path": "https://localhost/second", "pageIndex": 1, "timestamp": NOW - 10_000, "anonymousId": "anon", "sessionId": "sess",
        "exitType": "spa", "timeOnPage": 16, "activeTime": 12, "timeToFirstInteraction": 900, "maxScrollDepth": 80, "scrollCount": 2, "clickCount": 1,
        "keyCount": 0, "interactionCount": 3, "copyCount": 0, "rageClickCount": 0, "deadClickCount": 0, "formFieldCount": 0, "formSubmitCount": 0,
        "errorCount": 0,
    }]);
    for (route, body) in [("errors", error), ("vitals", vital), ("engagement", stayed)] {
        let url = format!("{}/{route}?client_id={}", app.track, app.website);
        let sent = app.post_anonymously(url, &body).await;
        assert_eq!(sent.status, 200, "{}", sent.text);
    }
}

#[actix::test]
async fn every_page_says_what_is_missing_and_shows_what_is_there() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let site = format!("/console/site/{}", app.website);
    for (name, none) in PAGES {
        let empty = page(&owner, &format!("{site}/{name}")).await;
        assert!(empty.contains(none), "{name}: {empty}");
    }
    something(&app).await;
    for (name, said) in [
        ("sessions", "/session/"),
        ("people", "/person/visitor/"),
        ("events", "bought &lt;b&gt;"),
        ("journeys", "/second"),
        ("retention", "title=\"1 user\">100%<"),
        ("revenue", "&lt;i&gt;Plan"),
        ("vitals", "class=\"rated bad\" title=\"poor\""),
        ("errors", "&lt;script&gt;alert(1)"),
        ("quality", "Received"),
    ] {
        let shown = page(&owner, &format!("{site}/{name}")).await;
        assert!(shown.contains(said), "{name}: {shown}");
        assert!(
            !shown.contains("<script>alert") && !shown.contains("<i>Plan"),
            "{shown}"
        );
    }
    let wrong = page(&owner, &format!("{site}/errors?f=colour:eq:red")).await;
    assert!(wrong.contains("Unknown filter field: colour"), "{wrong}");
    app.finish().await;
}

#[actix::test]
async fn a_visit_and_a_person_are_seen_event_by_event() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    something(&app).await;
    let site = format!("/console/site/{}", app.website);
    let list = page(&owner, &format!("{site}/sessions?preset=today")).await;
    let way = |text: &str, what: &str| {
        let found = text
            .split('"')
            .find(|word| word.starts_with(&format!("{site}/{what}/")));
        found
            .unwrap_or_else(|| panic!("no way to a {what}: {text}"))
            .to_owned()
    };
    let visit = page(&owner, &way(&list, "session")).await;
    let place = |word: &str| {
        visit
            .find(word)
            .unwrap_or_else(|| panic!("{word}: {visit}"))
    };
    assert!(
        place("/first") < place("bought &lt;b&gt;"),
        "in the order of time"
    );
    assert!(
        place("bought &lt;b&gt;") < place("&lt;script&gt;alert"),
        "{visit}"
    );
    assert!(
        visit.contains("Error TypeError") && !visit.contains("<script>alert"),
        "{visit}"
    );
    assert!(
        visit.contains("Stayed on page") && visit.contains("for 16"),
        "{visit}"
    );
    assert!(!visit.contains(" after 16"), "{visit}");
    assert!(visit.contains("currency: EUR"), "{visit}");
    let person = page(&owner, &way(&visit, "person")).await;
    assert!(person.contains("2 pageviews"), "{person}");
    assert!(
        !person.contains("Traits") && !person.contains("{}"),
        "{person}"
    );
    way(&person, "session");
    let nobody = page(&owner, &format!("{site}/session/0000000000000000")).await;
    assert!(nobody.contains("Session not found"), "{nobody}");
    is_page(&owner.get(&format!("{site}/person/other/x")).await, 404);
    app.finish().await;
}

#[actix::test]
async fn how_journeys_and_retention_are_made_can_be_chosen() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    something(&app).await;
    let site = format!("/console/site/{}", app.website);
    let form = page(&owner, &format!("{site}/journeys")).await;
    assert!(
        form.contains("name=\"set.journey_start\"") && form.contains("name=\"set.journey_steps\""),
        "{form}"
    );
    let sent = owner
        .get(&format!(
            "{site}/journeys?set.journey_start=%2Fsecond&set.journey_steps="
        ))
        .await;
    assert_eq!(
        leads_to(&sent),
        format!("{site}/journeys?f=journey_start%3Aeq%3A%2Fsecond")
    );
    let shown = page(&owner, leads_to(&sent)).await;
    assert!(
        shown.contains(">/second</td>") && !shown.contains(">/first</td>"),
        "{shown}"
    );
    assert!(
        shown.contains("name=\"set.journey_start\" type=\"text\" value=\"/second\""),
        "{shown}"
    );
    let without = owner
        .get(&format!(
            "{site}/journeys?f=journey_start:eq:/second&set.journey_start="
        ))
        .await;
    assert_eq!(leads_to(&without), format!("{site}/journeys"));

    let wide = page(&owner, &format!("{site}/retention?f=cohort_width:eq:7")).await;
    assert!(wide.contains("<option value=\"7\" selected"), "{wide}");
    let none = page(&owner, &format!("{site}/retention")).await;
    assert!(!none.contains("Event retention"), "{none}");
    assert!(!none.contains("also requires"), "{none}");
    let half = page(
        &owner,
        &format!("{site}/retention?f=activation_event:eq:bought"),
    )
    .await;
    assert!(
        half.contains("also requires: “Return event”, “Return within”, “Observed until”."),
        "it is said what is missing: {half}"
    );
    assert!(!half.contains("class=\"chip\""), "the form says it: {half}");
    let early = "preset=today&f=activation_event:eq:signup&f=return_event:eq:signup&f=horizon_days:eq:7&f=observation_end:eq:2020-01-01";
    let early = page(&owner, &format!("{site}/retention?{early}")).await;
    let beside = "aria-describedby=\"observation_end-wrong\"";
    assert!(
        early.contains(beside) && !early.contains("class=\"notice warn\""),
        "it is said beside the field: {early}"
    );
    crate::filled::website(&app, 5_000).await;
    let whole = "f=activation_event:eq:signup&f=return_event:eq:signup&f=horizon_days:eq:7&f=observation_end:eq:2099-01-01";
    let whole = page(&owner, &format!("{site}/retention?{whole}")).await;
    assert!(
        whole.contains("Event retention") && !whole.contains("class=\"notice warn\""),
        "{whole}"
    );
    app.finish().await;
}

#[actix::test]
async fn what_is_seen_can_be_taken_along_and_asked_again() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    something(&app).await;
    let site = format!("/console/site/{}", app.website);
    let query = "preset=today&f=path:eq:/second";
    let shown = page(&owner, &format!("{site}/errors?{query}")).await;
    assert!(
        shown.contains("View API query") && shown.contains("&quot;error_types&quot;"),
        "{shown}"
    );
    assert!(
        shown.contains("TypeError: a"),
        "a group has a stack: {shown}"
    );
    let way = |form: &str| {
        let end = format!("table=error_types&amp;as={form}");
        let found = shown.split('"').find(|word| word.ends_with(&end));
        found
            .unwrap_or_else(|| panic!("no {form}: {shown}"))
            .replace("&amp;", "&")
    };
    let file = owner.get(&way("csv")).await;
    assert_eq!(file.status, 200, "{}", file.text);
    assert_eq!(file.header("content-type"), "text/csv; charset=utf-8");
    assert!(
        file.header("content-disposition").contains("error_types-"),
        "it has a name"
    );
    let lines: Vec<&str> = file.text.lines().collect();
    assert_eq!(lines.len(), 2, "{}", file.text);
    assert!(
        lines[0].contains("name") && lines[1].contains("alert(1)"),
        "{}",
        file.text
    );
    let rows: serde_json::Value =
        serde_json::from_str(&owner.get(&way("json")).await.text).unwrap();
    assert_eq!(rows[0]["count"], 1);
    let other = page(
        &owner,
        &format!("{site}/errors?preset=today&f=path:eq:/none"),
    )
    .await;
    assert!(other.contains("No errors in this period"), "{other}");
    let series = owner
        .get(&format!("{site}/export?table=events_by_date&as=csv"))
        .await;
    assert_eq!(series.text.lines().count(), 8, "{}", series.text);
    for none in [
        "table=nonsense",
        "list=nonsense",
        "",
        "table=link_total_clicks",
    ] {
        is_page(&owner.get(&format!("{site}/export?{none}")).await, 404);
    }
    app.finish().await;
}

#[actix::test]
async fn an_error_is_resolved_until_it_occurs_again() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let errors = format!("/console/site/{}/errors", app.website);
    let fail = async |message: &str, at_ms: i64| {
        let error = json!([{
            "message": message, "path": "https://localhost/", "timestamp": at_ms, "anonymousId": "anon", "sessionId": "sess",
        }]);
        let url = format!("{}/errors?client_id={}", app.track, app.website);
        let sent = app.post_anonymously(url, &error).await;
        assert_eq!(sent.status, 200, "{}", sent.text);
    };
    fail("x is undefined", NOW - 60_000).await;
    fail("y is undefined", NOW - 60_000).await;
    let row = |page: &str, message: &str| {
        let table = page.split_once("aria-label=\"By message\"").unwrap().1;
        let table = table.split_once("</section>").unwrap().0;
        let mut rows = table.split("<tr>").map(str::to_owned);
        rows.find(|row| row.contains(message))
    };
    let shown = page(&owner, &errors).await;
    let own = row(&shown, "x is undefined").unwrap();
    assert!(own.contains("Unresolved</span>"), "{own}");
    let (_, id) = own.split_once("name=\"errorId\" value=\"").unwrap();
    let id = id.split('"').next().unwrap();
    let set = async |status: &str| {
        let form = [("errorId", id), ("status", status), ("back", &errors)];
        let answer = owner.submit(&format!("{errors}/status"), &form).await;
        assert_eq!(leads_to(&answer), errors);
    };

    set("resolved").await;
    let shown = page(&owner, &errors).await;
    assert_eq!(row(&shown, "x is undefined"), None, "{shown}");
    assert!(row(&shown, "y is undefined").is_some(), "{shown}");
    let resolved = page(&owner, &format!("{errors}?status=resolved")).await;
    assert!(row(&resolved, "x is undefined").unwrap().contains("Reopen"));
    app.clock.advance(std::time::Duration::from_mins(2));
    fail("x is undefined", NOW + 90_000).await;
    let again = page(&owner, &errors).await;
    assert!(
        row(&again, "x is undefined")
            .unwrap()
            .contains("Regressed</span>")
    );

    set("ignored").await;
    fail("x is undefined", NOW + 100_000).await;
    assert_eq!(row(&page(&owner, &errors).await, "x is undefined"), None);
    set("unresolved").await;
    let open = page(&owner, &errors).await;
    assert!(
        row(&open, "x is undefined")
            .unwrap()
            .contains("Unresolved</span>")
    );
    let log = page(&owner, "/console/audit").await;
    assert!(log.contains("error.set_status"), "{log}");
    app.finish().await;
}
