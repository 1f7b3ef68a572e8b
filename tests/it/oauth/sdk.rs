//! Published SDKs of the protocol connect by the address of the endpoint alone.

use pharos::clock::Clock;
use serde_json::{Value, json};

use crate::{
    app::App,
    clients::{run, run_python},
    people::browser::Browser,
};

/// What both scripts print.
fn check(app: &App, told: &Value) {
    assert_eq!(told["first"], 1, "{told}");
    assert_eq!(told["second"], 1, "{told}");
    assert_eq!(told["refreshed"], true, "{told}");
    assert_eq!(told["scope"], "read:data", "the person chose it: {told}");
    assert_eq!(told["ended"], 200, "{told}");
    assert!(
        told["after"].is_string() && told["after"] != "answered",
        "{told}"
    );
    assert!(!app.base.is_empty());
}

#[actix::test]
async fn the_typescript_sdk_connects_refreshes_and_is_out_at_once() {
    let app = App::at(Clock::system(), "").await;
    let cookie = Browser::owner(&app).await.session();
    let told = run("oauth.mjs", &[&app.base, &cookie, &app.organization]).await;
    check(&app, &told);
    assert_eq!(told["refused"], "UnauthorizedError", "{told}");
    assert_eq!(told["iss"], app.base, "{told}");
    assert_eq!(told["state"], "state-of-the-sdk", "{told}");
    assert_eq!(told["asked"]["resource"], format!("{}/v1/mcp", app.base));
    assert_eq!(told["asked"]["code_challenge_method"], "S256");
    assert_eq!(told["after"], "InvalidGrantError", "{told}");
    assert_eq!(told["led"], 1, "the person was asked once: {told}");
    app.finish().await;
}

#[actix::test]
async fn the_python_sdk_connects_refreshes_and_is_out_at_once() {
    if std::env::var_os("PHAROS_NO_PYTHON").is_some() {
        return;
    }
    let app = App::at(Clock::system(), "").await;
    let cookie = Browser::owner(&app).await.session();
    let arguments = [app.base.as_str(), &cookie, &app.organization];
    let said = run_python("mcp", "tests/clients/oauth.py", &arguments).await;
    let told: Value = serde_json::from_str(&said).unwrap();
    check(&app, &told);
    assert_eq!(told["led"], json!(2), "{told}");
    app.finish().await;
}
