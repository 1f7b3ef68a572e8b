//! Status pages that change hands: with all of their monitors, or not at all.

use serde_json::{Value, json};

use crate::{
    app::App,
    people::{OPEN, browser::Browser},
};

async fn call_ok(by: &Browser<'_>, path: &str, body: Value) -> Value {
    let answer = by.post(path, &body).await;
    assert_eq!(answer.status, 200, "{path} {body}: {}", answer.text);
    answer.body
}

/// A push monitor of an organization.
async fn monitor(by: &Browser<'_>, organization: &str, name: &str) -> Value {
    let fields = json!({ "kind": "push", "granularity": "hour", "name": name, "organizationId": organization });
    let made = call_ok(by, "/uptime/createSchedule", fields).await;
    made["scheduleId"].clone()
}

async fn names(by: &Browser<'_>, organization: &str) -> Vec<String> {
    let own = json!({ "organizationId": organization });
    let all = call_ok(by, "/uptime/listSchedules", own).await;
    let all = all.as_array().unwrap().iter();
    let mut names: Vec<String> = all
        .map(|one| one["name"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

#[actix::test]
async fn a_page_goes_with_all_of_its_monitors_or_stays_with_all_of_them() {
    let plans = "plans.enabled = true\nplans.free.monitors = 3\n";
    let mut app = App::with(&format!("{OPEN}\n{plans}")).await;
    {
        let owner = Browser::owner(&app).await;
        let second = json!({ "name": "Second", "keepCurrentActiveOrganization": true });
        let house = call_ok(&owner, "/api/auth/organization/create", second).await;
        let (own, house) = (app.organization.as_str(), house["id"].as_str().unwrap());
        let page = json!({ "name": "Example", "slug": "example", "organizationId": own });
        let page = call_ok(&owner, "/statusPage/create", page).await["id"].clone();
        let mut monitors = Vec::new();
        for name in ["a", "b", "c"] {
            let one = monitor(&owner, own, name).await;
            let add = json!({ "statusPageId": page, "uptimeScheduleId": one });
            call_ok(&owner, "/statusPage/addMonitor", add).await;
            monitors.push(one);
        }
        // One of the three left before, and there is room for one of the two that are left.
        let away = json!({ "scheduleId": monitors[2], "targetOrganizationId": house });
        call_ok(&owner, "/uptime/transfer", away).await;
        monitor(&owner, house, "d").await;
        let there = json!({ "statusPageId": page, "targetOrganizationId": house });
        let refused = owner.post("/statusPage/transfer", &there).await;
        assert_eq!(refused.status, 402, "{}", refused.text);
        assert_eq!(refused.body["data"]["current"], 2);
        assert_eq!(names(&owner, own).await, ["a", "b"]);
        assert_eq!(names(&owner, house).await, ["c", "d"]);
        let listed = call_ok(&owner, "/statusPage/list", json!({ "organizationId": own })).await;
        assert_eq!(listed.as_array().unwrap().len(), 1);

        // What is not the page's owner's any more stays where it is.
        call_ok(
            &owner,
            "/uptime/deleteSchedule",
            json!({ "scheduleId": monitors[1] }),
        )
        .await;
        call_ok(&owner, "/statusPage/transfer", there).await;
        assert_eq!(names(&owner, own).await, [""; 0]);
        assert_eq!(names(&owner, house).await, ["a", "c", "d"]);
        let whole = call_ok(&owner, "/statusPage/get", json!({ "statusPageId": page })).await;
        assert_eq!(whole["organizationId"], house);
        assert_eq!(whole["monitors"][0]["uptimeSchedule"]["name"], "a");

        // A foreign monitor never moves with the page.
        let back = json!({ "scheduleId": monitors[0], "targetOrganizationId": own });
        call_ok(&owner, "/uptime/transfer", back).await;
        let home = json!({ "statusPageId": page, "targetOrganizationId": own });
        call_ok(&owner, "/statusPage/transfer", home).await;
        assert_eq!(names(&owner, own).await, ["a", "c"]);
    }
    app.restart().await;
    {
        let owner = Browser::owner(&app).await;
        let own = app.organization.as_str();
        assert_eq!(names(&owner, own).await, ["a", "c"]);
        let listed = call_ok(&owner, "/statusPage/list", json!({ "organizationId": own })).await;
        assert_eq!(listed.as_array().unwrap().len(), 1);
    }
    app.finish().await;
}
