//! Threat T98: on the host of one organization there is nothing of others, and nothing of the console, however a request
//! is spelled.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
};

use serde_json::json;

use super::{client, get, open, second_organization, send, verified};
use crate::{names::Names, people::browser::Browser};

/// Sends a request as it is, and gives the first line of the answer and its body.
fn raw(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address.trim_start_matches("http://")).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[actix::test]
async fn a_host_serves_its_one_thing_whatever_is_asked() {
    let names = Names::start();
    let app = open(&names).await;
    for (slug, name) in [("acme", "Acme status"), ("other", "Secret plans")] {
        let body = json!({ "name": name, "slug": slug });
        let page = app
            .post(format!("{}/statusPage/create", app.base), &body)
            .await;
        if slug == "acme" {
            let body =
                json!({ "host": "status.acme.example", "use": "status", "id": page.body["id"] });
            verified(&app, &names, &body).await;
        }
    }
    verified(
        &app,
        &names,
        &json!({ "host": "go.acme.example", "use": "links" }),
    )
    .await;
    let owner = Browser::owner(&app).await;
    let paths = [
        "/status/other",
        "/status/acme/../other",
        "/status/acme/%2e%2e/other",
        "//status/other",
        "/login",
        "/console/home",
        "/v1/query/types",
        "/openapi.json",
        "/docs",
        "/metrics",
        "/api/auth/get-session",
        "/rpc/links/list",
        "/links/list",
        "/.well-known/oauth-protected-resource",
        "/scim/v2/Users",
        "/share/x",
        "/pharos.js",
    ];
    for host in ["status.acme.example", "go.acme.example"] {
        for path in paths {
            // With the session of an owner and the key of the organization.
            let request = client()
                .get(format!("{}{path}", app.base))
                .header("x-api-key", &app.key);
            let seen = send(host, request.header("cookie", owner.cookie())).await;
            assert_eq!(seen.status, 404, "{host}{path}: {}", seen.text);
            assert!(!seen.text.contains("Secret plans"), "{host}{path}");
        }
    }
    // A foreign page may not read with cookies from the host, nor act.
    let request = client()
        .post(format!("{}/links/list", app.base))
        .json(&json!({}));
    let request = request
        .header("cookie", owner.cookie())
        .header("origin", "http://status.acme.example");
    let crossed = send("127.0.0.1", request).await;
    assert_eq!(crossed.status, 403, "{}", crossed.text);
    assert_eq!(crossed.header("access-control-allow-origin"), "");
    app.finish().await;
}

#[actix::test]
async fn tricks_with_the_host_header_lead_nowhere_else() {
    let names = Names::start();
    let app = open(&names).await;
    let body = json!({ "name": "Acme status", "slug": "acme" });
    let page = app
        .post(format!("{}/statusPage/create", app.base), &body)
        .await;
    let host = "status.acme.example";
    verified(
        &app,
        &names,
        &json!({ "host": host, "use": "status", "id": page.body["id"] }),
    )
    .await;
    let close = "Connection: close\r\n\r\n";
    let shows = |request: String| raw(&app.base, &request).contains("Acme status");
    assert!(shows(format!(
        "GET / HTTP/1.1\r\nHost: STATUS.acme.example.:80\r\n{close}"
    )));
    assert!(
        shows(format!(
            "GET http://{host}/ HTTP/1.1\r\nHost: 127.0.0.1\r\n{close}"
        )),
        "the target counts first"
    );
    for request in [
        format!("GET / HTTP/1.1\r\nHost: {host}\r\nHost: 127.0.0.1\r\n{close}"),
        format!("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: {host}\r\n{close}"),
        format!("GET / HTTP/1.1\r\nHost: {host},127.0.0.1\r\n{close}"),
        format!("GET / HTTP/1.1\r\nHost: {host}/x\r\n{close}"),
        format!("GET / HTTP/1.1\r\nHost: x@{host}@y\r\n{close}"),
        format!("GET / HTTP/1.1\r\nX-Forwarded-Host: {host}\r\nHost: 127.0.0.1\r\n{close}"),
        format!("GET / HTTP/1.0\r\n{close}"),
    ] {
        assert!(!shows(request.clone()), "{request}");
    }
    assert_eq!(
        get(&app.base, "evil.acme.example", "/health").await.status,
        200
    );
    app.finish().await;
}

#[actix::test]
async fn what_moves_to_another_organization_or_is_deleted_is_not_on_the_host_any_more() {
    let names = Names::start();
    let app = open(&names).await;
    let owner = Browser::owner(&app).await;
    let other = second_organization(&owner).await;
    let host = "status.acme.example";
    let body = json!({ "name": "Acme status", "slug": "acme" });
    let page = app
        .post(format!("{}/statusPage/create", app.base), &body)
        .await;
    let id = page.body["id"].clone();
    verified(
        &app,
        &names,
        &json!({ "host": host, "use": "status", "id": id }),
    )
    .await;
    assert_eq!(get(&app.base, host, "/").await.status, 200);
    let body =
        json!({ "statusPageId": id, "targetOrganizationId": other, "includeMonitors": false });
    let moved = owner.post("/statusPage/transfer", &body).await;
    assert_eq!(moved.status, 200, "{}", moved.text);
    let gone = get(&app.base, host, "/").await;
    assert_eq!(gone.status, 404, "{}", gone.text);
    let own = get(&app.base, "127.0.0.1", "/status/acme").await;
    assert!(
        !own.text.contains(host),
        "its new owner has nothing to do with the host"
    );

    let body =
        json!({ "host": "go.acme.example", "use": "links", "rootUrl": "https://acme.example/" });
    verified(&app, &names, &body).await;
    assert_eq!(get(&app.base, "go.acme.example", "/").await.status, 302);
    let deleted = owner
        .post(
            "/api/auth/organization/delete",
            &json!({ "organizationId": app.organization }),
        )
        .await;
    assert_eq!(deleted.status, 200, "{}", deleted.text);
    let stopped = get(&app.links, "go.acme.example", "/").await;
    assert_eq!(stopped.status, 404, "{}", stopped.text);
    app.finish().await;
}
