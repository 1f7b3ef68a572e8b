//! Hosts that organizations bring get certificates, once they are verified and lead here, and lose them with the host.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::{
    HOST, Site, ask_in_the_clear, connect, free_address, issued, pebble::Pebble, serial, serve,
};
use crate::{
    app::{App, until},
    names::Names,
    people::browser::Browser,
};

const STATUS: &str = "status.acme.example";
const HERE: Option<&str> = Some("127.0.0.1");

async fn call(app: &App, path: &str, body: &Value) -> Value {
    let answer = app.post(format!("{}{path}", app.base), body).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    answer.body
}

/// What a host answers over TLS, as it comes.
async fn ask(site: &Site, pebble: &Pebble, (name, host): (&str, &str), path: &str) -> String {
    let stream = connect(&site.https, Some(name), pebble.root(), &["http/1.1"]).await;
    let mut stream = stream.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[actix::test]
async fn a_domain_of_an_organization_has_a_certificate_while_it_is_verified_and_leads_here() {
    let site = Site::new();
    let Some(pebble) = Pebble::start(&site.http, &site.https).await else {
        return;
    };
    let names = Names::start();
    names.set_address(HOST, HERE);
    let toml = format!(
        "{}\negress.allow = ['127.0.0.0/8']\n{}",
        site.toml(&pebble),
        names.toml()
    );
    let (app, _) = serve(&site, &toml, &pebble).await;
    let page = call(
        &app,
        "/statusPage/create",
        &json!({ "name": "Acme status", "slug": "acme" }),
    )
    .await;
    let added = json!({ "host": STATUS, "use": "status", "id": page["id"] });
    let domain = call(&app, "/domains/add", &added).await;
    let id = json!({ "id": domain["id"] });

    // Verified before it is moved: no order, which could only fail.
    let record = |name: &str| domain["verification"][name].as_str().unwrap();
    names.set(record("name"), &[record("value")]);
    let checked = call(&app, "/domains/check", &id).await;
    assert_eq!(checked["verified"], true);
    assert_eq!(checked["certificate"]["state"], "pending", "{checked}");
    assert_eq!(checked["certificate"]["error"], Value::Null);
    assert!(serial(&site.https, STATUS, pebble.root()).await.is_none());
    names.set_address(STATUS, HERE);
    call(&app, "/domains/check", &id).await;
    issued(&site.https, STATUS, pebble.root()).await;
    assert_eq!(pebble.count_orders(), 2, "one for each host");
    assert_eq!(app.count_log_lines("the order of a certificate failed"), 0);

    let seen = call(&app, "/domains/getById", &id).await;
    let certificate = &seen["certificate"];
    assert_eq!(certificate["state"], "valid", "{seen}");
    let (renewal, end) = (
        certificate["renewsAt"].as_str(),
        certificate["expiresAt"].as_str(),
    );
    assert!(renewal.is_some() && renewal < end, "{seen}");
    let shown = ask(&site, &pebble, (STATUS, STATUS), "/").await;
    assert!(
        shown.starts_with("HTTP/1.1 200") && shown.contains("Acme status"),
        "{shown}"
    );
    assert!(
        shown.contains(&format!("https://{STATUS}/feed.atom")),
        "{shown}"
    );
    let moved = ask_in_the_clear(&site.http, STATUS, "/feed.rss").await;
    assert!(
        moved.contains(&format!("location: https://{STATUS}/feed.rss\r\n")),
        "{moved}"
    );
    // Where nobody has the host, nothing of the program shows.
    let nothing = ask(&site, &pebble, (STATUS, "other.example"), "/login").await;
    assert!(
        nothing.starts_with("HTTP/1.1 404") && !nothing.contains("pharos"),
        "{nothing}"
    );
    let console = ask(&site, &pebble, (HOST, HOST), "/login").await;
    assert!(console.starts_with("HTTP/1.1 200"), "{console}");

    call(&app, "/domains/remove", &id).await;
    assert!(
        serial(&site.https, STATUS, pebble.root()).await.is_none(),
        "at once"
    );
    until("the certificate is revoked", async || {
        app.count_log_lines("the certificate of a removed host was revoked and deleted") == 1
    })
    .await;
    app.finish().await;
}

#[actix::test]
async fn a_deleted_organization_loses_the_certificates_of_its_domains_at_once() {
    let site = Site::new();
    let Some(pebble) = Pebble::start(&site.http, &site.https).await else {
        return;
    };
    let names = Names::start();
    let toml = format!(
        "server.https_listen = {:?}\nserver.http_listen = {:?}\n{}\negress.allow = ['127.0.0.0/8']\n{}",
        site.https,
        site.http,
        pebble.toml(),
        names.toml()
    );
    let app = App::outside(&toml).await;
    let owner = Browser::owner(&app).await;
    let body = json!({ "name": "Other" });
    let other = owner.post("/api/auth/organization/create", &body).await;
    let body = json!({ "organizationId": other.body["id"], "host": STATUS, "use": "links" });
    let domain = owner.post("/domains/add", &body).await.body;
    names.set_address(STATUS, HERE);
    let checked = owner
        .post("/domains/check", &json!({ "id": domain["id"] }))
        .await;
    assert_eq!(checked.body["verified"], true, "{}", checked.text);
    issued(&site.https, STATUS, pebble.root()).await;
    let path = format!("/console/domain/{}", domain["id"].as_str().unwrap());
    let page = owner.get(&path).await;
    assert!(page.text.contains("Valid until"), "{}", page.text);
    let body = json!({ "organizationId": other.body["id"] });
    let deleted = owner.post("/api/auth/organization/delete", &body).await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    assert!(serial(&site.https, STATUS, pebble.root()).await.is_none());
    until("the certificate is revoked", async || {
        app.count_log_lines("the certificate of a removed host was revoked and deleted") == 1
    })
    .await;
    assert_eq!(pebble.count_orders(), 1);
    app.finish().await;
}

#[actix::test]
async fn a_domain_says_why_it_has_no_certificate_and_when_it_is_tried_again() {
    let site = Site::new();
    // Nothing listens where the authority looks.
    let Some(pebble) = Pebble::start(&free_address(), &free_address()).await else {
        return;
    };
    let names = Names::start();
    let toml = format!(
        "server.https_listen = {:?}\n{}\negress.allow = ['127.0.0.0/8']\n{}",
        site.https,
        pebble.toml(),
        names.toml()
    );
    let app = App::outside(&toml).await;
    names.set_address(STATUS, HERE);
    let added = json!({ "host": STATUS, "use": "links" });
    let domain = call(&app, "/domains/add", &added).await;
    assert_eq!(domain["certificate"], Value::Null, "it isn't verified");
    let id = json!({ "id": domain["id"] });
    call(&app, "/domains/check", &id).await;
    let certificate = async || call(&app, "/domains/getById", &id).await["certificate"].clone();
    until("its order fails", async || {
        certificate().await["error"].is_string()
    })
    .await;
    let certificate = certificate().await;
    let (state, error) = (
        &certificate["state"],
        certificate["error"].as_str().unwrap(),
    );
    assert!(
        *state == "pending" && error.contains("Failed to connect"),
        "{certificate}"
    );
    assert_eq!(certificate["retryAt"], "2026-10-14T12:01:00.000Z");
    let owner = Browser::owner(&app).await;
    let list = owner.get("/console/domains").await;
    assert!(list.text.contains("No certificate"), "{}", list.text);
    let path = format!("/console/domain/{}", domain["id"].as_str().unwrap());
    let page = owner.get(&path).await;
    for text in [
        "The last attempt failed: ",
        "Failed to connect",
        "A certificate is being ordered",
    ] {
        assert!(page.text.contains(text), "{text}: {}", page.text);
    }
    app.finish().await;
}
