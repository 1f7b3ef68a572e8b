//! Boards in the console: made without a script, and shown panel by panel.

use pharos::access::Role;
use serde_json::{Value, json};

use super::{is_page, leads_to, page};
use crate::{
    app::{App, NOW},
    cast::{Cast, Proof},
    people::browser::Browser,
};

async fn view(app: &App) {
    let view = json!({
        "eventId": uuid::Uuid::new_v4().to_string(), "name": "screen_view", "anonymousId": "anon", "sessionId": "sess",
        "path": "https://localhost/pricing", "timestamp": NOW,
    });
    app.send_pages(&[view]).await;
}

async fn post(app: &App, path: &str, body: &Value) -> Value {
    let made = app.post(format!("{}{path}", app.base), body).await;
    assert_eq!(made.status, 200, "{}", made.text);
    made.body
}

/// A link, a monitor and a flag, by their ids.
async fn make_things(app: &App) -> [String; 3] {
    let link =
        json!({ "name": "Spring", "targetUrl": "https://target.example/", "slug": "spring" });
    let monitor = json!({ "kind": "push", "name": "Backup", "granularity": "hour" });
    let flag = json!({ "websiteId": app.website, "key": "checkout" });
    let link = post(app, "/links/create", &link).await;
    let monitor = post(app, "/uptime/createSchedule", &monitor).await;
    let flag = post(app, "/flags/create", &flag).await;
    [&link["id"], &monitor["scheduleId"], &flag["id"]].map(|id| id.as_str().unwrap().to_owned())
}

#[actix::test]
async fn a_board_is_made_row_by_row_without_a_script() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let [link, monitor, _] = make_things(&app).await;
    let list = page(&owner, "/console/boards").await;
    assert!(
        list.contains("No boards yet") && list.contains("/console/boards/new"),
        "{list}"
    );
    let form = page(&owner, "/console/boards/new").await;
    for option in [
        format!("website:{}", app.website),
        format!("link:{link}"),
        format!("monitor:{monitor}"),
    ] {
        assert!(form.contains(&option), "{option}: {form}");
    }
    let website = [
        ("name", "Team <b>"),
        ("panels.0.shows", "website_number:visitors"),
        ("panels.0.resource", app.website.as_str()),
        ("panels.0.name", "localhost"),
    ];
    let add = format!("link:{link}");
    let buttons = [("panels.change", "add."), ("panels.new", add.as_str())];
    let two = owner
        .submit(
            "/console/boards/new",
            &[&website[..], &buttons[..]].concat(),
        )
        .await;
    is_page(&two, 200);
    assert!(
        two.text.contains("2. Spring") && two.text.contains("value=\"Team &lt;b&gt;\""),
        "{}",
        two.text
    );
    let clicks = [
        ("panels.1.shows", "link_clicks"),
        ("panels.1.resource", link.as_str()),
        ("panels.1.name", "Spring"),
        ("panels.1.width", "full"),
    ];
    let up = [("panels.change", "up.1")];
    let moved = [&website[..], &clicks[..], &up[..]].concat();
    let moved = owner.submit("/console/boards/new", &moved).await;
    assert!(
        moved.text.contains("1. Spring") && moved.text.contains("2. localhost"),
        "{}",
        moved.text
    );
    assert!(
        page(&owner, "/console/boards")
            .await
            .contains("No boards yet"),
        "nothing is saved so far"
    );

    let nameless = [("name", ""), website[1], website[2]];
    is_page(&owner.submit("/console/boards/new", &nameless).await, 400);
    let foreign = [website[0], website[1], ("panels.0.resource", "nothing")];
    let foreign = owner.submit("/console/boards/new", &foreign).await;
    is_page(&foreign, 400);
    assert!(
        foreign
            .text
            .contains("Website not found in this organization"),
        "{}",
        foreign.text
    );
    let made = owner
        .submit("/console/boards/new", &[&website[..], &clicks[..]].concat())
        .await;
    let own = leads_to(&made).to_owned();
    let shown = page(&owner, &own).await;
    assert!(
        shown.contains("Team &lt;b&gt;") && shown.contains("Clicks"),
        "{shown}"
    );
    let settings = format!("{own}?tab=settings");
    let form = page(&owner, &settings).await;
    assert!(
        form.contains("1. localhost") && form.contains("2. Spring"),
        "{form}"
    );

    let removed = [&website[..], &clicks[..], &[("panels.change", "remove.0")]].concat();
    let removed = owner.submit(&own, &removed).await;
    is_page(&removed, 200);
    assert!(removed.text.contains("1. Spring"), "{}", removed.text);
    assert!(
        page(&owner, &own).await.contains("Visitors"),
        "it is not saved"
    );
    let saved = [
        ("name", "Team"),
        ("range", "last_30d"),
        ("panels.0.shows", "website_table:pages"),
        website[2],
    ];
    assert_eq!(
        leads_to(&owner.submit(&own, &saved).await),
        format!("{own}?done=1")
    );
    let list = page(&owner, "/console/boards").await;
    assert!(list.contains(&format!("href=\"{own}\"")), "{list}");
    let deleted = owner.submit(&format!("{own}/delete"), &[]).await;
    assert_eq!(leads_to(&deleted), "/console/boards");
    is_page(&owner.get(&own).await, 404);
    app.finish().await;
}

#[actix::test]
async fn a_board_shows_its_panels_with_the_range_that_was_chosen() {
    let app = App::spawn().await;
    view(&app).await;
    let [link, monitor, flag] = make_things(&app).await;
    let panels = json!([
        { "type": "website_number", "resourceId": app.website, "title": "People <i>" },
        { "type": "website_chart", "resourceId": app.website, "metric": "bounce_rate", "width": "full" },
        { "type": "website_table", "resourceId": app.website },
        { "type": "website_table", "resourceId": app.website, "dimension": "regions" },
        { "type": "link_clicks", "resourceId": link },
        { "type": "monitor_status", "resourceId": monitor },
        { "type": "flag_evaluations", "resourceId": flag },
    ]);
    let fields = json!({ "name": "Wall", "description": "For <all>", "range": "last_30d", "panels": panels });
    let made = post(&app, "/boards/create", &fields).await;
    let own = format!("/console/board/{}", made["id"].as_str().unwrap());
    let owner = Browser::owner(&app).await;
    let shown = page(&owner, &own).await;
    for said in [
        "For &lt;all&gt;",
        "People &lt;i&gt;",
        "Sep 15 – Oct 14, 2026",
        "Bounce rate",
        "/pricing",
        "0 clicks",
        "Not checked yet",
        "No evaluations in this period.",
        "aria-label=\"Visitors, Sep 15 – Oct 14, 2026: first 0, last 1, lowest 0, highest 1\"",
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    let tables = shown.matches(">View as table<").count();
    assert_eq!(
        tables, 3,
        "of the number, the chart and the clicks: {shown}"
    );
    assert!(!shown.contains("class=\"notice"), "{shown}");
    // The range that the board opens with is in no address, and the default of reports is in those of the board.
    assert!(
        shown.contains(&format!("href=\"{own}?preset=last_7d\"")),
        "{shown}"
    );
    let site = format!("href=\"/console/site/{}?preset=last_30d", app.website);
    assert!(shown.contains(&site), "{shown}");
    let day = page(&owner, &format!("{own}?preset=today")).await;
    assert!(
        day.contains("Oct 14, 2026") && !day.contains("Sep 15"),
        "{day}"
    );
    assert!(
        day.contains(&format!("/console/site/{}?preset=today", app.website)),
        "{day}"
    );
    let wrong = page(&owner, &format!("{own}?from=2026-02-02&to=2026-02-01")).await;
    assert!(
        wrong.contains("The end date is before the start date"),
        "{wrong}"
    );

    post(&app, "/links/delete", &json!({ "id": link })).await;
    let shown = page(&owner, &own).await;
    assert!(
        shown.contains("No longer available") && shown.contains("/pricing"),
        "{shown}"
    );
    let empty = post(&app, "/boards/create", &json!({ "name": "Empty" })).await;
    let empty = page(
        &owner,
        &format!("/console/board/{}", empty["id"].as_str().unwrap()),
    )
    .await;
    assert!(
        empty.contains("No panels yet") && empty.contains("Add panels"),
        "{empty}"
    );
    app.finish().await;
}

#[actix::test]
async fn viewers_read_boards_and_change_none() {
    let cast = Cast::spawn().await;
    let app = &cast.app;
    let fields = json!({ "name": "Wall", "panels": [{ "type": "website_number", "resourceId": app.website }] });
    let made = post(app, "/boards/create", &fields).await;
    let own = format!("/console/board/{}", made["id"].as_str().unwrap());
    let viewer = cast.person(Role::Viewer);
    let look = async |proof: &Proof, path: &str| {
        let answer =
            crate::app::Answer::send(proof.on(app.http.get(format!("{}{path}", app.base)))).await;
        is_page(&answer, 200);
        answer.text
    };
    for path in [own.clone(), format!("{own}?tab=settings")] {
        let shown = look(&viewer, &path).await;
        assert!(shown.contains("Visitors"), "{shown}");
        for more in ["Edit", "Delete board", "Save changes"] {
            assert!(!shown.contains(more), "{more}: {shown}");
        }
    }
    assert!(
        !look(&viewer, "/console/boards")
            .await
            .contains("/console/boards/new")
    );
    assert!(
        look(&cast.person(Role::Member), &own)
            .await
            .contains(">Edit<")
    );
    cast.app.finish().await;
}
