//! The published compliance checks for SCIM servers (`scim2-tester` of `PyPI`).

use pharos::clock::Clock;
use serde_json::Value;

use super::client::token;
use crate::{app::App, clients::run_python, people::browser::Browser};

#[actix::test]
async fn the_published_checks_find_nothing_wrong() {
    if std::env::var_os("PHAROS_NO_PYTHON").is_some() {
        return;
    }
    let app = App::at(Clock::system(), "").await;
    let (secret, _) = token(&Browser::owner(&app).await).await;
    let arguments = [app.base.as_str(), &secret];
    let said = run_python("scim", "tests/clients/scim.py", &arguments).await;
    let told: Value = serde_json::from_str(&said).unwrap();
    // Who is invited is not active before they accept, and stays so whatever a provider says. Else nothing is wrong.
    let is_meant = |one: &Value| {
        let reason = one["reason"].as_str().unwrap_or_default();
        one["resource"] == "User" && reason.contains("'active'")
    };
    let others = told["others"].as_array().unwrap();
    assert!(others.iter().all(is_meant), "{told:#}");
    assert!(told["counts"]["SUCCESS"].as_u64().unwrap() > 50, "{told}");
    app.finish().await;
}
