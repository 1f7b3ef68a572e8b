//! Websites change hands with all that was stored of them, and are erased for good; people are forgotten.

use std::time::Duration;

use pharos::actors::{
    erasure::{erase_people, erase_websites},
    ingest::Seal,
};
use serde_json::{Value, json};

use crate::{
    app::App,
    people::{OPEN, browser::Browser, organizations::audited},
};

const GRACE_MS: u64 = 7 * 86_400_000;

/// Custom events of today that an organization or a website has.
async fn events(by: &Browser<'_>, target: &str) -> u64 {
    let body = json!({ "parameters": ["custom_events_summary"], "preset": "today" });
    let answer = by.post(&format!("/v1/query?{target}"), &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.rows(0)[0]["total_events"].as_u64().unwrap()
}

async fn send(app: &App, website: &str, name: &str) {
    let event = json!({ "name": name, "websiteId": website });
    let sent = app
        .post_anonymously(format!("{}/track", app.track), &event)
        .await;
    assert_eq!(sent.status, 200, "{}", sent.text);
}

async fn create(by: &Browser<'_>, path: &str, body: Value) -> String {
    let made = by.post(path, &body).await;
    assert_eq!(made.status, 200, "{}", made.text);
    made.body["id"].as_str().unwrap().to_owned()
}

#[actix::test]
async fn a_website_goes_to_its_next_owner_with_all_that_was_stored() {
    let mut app = App::with(OPEN).await;
    let (cookie, house) = {
        let owner = Browser::owner(&app).await;
        let second = json!({ "name": "Second", "keepCurrentActiveOrganization": true });
        let house = create(&owner, "/api/auth/organization/create", second).await;
        let shop = json!({ "name": "shop", "domain": "127.0.0.1" });
        let shop = create(&owner, "/websites/create", shop).await;
        for name in ["a", "b"] {
            send(&app, &app.website, name).await;
        }
        send(&app, &shop, "c").await;
        let (own, other) = (
            format!("organization_id={}", app.organization),
            format!("organization_id={house}"),
        );
        assert_eq!(
            (events(&owner, &own).await, events(&owner, &other).await),
            (3, 0)
        );

        let there = json!({ "websiteId": app.website, "organizationId": house });
        let moved = owner.post("/websites/transfer", &there).await;
        assert_eq!(moved.status, 200, "{}", moved.text);
        assert_eq!(moved.body["organizationId"], house.as_str());
        assert_eq!(
            (events(&owner, &own).await, events(&owner, &other).await),
            (1, 2)
        );
        send(&app, &app.website, "d").await;
        let website = format!("website_id={}", app.website);
        assert_eq!(
            (events(&owner, &own).await, events(&owner, &other).await),
            (1, 3)
        );
        assert_eq!(
            events(&owner, &website).await,
            3,
            "what came before and after"
        );
        assert_eq!(
            app.post(app.query_url(), &json!({})).await.status,
            403,
            "a key of the old owner"
        );
        let again = owner.post("/websites/transfer", &there).await;
        assert_eq!(again.status, 400, "it is there: {}", again.text);
        (owner.cookie(), house)
    };
    // From files, and in another life of the program.
    let domains = app.platform.as_ref().unwrap().domains();
    domains.ingest.ask(Seal).await.unwrap();
    app.restart().await;
    let owner = Browser::with(&app, &cookie);
    let (own, other) = (
        format!("organization_id={}", app.organization),
        format!("organization_id={house}"),
    );
    assert_eq!(
        (events(&owner, &own).await, events(&owner, &other).await),
        (1, 3)
    );
    // And back, under the procedure's other name: the row that came meanwhile comes with it.
    let back = json!({ "websiteId": app.website, "targetOrganizationId": app.organization });
    let moved = owner.post("/websites/transferToOrganization", &back).await;
    assert_eq!(moved.status, 200, "{}", moved.text);
    assert_eq!(
        (events(&owner, &own).await, events(&owner, &other).await),
        (4, 0)
    );
    let told = audited(&app).await;
    let told = told.iter().filter(|action| *action == "website.transfer");
    assert_eq!(told.count(), 2);
    app.finish().await;
}

#[actix::test]
async fn a_website_goes_nowhere_where_it_may_not() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let stranger = Browser::signed_up(&app, "stranger").await;
    let foreign = create(
        &stranger,
        "/api/auth/organization/create",
        json!({ "name": "Foreign" }),
    )
    .await;
    let second = json!({ "name": "Second", "keepCurrentActiveOrganization": true });
    let house = create(&owner, "/api/auth/organization/create", second).await;
    let same = json!({ "name": "same", "domain": "localhost", "organizationId": house });
    create(&owner, "/websites/create", same).await;
    for (to, status) in [
        (foreign.as_str(), 404),
        ("no-such-organization", 404),
        (&house, 409),
    ] {
        let there = json!({ "websiteId": app.website, "organizationId": to });
        let refused = owner.post("/websites/transfer", &there).await;
        assert_eq!(refused.status, status, "{to}: {}", refused.text);
    }
    let there = json!({ "websiteId": app.website, "organizationId": foreign });
    let taken = stranger.post("/websites/transfer", &there).await;
    assert_eq!(taken.status, 404, "nobody takes it: {}", taken.text);
    let kept = owner
        .post("/websites/getById", &json!({ "id": app.website }))
        .await;
    assert_eq!(kept.body["organizationId"], app.organization.as_str());
    app.finish().await;
}

#[actix::test]
async fn a_website_goes_nowhere_where_the_plan_has_no_place_for_it() {
    let app = App::with("plans.enabled = true\nplans.free.websites = 1\nsignup.open = true").await;
    let owner = Browser::owner(&app).await;
    let second = json!({ "name": "Second", "keepCurrentActiveOrganization": true });
    let house = create(&owner, "/api/auth/organization/create", second).await;
    let full = json!({ "name": "full", "domain": "full.example", "organizationId": house });
    let full = create(&owner, "/websites/create", full).await;
    let there = json!({ "websiteId": app.website, "organizationId": house });
    let refused = owner.post("/websites/transfer", &there).await;
    let expected = json!({
        "defined": true, "code": "PLAN_LIMIT_EXCEEDED", "status": 402, "message": "The plan allows 1 website",
        "data": { "limit": 1, "current": 1, "nextPlan": "hobby" },
    });
    assert_eq!((refused.status, refused.body), (402, expected));
    let kept = json!({ "id": app.website });
    let kept = owner.post("/websites/getById", &kept).await;
    assert_eq!(kept.body["organizationId"], app.organization.as_str());
    // Its place is free once another is gone.
    let gone = owner.post("/websites/delete", &json!({ "id": full })).await;
    assert_eq!(gone.status, 200, "{}", gone.text);
    let moved = owner.post("/websites/transfer", &there).await;
    assert_eq!(moved.status, 200, "{}", moved.text);
    app.finish().await;
}

#[actix::test]
async fn what_a_deleted_website_leaves_goes_after_seven_days() {
    let app = App::with("").await;
    send(&app, &app.website, "a").await;
    let domains = app.platform.as_ref().unwrap().domains();
    let one = json!({ "id": app.website });
    let restore = async || {
        let owner = Browser::owner(&app).await;
        owner.post("/websites/restore", &one).await.status
    };
    let delete = async || {
        let owner = Browser::owner(&app).await;
        let deleted = owner.post("/websites/delete", &one).await;
        assert_eq!(deleted.status, 200, "{}", deleted.text);
    };
    delete().await;
    app.clock.advance(Duration::from_millis(GRACE_MS - 1));
    assert_eq!(erase_websites(domains).await.unwrap(), 0);
    assert_eq!(restore().await, 200, "until the last moment");
    delete().await;
    app.clock.advance(Duration::from_millis(GRACE_MS));
    assert_eq!(
        restore().await,
        404,
        "too late, although nothing was erased yet"
    );
    assert_eq!(erase_websites(domains).await.unwrap(), 1);
    assert_eq!(erase_websites(domains).await.unwrap(), 0, "once");
    assert_eq!(restore().await, 404);
    let owner = Browser::owner(&app).await;
    let all = json!({ "parameters": ["custom_events_summary"], "startDate": "2020-01-01", "endDate": "2030-01-01" });
    let url = format!("/v1/query?organization_id={}", app.organization);
    let left = owner.post(&url, &all).await;
    assert_eq!(left.rows(0)[0]["total_events"], 0, "{}", left.text);
    let told = audited(&app).await;
    assert_eq!(
        told.iter()
            .filter(|action| *action == "website.erase")
            .count(),
        1
    );
    app.finish().await;
}

#[actix::test]
async fn a_forgotten_person_is_in_no_row_of_any_kind() {
    let mut app = App::with("").await;
    let view = |id: &str, who: &str| {
        json!({
            "eventId": id, "name": "screen_view", "anonymousId": who, "sessionId": format!("s-{who}"),
            "timestamp": crate::app::NOW, "path": "https://localhost/",
        })
    };
    app.send_pages(&[view("1", "anna-phone"), view("2", "bob-phone")])
        .await;
    // What she did before she was known, what she did without the visitor, and who she is.
    let url = format!("{}/identify?client_id={}", app.track, app.website);
    let named =
        json!({ "profileId": "anna", "anonymousId": "anna-phone", "traits": { "plan": "pro" } });
    let named = app.post_anonymously(url, &named).await;
    assert_eq!(named.status, 200, "{}", named.text);
    for (event, who) in [("bought", "anna"), ("sold", "bob")] {
        let event = json!({ "name": event, "profileId": who, "websiteId": app.website });
        let sent = app.send(&event).await;
        assert_eq!(sent.status, 200, "{}", sent.text);
    }
    let people = async |app: &App| {
        let rows = app.rows("profile_list").await;
        let mut ids: Vec<Value> = rows.iter().map(|row| row["profile_id"].clone()).collect();
        ids.sort_by_key(Value::to_string);
        ids
    };
    assert_eq!(
        people(&app).await,
        [json!("anna"), json!("bob"), Value::Null]
    );
    let url = format!("{}/profiles/erase", app.base);
    let dry = json!({ "websiteId": app.website, "profileId": "anna", "dryRun": true });
    let dry = app.post(url.clone(), &dry).await;
    assert_eq!(dry.status, 200, "{}", dry.text);
    assert_eq!(
        (&dry.body["status"], &dry.body["receipt"]),
        (&json!("dryRun"), &Value::Null)
    );
    let kinds = dry.body["kinds"].clone();
    assert_eq!(
        (&kinds["pages"], &kinds["customEvents"]),
        (&json!(1), &json!(1))
    );
    assert!(kinds["identities"].as_u64().unwrap() >= 1, "{kinds}");
    let rows: u64 = kinds
        .as_object()
        .unwrap()
        .values()
        .map(|rows| rows.as_u64().unwrap())
        .sum();
    assert_eq!(dry.body["events"], rows);
    assert_eq!(people(&app).await.len(), 3, "nothing is gone");
    let body = json!({ "websiteId": app.website, "profileId": "anna" });
    let erased = app.post(url.clone(), &body).await;
    assert_eq!(erased.status, 200, "{}", erased.text);
    assert_eq!(erased.body["status"], "erased");
    assert_eq!(
        (&erased.body["events"], &erased.body["kinds"]),
        (&json!(rows), &kinds)
    );
    // Keys do not read the log, people do.
    let owner = Browser::owner(&app).await;
    let wish = json!({ "organizationId": app.organization });
    let log = owner.post("/audit/list", &wish).await;
    assert_eq!(log.status, 200, "{}", log.text);
    let entries = log.body.as_array().unwrap();
    let receipt = entries
        .iter()
        .find(|entry| entry["seq"] == erased.body["receipt"])
        .unwrap();
    assert_eq!(receipt["action"], "profile.erase");
    assert_eq!(
        receipt["details"],
        json!({ "events": rows, "kinds": kinds })
    );
    assert_eq!(people(&app).await, [json!("bob"), Value::Null]);
    assert_eq!(app.rows("summary_totals").await[0]["pageviews"], 1);
    let names: Vec<Value> = app.rows("custom_events").await;
    assert_eq!((names.len(), &names[0]["name"]), (1, &json!("sold")));
    let domains = app.platform.as_ref().unwrap().domains();
    assert_eq!(
        erase_people(domains).await.unwrap(),
        0,
        "nothing is left to do"
    );
    app.restart().await;
    assert_eq!(people(&app).await, [json!("bob"), Value::Null]);
    // Unknown visitors are forgotten as easily; an empty id belongs to no visitor.
    let nobody = json!({ "websiteId": app.website, "profileId": "nobody" });
    let erased = app
        .post(format!("{}/profiles/erase", app.base), &nobody)
        .await;
    assert_eq!((erased.status, &erased.body["events"]), (200, &json!(0)));
    let url = format!("{}/profiles/erase", app.base);
    for wrong in [
        json!({ "websiteId": app.website, "profileId": "" }),
        json!({ "websiteId": app.website }),
        json!({ "websiteId": app.website, "profileId": "bob", "anonymousId": "bob-phone" }),
    ] {
        assert_eq!(app.post(url.clone(), &wrong).await.status, 400, "{wrong}");
    }
    // An anonymous visitor has the id that the tracker gave.
    let visitor = json!({ "websiteId": app.website, "anonymousId": "bob-phone" });
    let erased = app.post(url, &visitor).await;
    assert_eq!(erased.status, 200, "{}", erased.text);
    assert_eq!(erased.body["kinds"], json!({ "pages": 1 }));
    assert_eq!(people(&app).await, [json!("bob")]);
    app.finish().await;
}
