//! Codes and refresh tokens are good once, and for their holder (threats T70 and T74).

use std::time::Duration;

use serde_json::json;

use super::flow::{
    REDIRECT_URI, VERIFIER, audit, code, connect, connected, exchange, opens, post_form, refresh,
    register,
};
use crate::{app::App, people::browser::Browser};

#[actix::test]
async fn a_code_that_is_used_twice_ends_the_tokens_of_the_first_use() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let client = register(&app, REDIRECT_URI).await;
    let code = code(&app, &owner, &client, &["read:data"], &[]).await;
    let first = connected(&client, &exchange(&app, &client, &code).await);
    assert!(opens(&app, &first.access).await);
    let second = exchange(&app, &client, &code).await;
    assert_eq!(
        (second.status, &second.body["error"]),
        (400, &json!("invalid_grant"))
    );
    assert!(!opens(&app, &first.access).await);
    assert_eq!(refresh(&app, &client, &first.refresh).await.status, 400);
    let noted = audit(&owner, "grant.reuse").await;
    assert_eq!(noted[0]["details"]["reason"], "its code was used twice");
    app.finish().await;
}

#[actix::test]
async fn a_code_needs_its_verifier_its_app_its_address_and_its_minute() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let client = register(&app, REDIRECT_URI).await;
    let other = register(&app, REDIRECT_URI).await;
    let short = &VERIFIER[..42];
    let wrong = VERIFIER.replace('a', "b");
    for (name, value) in [
        ("code_verifier", wrong.as_str()),
        ("code_verifier", short),
        ("code_verifier", &super::flow::challenge()),
        ("client_id", other.as_str()),
        ("redirect_uri", "https://app.example/other"),
    ] {
        let code = code(&app, &owner, &client, &["read:data"], &[]).await;
        let usual = [
            ("grant_type", "authorization_code"),
            ("client_id", client.as_str()),
            ("code", code.as_str()),
            ("code_verifier", VERIFIER),
            ("redirect_uri", REDIRECT_URI),
        ];
        let form = usual.map(|pair| if pair.0 == name { (name, value) } else { pair });
        let refused = post_form(&app, "/oauth/token", &form).await;
        assert_eq!(
            refused.body["error"], "invalid_grant",
            "{name} {value}: {}",
            refused.text
        );
        let late = exchange(&app, &client, &code).await;
        assert_eq!(
            late.body["error"], "invalid_grant",
            "it was good for one attempt"
        );
    }
    let code = code(&app, &owner, &client, &["read:data"], &[]).await;
    app.clock.advance(Duration::from_mins(1));
    let refused = exchange(&app, &client, &code).await;
    assert_eq!(refused.body["error"], "invalid_grant", "{}", refused.text);
    app.finish().await;
}

#[actix::test]
async fn a_refresh_token_that_is_used_twice_ends_the_access_of_both_holders() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let thief = connect(&app, &owner, &["read:data"]).await;
    let client = thief.client.clone();
    let holder = connected(&client, &refresh(&app, &client, &thief.refresh).await);
    assert!(opens(&app, &holder.access).await && opens(&app, &thief.access).await);
    let reused = refresh(&app, &client, &thief.refresh).await;
    assert_eq!(
        (reused.status, &reused.body["error"]),
        (400, &json!("invalid_grant"))
    );
    assert!(!opens(&app, &holder.access).await && !opens(&app, &thief.access).await);
    assert_eq!(refresh(&app, &client, &holder.refresh).await.status, 400);
    let noted = audit(&owner, "grant.reuse").await;
    assert_eq!(
        noted[0]["details"]["reason"],
        "its refresh token was used twice"
    );
    app.finish().await;
}

#[actix::test]
async fn a_refresh_token_gives_its_app_no_more_than_was_granted() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let own = connect(&app, &owner, &["read:data"]).await;
    let other = register(&app, REDIRECT_URI).await;
    for (name, value, error) in [
        ("scope", "read:data write:links", "invalid_scope"),
        ("scope", "nonsense", "invalid_scope"),
        ("resource", app.base.as_str(), "invalid_target"),
        ("client_id", other.as_str(), "invalid_grant"),
        ("refresh_token", own.access.as_str(), "invalid_grant"),
    ] {
        let usual = [
            ("grant_type", "refresh_token"),
            ("client_id", own.client.as_str()),
            ("refresh_token", own.refresh.as_str()),
        ];
        let kept = usual.into_iter().filter(|(own, _)| *own != name);
        let form: Vec<_> = kept.chain([(name, value)]).collect();
        let refused = post_form(&app, "/oauth/token", &form).await;
        assert_eq!(
            refused.body["error"], error,
            "{name} {value}: {}",
            refused.text
        );
    }
    let next = refresh(&app, &own.client, &own.refresh).await;
    let next = connected(&own.client, &next);
    assert_eq!(next.scope, "read:data");
    app.clock.advance(Duration::from_hours(30 * 24));
    let late = refresh(&app, &own.client, &next.refresh).await;
    assert_eq!(
        late.body["error"], "invalid_grant",
        "nothing was fetched for 30 days"
    );
    app.finish().await;
}
