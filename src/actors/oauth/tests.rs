//! Pure decisions, as tables.

use super::{
    NewApp, OAuthError, Resource,
    rules::{check_app, is_challenge, usable, verifies},
};
use crate::access::{Role, Scope};

/// RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

#[test]
fn a_verifier_is_known_by_its_published_challenge_alone() {
    assert!(is_challenge(CHALLENGE));
    assert!(verifies(VERIFIER, CHALLENGE));
    for (verifier, challenge) in [
        ("", ""),
        ("", CHALLENGE),
        (VERIFIER, ""),
        (VERIFIER, VERIFIER),
        (CHALLENGE, CHALLENGE),
        (&VERIFIER[1..], CHALLENGE),
    ] {
        assert!(!verifies(verifier, challenge), "{verifier} {challenge}");
    }
    for other in ["", "short", &format!("{CHALLENGE}="), &CHALLENGE.repeat(2)] {
        assert!(!is_challenge(other), "{other}");
    }
}

#[test]
fn a_name_is_a_line_that_shows_what_it_is() {
    let name = |name: Option<&str>| {
        let new = NewApp {
            name: name.map(str::to_owned),
            redirect_uris: vec!["https://app.example/".to_owned()],
            ..NewApp::default()
        };
        check_app(new).unwrap().0
    };
    assert_eq!(
        name(Some("  Robot\n\u{202e}of \u{200b}mine ")),
        "Robotof mine"
    );
    assert_eq!(name(Some(&"x".repeat(200))).len(), 100);
    for none in [None, Some(""), Some(" \u{200b}")] {
        assert_eq!(name(none), "Unnamed app");
    }
}

#[test]
fn an_app_without_a_good_address_is_none() {
    for uris in [vec![], vec!["https://app.example/", "javascript:alert(1)"]] {
        let new = NewApp {
            redirect_uris: uris.into_iter().map(str::to_owned).collect(),
            ..NewApp::default()
        };
        let refused = check_app(new);
        assert!(
            matches!(refused, Err(OAuthError::RedirectUri(_))),
            "{refused:?}"
        );
    }
}

#[test]
fn scopes_open_what_a_role_has_and_never_ingestion() {
    let usable = |role| usable(&Scope::ALL, role);
    assert_eq!(
        usable(Role::Viewer),
        [
            Scope::ReadData,
            Scope::ReadLinks,
            Scope::ReadMonitors,
            Scope::ReadStatusPages,
            // Conversations are everybody's own.
            Scope::ManageConfig,
        ]
    );
    for role in Role::ALL {
        assert!(!usable(role).contains(&Scope::TrackEvents));
    }
    assert_eq!(usable(Role::Owner).len(), Scope::ALL.len() - 1);
}

#[test]
fn a_token_for_the_api_is_good_for_agents_and_not_the_other_way_round() {
    assert!(Resource::Api.covers(Resource::Mcp) && Resource::Api.covers(Resource::Api));
    assert!(Resource::Mcp.covers(Resource::Mcp) && !Resource::Mcp.covers(Resource::Api));
}
