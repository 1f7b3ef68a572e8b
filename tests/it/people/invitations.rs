//! Invitations: each is good once, in time, and for one address.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    OPEN,
    browser::{Browser, PASSWORD},
    team::{Team, invite, roles, token},
};
use crate::app::{Answer, App};

const ACCEPT: &str = "/api/auth/organization/accept-invitation";
const REJECT: &str = "/api/auth/organization/reject-invitation";
const CANCEL: &str = "/api/auth/organization/cancel-invitation";

async fn accept(browser: &Browser<'_>, token: &str) -> Answer {
    browser
        .post(ACCEPT, &json!({ "invitationId": token }))
        .await
}

#[actix::test]
async fn whoever_is_invited_joins_with_the_role_of_the_invitation() {
    let mut app = App::with(OPEN).await;
    let cookie = {
        let (owner, guest) = (
            Browser::owner(&app).await,
            Browser::signed_up(&app, "guest").await,
        );
        let invited = invite(&app, &owner, " Guest@Example.com ", "member").await;
        assert!(
            invited.body["link"]
                .as_str()
                .unwrap()
                .starts_with(&format!("{}/invite/", app.base))
        );
        assert_eq!(invited.body["status"], "pending");
        let token = token(&invited);
        let listed = owner.get("/api/auth/organization/list-invitations").await;
        assert!(!listed.text.contains(&token), "the link is told once");

        let seen = guest
            .get(&format!("/api/auth/organization/get-invitation?id={token}"))
            .await;
        assert_eq!(seen.body["organization"]["name"], "Default");
        let joined = accept(&guest, &token).await;
        assert_eq!(joined.status, 200, "{}", joined.text);
        assert_eq!(joined.body["invitation"]["status"], "accepted");
        assert_eq!(joined.body["member"]["role"], "member");
        let session = &guest.current_session().await["session"];
        assert_eq!(session["activeOrganizationId"], app.organization.as_str());
        guest.cookie()
    };
    app.restart().await;
    let guest = Browser::with(&app, &cookie);
    let listed = guest.post("/websites/list", &json!({})).await;
    assert_eq!(listed.status, 200, "{}", listed.text);
    app.finish().await;
}

#[actix::test]
async fn a_stranger_with_a_link_makes_an_account_although_sign_up_is_closed() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let token = token(&invite(&app, &owner, "new@example.com", "viewer").await);
    let sign_up = async |email: &str, token: &str| {
        let browser = Browser::new(&app);
        let body =
            json!({ "name": "New", "email": email, "password": PASSWORD, "invitation": token });
        (
            browser.post("/api/auth/sign-up/email", &body).await,
            browser,
        )
    };
    for (email, token, status) in [
        ("other@example.com", token.as_str(), 403),
        ("new@example.com", "no such token", 404),
        (&app.email, &token, 403),
    ] {
        let (refused, _) = sign_up(email, token).await;
        assert_eq!(refused.status, status, "{email}: {}", refused.text);
    }
    let (made, browser) = sign_up("new@example.com", &token).await;
    assert_eq!(made.status, 200, "{}", made.text);
    assert_eq!(
        made.body["session"]["activeOrganizationId"],
        app.organization.as_str()
    );
    assert_eq!(browser.post("/websites/list", &json!({})).await.status, 200);
    let (again, _) = sign_up("new@example.com", &token).await;
    assert_eq!(again.status, 409, "{}", again.text);
    assert_eq!(roles(&owner).await.len(), 2);
    app.finish().await;
}

#[actix::test]
async fn an_invitation_is_accepted_once_however_many_try() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let guest = Browser::signed_up(&app, "guest").await;
    let token = token(&invite(&app, &owner, "guest@example.com", "viewer").await);
    let tries = (0..6).map(|_| accept(&guest, &token));
    let answers = futures_util::future::join_all(tries).await;
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409, 409, 409, 409]);
    assert_eq!(roles(&owner).await.len(), 2);
    // Nor after leaving, nor for a person who signs up with it.
    let leave = json!({ "organizationId": app.organization });
    guest.post("/api/auth/organization/leave", &leave).await;
    assert_eq!(accept(&guest, &token).await.status, 409);
    app.finish().await;
}

#[actix::test]
async fn accepting_and_taking_back_at_once_is_one_or_the_other() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let guest = Browser::signed_up(&app, "guest").await;
    let invited = invite(&app, &owner, "guest@example.com", "viewer").await;
    let cancel = json!({ "invitationId": invited.body["id"] });
    let token = token(&invited);
    let (accepted, canceled) =
        futures_util::future::join(accept(&guest, &token), owner.post(CANCEL, &cancel)).await;
    let joined = roles(&owner).await.len() == 2;
    assert_eq!(accepted.status == 200, joined, "{}", accepted.text);
    assert_eq!(canceled.status == 200, !joined, "{}", canceled.text);
    app.finish().await;
}

#[actix::test]
async fn an_invitation_ends_after_seven_days() {
    let app = App::with(OPEN).await;
    let (owner, guest) = (
        Browser::owner(&app).await,
        Browser::signed_up(&app, "guest").await,
    );
    let first = token(&invite(&app, &owner, "guest@example.com", "viewer").await);
    app.clock.advance(Duration::from_hours(7 * 24));
    guest.sign_in("guest@example.com", PASSWORD).await;
    owner.sign_in(&app.email, &app.password).await;
    let late = accept(&guest, &first).await;
    assert_eq!(late.status, 409, "{}", late.text);
    assert!(late.text.contains("expired"));

    let second = token(&invite(&app, &owner, "guest@example.com", "viewer").await);
    let which = json!({ "organizationId": app.organization });
    let pending = async |expired: bool| {
        let mut body = which.clone();
        body["includeExpired"] = json!(expired);
        let answer = owner
            .post("/organizations/getPendingInvitations", &body)
            .await;
        answer.body.as_array().unwrap().len()
    };
    assert_eq!((pending(false).await, pending(true).await), (1, 2));
    let cleared = owner
        .post("/organizations/clearExpiredInvitations", &which)
        .await;
    assert_eq!(cleared.body, json!({ "deleted": 1 }));
    assert_eq!((pending(false).await, pending(true).await), (1, 1));

    app.clock.advance(Duration::from_millis(7 * 86_400_000 - 1));
    guest.sign_in("guest@example.com", PASSWORD).await;
    assert_eq!(accept(&guest, &second).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn an_invitation_that_was_taken_back_or_declined_is_over() {
    let app = App::with(OPEN).await;
    let (owner, guest) = (
        Browser::owner(&app).await,
        Browser::signed_up(&app, "guest").await,
    );
    let invited = invite(&app, &owner, "guest@example.com", "viewer").await;
    let body = json!({ "invitationId": invited.body["id"] });
    let canceled = owner.post(CANCEL, &body).await;
    assert_eq!(canceled.body["status"], "canceled");
    let refused = accept(&guest, &token(&invited)).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert_eq!(owner.post(CANCEL, &body).await.status, 409);

    let invited = token(&invite(&app, &owner, "guest@example.com", "viewer").await);
    let declined = guest
        .post(REJECT, &json!({ "invitationId": invited }))
        .await;
    assert_eq!(declined.body["invitation"]["status"], "rejected");
    assert_eq!(accept(&guest, &invited).await.status, 409);
    assert_eq!(roles(&owner).await.len(), 1);
    app.finish().await;
}

#[actix::test]
async fn an_invitation_is_for_one_address() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let thief = Browser::signed_up(&app, "thief").await;
    let token = token(&invite(&app, &owner, "guest@example.com", "admin").await);
    for path in [ACCEPT, REJECT] {
        let refused = thief.post(path, &json!({ "invitationId": token })).await;
        assert_eq!(refused.status, 403, "{path}: {}", refused.text);
        assert!(!refused.text.contains("guest@"), "{}", refused.text);
    }
    let guest = Browser::signed_up(&app, "guest").await;
    assert_eq!(accept(&guest, &token).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn an_id_alone_opens_nothing_to_an_address_that_nobody_has_verified() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    // Anybody can sign up with anybody's address.
    let impostor = Browser::signed_up(&app, "guest").await;
    let invited = invite(&app, &owner, "guest@example.com", "admin").await;
    let id = invited.body["id"].as_str().unwrap();
    for (path, status) in [(ACCEPT, 404), (REJECT, 404), (CANCEL, 404)] {
        let refused = impostor.post(path, &json!({ "invitationId": id })).await;
        assert_eq!(refused.status, status, "{path}: {}", refused.text);
    }
    let seen = impostor
        .get(&format!("/api/auth/organization/get-invitation?id={id}"))
        .await;
    assert_eq!(seen.status, 404);
    let own = impostor
        .get("/api/auth/organization/list-user-invitations")
        .await;
    assert_eq!(own.body, json!([]));

    // The operator vouches for the address of the first person.
    let other = json!({ "name": "Other" });
    let mallory = Browser::signed_up(&app, "mallory").await;
    mallory.post("/api/auth/organization/create", &other).await;
    let body = json!({ "email": app.email, "role": "viewer" });
    let invited = mallory
        .post("/api/auth/organization/invite-member", &body)
        .await;
    assert_eq!(invited.status, 200, "{}", invited.text);
    let own = owner
        .post("/organizations/getUserPendingInvitations", &json!({}))
        .await;
    assert_eq!(own.body[0]["id"], invited.body["id"]);
    let id = invited.body["id"].as_str().unwrap();
    assert_eq!(accept(&owner, id).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn somebody_is_invited_once_at_a_time() {
    let app = App::with(OPEN).await;
    let team = Team::invite(&app).await;
    let first = token(&invite(&app, &team.owner, "guest@example.com", "viewer").await);
    let again = invite(&app, &team.admin, "Guest@example.com", "viewer").await;
    assert_eq!(again.status, 409, "{}", again.text);
    let member = invite(&app, &team.admin, "viewer@example.com", "viewer").await;
    assert_eq!(member.status, 409, "{}", member.text);
    let resend = json!({ "email": "guest@example.com", "role": "member", "resend": true });
    let second = team
        .admin
        .post("/api/auth/organization/invite-member", &resend)
        .await;
    let second = token(&second);
    let guest = Browser::signed_up(&app, "guest").await;
    assert_eq!(accept(&guest, &first).await.status, 409);
    assert_eq!(accept(&guest, &second).await.status, 200);
    for (email, role, field) in [("nowhere", "viewer", "email"), ("a@b", "king", "role")] {
        let refused = invite(&app, &team.owner, email, role).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
        assert_eq!(refused.body["details"][0]["field"], field);
    }
    app.finish().await;
}

#[actix::test]
async fn an_invitation_into_a_deleted_organization_leads_nowhere() {
    let app = App::with(OPEN).await;
    let (owner, guest) = (
        Browser::owner(&app).await,
        Browser::signed_up(&app, "guest").await,
    );
    let token = token(&invite(&app, &owner, "guest@example.com", "viewer").await);
    let which = json!({ "organizationId": app.organization });
    owner.post("/api/auth/organization/delete", &which).await;
    assert_eq!(accept(&guest, &token).await.status, 404);
    let seen = Browser::new(&app)
        .get(&format!("/api/auth/organization/get-invitation?id={token}"))
        .await;
    assert_eq!(
        (seen.status, &seen.body["organization"]),
        (404, &Value::Null)
    );
    owner.post("/organizations/restore", &which).await;
    assert_eq!(accept(&guest, &token).await.status, 200);
    app.finish().await;
}
