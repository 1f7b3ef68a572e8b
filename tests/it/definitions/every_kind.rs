//! What is saved stays, changes and goes, each kind alike.

use std::time::Duration;

use serde_json::{Value, json};

use super::{call, call_ok, saved, with_website};
use crate::{app::App, people::browser::Browser};

fn each() -> [(&'static str, Value, Value); 4] {
    let step = json!({ "type": "EVENT", "target": "a", "name": "a" });
    let filter = json!({ "field": "path", "operator": "in", "value": ["/", "/a"] });
    let range =
        json!({ "start_date": "2026-10-01", "end_date": "2026-10-31", "granularity": "daily" });
    let note = json!({
        "annotationType": "point", "xValue": "2026-10-02", "text": "a", "chartContext": { "dateRange": range },
    });
    [
        (
            "goals",
            step.clone(),
            json!({ "name": "b", "isActive": false }),
        ),
        (
            "funnels",
            json!({ "name": "f", "steps": [step, step] }),
            json!({ "name": "g", "description": "d" }),
        ),
        (
            "segments",
            json!({ "name": "s", "filters": [filter] }),
            json!({ "name": "t" }),
        ),
        (
            "annotations",
            note,
            json!({ "text": "b", "color": "#000000", "isPublic": true }),
        ),
    ]
}

#[actix::test]
async fn what_is_saved_stays_changes_and_goes() {
    let mut app = App::spawn().await;
    let mut kept = Vec::new();
    for (group, fields, change) in each() {
        let id = saved(&app, group, &fields).await;
        let path = |name: &str| format!("/{group}/{name}");
        let one = json!({ "id": id });
        let made = call_ok(&app, &path("getById"), &one).await;
        assert_eq!(made["websiteId"], app.website.as_str());
        assert!(made["createdBy"].is_string(), "{made}");
        for (name, value) in fields.as_object().unwrap() {
            assert_eq!(&made[name], value, "{group} {name}");
        }
        app.clock.advance(Duration::from_secs(1));
        let mut update = one.clone();
        update
            .as_object_mut()
            .unwrap()
            .extend(change.as_object().unwrap().clone());
        let changed = call_ok(&app, &path("update"), &update).await;
        for (name, value) in change.as_object().unwrap() {
            assert_eq!(&changed[name], value, "{group} {name}");
        }
        assert_ne!(changed["updatedAt"], changed["createdAt"]);
        let second = saved(&app, group, &fields).await;
        let listed = call_ok(&app, &path("list"), &with_website(&app, &json!({}))).await;
        let ids: Vec<&Value> = listed
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["id"])
            .collect();
        assert_eq!(ids, [&json!(second), &json!(id)], "newest first");
        let gone = call_ok(&app, &path("delete"), &json!({ "id": second })).await;
        assert_eq!(gone, json!({ "success": true }));
        for name in ["getById", "delete"] {
            let again = call(&app, &path(name), &json!({ "id": second })).await;
            assert_eq!(
                (again.status, &again.body["code"]),
                (404, &json!("NOT_FOUND"))
            );
        }
        kept.push((path("getById"), one, changed));
    }
    app.restart().await;
    for (path, one, before) in kept {
        assert_eq!(call_ok(&app, &path, &one).await, before);
    }
    app.finish().await;
}

#[actix::test]
async fn what_is_saved_about_a_website_is_seen_as_long_as_its_owner_is_there() {
    let app = App::spawn().await;
    let goal = json!({ "type": "EVENT", "target": "a", "name": "a" });
    let id = saved(&app, "goals", &goal).await;
    let owner = Browser::owner(&app).await;
    let which = json!({ "organizationId": app.organization });
    let deleted = owner.post("/api/auth/organization/delete", &which).await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    let unseen = owner.post("/goals/getById", &json!({ "id": id })).await;
    assert_eq!(unseen.status, 404, "{}", unseen.text);
    owner.post("/organizations/restore", &which).await;
    let seen = owner.post("/goals/getById", &json!({ "id": id })).await;
    assert_eq!(seen.status, 200, "{}", seen.text);
    app.finish().await;
}
