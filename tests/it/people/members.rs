//! Members and their roles: permitted changes and their effects (threats T9, T33).

use serde_json::{Value, json};

use super::{
    OPEN,
    browser::{Browser, PASSWORD},
    team::{Team, id, invite, roles, token},
};
use crate::app::App;

const ROLE: &str = "/api/auth/organization/update-member-role";
const REMOVE: &str = "/api/auth/organization/remove-member";
const TRANSFER: &str = "/api/auth/organization/transfer-ownership";

#[actix::test]
async fn every_role_may_do_what_it_may_and_nothing_else() {
    let app = App::with(OPEN).await;
    let team = Team::invite(&app).await;
    let organization = &app.organization;
    // A request, and the answers for owner, admin, member, viewer and a stranger.
    let matrix = [
        (
            "/api/auth/organization/update",
            json!({ "organizationId": organization, "data": { "name": "Acme" } }),
            [200, 200, 403, 403, 404],
        ),
        (
            "/api/auth/organization/set-active",
            json!({ "organizationId": organization }),
            [200, 200, 200, 200, 404],
        ),
        (
            "/api/auth/organization/invite-member",
            json!({ "organizationId": organization, "email": "new@example.com", "role": "viewer", "resend": true }),
            [200, 200, 403, 403, 404],
        ),
        (
            "/api/auth/organization/invite-member",
            json!({ "organizationId": organization, "email": "boss@example.com", "role": "owner", "resend": true }),
            [200, 403, 403, 403, 404],
        ),
        (
            ROLE,
            json!({ "organizationId": organization, "memberId": "viewer@example.com", "role": "viewer" }),
            [200, 200, 403, 403, 404],
        ),
        (
            ROLE,
            json!({ "organizationId": organization, "memberId": "viewer@example.com", "role": "owner" }),
            [403, 403, 403, 403, 404],
        ),
        (
            REMOVE,
            json!({ "organizationId": organization, "memberIdOrEmail": app.email }),
            [403, 403, 403, 403, 404],
        ),
        (
            TRANSFER,
            json!({ "organizationId": organization, "memberId": "nobody@example.com" }),
            [404, 403, 403, 403, 404],
        ),
        (
            "/organizations/updateAvatarSeed",
            json!({ "organizationId": organization, "seed": "x" }),
            [200, 200, 403, 403, 404],
        ),
        (
            "/organizations/getPendingInvitations",
            json!({ "organizationId": organization }),
            [200, 200, 200, 200, 404],
        ),
        (
            "/organizations/clearExpiredInvitations",
            json!({ "organizationId": organization }),
            [200, 200, 403, 403, 404],
        ),
        (
            "/organizations/getEmailNotificationSettings",
            json!({ "organizationId": organization }),
            [200, 200, 200, 200, 404],
        ),
        (
            "/organizations/updateEmailNotificationSettings",
            json!({ "organizationId": organization }),
            [200, 200, 403, 403, 404],
        ),
        (
            "/organizations/getBillingContext",
            json!({}),
            [200, 200, 200, 200, 400],
        ),
        (
            "/websites/create",
            json!({ "name": "x", "domain": "" , "organizationId": organization }),
            [400, 400, 403, 403, 404],
        ),
        (
            "/api/auth/organization/delete",
            json!({ "organizationId": organization }),
            [0, 403, 403, 403, 404],
        ),
    ];
    for (path, body, expected) in &matrix {
        for ((role, browser), expected) in team.all().into_iter().zip(expected) {
            // The owner would succeed at what ends the test, or makes another owner.
            if (*expected == 0) || (*path == ROLE && body["role"] == "owner" && role == "owner") {
                continue;
            }
            let answer = browser.post(path, body).await;
            assert_eq!(
                answer.status, *expected,
                "{role} {path} {body}: {}",
                answer.text
            );
        }
    }
    assert_eq!(roles(&team.owner).await.len(), 4);
    app.finish().await;
}

#[actix::test]
async fn a_foreign_organization_is_like_none() {
    let app = App::with(OPEN).await;
    let stranger = Browser::signed_up(&app, "stranger").await;
    for (path, field) in [
        ("/api/auth/organization/set-active", "organizationId"),
        ("/api/auth/organization/delete", "organizationId"),
        ("/api/auth/organization/restore", "organizationId"),
        ("/api/auth/organization/leave", "organizationId"),
        ("/api/auth/organization/invite-member", "organizationId"),
        (ROLE, "organizationId"),
        (REMOVE, "organizationId"),
        (TRANSFER, "organizationId"),
        ("/organizations/getPendingInvitations", "organizationId"),
        ("/organizations/restore", "organizationId"),
    ] {
        let ask = async |id: &str| {
            let mut body = json!({
                "memberId": "x", "memberIdOrEmail": "x", "email": "a@b", "role": "viewer",
            });
            body[field] = json!(id);
            let answer = stranger.post(path, &body).await;
            let text = answer.text.replace(answer.header("x-request-id"), "");
            (answer.status, text.replace(id, "<id>"))
        };
        let (foreign, unknown) = (ask(&app.organization).await, ask("no-such-one").await);
        assert_eq!(foreign, unknown, "{path}");
        assert_eq!(foreign.0, 404, "{path}: {}", foreign.1);
    }
    for path in ["get-full-organization", "list-members", "list-invitations"] {
        let path = |id: &str| format!("/api/auth/organization/{path}?organizationId={id}");
        let foreign = stranger.get(&path(&app.organization)).await;
        let unknown = stranger.get(&path("no-such-one")).await;
        assert_eq!((foreign.status, unknown.status), (404, 404));
    }
    app.finish().await;
}

#[actix::test]
async fn nobody_makes_themselves_more_than_they_are() {
    let app = App::with(OPEN).await;
    let team = Team::invite(&app).await;
    for (role, browser) in [
        ("admin", &team.admin),
        ("member", &team.member),
        ("viewer", &team.viewer),
    ] {
        for more in ["owner", "admin", "member"] {
            let own = id(browser).await;
            let body = json!({ "memberId": own, "role": more });
            let answer = browser.post(ROLE, &body).await;
            let lower = (role, more) == ("admin", "member") || role == more;
            if !lower {
                assert_eq!(answer.status, 403, "{role} to {more}: {}", answer.text);
            }
        }
    }
    let owners = roles(&team.owner).await;
    let owners = owners.iter().filter(|(_, role)| role == "owner").count();
    assert_eq!(owners, 1);
    // An admin cannot touch owners.
    let owner = id(&team.owner).await;
    let demote = json!({ "memberId": owner, "role": "viewer" });
    assert_eq!(team.viewer.post(ROLE, &demote).await.status, 403);
    app.finish().await;
}

#[actix::test]
async fn another_role_ends_the_sessions_and_counts_at_once() {
    let app = App::with(OPEN).await;
    let team = Team::invite(&app).await;
    let (old, member) = (team.viewer.cookie(), id(&team.viewer).await);
    let body = json!({ "memberId": member, "role": "admin" });
    let changed = team.owner.post(ROLE, &body).await;
    assert_eq!(
        (changed.status, &changed.body["role"]),
        (200, &json!("admin"))
    );
    assert!(changed.headers.get("set-cookie").is_none());
    assert_eq!(
        Browser::with(&app, &old).current_session().await,
        Value::Null,
        "the old id is over"
    );

    let again = Browser::new(&app);
    again.sign_in("viewer@example.com", PASSWORD).await;
    let rename = json!({ "data": { "name": "By the new admin" } });
    let renamed = again.post("/api/auth/organization/update", &rename).await;
    assert_eq!(renamed.status, 200, "{}", renamed.text);

    // The same role again ends nothing.
    let same = team.owner.post(ROLE, &body).await;
    assert_eq!(same.status, 200);
    assert_ne!(again.current_session().await, Value::Null);
    app.finish().await;
}

#[actix::test]
async fn one_s_own_role_renews_the_session() {
    let app = App::with(OPEN).await;
    let team = Team::invite(&app).await;
    let old = team.admin.cookie();
    let own = id(&team.admin).await;
    let body = json!({ "memberId": own, "role": "viewer" });
    let changed = team.admin.post(ROLE, &body).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_ne!(team.admin.cookie(), old);
    assert_eq!(
        Browser::with(&app, &old).current_session().await,
        Value::Null
    );
    assert_ne!(team.admin.current_session().await, Value::Null);
    let back = json!({ "memberId": own, "role": "admin" });
    assert_eq!(team.admin.post(ROLE, &back).await.status, 403);
    app.finish().await;
}

#[actix::test]
async fn an_organization_keeps_an_owner() {
    let app = App::with(OPEN).await;
    let team = Team::invite(&app).await;
    let own = id(&team.owner).await;
    let leave = json!({ "organizationId": app.organization });
    for (path, body) in [
        (ROLE, json!({ "memberId": own, "role": "admin" })),
        (REMOVE, json!({ "memberIdOrEmail": own })),
        ("/api/auth/organization/leave", leave.clone()),
        ("/api/auth/delete-user", json!({ "password": app.password })),
    ] {
        let refused = team.owner.post(path, &body).await;
        assert_eq!(refused.status, 403, "{path}: {}", refused.text);
    }
    let up = json!({ "memberId": "admin@example.com", "role": "owner" });
    assert_eq!(team.owner.post(ROLE, &up).await.status, 200);
    let left = team
        .owner
        .post("/api/auth/organization/leave", &leave)
        .await;
    assert_eq!(left.status, 200, "{}", left.text);
    assert_eq!(
        team.owner.current_session().await["session"]["activeOrganizationId"],
        Value::Null
    );
    let own = json!({ "password": app.password });
    let gone = team.owner.post("/api/auth/delete-user", &own).await;
    assert_eq!(gone.status, 200, "{}", gone.text);
    app.finish().await;
}

#[actix::test]
async fn two_owners_who_step_down_at_once_leave_one() {
    let app = App::with(OPEN).await;
    let team = Team::invite(&app).await;
    let up = json!({ "memberId": "admin@example.com", "role": "owner" });
    assert_eq!(team.owner.post(ROLE, &up).await.status, 200);
    team.admin.sign_in("admin@example.com", PASSWORD).await;
    let (one, other) = (id(&team.owner).await, id(&team.admin).await);
    let (down, gone) = (
        json!({ "memberId": one, "role": "viewer" }),
        json!({ "organizationId": app.organization }),
    );
    let answers = futures_util::future::join(
        team.owner.post(ROLE, &down),
        team.admin.post("/api/auth/organization/leave", &gone),
    );
    let (first, second) = answers.await;
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 403], "{other}");
    app.finish().await;
}

#[actix::test]
async fn an_organization_is_handed_over_in_one_step() {
    let app = App::with(OPEN).await;
    let team = Team::invite(&app).await;
    let old = team.owner.cookie();
    let to = json!({ "memberId": "member@example.com" });
    let handed = team.owner.post(TRANSFER, &to).await;
    assert_eq!(
        (handed.status, &handed.body["role"]),
        (200, &json!("owner"))
    );
    assert_ne!(team.owner.cookie(), old);
    assert_eq!(
        team.member.current_session().await,
        Value::Null,
        "signs in anew"
    );
    let roles = roles(&team.owner).await;
    let of = |email: &str| {
        let found = roles.iter().find(|(own, _)| own == email);
        found.map(|(_, role)| role.clone())
    };
    assert_eq!(of("member@example.com").as_deref(), Some("owner"));
    assert_eq!(of(&app.email).as_deref(), Some("admin"));
    let again = team.owner.post(TRANSFER, &to).await;
    assert_eq!(again.status, 403, "{}", again.text);
    let own = json!({ "memberId": "member@example.com" });
    team.member.sign_in("member@example.com", PASSWORD).await;
    let to_oneself = team.member.post(TRANSFER, &own).await;
    assert_eq!(to_oneself.status, 404, "{}", to_oneself.text);
    app.finish().await;
}

#[actix::test]
async fn whoever_is_taken_out_sees_nothing_any_more() {
    let mut app = App::with(OPEN).await;
    let cookie = {
        let team = Team::invite(&app).await;
        let list = json!({ "organizationId": app.organization });
        assert_eq!(team.member.post("/websites/list", &list).await.status, 200);
        let body = json!({ "memberIdOrEmail": "Member@Example.com" });
        let removed = team.admin.post(REMOVE, &body).await;
        assert_eq!(removed.status, 200, "{}", removed.text);
        assert_eq!(team.member.post("/websites/list", &list).await.status, 404);
        let session = &team.member.current_session().await["session"];
        assert_eq!(session["activeOrganizationId"], Value::Null);
        let again = team.admin.post(REMOVE, &body).await;
        assert_eq!(again.status, 404, "{}", again.text);
        team.member.cookie()
    };
    app.restart().await;
    let member = Browser::with(&app, &cookie);
    assert_eq!(
        member.current_session().await["session"]["activeOrganizationId"],
        Value::Null
    );
    let own = member.get("/api/auth/organization/list").await;
    assert_eq!(own.body, json!([]));
    app.finish().await;
}

#[actix::test]
async fn viewers_see_no_addresses() {
    let app = App::with(OPEN).await;
    let team = Team::invite(&app).await;
    invite(&app, &team.owner, "guest@example.com", "viewer").await;
    for path in ["get-full-organization", "list-members", "list-invitations"] {
        let path = format!("/api/auth/organization/{path}");
        let (seen, hidden) = (team.member.get(&path).await, team.viewer.get(&path).await);
        assert_eq!((seen.status, hidden.status), (200, 200), "{path}");
        assert!(seen.text.contains("@example.com"), "{path}");
        assert!(!hidden.text.contains('@'), "{path}: {}", hidden.text);
    }
    let pending = json!({ "organizationId": app.organization });
    let hidden = team
        .viewer
        .post("/organizations/getPendingInvitations", &pending);
    assert!(!hidden.await.text.contains('@'));
    let me = team
        .viewer
        .get("/api/auth/organization/get-active-member")
        .await;
    assert_eq!(me.body["user"]["email"], "viewer@example.com");
    app.finish().await;
}

#[actix::test]
async fn rights_are_told_in_the_words_of_the_wire() {
    let app = App::with(OPEN).await;
    let team = Team::invite(&app).await;
    for (permissions, [owner, admin, member, viewer]) in [
        (
            json!({ "website": ["read", "view_analytics"] }),
            [true, true, true, true],
        ),
        (
            json!({ "website": ["configure"] }),
            [true, true, true, false],
        ),
        (json!({ "website": ["update"] }), [true, true, false, false]),
        (
            json!({ "website": ["read"], "member": ["delete"] }),
            [true, true, false, false],
        ),
        (
            json!({ "organization": ["delete"] }),
            [true, false, false, false],
        ),
        (
            json!({ "subscription": ["cancel"] }),
            [true, false, false, false],
        ),
        (
            json!({ "link": ["create"], "monitor": ["delete"] }),
            [true, true, true, false],
        ),
        (json!({ "rocket": ["launch"] }), [false; 4]),
        (json!({ "website": ["launch"] }), [false; 4]),
        (json!({}), [true; 4]),
    ] {
        let body = json!({ "permissions": permissions });
        let expected = [owner, admin, member, viewer];
        for ((role, browser), expected) in team.all().into_iter().zip(expected) {
            let path = "/api/auth/organization/has-permission";
            let answer = browser.post(path, &body).await;
            assert_eq!(answer.body["success"], expected, "{role} {permissions}");
        }
    }
    app.finish().await;
}

#[actix::test]
async fn members_come_and_go_in_the_audit_log() {
    let app = App::with(OPEN).await;
    let team = Team::invite(&app).await;
    let token = token(&invite(&app, &team.owner, "stranger@example.com", "viewer").await);
    let accept = json!({ "invitationId": token });
    let accepted = team
        .stranger
        .post("/api/auth/organization/accept-invitation", &accept)
        .await;
    assert_eq!(accepted.status, 200, "{}", accepted.text);
    let up = json!({ "memberId": "viewer@example.com", "role": "member" });
    assert_eq!(team.admin.post(ROLE, &up).await.status, 200);
    let out = json!({ "memberIdOrEmail": "viewer@example.com" });
    assert_eq!(team.admin.post(REMOVE, &out).await.status, 200);
    let leave = json!({ "organizationId": app.organization });
    let left = team.stranger.post("/api/auth/organization/leave", &leave);
    assert_eq!(left.await.status, 200);
    // What is refused is not in it.
    assert_eq!(team.member.post(ROLE, &up).await.status, 403);
    let told = super::organizations::audited(&app).await;
    let told: Vec<&str> = told.iter().map(String::as_str).collect();
    let of_invitations = ["invitation.create", "member.add"];
    let expected = [&of_invitations[..]; 4].concat();
    let expected = [
        &expected[..],
        &["member.role", "member.remove", "member.leave"],
    ]
    .concat();
    let told: Vec<&str> = told
        .into_iter()
        .filter(|action| !action.starts_with("key.") && !action.starts_with("session."))
        .collect();
    assert_eq!(told, expected);
    app.finish().await;
}
