//! Goals, funnels and segments at the console: built, asked, changed, deleted.

use serde_json::{Value, json};

use super::{is_page, leads_to, page};
use crate::{
    app::{App, NOW},
    people::{OPEN, browser::Browser, team::invited},
};

/// Three visitors: one who buys, one who leaves, one who never comes near.
async fn visits(app: &App) {
    let view = |who: &str, path: &str, later: i64| {
        json!({
            "eventId": uuid::Uuid::new_v4().to_string(), "name": "screen_view", "anonymousId": format!("anon_{who}"),
            "sessionId": format!("sess_{who}"), "path": format!("https://localhost{path}"), "timestamp": NOW - 60_000 + later,
        })
    };
    let views = [
        view("a", "/pricing", 0),
        view("a", "/paid", 5_000),
        view("b", "/pricing", 1_000),
        view("c", "/", 0),
    ];
    app.send_pages(&views).await;
}

async fn stored(app: &App, group: &str, id: &str) -> Value {
    let url = format!("{}/{group}/getById", app.base);
    app.post(url, &json!({ "id": id })).await.body
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

#[actix::test]
async fn a_funnel_is_built_and_says_where_people_leave_it() {
    let app = App::spawn().await;
    visits(&app).await;
    let owner = Browser::owner(&app).await;
    let site = format!("/console/site/{}", app.website);
    let new = format!("{site}/funnels/new");
    let empty = page(&owner, &format!("{site}/funnels")).await;
    assert!(empty.contains("No funnels yet"), "{empty}");
    page(&owner, &new).await;
    let short = [
        ("name", "Way"),
        ("steps.1.target", "pricing"),
        ("steps.1.type", "PAGE_VIEW"),
    ];
    let short = owner.submit(&new, &short).await;
    is_page(&short, 400);
    assert!(short.text.contains("value=\"pricing\""), "{}", short.text);
    let fields = [
        ("name", "Way <b>"),
        ("steps.0.type", "PAGE_VIEW"),
        ("steps.0.target", "/pricing"),
        ("steps.0.name", "Prices"),
        ("steps.2.type", "PAGE_VIEW"),
        ("steps.2.target", "/paid"),
        ("countBy", "visitor"),
    ];
    let path = leads_to(&owner.submit(&new, &fields).await).to_owned();
    let shown = page(&owner, &path).await;
    for said in ["Way &lt;b&gt;", "1. Prices", "2. /paid", "50%", "Sources"] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    let listed = page(&owner, &format!("{site}/funnels")).await;
    assert!(
        listed.contains("/pricing → /paid") && listed.contains("50%"),
        "{listed}"
    );
    let filtered = owner
        .get(&format!("{path}?field=path&op=eq&value=/pricing"))
        .await;
    assert_eq!(
        leads_to(&filtered),
        format!("{path}?f=path%3Aeq%3A%2Fpricing")
    );
    let nobody = page(&owner, &format!("{path}?from=2020-01-01&to=2020-01-02")).await;
    assert!(nobody.contains("No data for this period"), "{nobody}");

    let broken = page(&owner, &format!("{path}?break=device_type")).await;
    assert!(broken.contains("<th scope=\"col\">Device</th>"), "{broken}");
    assert!(shown.contains("class=\"funnel\""), "{shown}");

    let mut change = fields.to_vec();
    change.extend([
        ("windowSeconds", "60"),
        ("filters.0.field", "country"),
        ("filters.0.operator", "in"),
        ("filters.0.value", "DE, FR"),
    ]);
    assert_eq!(
        leads_to(&owner.submit(&path, &change).await),
        format!("{path}?done=1")
    );
    let funnel = stored(&app, "funnels", last(&path)).await;
    assert_eq!(
        (&funnel["windowSeconds"], &funnel["isActive"]),
        (&json!(60), &json!(false))
    );
    assert_eq!(funnel["filters"][0]["value"], json!(["DE", "FR"]));
    change.push(("filters.1.field", "nonsense"));
    let wrong = owner.submit(&path, &change).await;
    is_page(&wrong, 400);
    assert!(
        wrong.text.contains("There is no filter field “nonsense”"),
        "{}",
        wrong.text
    );
    assert_eq!(
        leads_to(&owner.submit(&format!("{path}/delete"), &[]).await),
        format!("{site}/funnels")
    );
    is_page(&owner.get(&path).await, 404);
    app.finish().await;
}

#[actix::test]
async fn a_funnel_is_previewed_and_completed_before_it_is_saved() {
    let app = App::spawn().await;
    visits(&app).await;
    let owner = Browser::owner(&app).await;
    let site = format!("/console/site/{}", app.website);
    let new = format!("{site}/funnels/new");
    let form = page(&owner, &new).await;
    assert!(form.contains("<option value=\"/pricing\">Page"), "{form}");
    assert!(form.contains("list=\"targets\""), "{form}");
    let mut fields = vec![
        ("steps.0.type", "PAGE_VIEW"),
        ("steps.0.target", "/pricing"),
        ("steps.1.type", "PAGE_VIEW"),
        ("steps.1.target", "/paid"),
        ("preview", "1"),
    ];
    let shown = owner.submit(&new, &fields).await;
    is_page(&shown, 200);
    assert!(shown.text.contains("class=\"funnel\""), "{}", shown.text);
    assert!(shown.text.contains("1 (50"), "{}", shown.text);
    assert!(
        shown.text.contains("value=\"/paid\""),
        "the form stays: {}",
        shown.text
    );
    fields.drain(2..4);
    let short = owner.submit(&new, &fields).await;
    is_page(&short, 200);
    assert!(short.text.contains("2 to 10 steps"), "{}", short.text);
    let none = page(&owner, &format!("{site}/funnels")).await;
    assert!(none.contains("No funnels yet"), "nothing is saved: {none}");
    app.finish().await;
}

#[actix::test]
async fn a_goal_says_how_many_reach_it_and_viewers_only_look() {
    let app = App::with(OPEN).await;
    visits(&app).await;
    let owner = Browser::owner(&app).await;
    let site = format!("/console/site/{}", app.website);
    let new = format!("{site}/goals/new");
    let fields = [("name", "Paid"), ("type", "PAGE_VIEW"), ("target", "/paid")];
    let path = leads_to(&owner.submit(&new, &fields).await).to_owned();
    let shown = page(&owner, &path).await;
    assert!(
        shown.contains("<strong>33.3%</strong>") || shown.contains("33"),
        "{shown}"
    );
    assert!(
        page(&owner, &format!("{site}/goals"))
            .await
            .contains("Paid")
    );
    let wrong = owner
        .submit(&new, &[("name", ""), ("target", "paid")])
        .await;
    is_page(&wrong, 400);
    let viewer = invited(&app, &owner, "viewer").await;
    let seen = page(&viewer, &path).await;
    assert!(!seen.contains("Delete goal"), "{seen}");
    is_page(&viewer.submit(&path, &fields).await, 403);
    is_page(&viewer.submit(&new, &fields).await, 403);
    is_page(&viewer.submit(&format!("{path}/delete"), &[]).await, 403);
    assert_eq!(
        leads_to(&owner.submit(&format!("{path}/delete"), &[]).await),
        format!("{site}/goals")
    );
    app.finish().await;
}

#[actix::test]
async fn filters_are_saved_under_a_name_and_shown_on_the_dashboard_again() {
    let app = App::spawn().await;
    visits(&app).await;
    let owner = Browser::owner(&app).await;
    let site = format!("/console/site/{}", app.website);
    let dashboard = page(&owner, &format!("{site}?f=path:eq:/paid")).await;
    assert!(
        dashboard.contains(&format!("{site}/segments?f=path%3Aeq%3A%2Fpaid")),
        "{dashboard}"
    );
    let segments = format!("{site}/segments");
    let form = page(&owner, &format!("{segments}?f=path:eq:/paid")).await;
    assert!(
        form.contains("name=\"filters.0.value\" value=\"/paid\""),
        "{form}"
    );
    let fields = [
        ("name", "Buyers <i>"),
        ("filters.0.field", "path"),
        ("filters.0.operator", "equals"),
        ("filters.0.value", "/paid"),
    ];
    assert_eq!(leads_to(&owner.submit(&segments, &fields).await), segments);
    let listed = page(&owner, &segments).await;
    assert!(
        listed.contains("Buyers &lt;i&gt;")
            && listed.contains(&format!("{site}?f=path%3Aeq%3A%2Fpaid")),
        "{listed}"
    );
    let path = listed
        .split("href=\"")
        .find(|text| text.starts_with(&format!("{site}/segment/")))
        .unwrap();
    let path = path.split('"').next().unwrap().to_owned();
    page(&owner, &path).await;
    is_page(&owner.submit(&path, &[("name", "Nothing")]).await, 400);
    let change = [
        ("name", "Buyers"),
        ("filters.0.field", "country"),
        ("filters.0.operator", "not_in"),
        ("filters.0.value", "DE,FR"),
    ];
    assert_eq!(leads_to(&owner.submit(&path, &change).await), segments);
    assert_eq!(
        stored(&app, "segments", last(&path)).await["filters"][0]["value"],
        json!(["DE", "FR"])
    );
    assert_eq!(
        leads_to(&owner.submit(&format!("{path}/delete"), &[]).await),
        segments
    );
    is_page(&owner.get(&path).await, 404);
    app.finish().await;
}
