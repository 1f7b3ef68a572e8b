//! Passkeys in a real browser.

use pharos::clock::Clock;
use serde_json::{Value, json};

use super::authenticator::origin;
use crate::{app::App, browser::browse};

#[actix::test]
async fn a_browser_adds_a_passkey_and_signs_in_with_it() {
    if std::env::var_os("PHAROS_NO_BROWSER").is_some() {
        return;
    }
    let mut app = App::at(Clock::system(), "").await;
    let given = json!({ "base": origin(&app), "email": app.email, "password": app.password });
    app.website = given.to_string();
    let said = browse(&app, "passkeys").await;
    // Of all steps, the one with a removed passkey is refused.
    let refused = said["console"].as_array().unwrap();
    let is_meant = |line: &Value| line.as_str().unwrap().contains("/login/passkey: ");
    assert!(refused.len() == 1 && is_meant(&refused[0]), "{said}");
    assert_eq!(said["credentials"].as_array().unwrap().len(), 1, "{said}");
    assert_eq!(said["credentials"][0]["rpId"], "localhost");
    assert_eq!(said["credentials"][0]["isResidentCredential"], true);
    assert_eq!(said["next"], "/console/account");
    assert_eq!(said["elsewhere"], false);
    assert_eq!(said["plain"], false);
    app.finish().await;
}
