//! Domains whose record is gone.

use std::time::Duration;

use pharos::{actors::domain_checks::check_due, clock::Clock};
use serde_json::json;

use super::{Company, Names, is_in, open, person};
use crate::{app::App, people::oidc::Provider};

const DAY: Duration = Duration::from_hours(24);

/// What the program does every day; how many domains were checked.
async fn turn(app: &App) -> usize {
    app.clock.advance(DAY);
    let platform = app.platform.as_ref().unwrap();
    let now_ms = app.clock.now_ms();
    let records = platform
        .domains()
        .records(platform.stores().state.clone(), Clock::fixed(now_ms));
    check_due(platform.domains(), &records, now_ms)
        .await
        .unwrap()
}

#[actix::test]
async fn a_domain_is_lost_after_days_without_its_record_and_its_sessions_end() {
    let (names, provider) = (Names::start(), Provider::start());
    let app = open(&names, "").await;
    let company = Company::found(&app, &names, &provider, &json!({})).await;
    let ada = company.signed_in(&person("a", "ada@acme.example")).await;
    let listed = async || {
        let listed = company.owner.post("/sso/listDomains", &json!({})).await;
        listed.body[0].clone()
    };

    // That name servers don't answer says nothing.
    names.set_broken(true);
    for _ in 0..5 {
        assert_eq!(turn(&app).await, 1);
        assert!(is_in(&ada).await);
    }
    names.set_broken(false);
    names.set("_pharos.acme.example", &[]);
    for _ in 0..3 {
        assert_eq!(turn(&app).await, 1);
        let now = listed().await;
        assert_eq!(
            (&now["verified"], &now["outcome"]),
            (&json!(true), &json!("missing"))
        );
        assert!(now["lostAt"].is_string(), "{now}");
        // A session also ends when it was not used.
        assert!(is_in(&ada).await);
    }
    provider
        .control(&json!({ "now": app.clock.now_ms() }))
        .await;
    company.signed_in(&person("a", "ada@acme.example")).await;
    assert_eq!(turn(&app).await, 1);
    assert_eq!(listed().await["verified"], false);
    assert!(!is_in(&ada).await, "the session ends with the domain");
    let refused = company.refused(&person("a", "ada@acme.example")).await;
    assert!(refused.contains("no verified domain"), "{refused}");

    // It comes back with its record.
    names.publish(&listed().await);
    assert_eq!(turn(&app).await, 1);
    assert_eq!(listed().await["verified"], true);
    let audit = company.owner.post("/audit/list", &json!({})).await;
    for action in [
        "sso_domain.create",
        "sso_domain.verify",
        "sso_domain.lose",
        "sso_provider.create",
    ] {
        assert!(audit.text.contains(action), "{action}: {}", audit.text);
    }
    app.finish().await;
}
