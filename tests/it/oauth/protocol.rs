//! From an address to an answer, and back to nothing.

use serde_json::json;

use super::flow::{
    CONSENT, REDIRECT_URI, VERIFIER, allow, ask, audit, challenge, code, connected, exchange,
    opens, parameter, post_form, question, refresh, register, sealed,
};
use crate::{
    app::{Answer, App},
    people::browser::Browser,
};

#[actix::test]
async fn an_app_finds_all_it_needs_from_the_address_of_the_endpoint() {
    let app = App::spawn().await;
    for (path, resource) in [
        ("/v1/mcp", "/v1/mcp"),
        ("/mcp", "/mcp"),
        ("/.well-known/mcp", "/v1/mcp"),
    ] {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
        let refused = app
            .post_anonymously(format!("{}{path}", app.base), &body)
            .await;
        assert_eq!(refused.status, 401, "{}", refused.text);
        let metadata = format!(
            "{}/.well-known/oauth-protected-resource{resource}",
            app.base
        );
        let says = refused.header("www-authenticate");
        assert!(
            says.contains(&format!("resource_metadata=\"{metadata}\"")),
            "{says}"
        );
        let metadata = Answer::send(app.http.get(metadata)).await;
        assert_eq!(metadata.body["resource"], format!("{}{resource}", app.base));
        assert_eq!(metadata.body["authorization_servers"], json!([app.base]));
    }
    let server = format!("{}/.well-known/oauth-authorization-server", app.base);
    let foreign = app.http.get(server).header("origin", "https://app.example");
    let server = Answer::send(foreign).await;
    assert_eq!(server.header("access-control-allow-origin"), "*");
    assert_eq!(server.body["issuer"], app.base);
    for (name, path) in [
        ("authorization_endpoint", "/oauth/authorize"),
        ("token_endpoint", "/oauth/token"),
        ("registration_endpoint", "/oauth/register"),
        ("revocation_endpoint", "/oauth/revoke"),
    ] {
        assert_eq!(server.body[name], format!("{}{path}", app.base));
    }
    assert_eq!(
        server.body["code_challenge_methods_supported"],
        json!(["S256"])
    );
    assert_eq!(
        server.body["authorization_response_iss_parameter_supported"],
        true
    );
    app.finish().await;
}

#[actix::test]
async fn a_person_connects_an_app_which_works_until_its_token_is_given_back() {
    let app = App::spawn().await;
    let client = register(&app, REDIRECT_URI).await;
    let resource = format!("{}/v1/mcp", app.base);
    let asked = question(&client, &[("resource", &resource)]);

    // The endpoint leads to the page, and the page to the sign-in and back.
    let stranger = Browser::new(&app);
    let begun = stranger
        .get(&asked.replace(CONSENT, "/oauth/authorize"))
        .await;
    assert_eq!(
        (begun.status, begun.header("location")),
        (303, asked.as_str())
    );
    let led = stranger.get(&asked).await;
    assert_eq!(led.status, 303);
    let back = parameter(&format!("{}{}", app.base, led.header("location")), "next");
    assert_eq!(back.as_deref(), Some(asked.as_str()));

    let owner = Browser::owner(&app).await;
    let page = owner.get(&asked).await;
    assert_eq!(page.status, 200, "{}", page.text);
    let location = allow(
        &owner,
        &page.text,
        &app.organization,
        &["read:data", "write:links"],
    )
    .await;
    assert!(
        location.starts_with(&format!("{REDIRECT_URI}?")),
        "{location}"
    );
    assert_eq!(parameter(&location, "state").as_deref(), Some("the state"));
    assert_eq!(
        parameter(&location, "iss").as_deref(),
        Some(app.base.as_str())
    );
    let code = parameter(&location, "code").unwrap();

    let first = exchange(&app, &client, &code).await;
    assert_eq!(first.header("cache-control"), "no-store");
    assert_eq!(first.body["token_type"], "Bearer");
    assert_eq!(first.body["expires_in"], 1800);
    let first = connected(&client, &first);
    assert_eq!(first.scope, "read:data write:links");

    let params = json!({ "name": "list_websites", "arguments": {} });
    let called = ask(&app, &first.access, "tools/call", params).await;
    assert_eq!(called.body["result"]["isError"], false, "{}", called.text);
    assert_eq!(
        called.body["result"]["structuredContent"]["items"][0]["id"],
        app.website
    );

    app.clock.advance(std::time::Duration::from_mins(30));
    assert!(!opens(&app, &first.access).await, "half an hour is over");
    let second = connected(&client, &refresh(&app, &client, &first.refresh).await);
    assert!(opens(&app, &second.access).await);
    assert_ne!(second.refresh, first.refresh);

    let form = [("token", second.refresh.as_str()), ("client_id", &client)];
    let revoked = post_form(&app, "/oauth/revoke", &form).await;
    assert_eq!(revoked.status, 200, "{}", revoked.text);
    assert!(!opens(&app, &second.access).await);
    let refused = refresh(&app, &client, &second.refresh).await;
    assert_eq!(
        (refused.status, &refused.body["error"]),
        (400, &json!("invalid_grant"))
    );
    let again = post_form(&app, "/oauth/revoke", &form).await;
    assert_eq!(again.status, 200, "it is none already: {}", again.text);

    let granted = audit(&owner, "grant.create").await;
    assert_eq!(granted[0]["details"]["app"], "Robot");
    assert_eq!(
        granted[0]["details"]["scopes"],
        json!(["read:data", "write:links"])
    );
    let ended = audit(&owner, "grant.revoke").await;
    assert_eq!(ended[0]["targetId"], granted[0]["targetId"]);
    assert_eq!(ended[0]["details"]["reason"], "its app gave the token back");
    app.finish().await;
}

#[actix::test]
async fn the_page_says_in_words_who_gets_what() {
    let app = App::spawn().await;
    let body = json!({
        "client_name": "Ro\u{202e}bot <b>\u{0}\n",
        "redirect_uris": [REDIRECT_URI, "http://127.0.0.1/callback", "robot://callback"],
    });
    let registered = app
        .post_anonymously(format!("{}/oauth/register", app.base), &body)
        .await;
    assert_eq!(registered.body["client_name"], "Robot <b>");
    assert_eq!(registered.body["token_endpoint_auth_method"], "none");
    let client = registered.body["client_id"].as_str().unwrap();
    let owner = Browser::owner(&app).await;

    let page = owner.get(&question(client, &[])).await;
    for said in [
        "Connect “Robot &lt;b&gt;”?",
        "<strong>app.example</strong>",
        app.email.as_str(),
        "Query data and list websites (read:data)",
        "Create and change short links (write:links)",
        "value=\"read:links\" checked",
        "pharos hasn't checked it",
    ] {
        assert!(page.text.contains(said), "{said}: {}", page.text);
    }
    assert!(!page.text.contains("track:events"), "that is for keys");
    assert!(
        !page.text.contains("value=\"write:links\" checked"),
        "changes are off"
    );
    let policy = page.header("content-security-policy");
    assert!(
        policy.contains("form-action 'self' https://app.example;"),
        "{policy}"
    );

    let fewer = owner
        .get(&question(client, &[("scope", "read:links")]))
        .await;
    assert!(!fewer.text.contains("read:data"), "{}", fewer.text);
    for (uri, said, source) in [
        (
            "http://127.0.0.1:4567/callback",
            "an app on your computer",
            "http://127.0.0.1:4567",
        ),
        (
            "robot://callback",
            "an app on your device (robot:)",
            "robot:",
        ),
    ] {
        let page = owner.get(&question(client, &[("redirect_uri", uri)])).await;
        assert!(page.text.contains(said), "{uri}: {}", page.text);
        let policy = page.header("content-security-policy");
        assert!(
            policy.contains(&format!("form-action 'self' {source};")),
            "{policy}"
        );
        let location = allow(&owner, &page.text, &app.organization, &["read:data"]).await;
        assert!(location.starts_with(uri), "{location}");
    }

    let none = super::flow::decide(&owner, &page.text, &app.organization, &[]).await;
    assert_eq!(none.status, 400);
    assert!(
        none.text.contains("Choose at least one permission"),
        "{}",
        none.text
    );
    let more = super::flow::decide(&owner, &fewer.text, &app.organization, &["read:data"]).await;
    assert_eq!(more.status, 400, "it was not asked for");
    app.finish().await;
}

#[actix::test]
async fn a_person_who_denies_sends_the_app_away() {
    let app = App::spawn().await;
    let client = register(&app, REDIRECT_URI).await;
    let owner = Browser::owner(&app).await;
    let page = owner.get(&question(&client, &[])).await;
    let request = sealed(&page.text);
    let fields = [("request", request.as_str()), ("decision", "deny")];
    let denied = owner.submit(CONSENT, &fields).await;
    let location = denied.header("location");
    assert_eq!(denied.status, 303);
    for (name, value) in [
        ("error", "access_denied"),
        ("state", "the state"),
        ("iss", app.base.as_str()),
    ] {
        assert_eq!(
            parameter(location, name).as_deref(),
            Some(value),
            "{location}"
        );
    }
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
async fn the_token_endpoint_names_mistakes_in_the_words_of_the_protocol() {
    let app = App::spawn().await;
    let client = register(&app, REDIRECT_URI).await;
    let owner = Browser::owner(&app).await;
    let code = code(&app, &owner, &client, &["read:data"], &[]).await;
    let usual = [
        ("grant_type", "authorization_code"),
        ("client_id", client.as_str()),
        ("code", code.as_str()),
        ("code_verifier", VERIFIER),
    ];
    for (left_out, status, error) in [
        ("grant_type", 400, "invalid_request"),
        ("client_id", 400, "invalid_request"),
        ("code", 400, "invalid_request"),
        ("code_verifier", 400, "invalid_request"),
    ] {
        let form: Vec<_> = usual
            .iter()
            .filter(|(name, _)| *name != left_out)
            .copied()
            .collect();
        let answer = post_form(&app, "/oauth/token", &form).await;
        assert_eq!(
            (answer.status, &answer.body["error"]),
            (status, &json!(error)),
            "{left_out}"
        );
    }
    for (name, value, status, error) in [
        ("grant_type", "password", 400, "unsupported_grant_type"),
        ("client_id", "nobody", 401, "invalid_client"),
        ("code", "nonsense", 400, "invalid_grant"),
        ("resource", "https://other.example", 400, "invalid_target"),
    ] {
        let kept = usual.iter().filter(|(own, _)| *own != name).copied();
        let form: Vec<_> = kept.chain([(name, value)]).collect();
        let answer = post_form(&app, "/oauth/token", &form).await;
        assert_eq!(
            (answer.status, &answer.body["error"]),
            (status, &json!(error)),
            "{name}"
        );
    }
    let twice: Vec<_> = usual.iter().chain(&usual[..1]).copied().collect();
    let answer = post_form(&app, "/oauth/token", &twice).await;
    assert_eq!(answer.body["error"], "invalid_request");
    let json = app
        .http
        .post(format!("{}/oauth/token", app.base))
        .json(&json!({ "grant_type": "authorization_code" }));
    assert_eq!(json.send().await.unwrap().status(), 400);
    let foreign = app
        .http
        .post(format!("{}/oauth/token", app.base))
        .header("origin", "https://app.example")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("grant_type=refresh_token");
    let foreign = Answer::send(foreign).await;
    assert_eq!(foreign.header("access-control-allow-origin"), "*");
    assert_eq!(
        exchange(&app, &client, &code).await.status,
        200,
        "nothing of it took the code"
    );
    assert_eq!(challenge().len(), 43);
    app.finish().await;
}

#[actix::test]
async fn an_operator_turns_apps_off() {
    let mut app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let client = register(&app, REDIRECT_URI).await;
    let code = code(&app, &owner, &client, &["read:data"], &[]).await;
    let own = connected(&client, &exchange(&app, &client, &code).await);
    let cookie = owner.cookie();
    assert!(opens(&app, &own.access).await);
    app.configure("auth.apps = false");
    app.restart().await;
    assert!(!opens(&app, &own.access).await);
    assert_eq!(refresh(&app, &client, &own.refresh).await.status, 401);
    let server = format!("{}/.well-known/oauth-authorization-server", app.base);
    assert_eq!(Answer::send(app.http.get(server)).await.status, 404);
    let resource = format!("{}/.well-known/oauth-protected-resource/v1/mcp", app.base);
    let resource = Answer::send(app.http.get(resource)).await;
    assert_eq!(resource.body["authorization_servers"], json!([]));
    let body = json!({ "redirect_uris": [REDIRECT_URI] });
    let refused = app
        .post_anonymously(format!("{}/oauth/register", app.base), &body)
        .await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    let owner = Browser::with(&app, &cookie);
    assert_eq!(owner.get(&question(&client, &[])).await.status, 400);
    app.finish().await;
}
