//! What attackers try with the consent page (threats T69 to T72) and with tokens (threat T76).

use std::time::Duration;

use serde_json::json;

use super::flow::{
    CONSENT, REDIRECT_URI, allow, call, challenge, connect, connect_api, opens, parameter,
    question, register, sealed,
};
use crate::{
    app::{Answer, App},
    people::{OPEN, browser::Browser},
};

#[actix::test]
async fn a_request_leads_nobody_to_an_address_that_its_app_did_not_register() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let client = register(&app, REDIRECT_URI).await;
    for (name, value) in [
        ("redirect_uri", "https://evil.example/callback"),
        ("redirect_uri", "https://app.example/callback/"),
        (
            "redirect_uri",
            "https://app.example/callback?to=https://evil.example",
        ),
        ("redirect_uri", "https://app.example@evil.example/callback"),
        ("redirect_uri", "//evil.example"),
        ("redirect_uri", ""),
        ("client_id", "nobody"),
        ("client_id", ""),
    ] {
        let page = owner.get(&question(&client, &[(name, value)])).await;
        assert_eq!(page.status, 400, "{name} {value}");
        assert_eq!(page.header("location"), "");
        assert!(
            page.text.contains("This app can't be connected"),
            "{}",
            page.text
        );
        assert!(!page.text.contains("evil.example"), "{}", page.text);
    }
    let twice = format!(
        "{}&redirect_uri=https%3A%2F%2Fevil.example",
        question(&client, &[])
    );
    let page = owner.get(&twice).await;
    assert_eq!((page.status, page.header("location")), (400, ""));
    app.finish().await;
}

#[actix::test]
async fn a_wrong_request_is_explained_and_leads_back_only_by_a_link() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let client = register(&app, REDIRECT_URI).await;
    for (name, value, error) in [
        ("response_type", "token", "unsupported_response_type"),
        ("response_type", "", "unsupported_response_type"),
        ("code_challenge", "", "invalid_request"),
        ("code_challenge", "short", "invalid_request"),
        ("code_challenge_method", "", "invalid_request"),
        ("code_challenge_method", "plain", "invalid_request"),
        ("scope", "read:data track:events", "invalid_scope"),
        ("scope", "nonsense", "invalid_scope"),
        ("resource", "https://other.example/v1/mcp", "invalid_target"),
    ] {
        let page = owner.get(&question(&client, &[(name, value)])).await;
        assert_eq!(page.status, 400, "{name} {value}");
        assert_eq!(page.header("location"), "");
        let (_, link) = page.text.split_once("rel=\"noreferrer\" href=\"").unwrap();
        let link = link.split('"').next().unwrap().replace("&amp;", "&");
        assert!(link.starts_with(REDIRECT_URI), "{link}");
        assert_eq!(
            parameter(&link, "error").as_deref(),
            Some(error),
            "{name} {value}"
        );
        assert_eq!(parameter(&link, "iss").as_deref(), Some(app.base.as_str()));
        assert_eq!(parameter(&link, "code"), None);
    }
    app.finish().await;
}

#[actix::test]
async fn only_the_page_of_the_person_who_was_asked_allows_anything() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let client = register(&app, REDIRECT_URI).await;
    let page = owner.get(&question(&client, &[])).await;
    let request = sealed(&page.text);
    let form = |request: &str| {
        url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs([
                ("request", request),
                ("decision", "allow"),
                ("scopes", "read:data"),
            ])
            .append_pair("organization", &app.organization)
            .finish()
    };
    // Without the origin of our own page.
    for origin in [None, Some("https://evil.example"), Some("null")] {
        let mut sent = app
            .http
            .post(format!("{}{CONSENT}", app.base))
            .header("cookie", owner.cookie())
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form(&request));
        if let Some(origin) = origin {
            sent = sent.header("origin", origin);
        }
        let answer = Answer::send(sent).await;
        assert_eq!(
            (answer.status, answer.header("location")),
            (403, ""),
            "{origin:?}"
        );
    }
    // What another person was asked, what was changed, and what nobody was asked.
    let eve = Browser::signed_up(&app, "eve").await;
    let mut bent = request.clone();
    bent.replace_range(9..10, if &request[9..10] == "a" { "b" } else { "a" });
    for (browser, request) in [(&eve, request.as_str()), (&owner, &bent), (&owner, "")] {
        let fields = [
            ("request", request),
            ("organization", app.organization.as_str()),
            ("decision", "allow"),
            ("scopes", "read:data"),
        ];
        let answer = browser.submit(CONSENT, &fields).await;
        assert_eq!(
            (answer.status, answer.header("location")),
            (400, ""),
            "{}",
            answer.text
        );
    }
    app.clock.advance(Duration::from_mins(10));
    let late = super::flow::decide(&owner, &page.text, &app.organization, &["read:data"]).await;
    assert_eq!(late.status, 400, "ten minutes are over");
    assert!(
        owner
            .get("/api/auth/list-apps")
            .await
            .body
            .as_array()
            .unwrap()
            .is_empty()
    );
    app.finish().await;
}

#[actix::test]
async fn the_consent_page_is_in_no_frame() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let client = register(&app, REDIRECT_URI).await;
    let wrong = [("redirect_uri", "https://evil.example/")];
    for changes in [&[][..], &wrong] {
        let page = owner.get(&question(&client, changes)).await;
        let policy = page.header("content-security-policy");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(page.header("x-frame-options"), "DENY");
        assert!(!page.text.contains("<script>"), "{}", page.text);
    }
    app.finish().await;
}

#[actix::test]
async fn every_answer_to_an_app_names_its_server() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let client = register(&app, REDIRECT_URI).await;
    let page = owner.get(&question(&client, &[])).await;
    let allowed = allow(&owner, &page.text, &app.organization, &["read:data"]).await;
    let request = sealed(&page.text);
    let denied = owner
        .submit(CONSENT, &[("request", request.as_str())])
        .await;
    for location in [allowed.as_str(), denied.header("location")] {
        assert_eq!(
            parameter(location, "iss").as_deref(),
            Some(app.base.as_str())
        );
    }
    assert_eq!(challenge().len(), 43);
    app.finish().await;
}

#[actix::test]
async fn a_token_is_good_for_its_resource_alone() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let agent = connect(&app, &owner, &["read:data"]).await;
    let api = connect_api(&app, &owner, &["read:data"]).await;
    assert!(opens(&app, &agent.access).await && opens(&app, &api.access).await);
    let list = json!({});
    assert_eq!(
        call(&app, &agent.access, "/websites/list", &list)
            .await
            .status,
        401
    );
    assert_eq!(
        call(&app, &api.access, "/websites/list", &list)
            .await
            .status,
        200
    );
    // Elsewhere it is an unknown key.
    for token in [&agent.access, &api.access] {
        let event = json!([{ "name": "x" }]);
        let sent = app
            .http
            .post(format!("{}/track", app.track))
            .header("authorization", format!("Bearer {token}"))
            .json(&event);
        assert_eq!(Answer::send(sent).await.status, 401);
    }
    for wrong in [&agent.refresh, "oat_nonsense", ""] {
        assert!(!opens(&app, wrong).await);
    }
    app.finish().await;
}
