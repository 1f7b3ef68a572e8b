//! Passkeys: adding them, signing in with them, and what does not count.

mod adding;
pub mod authenticator;
mod chromium;
mod hostile;
mod recovery;
mod signing_in;

use serde_json::{Value, json};

use self::authenticator::Passkey;
use super::browser::Browser;
use crate::app::{Answer, App};

const REGISTER: &str = "/api/auth/passkey/generate-register-options";
const ADD: &str = "/api/auth/passkey/verify-registration";
const ASK: &str = "/api/auth/passkey/generate-authenticate-options";
const SIGN_IN: &str = "/api/auth/passkey/verify-authentication";
const LIST: &str = "/api/auth/passkey/list-user-passkeys";
const REMOVE: &str = "/api/auth/passkey/delete-passkey";
const RENAME: &str = "/api/auth/passkey/update-passkey";

/// Adds a passkey for the person of a browser who has just signed in; what that was answered.
pub async fn add<'a>(app: &'a App, browser: &Browser<'a>, name: &str) -> (Passkey, Value) {
    let options = browser.get(REGISTER).await;
    assert_eq!(options.status, 200, "{}", options.text);
    let (passkey, made) = Passkey::create(app, &options.body);
    let body = json!({ "response": made, "name": name });
    let added = browser.post(ADD, &body).await;
    assert_eq!(added.status, 200, "{}", added.text);
    (passkey, added.body)
}

/// Uses a passkey in a browser.
pub async fn sign_in(browser: &Browser<'_>, passkey: &mut Passkey) -> Answer {
    let options = browser.get(ASK).await;
    assert_eq!(options.status, 200, "{}", options.text);
    let body = json!({ "response": passkey.sign(&options.body) });
    browser.post(SIGN_IN, &body).await
}

async fn listed(browser: &Browser<'_>) -> Vec<Value> {
    let own = browser.get(LIST).await;
    assert_eq!(own.status, 200, "{}", own.text);
    own.body.as_array().unwrap().clone()
}

/// What the audit log has of a kind, oldest first.
async fn audited(browser: &Browser<'_>, action: &str) -> Vec<Value> {
    let body = json!({ "action": action });
    let log = browser.post("/audit/list", &body).await;
    assert_eq!(log.status, 200, "{}", log.text);
    let entries = log.body.as_array().unwrap();
    entries.iter().rev().cloned().collect()
}
