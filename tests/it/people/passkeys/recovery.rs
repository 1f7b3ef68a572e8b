//! Who has lost a passkey comes in again.

use serde_json::{Value, json};

use super::{add, listed, sign_in};
use crate::{
    app::App,
    people::{
        OPEN,
        browser::{Browser, PASSWORD},
        team::{Team, id, invited},
    },
    process::pharos,
};

const BY_AN_OWNER: &str = "/api/auth/organization/remove-second-factor";

#[actix::test]
async fn the_operator_removes_passkeys_of_somebody_who_has_lost_them() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let (mut passkey, _) = add(&app, &owner, "").await;
    let run = |further: &[&str]| {
        let ended = pharos(app.directory())
            .args(["user", "reset-password", "--email", &app.email])
            .args(further)
            .output()
            .unwrap();
        assert!(ended.status.success());
        let printed = String::from_utf8(ended.stdout).unwrap();
        printed.trim().to_owned()
    };
    let kept = run(&[]);
    let browser = Browser::new(&app);
    let due = browser.sign_in(&app.email, &kept).await;
    assert_eq!(due.body["twoFactorRedirect"], true, "{}", due.text);
    let without = run(&["--remove-second-factor"]);
    let signed_in = browser.sign_in(&app.email, &without).await;
    assert_eq!(signed_in.body["user"]["twoFactorEnabled"], false);
    assert!(listed(&browser).await.is_empty());
    assert_eq!(sign_in(&Browser::new(&app), &mut passkey).await.status, 401);
    app.finish().await;
}

#[actix::test]
async fn the_last_way_to_sign_in_stays() {
    let provider = crate::people::oidc::Provider::start();
    let toml = "email_domains = ['acme.example']\ncreate_accounts = 'verified_email'";
    let app = App::with(&provider.toml(toml)).await;
    let person = json!({ "sub": "n", "email": "new@acme.example", "email_verified": true });
    let browser = provider.signed_in(&app, &person).await;
    let (mut passkey, added) = add(&app, &browser, "").await;
    // With a passkey the link may go, and then the passkey stays.
    let linked = browser.get("/api/auth/list-accounts").await.body;
    let unlink = json!({ "id": linked[0]["id"] });
    let unlinked = browser.post("/api/auth/unlink-account", &unlink).await;
    assert_eq!(unlinked.status, 200, "{}", unlinked.text);
    let browser = Browser::new(&app);
    let signed_in = sign_in(&browser, &mut passkey).await;
    assert_eq!(signed_in.status, 200, "{}", signed_in.text);
    let body = json!({ "id": added["id"] });
    let last = browser.post(super::REMOVE, &body).await;
    assert_eq!(last.status, 403, "{}", last.text);
    let (_, second) = add(&app, &browser, "").await;
    assert_ne!(second, Value::Null);
    assert_eq!(browser.post(super::REMOVE, &body).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn an_owner_removes_what_a_member_has_lost() {
    let app = App::with(OPEN).await;
    let team = Team::invite(&app).await;
    let (mut passkey, _) = add(&app, &team.member, "").await;
    let member = id(&team.member).await;
    let body = json!({ "organizationId": app.organization, "memberId": member });
    for (by, status) in [
        (&team.admin, 403),
        (&team.member, 403),
        (&team.viewer, 403),
        (&team.stranger, 404),
        (&Browser::new(&app), 401),
    ] {
        let refused = by.post(BY_AN_OWNER, &body).await;
        assert_eq!(refused.status, status, "{}", refused.text);
    }
    assert_eq!(listed(&team.member).await.len(), 1);

    let page = team.owner.get("/console/members").await;
    assert!(page.text.contains("Remove second factor"), "{}", page.text);
    let form = [("member", member.as_str())];
    let removed = team
        .owner
        .submit("/console/members/second-factors", &form)
        .await;
    assert_eq!(removed.status, 303, "{}", removed.text);
    assert_eq!(
        team.member
            .get("/api/auth/passkey/list-user-passkeys")
            .await
            .status,
        401
    );
    assert_eq!(sign_in(&Browser::new(&app), &mut passkey).await.status, 401);
    let signed_in = Browser::new(&app)
        .sign_in("member@example.com", PASSWORD)
        .await;
    assert_eq!(
        signed_in.body["user"]["twoFactorEnabled"], false,
        "{}",
        signed_in.text
    );
    let page = team.owner.get("/console/audit").await;
    assert!(
        page.text.contains("member.second_factor_remove"),
        "{}",
        page.text
    );
    let again = team.owner.post(BY_AN_OWNER, &body).await;
    assert_eq!(again.status, 400, "{}", again.text);
    app.finish().await;
}

/// A sign-in opens every organization of a person, so one owner alone doesn't make it easier.
#[actix::test]
async fn an_owner_removes_nothing_of_themselves_or_of_members_elsewhere() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let member = invited(&app, &owner, "member").await;
    add(&app, &member, "").await;
    let elsewhere = json!({ "name": "Other", "slug": "other" });
    let made = member
        .post("/api/auth/organization/create", &elsewhere)
        .await;
    assert_eq!(made.status, 200, "{}", made.text);
    for (who, status) in [(&member, 403), (&owner, 400)] {
        let body = json!({ "organizationId": app.organization, "memberId": id(who).await });
        let refused = owner.post(BY_AN_OWNER, &body).await;
        assert_eq!(refused.status, status, "{}", refused.text);
    }
    assert_eq!(listed(&member).await.len(), 1);
    app.finish().await;
}
