//! Organizations: making, switching, changing, deleting and restoring them.

use std::time::Duration;

use pharos::{entities::audit_entry, ids::OrganizationId};
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use super::{
    OPEN,
    browser::Browser,
    team::{Team, invited},
};
use crate::app::App;

/// The audit log of the app's organization, oldest first.
pub async fn audited(app: &App) -> Vec<String> {
    let state = &app.platform.as_ref().unwrap().stores().state;
    let rows = audit_entry::Entity::find().all(state.reader()).await;
    let mut rows = rows.unwrap();
    let own = OrganizationId::from(app.organization.as_str());
    rows.retain(|row| row.chain == own.as_str());
    rows.sort_by_key(|row| row.seq);
    rows.into_iter().map(|row| row.action).collect()
}

async fn create(browser: &Browser<'_>, body: &Value) -> Value {
    let made = browser.post("/api/auth/organization/create", body).await;
    assert_eq!(made.status, 200, "{}", made.text);
    made.body
}

#[actix::test]
async fn people_make_organizations_and_switch_between_them() {
    let mut app = App::spawn().await;
    let cookie = {
        let owner = Browser::owner(&app).await;
        let made = create(&owner, &json!({ "name": " Second House " })).await;
        assert_eq!(made["name"], "Second House");
        assert_eq!(
            (&made["slug"], &made["plan"]),
            (&json!("second-house"), &json!("free"))
        );
        let active = &owner.current_session().await["session"]["activeOrganizationId"];
        assert_eq!(*active, made["id"], "the session works there now");
        let websites = owner.post("/websites/list", &json!({})).await;
        assert_eq!(websites.body, json!([]));
        let kept = json!({ "name": "Third", "keepCurrentActiveOrganization": true });
        create(&owner, &kept).await;
        assert_eq!(
            owner.current_session().await["session"]["activeOrganizationId"],
            made["id"]
        );

        let back = json!({ "organizationSlug": "default" });
        let switched = owner.post("/api/auth/organization/set-active", &back).await;
        assert_eq!(
            switched.body["organization"]["id"],
            app.organization.as_str()
        );
        let websites = owner.post("/websites/list", &json!({})).await;
        assert_eq!(websites.body.as_array().unwrap().len(), 1);
        owner.cookie()
    };
    app.restart().await;
    let owner = Browser::with(&app, &cookie);
    let session = &owner.current_session().await["session"];
    assert_eq!(session["activeOrganizationId"], app.organization.as_str());
    let own = owner.get("/api/auth/organization/list").await;
    let names: Vec<&Value> = own
        .body
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["name"])
        .collect();
    assert_eq!(names, ["Default", "Second House", "Third"]);
    let none = owner
        .post("/api/auth/organization/set-active", &json!({}))
        .await;
    assert_eq!(none.body["organization"], Value::Null);
    app.finish().await;
}

#[actix::test]
async fn a_slug_belongs_to_one_organization() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let chosen = json!({ "name": "Acme", "slug": "acme" });
    create(&owner, &chosen).await;
    let taken = owner.post("/api/auth/organization/create", &chosen).await;
    assert_eq!(taken.status, 409, "{}", taken.text);
    let made = create(&owner, &json!({ "name": "Acme" })).await;
    let slug = made["slug"].as_str().unwrap();
    assert!(slug.starts_with("acme-") && slug.len() == 13, "{slug}");
    for (slug, status) in [("acme", 409), ("free", 200)] {
        let body = json!({ "slug": slug });
        let answer = owner.post("/api/auth/organization/check-slug", &body).await;
        assert_eq!(answer.status, status, "{slug}");
    }
    let id = &made["id"];
    let steal = json!({ "organizationId": id, "data": { "slug": "acme" } });
    let refused = owner.post("/api/auth/organization/update", &steal).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    for slug in ["", "-a", "a-", "A", "a b", "ä", &"a".repeat(65)] {
        let body = json!({ "name": "x", "slug": slug });
        let refused = owner.post("/api/auth/organization/create", &body).await;
        assert_eq!(refused.status, 400, "{slug}");
        assert_eq!(refused.body["details"][0]["field"], "slug");
    }
    app.finish().await;
}

#[actix::test]
async fn what_an_organization_shows_can_be_changed() {
    let mut app = App::spawn().await;
    let cookie = {
        let owner = Browser::owner(&app).await;
        let data = json!({ "name": "Acme", "logo": "https://acme.example/logo.png" });
        let data = json!({ "data": data });
        let changed = owner.post("/api/auth/organization/update", &data).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        assert_eq!(changed.body["logo"], "https://acme.example/logo.png");
        for logo in [
            "http://acme.example/a.png",
            "javascript:alert(1)",
            "data:image/png;base64,",
        ] {
            let body = json!({ "data": { "logo": logo } });
            let refused = owner.post("/api/auth/organization/update", &body).await;
            assert_eq!(refused.status, 400, "{logo}");
        }
        let nothing = owner
            .post("/api/auth/organization/update", &json!({ "data": {} }))
            .await;
        assert_eq!(nothing.status, 400);
        let seed = json!({ "organizationId": app.organization, "seed": "lighthouse" });
        let seeded = owner.post("/organizations/updateAvatarSeed", &seed).await;
        assert_eq!(seeded.body["organization"]["avatarSeed"], "lighthouse");
        owner.cookie()
    };
    app.restart().await;
    let owner = Browser::with(&app, &cookie);
    let shown = owner
        .get("/api/auth/organization/get-full-organization")
        .await;
    assert_eq!(shown.body["name"], "Acme");
    assert_eq!(shown.body["avatarSeed"], "lighthouse");
    assert_eq!(shown.body["members"][0]["role"], "owner");
    app.finish().await;
}

#[actix::test]
async fn choices_about_mails_are_kept_one_by_one() {
    let mut app = App::spawn().await;
    let (get, update) = (
        "/organizations/getEmailNotificationSettings",
        "/organizations/updateEmailNotificationSettings",
    );
    let url = |app: &App, path: &str| format!("{}{path}", app.base);
    let usual = app.post(url(&app, get), &json!({})).await;
    assert_eq!(usual.status, 200, "{}", usual.text);
    assert_eq!(usual.body["trackingHealth"]["cooldownMinutes"], 1440);
    let change = json!({ "settings": {
        "uptime": { "downEmails": false }, "trackingHealth": { "cooldownMinutes": 15, "mode": "off" },
    } });
    let changed = app.post(url(&app, update), &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let mut expected = usual.body.clone();
    expected["uptime"]["downEmails"] = json!(false);
    expected["trackingHealth"]["cooldownMinutes"] = json!(15);
    expected["trackingHealth"]["mode"] = json!("off");
    assert_eq!(changed.body, expected);
    for wrong in [
        json!({ "trackingHealth": { "cooldownMinutes": 14 } }),
        json!({ "trackingHealth": { "mode": "loud" } }),
        json!({ "uptime": { "upEmails": true } }),
    ] {
        let refused = app
            .post(url(&app, update), &json!({ "settings": wrong }))
            .await;
        assert_eq!(refused.status, 400, "{wrong}");
    }
    app.restart().await;
    assert_eq!(app.post(url(&app, get), &json!({})).await.body, expected);
    app.finish().await;
}

#[actix::test]
async fn a_deleted_organization_stops_at_once_and_comes_back_whole() {
    let mut app = App::with(OPEN).await;
    let which = json!({ "organizationId": app.organization });
    let publish = json!({ "id": app.website, "isPublic": true });
    app.post(format!("{}/websites/togglePublic", app.base), &publish)
        .await;
    let query = json!({ "parameters": ["summary_totals"], "preset": "today" });
    let seen = app.post_anonymously(app.query_url(), &query).await;
    assert_eq!(seen.status, 200, "{}", seen.text);
    let cookies = {
        let team = Team::invite(&app).await;
        for browser in [&team.admin, &team.member, &team.stranger] {
            let refused = browser.post("/api/auth/organization/delete", &which).await;
            assert!(matches!(refused.status, 403 | 404), "{}", refused.text);
        }
        let deleted = team
            .owner
            .post("/api/auth/organization/delete", &which)
            .await;
        assert_eq!(deleted.status, 200, "{}", deleted.text);

        let own = team.owner.get("/api/auth/organization/list").await;
        assert_eq!(own.body, json!([]));
        let listed = team.owner.post("/websites/list", &which).await;
        assert_eq!(listed.status, 404, "{}", listed.text);
        let unseen = app.post_anonymously(app.query_url(), &query).await;
        assert_eq!(unseen.status, 401, "it was public");
        assert_eq!(
            app.post(app.query_url(), &query).await.status,
            401,
            "its keys are none"
        );
        let event = json!({ "name": "e", "websiteId": app.website });
        let by_id = format!("{}/track", app.track);
        assert_eq!(app.post_anonymously(by_id, &event).await.status, 400);
        for browser in [&team.admin, &team.stranger] {
            let refused = browser.post("/organizations/restore", &which).await;
            assert_eq!(refused.status, 404, "{}", refused.text);
        }
        [team.owner.cookie(), team.member.cookie()]
    };
    app.restart().await;
    app.clock.advance(Duration::from_hours(6 * 24));
    let owner = Browser::with(&app, &cookies[0]);
    let restored = owner.post("/organizations/restore", &which).await;
    assert_eq!(restored.status, 200, "{}", restored.text);
    let member = Browser::with(&app, &cookies[1]);
    assert_eq!(member.post("/websites/list", &which).await.status, 200);
    let query = json!({ "parameters": ["summary_totals"], "preset": "today" });
    assert_eq!(app.post(app.query_url(), &query).await.status, 200);
    let again = owner.post("/organizations/restore", &which).await;
    assert_eq!(again.status, 404, "{}", again.text);
    let told = audited(&app).await;
    let told: Vec<&str> = told.iter().map(String::as_str).collect();
    assert!(
        told.ends_with(&["organization.delete", "organization.restore"]),
        "{told:?}"
    );
    app.finish().await;
}

#[actix::test]
async fn nothing_comes_back_after_seven_days() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let which = json!({ "organizationId": app.organization });
    let deleted = owner.post("/api/auth/organization/delete", &which).await;
    assert_eq!(deleted.status, 200);
    app.clock.advance(Duration::from_millis(7 * 86_400_000 - 1));
    let fresh = Browser::owner(&app).await;
    let restored = fresh.post("/api/auth/organization/restore", &which).await;
    assert_eq!(restored.status, 200, "{}", restored.text);
    fresh.post("/api/auth/organization/delete", &which).await;
    app.clock.advance(Duration::from_hours(7 * 24));
    let late = Browser::owner(&app).await;
    let refused = late.post("/api/auth/organization/restore", &which).await;
    assert_eq!(refused.status, 404, "{}", refused.text);
    app.finish().await;
}

#[actix::test]
async fn what_needs_a_person_is_no_key_s() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    invited(&app, &owner, "viewer").await;
    for path in [
        "/api/auth/organization/create",
        "/api/auth/organization/delete",
        "/api/auth/organization/invite-member",
        "/api/auth/organization/update-member-role",
    ] {
        let answer = app.post(format!("{}{path}", app.base), &json!({})).await;
        assert_eq!(answer.status, 401, "{path}: {}", answer.text);
    }
    let which = json!({ "organizationId": app.organization });
    for path in [
        "/organizations/getPendingInvitations",
        "/organizations/clearExpiredInvitations",
        "/organizations/getUserPendingInvitations",
        "/organizations/restore",
    ] {
        let answer = app.post(format!("{}{path}", app.base), &which).await;
        assert!(
            matches!(answer.status, 401 | 403),
            "{path}: {}",
            answer.text
        );
    }
    app.finish().await;
}
