//! A deleted organization's monitors, heartbeats and flags stop, and resume when it comes back.

use std::time::Duration;

use pharos::actors::monitors::CreateMonitor;
use serde_json::{Value, json};

use super::browser::Browser;
use crate::{
    app::{Answer, App},
    cast::{Cast, OTHER},
    uptime::{Target, call_ok, checked, create},
};

const OPEN: &str = "egress.allow = ['127.0.0.0/8']\nlimits.query_requests = 0\n";

/// The value of a flag for a page.
async fn decided(app: &App, client: &str) -> Value {
    let path = format!("/public/v1/flags/evaluate?key=shown&clientId={client}");
    Answer::send(app.http.get(format!("{}{path}", app.base)))
        .await
        .body
}

/// Waits until the other organization's target was asked so often: what is due at the same time was looked at by then.
async fn watched(app: &App, target: &Target, minutes: usize) {
    for _ in 0..minutes {
        let before = target.hits();
        app.clock.advance(Duration::from_mins(1));
        crate::app::until("the other monitor is checked", async || {
            target.hits() > before
        })
        .await;
    }
}

#[actix::test]
async fn what_a_deleted_organization_had_is_still_and_goes_on_when_it_comes_back() {
    let cast = Cast::with(OPEN).await;
    let app = &cast.app;
    let (own, other) = (Target::start().await, Target::start().await);
    let fields = json!({ "url": own.url, "granularity": "minute" });
    let monitor = create(app, fields.clone()).await;
    checked(app, &monitor, 1).await;
    let beating = json!({ "kind": "push", "name": "Backup", "granularity": "hour" });
    let beating = call_ok(app, "createSchedule", beating).await;
    let beat = async || Answer::send(app.http.post(beating["pushUrl"].as_str().unwrap())).await;
    assert_eq!(beat().await.status, 200);
    let mut theirs = fields;
    theirs["url"] = json!(other.url);
    let theirs = CreateMonitor {
        organization: OTHER.into(),
        created_by: None,
        fields: serde_json::from_value(theirs).unwrap(),
        is_paused: false,
        allowance: None,
    };
    let domains = app.platform.as_ref().unwrap().domains();
    domains.monitors.ask(theirs).await.unwrap();
    for owner in [
        json!({ "websiteId": app.website }),
        json!({ "organizationId": app.organization }),
    ] {
        let mut flag = json!({ "key": "shown", "defaultValue": true, "status": "active" });
        flag.as_object_mut()
            .unwrap()
            .extend(owner.as_object().unwrap().clone());
        let made = app.post(format!("{}/flags/create", app.base), &flag).await;
        assert_eq!(made.status, 200, "{}", made.text);
    }
    let clients = [app.website.as_str(), app.organization.as_str()];
    for client in clients {
        assert_eq!(decided(app, client).await["enabled"], true, "{client}");
    }

    let owner = Browser::owner(app).await;
    let which = json!({ "organizationId": app.organization });
    let deleted = owner.post("/api/auth/organization/delete", &which).await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    let hits = own.hits();
    watched(app, &other, 3).await;
    assert_eq!(own.hits(), hits, "nobody is probed for it");
    assert_eq!(beat().await.status, 404);
    let nobody = decided(app, "nobody").await;
    for client in clients {
        assert_eq!(decided(app, client).await, nobody, "{client}");
    }

    let restored = owner.post("/organizations/restore", &which).await;
    assert_eq!(restored.status, 200, "{}", restored.text);
    for client in clients {
        assert_eq!(decided(app, client).await["enabled"], true, "{client}");
    }
    assert_eq!(beat().await.status, 200);
    watched(app, &other, 1).await;
    checked(app, &monitor, 2).await;
    assert!(own.hits() > hits);
    cast.app.finish().await;
}
