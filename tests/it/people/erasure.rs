//! Deleted organizations: they stop at once, come back for seven days, and are erased then.

use std::time::Duration;

use pharos::{
    actors::{erasure::erase_due, ingest::Seal},
    entities::{
        api_key, audit_entry, backup_code, invitation, link, link_folder, membership, organization,
        outbox, profile, profile_trait, second_factor, session, user, website,
    },
    store::StateDb,
};
use sea_orm::EntityTrait as _;
use serde_json::{Value, json};

use super::{
    OPEN,
    browser::{Browser, PASSWORD},
    team::{invite, token},
};
use crate::{
    app::{Answer, App},
    database,
};

const DAY: Duration = Duration::from_hours(24);

/// An organization of its own with one of everything; its owner, id, website, key and the slug of a link.
struct Shop<'a> {
    owner: Browser<'a>,
    id: String,
    website: String,
    key: String,
}

impl<'a> Shop<'a> {
    async fn open(app: &'a App) -> Self {
        let owner = Browser::signed_up(app, "keeper").await;
        let make = json!({ "name": "Shop" });
        let made = owner.post("/api/auth/organization/create", &make).await;
        let id = text(&made.body["id"]);
        let body = json!({ "name": "Shop", "domain": "shop.example" });
        let website = call_ok(&owner, "/websites/create", &body).await;
        let body =
            json!({ "name": "k", "organizationId": id, "scopes": ["read:data", "track:events"] });
        let key = call_ok(&owner, "/apikeys/create", &body).await;
        let folder = call_ok(&owner, "/link-folders/create", &json!({ "name": "f" })).await;
        let body = json!({
            "name": "l", "slug": "sale", "targetUrl": "https://shop.example/sale", "folderId": folder["id"],
        });
        call_ok(&owner, "/links/create", &body).await;
        let body = json!({ "organizationId": id, "email": "guest@example.com", "role": "viewer" });
        let invited = owner
            .post("/api/auth/organization/invite-member", &body)
            .await;
        assert_eq!(invited.status, 200, "{}", invited.text);
        let shop = Self {
            owner,
            website: text(&website["id"]),
            key: text(&key["secret"]),
            id,
        };
        let events = json!([{ "name": "sold", "websiteId": shop.website }, { "name": "nightly" }]);
        let sent = shop.send(app, &events);
        assert_eq!(sent.await.status, 200);
        let named = json!({ "profileId": "anna", "anonymousId": "a", "traits": { "plan": "pro" } });
        let url = format!("{}/identify?client_id={}", app.track, shop.website);
        let named = app.post_anonymously(url, &named).await;
        assert_eq!(named.status, 200, "{}", named.text);
        shop
    }

    async fn send(&self, app: &App, events: &Value) -> Answer {
        let request = app.http.post(format!("{}/track", app.track)).json(events);
        Answer::send(request.header("x-api-key", &self.key)).await
    }

    async fn change(&self, what: &str) -> Answer {
        let body = json!({ "organizationId": self.id });
        self.owner
            .post(&format!("/api/auth/organization/{what}"), &body)
            .await
    }
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value}"))
        .to_owned()
}

async fn call_ok(by: &Browser<'_>, path: &str, body: &Value) -> Value {
    let answer = by.post(path, body).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    answer.body
}

/// Where the link leads.
async fn follow(app: &App) -> u16 {
    let http = crate::web::builder().redirect(reqwest::redirect::Policy::none());
    let request = http.build().unwrap().get(format!("{}/sale", app.links));
    Answer::send(request).await.status
}

async fn erase(app: &App) -> usize {
    let domains = app.platform.as_ref().unwrap().domains();
    erase_due(domains).await.unwrap()
}

#[actix::test]
async fn a_deleted_organization_stops_at_once_and_comes_back_whole() {
    let mut app = App::with(OPEN).await;
    let shop = Shop::open(&app).await;
    let event = json!({ "name": "sold", "websiteId": shop.website });
    assert_eq!(follow(&app).await, 302);
    let deleted = shop.change("delete").await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    assert_eq!(follow(&app).await, 404, "links lead nowhere");
    assert_eq!(
        shop.send(&app, &event).await.status,
        401,
        "keys are unknown"
    );
    let verified = json!({ "secret": shop.key });
    let verified = app.post_anonymously(format!("{}/apikeys/verify", app.base), &verified);
    assert_eq!(verified.await.body["valid"], false);
    let url = format!("{}/track?website_id={}", app.track, shop.website);
    assert_eq!(
        app.post_anonymously(url, &event).await.status,
        400,
        "no organization"
    );
    let list = json!({ "organizationId": shop.id });
    let listed = shop.owner.post("/websites/list", &list);
    assert_eq!(listed.await.status, 404);

    let (cookie, id, key, website) = (shop.owner.cookie(), shop.id, shop.key, shop.website);
    app.clock.advance(Duration::from_millis(7 * 86_400_000 - 1));
    assert_eq!(erase(&app).await, 0, "a way back until the last moment");
    app.restart().await;
    assert_eq!(follow(&app).await, 404);
    let owner = Browser::with(&app, &cookie);
    let shop = Shop {
        owner,
        id,
        website,
        key,
    };
    let signed_in = shop.owner.sign_in("keeper@example.com", PASSWORD).await;
    assert_eq!(signed_in.status, 200);
    let restored = shop.change("restore").await;
    assert_eq!(restored.status, 200, "{}", restored.text);
    assert_eq!(follow(&app).await, 302);
    assert_eq!(shop.send(&app, &event).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn after_seven_days_nothing_is_left_but_the_receipt_and_others_lose_nothing() {
    let mut app = App::with(OPEN).await;
    assert_eq!(
        app.send(&json!({ "name": "ours", "websiteId": app.website }))
            .await
            .status,
        200
    );
    let shop = Shop::open(&app).await;
    assert_eq!(shop.change("delete").await.status, 200);
    app.clock.advance(DAY * 7);
    let again = shop.owner.sign_in("keeper@example.com", PASSWORD).await;
    assert_eq!(again.status, 200, "people stay");
    let late = shop.change("restore").await;
    assert_eq!(late.status, 404, "{}", late.text);
    // Some rows are in a segment with those of others, some in the tail.
    let domains = app.platform.as_ref().unwrap().domains();
    domains.ingest.ask(Seal).await.unwrap();
    assert_eq!(erase(&app).await, 1);
    assert_eq!(erase(&app).await, 0);
    let id = shop.id.clone();
    assert_eq!(follow(&app).await, 404);
    let body = json!({ "parameters": ["custom_events"], "preset": "last_30d" });
    assert_eq!(app.ask(&body).await.rows(0)[0]["name"], "ours");
    let make = json!({ "name": "Shop", "slug": "shop" });
    let owner = shop.owner;
    let again = owner.post("/api/auth/organization/create", &make).await;
    assert_eq!(again.status, 200, "its slug is free: {}", again.text);
    let new = text(&again.body["id"]);
    drop(owner);
    let receipts = app.restart_after(async |directory| {
        let db = database::open(directory).await;
        assert_erased(&db, &id, &new).await;
        db.close().await.unwrap();
    });
    receipts.await;
    assert_eq!(follow(&app).await, 404);
    app.finish().await;
}

/// Looks into every table.
async fn assert_erased(db: &StateDb, id: &str, new: &str) {
    let db = db.writer();
    let organizations = organization::Entity::find().all(db).await.unwrap();
    assert!(organizations.iter().all(|row| row.id != id));
    let members = membership::Entity::find().all(db).await.unwrap();
    assert!(members.iter().all(|row| row.organization_id != id));
    assert!(members.iter().any(|row| row.organization_id == new));
    let websites = website::Entity::find().all(db).await.unwrap();
    assert_eq!(websites.len(), 1, "the other organization's");
    assert!(websites.iter().all(|row| row.organization_id != id));
    let keys = api_key::Entity::find().all(db).await.unwrap();
    assert!(
        !keys.is_empty()
            && keys
                .iter()
                .all(|row| row.organization_id.as_deref() != Some(id))
    );
    assert!(link::Entity::find().all(db).await.unwrap().is_empty());
    assert!(
        link_folder::Entity::find()
            .all(db)
            .await
            .unwrap()
            .is_empty()
    );
    assert!(invitation::Entity::find().all(db).await.unwrap().is_empty());
    assert!(profile::Entity::find().all(db).await.unwrap().is_empty());
    assert!(
        profile_trait::Entity::find()
            .all(db)
            .await
            .unwrap()
            .is_empty()
    );
    assert!(outbox::Entity::find().all(db).await.unwrap().is_empty());
    let log = audit_entry::Entity::find().all(db).await.unwrap();
    let receipt = log
        .iter()
        .find(|entry| entry.action == "organization.erase");
    let receipt = receipt.unwrap();
    assert_eq!(
        (receipt.target_id.as_str(), receipt.actor.as_str()),
        (id, "system")
    );
    let details: Value = serde_json::from_str(&receipt.details).unwrap();
    assert_eq!(
        (&details["websites"], &details["keys"]),
        (&json!(1), &json!(1))
    );
    assert!(details["events"].as_u64() >= Some(2), "{details}");
}

#[actix::test]
async fn an_account_goes_with_all_that_is_only_the_persons() {
    let mut app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let invited = invite(&app, &owner, "gone@example.com", "admin").await;
    let guest = Browser::signed_up(&app, "gone").await;
    let accept = json!({ "invitationId": token(&invited) });
    call_ok(&guest, "/api/auth/organization/accept-invitation", &accept).await;
    let sent = invite(&app, &guest, "other@example.com", "viewer").await;
    assert_eq!(sent.status, 200, "{}", sent.text);
    let who = guest.current_session().await;
    let gone = text(&who["user"]["id"]);
    let password = json!({ "password": PASSWORD });
    call_ok(&guest, "/api/auth/two-factor/enable", &password).await;
    call_ok(&guest, "/api/auth/delete-user", &password).await;
    drop((owner, guest));
    app.restart_after(async |directory| {
        if !database::is_shared() {
            let bytes = std::fs::read(directory.join("state.db")).unwrap();
            let found = memchr::memmem::find(&bytes, b"gone@example.com");
            assert_eq!(found, None, "the address is nowhere");
        }
        let db = database::open(directory).await;
        let invitations = invitation::Entity::find().all(db.writer()).await.unwrap();
        assert_eq!(
            invitations.len(),
            1,
            "the one that the person has sent stays"
        );
        assert_eq!(invitations[0].inviter_id, None);
        let users = user::Entity::find().all(db.writer()).await.unwrap();
        assert!(users.iter().all(|row| row.id != gone) && users.len() == 1);
        let members = membership::Entity::find().all(db.writer()).await.unwrap();
        assert!(members.iter().all(|row| row.user_id != gone));
        let sessions = session::Entity::find().all(db.writer()).await.unwrap();
        assert!(sessions.iter().all(|row| row.user_id != gone));
        let factors = second_factor::Entity::find()
            .all(db.writer())
            .await
            .unwrap();
        assert!(factors.is_empty());
        let codes = backup_code::Entity::find().all(db.writer()).await.unwrap();
        assert!(codes.is_empty());
        db.close().await.unwrap();
    })
    .await;
    app.finish().await;
}
