//! Members, invitations, the audit log and usage at the console.

use serde_json::json;

use super::{is_page, leads_to, page};
use crate::{
    app::{App, NOW},
    people::{
        OPEN,
        browser::Browser,
        team::{invite, invited},
    },
};

const PATH: &str = "/console/members";

#[actix::test]
async fn people_are_invited_get_other_roles_and_are_removed() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let fields = [("email", "new@example.com"), ("role", "member")];
    let made = owner.submit("/console/members/invite", &fields).await;
    is_page(&made, 200);
    let token = made
        .text
        .split("/invite/")
        .nth(1)
        .unwrap()
        .split('<')
        .next()
        .unwrap();
    assert!(page(&owner, PATH).await.contains("new@example.com"));
    assert!(
        !page(&owner, PATH).await.contains("/invite/"),
        "it is shown once"
    );
    page(&Browser::new(&app), &format!("/invite/{token}")).await;
    let twice = owner.submit("/console/members/invite", &fields).await;
    is_page(&twice, 409);
    let again = owner
        .submit(
            "/console/members/invite",
            &[fields[0], fields[1], ("again", "on")],
        )
        .await;
    is_page(&again, 200);
    let wrong = owner
        .submit(
            "/console/members/invite",
            &[("email", "nobody"), ("role", "member")],
        )
        .await;
    is_page(&wrong, 400);
    assert!(wrong.text.contains("value=\"nobody\""), "{}", wrong.text);
    let list = page(&owner, PATH).await;
    let id = list
        .split("name=\"invitation\" value=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    assert_eq!(
        leads_to(
            &owner
                .submit("/console/members/withdraw", &[("invitation", id)])
                .await
        ),
        PATH
    );
    assert!(page(&owner, PATH).await.contains("No open invitations"));

    let viewer = invited(&app, &owner, "viewer").await;
    let user = viewer.current_session().await["user"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let change = [("member", user.as_str()), ("role", "member")];
    assert_eq!(
        leads_to(&owner.submit("/console/members/role", &change).await),
        PATH
    );
    let list = page(&owner, PATH).await;
    assert!(
        list.contains("<option value=\"member\" selected>"),
        "{list}"
    );
    let wrong = owner
        .submit(
            "/console/members/role",
            &[("member", user.as_str()), ("role", "king")],
        )
        .await;
    is_page(&wrong, 400);
    let last = owner.current_session().await["user"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let refused = owner
        .submit("/console/members/remove", &[("member", &last)])
        .await;
    assert!(
        (400..500).contains(&refused.status),
        "one owner stays: {}",
        refused.status
    );
    assert_eq!(
        leads_to(
            &owner
                .submit("/console/members/remove", &[("member", &user)])
                .await
        ),
        PATH
    );
    assert!(!page(&owner, PATH).await.contains(&user));
    app.finish().await;
}

#[actix::test]
async fn the_page_says_which_keys_and_invitations_end_with_a_member() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    for keep in [false, true] {
        let name = if keep { "owner" } else { "admin" };
        let boss = invited(&app, &owner, name).await;
        let user = boss.current_session().await["user"]["id"]
            .as_str()
            .unwrap()
            .to_owned();
        let key = json!({ "name": "deploy", "organizationId": app.organization, "scopes": ["read:data"] });
        let key = boss.post("/apikeys/create", &key).await;
        assert_eq!(key.status, 200, "{}", key.text);
        invite(&app, &boss, &format!("x{name}@example.com"), "viewer").await;
        let asked = page(&owner, PATH).await;
        let named = key.body["start"].as_str().unwrap();
        assert!(asked.contains("deploy") && asked.contains(named), "{asked}");
        assert!(asked.contains("name=\"keepKeys\""), "{asked}");
        let mut fields = vec![("member", user.as_str())];
        fields.extend(keep.then_some(("keepKeys", "on")));
        let said = owner.submit("/console/members/remove", &fields).await;
        is_page(&said, 200);
        let outcome = if keep { "kept" } else { "ended" };
        assert!(
            said.text.contains(named) && said.text.contains(outcome),
            "{}",
            said.text
        );
        assert!(
            said.text.contains("1 open invitation was canceled"),
            "{}",
            said.text
        );
    }
    app.finish().await;
}

#[actix::test]
async fn who_may_not_manage_people_only_sees_them() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let viewer = invited(&app, &owner, "viewer").await;
    let seen = page(&viewer, PATH).await;
    assert!(
        !seen.contains("/console/members/invite") && !seen.contains(&app.email),
        "no address: {seen}"
    );
    let fields = [("email", "x@example.com"), ("role", "viewer")];
    is_page(
        &viewer.submit("/console/members/invite", &fields).await,
        403,
    );
    let me = viewer.current_session().await["user"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    is_page(
        &viewer
            .submit(
                "/console/members/role",
                &[("member", &me), ("role", "owner")],
            )
            .await,
        403,
    );
    is_page(&viewer.get("/console/audit").await, 403);
    assert!(!page(&viewer, "/").await.contains("/console/audit"));
    app.finish().await;
}

#[actix::test]
async fn the_audit_log_and_usage_are_shown() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let name = "Key \"><script>alert(1)</script>";
    owner
        .submit(
            "/console/keys/new",
            &[("name", name), ("scopes", "read:data")],
        )
        .await;
    let log = page(&owner, "/console/audit").await;
    assert!(
        log.contains("key.create") && !log.contains("<script>alert"),
        "{log}"
    );
    let other = page(&owner, "/console/audit?action=member.role").await;
    assert!(other.contains("No entries yet"), "{other}");
    assert!(
        page(&owner, "/console/audit?before=1")
            .await
            .contains("No entries yet")
    );
    assert!(
        page(&owner, "/console/usage")
            .await
            .contains("No limits apply")
    );
    app.finish().await;
    let app = App::with("plans.enabled = true").await;
    let owner = Browser::owner(&app).await;
    let usage = page(&owner, "/console/usage").await;
    assert!(usage.contains("this month (UTC)"), "{usage}");
    assert!(usage.contains("No data for this period"), "{usage}");
    let view = json!({
        "eventId": uuid::Uuid::new_v4().to_string(), "name": "screen_view", "anonymousId": "anon", "sessionId": "sess",
        "path": "https://localhost/", "timestamp": NOW,
    });
    app.send_pages(&[view]).await;
    let usage = page(&owner, "/console/usage?days=7").await;
    assert!(usage.contains("Events received (7 days)"), "{usage}");
    assert!(
        usage.contains("<span class=\"what\">Stored</span><strong>1</strong>"),
        "{usage}"
    );
    app.finish().await;
}

#[actix::test]
async fn the_audit_log_has_every_change_of_a_resource_with_its_name() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let push = [
        ("kind", "push"),
        ("name", "Zebra backup"),
        ("granularity", "hour"),
    ];
    let monitor = leads_to(&owner.submit("/console/monitors/new", &push).await).to_owned();
    let id = monitor.rsplit('/').next().unwrap().to_owned();
    let body = |more: serde_json::Value| {
        let mut body = json!({ "scheduleId": id });
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        body
    };
    for (name, more) in [
        ("updateSchedule", json!({ "name": "Zebra nightly" })),
        ("pauseSchedule", json!({})),
        ("deleteSchedule", json!({})),
    ] {
        let done = owner.post(&format!("/uptime/{name}"), &body(more)).await;
        assert_eq!(done.status, 200, "{name}: {}", done.text);
    }
    let refused = owner.post("/uptime/deleteSchedule", &body(json!({}))).await;
    assert_eq!(refused.status, 404, "{}", refused.text);
    let entries = owner
        .post("/audit/list", &json!({ "targetId": id }))
        .await
        .body;
    let seen: Vec<_> = entries
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            assert_eq!(entry["targetType"], "monitor");
            assert_eq!(entry["actorType"], "user");
            (
                entry["action"].as_str().unwrap(),
                entry["details"]["name"].as_str().unwrap_or_default(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("monitor.delete", "Zebra nightly"),
            ("monitor.pause", "Zebra nightly"),
            ("monitor.update", "Zebra nightly"),
            ("monitor.create", "Zebra backup"),
        ]
    );
    assert_eq!(entries[2]["details"]["changed"], json!(["name"]));

    let log = page(&owner, "/console/audit?action=monitor.delete").await;
    assert!(
        log.contains("<option value=\"monitor.delete\" selected>Monitor: delete"),
        "{log}"
    );
    assert!(
        log.contains("Zebra nightly") && !log.contains("Zebra backup"),
        "{log}"
    );
    app.finish().await;
}

#[actix::test]
async fn a_change_is_in_the_log_of_the_organization_that_has_the_resource() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let goal =
        json!({ "websiteId": app.website, "type": "PAGE_VIEW", "target": "/", "name": "Home" });
    let goal = owner.post("/goals/create", &goal).await;
    assert_eq!(goal.status, 200, "{}", goal.text);
    let made = owner
        .submit("/console/organization/new", &[("name", "Second")])
        .await;
    assert_eq!(leads_to(&made), "/");
    let gone = owner
        .post("/goals/delete", &json!({ "id": goal.body["id"] }))
        .await;
    assert_eq!(gone.status, 200, "{}", gone.text);
    let list = json!({ "organizationId": app.organization, "action": "goal.delete" });
    let entries = owner.post("/audit/list", &list).await.body;
    assert_eq!(entries[0]["details"]["name"], "Home", "{entries}");
    assert_eq!(entries[0]["targetId"], goal.body["id"]);
    let elsewhere = owner
        .post("/audit/list", &json!({ "action": "goal.delete" }))
        .await
        .body;
    assert_eq!(
        elsewhere,
        json!([]),
        "the active organization is another one"
    );
    app.finish().await;
}
