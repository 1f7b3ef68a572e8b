//! A domain that dies comes back, and the others do not notice.

use pharos::actors::{Domains, kit::Resident};
use serde_json::json;

use crate::app::{Answer, App, until};

/// Every domain by name. Destructured: a new domain has to be named here.
fn names(domains: &Domains) -> Vec<&'static str> {
    let Domains {
        organizations,
        keys,
        websites,
        hosts,
        links,
        flags,
        monitors,
        status_pages,
        alarms,
        ingest,
        profiles,
        imports,
        chats,
        delivery,
        definitions: _,
        feedback: _,
        preferences: _,
        error_statuses: _,
        scheduled_reports: _,
        boards: _,
        shares: _,
        oauth: _,
        scim: _,
        probe_inbox: _,
    } = domains;
    let all: [&dyn Resident; 14] = [
        keys,
        organizations,
        websites,
        hosts,
        links,
        flags,
        monitors,
        status_pages,
        alarms,
        ingest,
        profiles,
        imports,
        chats,
        delivery,
    ];
    all.iter().map(|domain| domain.name()).collect()
}

/// One domain of the roster.
fn resident(app: &App, name: &str) -> std::sync::Arc<dyn Resident> {
    let roster = app.platform.as_ref().unwrap().domains().roster();
    let found = roster.into_iter().find(|resident| resident.name() == name);
    found.unwrap()
}

/// Kills a domain for as long as its supervisor waits at most: the wait doubles with every death.
async fn take_away(domain: &dyn Resident) {
    for _ in 0..3 {
        assert!(domain.inject_panic().await.is_err());
        until("the domain is back", async || domain.is_running()).await;
    }
    assert!(domain.inject_panic().await.is_err());
}

#[actix::test]
async fn a_panic_in_any_domain_is_answered_with_503_and_mended() {
    let app = App::spawn().await;
    let domains = app.platform.as_ref().unwrap().domains();
    let roster = domains.roster();
    let listed: Vec<_> = roster.iter().map(|resident| resident.name()).collect();
    assert_eq!(listed, names(domains), "the roster holds every domain");
    for resident in &roster {
        let name = resident.name();
        assert!(
            resident.inject_panic().await.is_err(),
            "`{name}` answers its caller that it is away"
        );

        // Meanwhile everything that reads views and stores goes on.
        let event = json!({ "name": name, "websiteId": app.website });
        assert_eq!(
            app.send(&event).await.status,
            200,
            "ingestion while `{name}` restarts"
        );
        let query = app
            .post(
                app.query_url(),
                &json!({ "parameters": ["top_pages"], "preset": "today" }),
            )
            .await;
        assert_eq!(
            query.status, 200,
            "queries while `{name}` restarts: {}",
            query.text
        );

        until("the domain is back", async || resident.is_running()).await;
        let ready = app.get(format!("{}/health/ready", app.base)).await;
        assert_eq!(ready.status, 200, "after `{name}` is back: {}", ready.text);
    }
    assert_eq!(app.rows("custom_events").await.len(), roster.len());
    app.finish().await;
}

#[actix::test]
async fn a_caller_of_a_domain_that_is_away_gets_503_in_its_own_style() {
    let app = App::spawn().await;
    let websites = resident(&app, "websites");
    let spellings = [
        ("/websites/create", false),
        ("/rpc/websites/create", false),
        ("/rpc/websites/create", true),
    ];
    let calls = spellings.map(|(path, enveloped)| {
        let domain = format!("{}{enveloped}.example", path.len());
        let plain = json!({ "name": "Shop", "domain": domain });
        let (create, place) = if enveloped {
            (json!({ "json": plain }), "/json")
        } else {
            (plain, "")
        };
        (format!("{}{path}", app.base), create, place, domain)
    });
    take_away(&*websites).await;
    for (url, create, place, _) in &calls {
        let refused = app.post(url.clone(), create).await;
        assert_eq!(refused.status, 503, "{url}: {}", refused.text);
        assert_eq!(refused.header("retry-after"), "5");
        let body = refused.body.pointer(place).unwrap();
        assert_eq!(body["defined"], false, "{url}: {}", refused.text);
        assert_eq!(body["code"], "SERVICE_UNAVAILABLE");
        assert_eq!(body["status"], 503);
        assert!(body["message"].is_string());
    }
    until("the domain is back", async || websites.is_running()).await;
    for (url, create, place, domain) in &calls {
        let again = app.post(url.clone(), create).await;
        assert_eq!(again.status, 200, "{url}: {}", again.text);
        assert_eq!(again.body.pointer(place).unwrap()["domain"], *domain);
    }
    app.finish().await;
}

#[actix::test]
async fn sign_in_is_unavailable_while_people_restart_and_then_works() {
    let app = App::spawn().await;
    let people = resident(&app, "organizations");
    take_away(&*people).await;
    let url = format!("{}/api/auth/sign-in/email", app.base);
    let credentials = json!({ "email": app.email, "password": app.password });
    let refused = app.post_anonymously(url.clone(), &credentials).await;
    assert_eq!(refused.status, 503, "{}", refused.text);
    assert_eq!(refused.header("retry-after"), "5");
    assert_eq!(refused.body["success"], false);
    assert_eq!(refused.body["code"], "SERVICE_UNAVAILABLE");
    assert_eq!(refused.body["requestId"], refused.header("x-request-id"));

    until("the domain is back", async || people.is_running()).await;
    let signed_in = app.post_anonymously(url, &credentials).await;
    assert_eq!(signed_in.status, 200, "{}", signed_in.text);
    let cookie = signed_in
        .header("set-cookie")
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    let session = app
        .http
        .get(format!("{}/api/auth/get-session", app.base))
        .header("cookie", &cookie);
    let session = Answer::send(session).await;
    assert_eq!(session.body["user"]["email"], app.email, "{}", session.text);
    let websites = app
        .http
        .get(format!("{}/v1/query/websites", app.base))
        .header("cookie", cookie);
    assert_eq!(Answer::send(websites).await.body["total"], 1);
    app.finish().await;
}

#[actix::test]
async fn the_program_can_be_stopped_and_started_over_the_same_data() {
    let mut app = App::spawn().await;
    app.send(&json!({ "name": "before", "websiteId": app.website }))
        .await;
    app.restart().await;
    app.send(&json!({ "name": "after", "websiteId": app.website }))
        .await;
    let names: Vec<_> = app
        .rows("custom_events")
        .await
        .iter()
        .map(|row| row["name"].clone())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
    app.finish().await;
}
