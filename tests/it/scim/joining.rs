//! Who becomes a member: nobody whom nobody vouches for, and nobody else's account changes (threat T81).

use serde_json::{Value, json};

use super::client::{Client, id, user};
use crate::{
    app::App,
    people::{
        browser::{Browser, PASSWORD},
        oidc::Provider,
        team::{self, Team},
    },
};

async fn is_member(owner: &Browser<'_>, email: &str) -> bool {
    team::roles(owner)
        .await
        .iter()
        .any(|(other, _)| other == email)
}

#[actix::test]
async fn an_account_that_exists_is_invited_and_stays_as_it_is() {
    let app = App::with("signup.open = true").await;
    let team = Team::invite(&app).await;
    let client = Client::made_by(&app, &team.owner).await;
    let before = team.stranger.current_session().await;
    let mut body = user("stranger@example.com");
    body["displayName"] = json!("Mallory");
    body["password"] = json!("a password of the provider");
    let created = client.post("/Users", &body).await;
    let unknown = client.post("/Users", &user("nobody@example.com")).await;
    // Nothing says whether there is an account.
    for answer in [&created, &unknown] {
        assert_eq!(answer.status, 201, "{}", answer.text);
        assert_eq!(answer.body["active"], false);
        assert!(answer.body.get("password").is_none());
    }
    let path = format!("/Users/{}", id(&created));
    let operations = json!([
        { "op": "replace", "path": "emails[type eq \"work\"].value", "value": "mallory@example.com" },
        { "op": "replace", "path": "userName", "value": "mallory@example.com" },
        { "op": "replace", "path": "name.formatted", "value": "Mallory" },
        { "op": "replace", "path": "active", "value": true },
    ]);
    assert_eq!(client.patch(&path, operations).await.status, 200);
    assert!(!is_member(&team.owner, "stranger@example.com").await);
    assert_eq!(team.stranger.current_session().await, before);
    assert_eq!(
        Browser::new(&app)
            .sign_in("stranger@example.com", PASSWORD)
            .await
            .status,
        200
    );
    assert_eq!(
        Browser::new(&app)
            .sign_in("stranger@example.com", "a password of the provider")
            .await
            .status,
        401
    );
    assert_eq!(client.delete(&path).await.status, 204);
    assert_eq!(
        team.stranger.current_session().await,
        before,
        "the account stays"
    );
    app.finish().await;
}

#[actix::test]
async fn who_accepts_is_active_and_who_declines_is_not_asked_again() {
    let app = App::with("signup.open = true").await;
    let team = Team::invite(&app).await;
    let client = Client::made_by(&app, &team.owner).await;
    let ada = client.create("ada@example.com").await;
    let bob = client.create("bob@example.com").await;
    let group = client.group("Staff", &[&ada]).await;
    assert_eq!(
        super::client::set_role(&team.owner, &group, Some("member"))
            .await
            .status,
        200
    );

    let token = async |email: &str| {
        let body = json!({ "organizationId": app.organization, "email": email, "role": "viewer", "resend": true });
        team::token(
            &team
                .owner
                .post("/api/auth/organization/invite-member", &body)
                .await,
        )
    };
    // A person resends the invitation, with a role of their choice.
    let accepted = Browser::new(&app);
    let body = json!({ "name": "Ada", "email": "ada@example.com", "password": PASSWORD, "invitation": token("ada@example.com").await });
    assert_eq!(
        accepted.post("/api/auth/sign-up/email", &body).await.status,
        200
    );
    assert!(client.is_active(&ada).await);

    let declining = Browser::signed_up(&app, "bob").await;
    let body = json!({ "invitationId": token("bob@example.com").await });
    let declined = declining
        .post("/api/auth/organization/reject-invitation", &body)
        .await;
    assert_eq!(declined.status, 200, "{}", declined.text);
    assert_eq!(client.set_active(&bob, true).await.status, 200);
    assert!(!client.is_active(&bob).await);
    let body = json!({ "organizationId": app.organization });
    let open = team
        .owner
        .post("/organizations/getPendingInvitations", &body)
        .await;
    assert_eq!(open.body, json!([]), "nothing waits");
    app.finish().await;
}

#[actix::test]
async fn an_invitation_has_the_role_that_groups_give_and_ends_with_its_user() {
    let app = App::with("signup.open = true").await;
    let team = Team::invite(&app).await;
    let client = Client::made_by(&app, &team.owner).await;
    let ada = client.create("ada@example.com").await;
    let pending = async || {
        let body = json!({ "organizationId": app.organization });
        let open = team
            .owner
            .post("/organizations/getPendingInvitations", &body)
            .await
            .body;
        open.as_array()
            .unwrap()
            .iter()
            .map(|one| one["role"].clone())
            .collect::<Vec<Value>>()
    };
    assert_eq!(pending().await, [json!("viewer")]);
    let group = client.group("Staff", &[&ada]).await;
    super::client::set_role(&team.owner, &group, Some("admin")).await;
    assert_eq!(pending().await, [json!("admin")]);
    assert_eq!(client.set_active(&ada, true).await.status, 200);
    assert_eq!(pending().await.len(), 1, "one invitation is enough");
    assert_eq!(client.set_active(&ada, false).await.status, 200);
    assert!(pending().await.is_empty());
    assert_eq!(client.set_active(&ada, true).await.status, 200);
    assert_eq!(pending().await, [json!("admin")]);
    assert_eq!(client.delete(&format!("/Users/{ada}")).await.status, 204);
    assert!(pending().await.is_empty());
    app.finish().await;
}

/// A program whose organization requires a provider that vouches for `example.com`.
async fn vouching(provider: &Provider, more: &str) -> App {
    let toml = provider
        .toml("email_domains = ['localhost', 'example.com']\ncreate_accounts = 'verified_email'");
    App::with(&format!("signup.open = true\n{more}\n{toml}")).await
}

async fn require(owner: &Browser<'_>) {
    let body = json!({ "provider": "test" });
    let required = owner
        .post("/api/auth/organization/require-provider", &body)
        .await;
    assert_eq!(required.status, 200, "{}", required.text);
}

#[actix::test]
async fn people_whom_the_required_provider_vouches_for_join_at_once() {
    let provider = Provider::start();
    let app = vouching(&provider, "").await;
    let account = json!({ "sub": "o", "email": app.email, "email_verified": true });
    let owner = provider.signed_in(&app, &account).await;
    let squatter = Browser::signed_up(&app, "squatter").await;
    let client = Client::made_by(&app, &owner).await;
    require(&owner).await;

    let joined = client.create("ada@example.com").await;
    assert!(client.is_active(&joined).await);
    let outside = client.create("eve@elsewhere.example").await;
    assert!(
        !client.is_active(&outside).await,
        "the provider vouches for its domains alone"
    );
    // An account whose owner never proved the address may be anybody's.
    let squatted = client.create("squatter@example.com").await;
    assert!(!client.is_active(&squatted).await);
    assert!(!is_member(&owner, "squatter@example.com").await);
    assert!(squatter.current_session().await["session"]["activeOrganizationId"].is_null());

    let ada = json!({ "sub": "a", "email": "ada@example.com", "email_verified": true });
    let ada = provider.signed_in(&app, &ada).await;
    assert_eq!(
        ada.current_session().await["session"]["activeOrganizationId"],
        app.organization
    );
    // A deactivated person comes back without an invitation.
    assert_eq!(client.set_active(&joined, false).await.status, 200);
    assert!(ada.current_session().await["session"]["activeOrganizationId"].is_null());
    assert_eq!(client.set_active(&joined, true).await.body["active"], true);
    app.finish().await;
}
