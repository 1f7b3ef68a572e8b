//! Who loses rights in an organization leaves no way back: invitations made before, and API keys.

use serde_json::{Value, json};

use super::{
    OPEN,
    browser::{Browser, PASSWORD},
    team::{Team, id, invite, invited, token},
};
use crate::app::{Answer, App};

const ROLE: &str = "/api/auth/organization/update-member-role";
const REMOVE: &str = "/api/auth/organization/remove-member";
const TRANSFER: &str = "/api/auth/organization/transfer-ownership";
const LEAVE: &str = "/api/auth/organization/leave";

/// Every way in which a person loses rights.
const WAYS: [&str; 6] = [
    "removal",
    "leaving",
    "demotion",
    "own demotion",
    "transfer",
    "deletion",
];

/// Takes rights from `boss` in one of the ways; `owner` is another owner.
async fn lose(app: &App, way: &str, owner: &Browser<'_>, boss: &Browser<'_>) -> Answer {
    let organization = &app.organization;
    let user = id(boss).await;
    let role = json!({ "organizationId": organization, "memberId": user, "role": "admin" });
    let answer = match way {
        "removal" => {
            let body = json!({ "organizationId": organization, "memberIdOrEmail": user });
            owner.post(REMOVE, &body).await
        }
        "leaving" => {
            let body = json!({ "organizationId": organization });
            boss.post(LEAVE, &body).await
        }
        "demotion" => owner.post(ROLE, &role).await,
        "own demotion" => boss.post(ROLE, &role).await,
        "transfer" => {
            let body = json!({ "organizationId": organization, "memberId": app.email });
            boss.post(TRANSFER, &body).await
        }
        _ => {
            let body = json!({ "password": PASSWORD });
            boss.post("/api/auth/delete-user", &body).await
        }
    };
    assert_eq!(answer.status, 200, "{way}: {}", answer.text);
    answer
}

async fn join(app: &App, name: &str, token: &str) -> Answer {
    let body = json!({
        "name": name, "email": format!("{name}@example.com"), "password": PASSWORD, "invitation": token,
    });
    Browser::new(app)
        .post("/api/auth/sign-up/email", &body)
        .await
}

async fn new_key(app: &App, by: &Browser<'_>, scopes: &[&str]) -> Value {
    let body = json!({ "name": "ci", "organizationId": app.organization, "scopes": scopes });
    let made = by.post("/apikeys/create", &body).await;
    assert_eq!(made.status, 200, "{}", made.text);
    made.body
}

/// How a key is answered that asks for the websites.
async fn opens(app: &App, key: &Value) -> u16 {
    let request = app.http.post(format!("{}/websites/list", app.base));
    let secret = key["secret"].as_str().unwrap();
    let answer = Answer::send(request.header("x-api-key", secret).json(&json!({}))).await;
    answer.status
}

/// The entries of the audit log about a thing, newest first.
async fn entries(app: &App, owner: &Browser<'_>, action: &str, target: &Value) -> Vec<Value> {
    let body = json!({ "organizationId": app.organization, "limit": 100 });
    let log = owner.post("/audit/list", &body).await;
    assert_eq!(log.status, 200, "{}", log.text);
    let all = log.body.as_array().unwrap().clone();
    let about = |entry: &Value| entry["action"] == action && entry["targetId"] == *target;
    all.into_iter().filter(about).collect()
}

#[actix::test]
async fn no_way_of_losing_rights_leaves_an_invitation_to_a_role_that_one_may_no_longer_grant() {
    for way in WAYS {
        let app = App::with(OPEN).await;
        let owner = Browser::owner(&app).await;
        let boss = invited(&app, &owner, "owner").await;
        let back = invite(&app, &boss, "back@example.com", "owner").await;
        let reader = invite(&app, &boss, "reader@example.com", "viewer").await;
        let others = invite(&app, &owner, "other@example.com", "owner").await;

        let answer = lose(&app, way, &owner, &boss).await;
        // A new owner has to sign in again.
        let owner = Browser::owner(&app).await;
        let stays = matches!(way, "demotion" | "own demotion" | "transfer");
        let canceled = answer.body["canceledInvitations"].clone();
        let joined = join(&app, "back", &token(&back)).await;
        assert_eq!(joined.status, 409, "{way}: {}", joined.text);
        let read = join(&app, "reader", &token(&reader)).await;
        assert_eq!(
            read.status,
            if stays { 200 } else { 409 },
            "{way}: {}",
            read.text
        );
        assert_eq!(
            join(&app, "other", &token(&others)).await.status,
            200,
            "{way}"
        );
        let ids = canceled.as_array().unwrap();
        assert!(ids.contains(&back.body["id"]), "{way}: {canceled}");
        assert_eq!(
            ids.contains(&reader.body["id"]),
            !stays,
            "{way}: {canceled}"
        );
        let logged = entries(&app, &owner, "invitation.cancel", &back.body["id"]).await;
        assert_eq!(logged.len(), 1, "{way}");
        app.finish().await;
    }
}

#[actix::test]
async fn keys_end_with_the_rights_of_the_person_who_made_them() {
    // What is left of a key that reads and manages websites: after losing the role of an owner to that of an admin, all of it.
    for way in WAYS {
        let mut app = App::with(OPEN).await;
        let (ended, key, other) = {
            let owner = Browser::owner(&app).await;
            let boss = invited(&app, &owner, "owner").await;
            let key = new_key(&app, &boss, &["read:data", "manage:websites"]).await;
            let other = new_key(&app, &owner, &["read:data"]).await;
            assert_eq!(opens(&app, &key).await, 200);
            let answer = lose(&app, way, &owner, &boss).await;
            let owner = Browser::owner(&app).await;
            let ended = !matches!(way, "demotion" | "own demotion" | "transfer");
            let wanted = if ended {
                json!([{ "id": key["id"], "name": "ci", "start": key["start"], "outcome": "ended" }])
            } else {
                json!([])
            };
            assert_eq!(
                opens(&app, &key).await,
                if ended { 401 } else { 200 },
                "{way}"
            );
            assert_eq!(answer.body["keys"], wanted, "{way}: {}", answer.text);
            let logged = entries(&app, &owner, "key.revoke", &key["id"]).await;
            assert_eq!(logged.len(), usize::from(ended), "{way}");
            (ended, key, other)
        };
        app.restart().await;
        assert_eq!(
            opens(&app, &key).await,
            if ended { 401 } else { 200 },
            "{way}"
        );
        assert_eq!(opens(&app, &other).await, 200, "{way}");
        app.finish().await;
    }
}

#[actix::test]
async fn a_lower_role_narrows_a_key_to_what_it_allows() {
    let app = App::with(OPEN).await;
    let team = Team::invite(&app).await;
    let admin = id(&team.admin).await;
    let both = new_key(&app, &team.admin, &["read:data", "manage:websites"]).await;
    let only = new_key(&app, &team.admin, &["manage:websites"]).await;
    let within = new_key(&app, &team.admin, &["read:data"]).await;
    let role = async |role: &str, keep: bool| {
        let body = json!({
            "organizationId": app.organization, "memberId": admin, "role": role, "keepKeys": keep,
        });
        let changed = team.owner.post(ROLE, &body).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let keys = changed.body["keys"].as_array().unwrap().clone();
        let pair = |key: Value| {
            (
                key["id"].clone(),
                key["outcome"].as_str().unwrap().to_owned(),
            )
        };
        keys.into_iter().map(pair).collect::<Vec<_>>()
    };
    let demoted = role("member", false).await;
    assert_eq!(demoted.len(), 2, "{demoted:?}");
    assert!(demoted.contains(&(both["id"].clone(), "narrowed".to_owned())));
    assert!(demoted.contains(&(only["id"].clone(), "ended".to_owned())));
    let shown = team
        .owner
        .post("/apikeys/getById", &json!({ "id": both["id"] }))
        .await;
    assert_eq!(shown.body["scopes"], json!(["read:data"]));
    assert_eq!(
        (opens(&app, &both).await, opens(&app, &within).await),
        (200, 200)
    );
    assert_eq!(opens(&app, &only).await, 401);
    let logged = entries(&app, &team.owner, "key.update", &both["id"]).await;
    assert_eq!(logged.len(), 1);
    assert!(
        role("admin", false).await.is_empty(),
        "a higher role ends nothing"
    );

    // An owner keeps what a viewer could not have.
    let kept = role("viewer", true).await;
    assert_eq!(kept.len(), 2, "{kept:?}");
    assert!(
        kept.iter().all(|(_, outcome)| outcome == "kept"),
        "{kept:?}"
    );
    assert_eq!(
        (opens(&app, &both).await, opens(&app, &within).await),
        (200, 200)
    );
    app.finish().await;
}

#[actix::test]
async fn an_owner_keeps_the_keys_of_a_removed_member_and_nobody_else_may() {
    let mut app = App::with(OPEN).await;
    let key = {
        let team = Team::invite(&app).await;
        let key = new_key(&app, &team.member, &["read:data"]).await;
        let body = json!({
            "organizationId": app.organization, "memberIdOrEmail": "member@example.com", "keepKeys": true,
        });
        let refused = team.admin.post(REMOVE, &body).await;
        assert_eq!(refused.status, 403, "{}", refused.text);
        assert_eq!(opens(&app, &key).await, 200);
        let removed = team.owner.post(REMOVE, &body).await;
        assert_eq!(removed.status, 200, "{}", removed.text);
        assert_eq!(removed.body["status"], true);
        assert_eq!(removed.body["keys"][0]["outcome"], "kept");
        let shown = team
            .owner
            .post("/apikeys/getById", &json!({ "id": key["id"] }))
            .await;
        assert_eq!(shown.body["createdBy"], Value::Null, "{}", shown.text);
        key
    };
    app.restart().await;
    assert_eq!(opens(&app, &key).await, 200);
    app.finish().await;
}

/// Whatever is on its way while a member is removed, no key of theirs is left afterwards.
#[actix::test]
async fn a_key_that_is_made_while_its_maker_is_removed_does_not_outlive_the_removal() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let member = invited(&app, &owner, "member").await;
    let wide = new_key(&app, &member, &["read:data"]).await;
    let body =
        json!({ "name": "late", "organizationId": app.organization, "scopes": ["read:data"] });
    let change = json!({ "id": wide["id"], "name": "changed" });
    let creating = futures_util::future::join_all((0..40).map(|nth| {
        let (path, body) = if nth % 4 == 0 {
            ("/apikeys/update", &change)
        } else {
            ("/apikeys/create", &body)
        };
        member.post(path, body)
    }));
    let removal =
        json!({ "organizationId": app.organization, "memberIdOrEmail": "member@example.com" });
    let (made, removed) = futures_util::future::join(creating, owner.post(REMOVE, &removal)).await;
    assert_eq!(removed.status, 200, "{}", removed.text);
    for made in made.iter().filter(|made| made.body["secret"].is_string()) {
        assert_eq!(opens(&app, &made.body).await, 401, "{}", made.text);
    }
    assert_eq!(opens(&app, &wide).await, 401);
    app.finish().await;
}
