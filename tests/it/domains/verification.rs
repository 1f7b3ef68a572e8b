//! By what a host is an organization's, and when it is lost.

use std::time::Duration;

use pharos::{actors::domain_checks::check_due, clock::Clock};
use serde_json::{Value, json};

use super::{HERE, add, check, get, open, remove, second_organization, verified};
use crate::{
    app::{App, NOW},
    database,
    names::Names,
    people::browser::Browser,
};

const HOST: &str = "go.acme.example";
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn text(answer: &Value, path: &str) -> String {
    answer.pointer(path).unwrap().as_str().unwrap().to_owned()
}

#[actix::test]
async fn a_host_counts_once_dns_proves_it_and_the_answer_says_what_is_missing() {
    let names = Names::start();
    let app = open(&names).await;
    let added = add(&app, &json!({ "host": "GO.Acme.example.", "use": "links" })).await;
    assert_eq!(added.status, 200, "{}", added.text);
    let domain = added.body;
    assert_eq!(
        (&domain["host"], &domain["verified"]),
        (&json!(HOST), &json!(false))
    );
    assert_eq!(
        (&domain["target"], &domain["findings"]),
        (&json!(HERE), &Value::Null)
    );
    let id = domain["id"].as_str().unwrap();

    let checked = check(&app, id).await.body;
    assert_eq!(
        checked["findings"],
        json!({ "hasRecord": false, "records": [], "points": "elsewhere", "leadsTo": [] })
    );
    names.set_address(HOST, Some("8.8.8.8"));
    let checked = check(&app, id).await.body;
    assert_eq!(checked["findings"]["leadsTo"], json!(["8.8.8.8"]));
    assert_eq!(checked["verified"], false);
    names.set_broken(true);
    let silent = check(&app, id).await.body;
    assert_eq!(
        (&silent["findings"]["points"], &silent["verified"]),
        (&json!("unknown"), &json!(false))
    );
    names.set_broken(false);

    // The text record proves it before it leads here.
    names.set(
        &text(&domain, "/verification/name"),
        &["other", &text(&domain, "/verification/value")],
    );
    let proved = check(&app, id).await.body;
    assert_eq!(
        (&proved["verified"], &proved["findings"]["points"]),
        (&json!(true), &json!("elsewhere"))
    );

    let log = app
        .post(format!("{}/audit/list", app.base), &json!({}))
        .await;
    assert_eq!(log.status, 403, "keys see no log");
    for (host, why) in [
        ("127.0.0.1", "address"),
        ("co.uk", "suffix"),
        ("https://a.example/", "url"),
        ("a b.example", "space"),
    ] {
        let refused = add(&app, &json!({ "host": host, "use": "links" })).await;
        assert_eq!(refused.status, 400, "{why}: {}", refused.text);
    }
    let again = add(&app, &json!({ "host": HOST, "use": "tracker" })).await;
    assert_eq!(again.status, 409, "{}", again.text);
    app.finish().await;
}

#[actix::test]
async fn an_alias_of_the_installation_verifies_too() {
    let names = Names::start();
    let toml = format!(
        "server.links_url = 'http://short.pharos.example'\n{}",
        names.toml()
    );
    let app = App::with(&toml).await;
    let added = add(&app, &json!({ "host": HOST, "use": "links" }))
        .await
        .body;
    assert_eq!(added["target"], "short.pharos.example");
    names.set_alias(HOST, "SHORT.pharos.example.");
    let checked = check(&app, added["id"].as_str().unwrap()).await.body;
    assert_eq!(checked["verified"], true, "{checked}");
    let own = add(
        &app,
        &json!({ "host": "short.pharos.example", "use": "links" }),
    )
    .await;
    assert_eq!(
        own.status, 409,
        "nobody gets the installation's own host: {}",
        own.text
    );
    assert!(
        own.text.contains("address of this installation"),
        "{}",
        own.text
    );
    app.finish().await;
}

/// Threat T97: DNS that still leads here after its owner has left gives the host to nobody else.
#[actix::test]
async fn dns_that_was_left_behind_gives_a_host_to_nobody_else() {
    let names = Names::start();
    let app = open(&names).await;
    let owner = Browser::owner(&app).await;
    let other = second_organization(&owner).await;
    let id = verified(&app, &names, &json!({ "host": HOST, "use": "links" })).await;

    let body = json!({ "organizationId": other, "host": HOST, "use": "links" });
    let second = owner.post("/domains/add", &body).await;
    assert_eq!(second.status, 200, "{}", second.text);
    let second_id = text(&second.body, "/id");
    let checks = async || {
        owner
            .post("/domains/check", &json!({ "id": second_id }))
            .await
    };
    assert_eq!(
        checks().await.body["verified"],
        false,
        "the first one has it"
    );
    let first = check(&app, &id).await;
    assert_eq!(
        first.body["verified"], true,
        "a claim takes nothing away: {}",
        first.text
    );

    assert_eq!(remove(&app, &id).await.status, 200);
    assert_eq!(
        get(&app.base, HOST, "/").await.status,
        get(&app.base, HERE, "/").await.status
    );
    let dangling = checks().await;
    assert_eq!(dangling.body["findings"]["points"], "here");
    assert_eq!(
        dangling.body["verified"], false,
        "it leads here for the one before: {}",
        dangling.text
    );
    let record = (
        text(&second.body, "/verification/name"),
        text(&second.body, "/verification/value"),
    );
    names.set(&record.0, &[&record.1]);
    assert_eq!(
        checks().await.body["verified"],
        true,
        "who writes the zone decides"
    );
    app.finish().await;
}

#[actix::test]
async fn who_can_write_the_zone_gets_a_host_that_another_has_only_because_it_leads_here() {
    let names = Names::start();
    let app = open(&names).await;
    let owner = Browser::owner(&app).await;
    let other = second_organization(&owner).await;
    let id = verified(&app, &names, &json!({ "host": HOST, "use": "links" })).await;
    let body = json!({ "organizationId": other, "host": HOST, "use": "tracker" });
    let second = owner.post("/domains/add", &body).await.body;
    names.set(
        &text(&second, "/verification/name"),
        &[&text(&second, "/verification/value")],
    );
    let checked = owner
        .post("/domains/check", &json!({ "id": second["id"] }))
        .await;
    assert_eq!(checked.body["verified"], true, "{}", checked.text);
    let first = app
        .post(
            format!("{}/domains/getById", app.base),
            &json!({ "id": id }),
        )
        .await;
    assert_eq!(first.body["verified"], false, "{}", first.text);
    app.finish().await;
}

#[actix::test]
async fn a_host_is_checked_every_day_and_lost_after_days_without_proof() {
    let names = Names::start();
    let toml = format!("egress.allow = ['127.0.0.0/8']\n{}", names.toml());
    let app = App::at(Clock::fixed(NOW), &toml).await;
    let id = verified(&app, &names, &json!({ "host": HOST, "use": "links" })).await;
    let platform = app.platform.as_ref().unwrap();
    let records = platform
        .domains()
        .records(platform.stores().state.clone(), app.clock.clock().clone());
    let look = async |now_ms: i64| {
        let by = now_ms.abs_diff(app.clock.now_ms());
        app.clock.advance(Duration::from_millis(by));
        check_due(platform.domains(), &records, now_ms)
            .await
            .unwrap()
    };
    let state = async || {
        let found = app
            .post(
                format!("{}/domains/getById", app.base),
                &json!({ "id": id }),
            )
            .await;
        (
            found.body["verified"].as_bool().unwrap(),
            found.body["lostAt"].clone(),
        )
    };
    names.set_address(HOST, None);
    assert_eq!(look(NOW + DAY_MS - 1).await, 0, "not yet");
    assert_eq!(look(NOW + DAY_MS).await, 1);
    let (is_verified, lost_at) = state().await;
    assert!(
        is_verified && lost_at.is_string(),
        "there are days to mend it"
    );
    assert_eq!(get(&app.base, HOST, "/nothing").await.status, 404);
    names.set_broken(true);
    look(NOW + 30 * DAY_MS).await;
    assert!(state().await.0, "silence says nothing");
    names.set_broken(false);
    look(NOW + 31 * DAY_MS).await;
    assert_eq!(state().await, (false, Value::Null));
    names.set_address(HOST, Some(HERE));
    look(NOW + 32 * DAY_MS).await;
    assert!(state().await.0, "it is back");
    app.finish().await;
}

/// Over PostgreSQL: other processes read all domains again after a change, and not after a check that found what was known.
#[actix::test]
async fn a_check_that_finds_nothing_new_makes_no_other_process_read_again() {
    let names = Names::start();
    let toml = format!("egress.allow = ['127.0.0.0/8']\n{}", names.toml());
    let app = App::at(Clock::fixed(NOW), &toml).await;
    verified(&app, &names, &json!({ "host": HOST, "use": "links" })).await;
    let platform = app.platform.as_ref().unwrap();
    let state = platform.stores().state.clone();
    let records = platform
        .domains()
        .records(state.clone(), app.clock.clock().clone());
    let mut now_ms = NOW;
    let mut writes = async || {
        let epoch = async || state.epochs().await.unwrap().get("hosts").copied();
        let before = epoch().await.unwrap_or_default();
        app.clock
            .advance(Duration::from_millis(DAY_MS.unsigned_abs()));
        now_ms += DAY_MS;
        let checked = check_due(platform.domains(), &records, now_ms)
            .await
            .unwrap();
        assert_eq!(checked, 1);
        epoch().await.unwrap_or_default() - before
    };
    assert_eq!(writes().await, 0, "it leads here as before");
    names.set_address(HOST, Some("8.8.8.8"));
    assert_eq!(
        writes().await,
        i64::from(database::is_shared()),
        "it leads elsewhere"
    );
    assert_eq!(writes().await, 0, "it still does");
    app.finish().await;
}
