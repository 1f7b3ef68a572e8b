//! Groups give roles, at each sign-in.

use serde_json::json;

use super::{ACME, Provider, ada};
use crate::{
    app::App,
    people::{browser::Browser, team::invite},
};

/// A program whose rules give roles in its organization.
async fn with_rules(provider: &Provider) -> App {
    let mut app = App::spawn().await;
    let id = app.organization.clone();
    let rules = format!(
        "roles = {{ readers = '{id}:viewer', staff = '{id}:member', bosses = '{id}:owner', lost = 'no-such-organization:owner' }}\n{ACME}"
    );
    app.configure(&provider.toml(&rules));
    app.restart().await;
    app
}

async fn role(browser: &Browser<'_>) -> String {
    let member = browser
        .get("/api/auth/organization/get-active-member")
        .await;
    member.body["role"].as_str().unwrap_or("none").to_owned()
}

#[actix::test]
async fn roles_follow_the_groups_of_each_sign_in() {
    let provider = Provider::start();
    let app = with_rules(&provider).await;
    let mut before = None;
    for (groups, expected) in [
        (&["readers", "unknown"][..], "viewer"),
        (&["readers", "staff"], "member"),
        (&["readers"], "viewer"),
        (&["lost"], "none"),
        (&["staff"], "member"),
        (&["Staff", "staffers"], "none"),
    ] {
        let browser = provider.signed_in(&app, &ada(groups)).await;
        assert_eq!(role(&browser).await, expected, "{groups:?}");
        // Sessions of another role end (threat T33).
        if let Some(before) = before.replace(browser) {
            assert_eq!(before.current_session().await, json!(null), "{groups:?}");
        }
    }
    app.finish().await;
}

#[actix::test]
async fn what_a_person_gave_stays_until_groups_give_a_role() {
    let provider = Provider::start();
    let app = with_rules(&provider).await;
    let owner = Browser::owner(&app).await;
    invite(&app, &owner, "ada@acme.example", "admin").await;
    // The invitation is accepted with the first sign-in.
    assert_eq!(
        role(&provider.signed_in(&app, &ada(&[])).await).await,
        "admin"
    );
    assert_eq!(
        role(&provider.signed_in(&app, &ada(&[])).await).await,
        "admin"
    );
    assert_eq!(
        role(&provider.signed_in(&app, &ada(&["readers"])).await).await,
        "viewer"
    );
    assert_eq!(
        role(&provider.signed_in(&app, &ada(&[])).await).await,
        "none"
    );
    app.finish().await;
}

#[actix::test]
async fn the_last_owner_stays_owner_whatever_the_groups_say() {
    let provider = Provider::start();
    let app = with_rules(&provider).await;
    let browser = provider.signed_in(&app, &ada(&["bosses"])).await;
    assert_eq!(role(&browser).await, "owner");
    let owner = Browser::owner(&app).await;
    let leave = json!({ "organizationId": app.organization });
    let left = owner.post("/api/auth/organization/leave", &leave).await;
    assert_eq!(left.status, 200, "{}", left.text);
    for groups in [&["readers"][..], &[]] {
        assert_eq!(
            role(&provider.signed_in(&app, &ada(groups)).await).await,
            "owner"
        );
    }
    app.finish().await;
}

#[actix::test]
async fn groups_are_found_in_objects_and_a_list_that_was_left_out_is_refused() {
    let provider = Provider::start();
    let mut app = App::spawn().await;
    let rules = format!(
        "groups_claim = 'realm_access.roles'\nroles = {{ staff = '{}:member' }}\n{ACME}",
        app.organization
    );
    app.configure(&provider.toml(&rules));
    app.restart().await;
    let mut nested = ada(&[]);
    nested["realm_access"] = json!({ "roles": ["staff"] });
    assert_eq!(
        role(&provider.signed_in(&app, &nested).await).await,
        "member"
    );
    let left_out = json!({ "tamper": { "_claim_names": { "realm_access.roles": "src1" } } });
    provider.control(&left_out).await;
    let refused = provider.failed(&app, &ada(&[])).await;
    assert!(refused.contains("more groups"), "{refused}");
    app.finish().await;
}
