//! The steps of an app and of its person.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use url::form_urlencoded::Serializer;

use crate::{
    app::{Answer, App},
    people::browser::Browser,
};

pub const REDIRECT_URI: &str = "https://app.example/callback";
pub const VERIFIER: &str = "a-verifier-of-at-least-forty-three-characters-x";
pub const CONSENT: &str = "/console/oauth/authorize";

/// The S256 challenge of [`VERIFIER`].
pub fn challenge() -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER))
}

/// What an app holds.
#[derive(Debug, Clone)]
pub struct Connected {
    pub client: String,
    pub access: String,
    pub refresh: String,
    pub scope: String,
}

/// Registers an app that is answered at this address.
pub async fn register(app: &App, redirect_uri: &str) -> String {
    let body = json!({ "client_name": "Robot", "redirect_uris": [redirect_uri] });
    let answer = app
        .post_anonymously(format!("{}/oauth/register", app.base), &body)
        .await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.body["client_id"].as_str().unwrap().to_owned()
}

/// The path of the consent page for a question; `changes` replace its parameters, and an empty value leaves one out.
pub fn question(client: &str, changes: &[(&str, &str)]) -> String {
    let challenge = challenge();
    let usual = [
        ("response_type", "code"),
        ("client_id", client),
        ("redirect_uri", REDIRECT_URI),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
        ("state", "the state"),
    ];
    let is_usual = |name: &str| usual.iter().any(|(usual, _)| *usual == name);
    let changed = |name: &str| changes.iter().find(|(other, _)| *other == name);
    let kept = usual.iter().map(|pair| changed(pair.0).unwrap_or(pair));
    let more = changes.iter().filter(|(name, _)| !is_usual(name));
    let pairs = kept.chain(more).filter(|(_, value)| !value.is_empty());
    let query = Serializer::new(String::new()).extend_pairs(pairs).finish();
    format!("{CONSENT}?{query}")
}

/// What the form of a consent page carries.
pub fn sealed(page: &str) -> String {
    let (_, rest) = page.split_once("name=\"request\" value=\"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}

/// Allows what a consent page asks, with these scopes; the address that the browser is led to.
pub async fn allow(
    browser: &Browser<'_>,
    page: &str,
    organization: &str,
    scopes: &[&str],
) -> String {
    let answer = decide(browser, page, organization, scopes).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
    answer.header("location").to_owned()
}

/// The answer to the form of a consent page.
pub async fn decide(
    browser: &Browser<'_>,
    page: &str,
    organization: &str,
    scopes: &[&str],
) -> Answer {
    let request = sealed(page);
    let mut fields = vec![
        ("request", request.as_str()),
        ("organization", organization),
        ("decision", "allow"),
    ];
    fields.extend(scopes.iter().map(|scope| ("scopes", *scope)));
    browser.submit(CONSENT, &fields).await
}

/// A parameter of an address.
pub fn parameter(address: &str, name: &str) -> Option<String> {
    let url = url::Url::parse(address).unwrap();
    let mut pairs = url.query_pairs();
    pairs
        .find(|(own, _)| own == name)
        .map(|(_, value)| value.into_owned())
}

/// A code for a client, which the person of a browser has allowed.
pub async fn code(
    app: &App,
    browser: &Browser<'_>,
    client: &str,
    scopes: &[&str],
    changes: &[(&str, &str)],
) -> String {
    let page = browser.get(&question(client, changes)).await;
    assert_eq!(page.status, 200, "{}", page.text);
    let location = allow(browser, &page.text, &app.organization, scopes).await;
    parameter(&location, "code").unwrap_or_else(|| panic!("{location}"))
}

/// Posts a form without a session.
pub async fn post_form(app: &App, path: &str, pairs: &[(&str, &str)]) -> Answer {
    let body = Serializer::new(String::new()).extend_pairs(pairs).finish();
    let request = app
        .http
        .post(format!("{}{path}", app.base))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(body);
    Answer::send(request).await
}

/// What the token endpoint answers to a code.
pub async fn exchange(app: &App, client: &str, code: &str) -> Answer {
    let form = [
        ("grant_type", "authorization_code"),
        ("client_id", client),
        ("code", code),
        ("code_verifier", VERIFIER),
        ("redirect_uri", REDIRECT_URI),
    ];
    post_form(app, "/oauth/token", &form).await
}

/// What the token endpoint answers to a refresh token.
pub async fn refresh(app: &App, client: &str, token: &str) -> Answer {
    let form = [
        ("grant_type", "refresh_token"),
        ("client_id", client),
        ("refresh_token", token),
    ];
    post_form(app, "/oauth/token", &form).await
}

/// What an app holds after the token endpoint has answered.
pub fn connected(client: &str, answer: &Answer) -> Connected {
    assert_eq!(answer.status, 200, "{}", answer.text);
    let text = |name: &str| answer.body[name].as_str().unwrap().to_owned();
    Connected {
        client: client.to_owned(),
        access: text("access_token"),
        refresh: text("refresh_token"),
        scope: text("scope"),
    }
}

/// An app that the person of a browser has connected for the MCP endpoint.
pub async fn connect(app: &App, browser: &Browser<'_>, scopes: &[&str]) -> Connected {
    connect_for(app, browser, scopes, &[]).await
}

/// An app that the person of a browser has connected for the whole API.
pub async fn connect_api(app: &App, browser: &Browser<'_>, scopes: &[&str]) -> Connected {
    connect_for(app, browser, scopes, &[("resource", &app.base)]).await
}

async fn connect_for(
    app: &App,
    browser: &Browser<'_>,
    scopes: &[&str],
    changes: &[(&str, &str)],
) -> Connected {
    let client = register(app, REDIRECT_URI).await;
    let code = code(app, browser, &client, scopes, changes).await;
    connected(&client, &exchange(app, &client, &code).await)
}

/// Calls a method of the MCP endpoint with a token.
pub async fn ask(app: &App, token: &str, method: &str, params: Value) -> Answer {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let request = app
        .http
        .post(format!("{}/v1/mcp", app.base))
        .header("authorization", format!("Bearer {token}"))
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2025-11-25")
        .json(&body);
    Answer::send(request).await
}

/// Whether a token opens the MCP endpoint.
pub async fn opens(app: &App, token: &str) -> bool {
    let answer = ask(app, token, "tools/list", json!({})).await;
    assert!([200, 401].contains(&answer.status), "{}", answer.text);
    answer.status == 200
}

/// Calls the API with a token.
pub async fn call(app: &App, token: &str, path: &str, body: &Value) -> Answer {
    let request = app
        .http
        .post(format!("{}{path}", app.base))
        .header("authorization", format!("Bearer {token}"))
        .json(body);
    Answer::send(request).await
}

/// Actions of the audit log, the latest first.
pub async fn audit(browser: &Browser<'_>, action: &str) -> Vec<Value> {
    let answer = browser
        .post("/audit/list", &json!({ "action": action }))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body.as_array().unwrap().clone()
}
