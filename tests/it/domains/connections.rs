//! Threat T110: one connection carries requests for several hosts, and none of them gets what is another's.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpStream},
    sync::Arc,
};

use rustls::{ClientConfig, RootCertStore, pki_types::ServerName};
use serde_json::json;

use super::{open, verified};
use crate::{app::App, ingestion::raw::statuses, names::Names, process::free_address, tls};

const STATUS: &str = "status.acme.example";
const LINKS: &str = "go.acme.example";

/// Sends bytes as they are, and reads all that comes back.
fn exchange(address: &str, bytes: &str) -> String {
    let mut stream = TcpStream::connect(address.trim_start_matches("http://")).unwrap();
    stream.write_all(bytes.as_bytes()).unwrap();
    // The other side may have hung up already.
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// A status page and short links on hosts of their own.
async fn set_up(app: &App, names: &Names) {
    let body = json!({ "name": "Acme status", "slug": "acme" });
    let page = app
        .post(format!("{}/statusPage/create", app.base), &body)
        .await;
    let body = json!({ "host": STATUS, "use": "status", "id": page.body["id"] });
    verified(app, names, &body).await;
    let body = json!({ "host": LINKS, "use": "links", "rootUrl": "https://acme.example/" });
    verified(app, names, &body).await;
}

#[actix::test]
async fn each_request_of_a_connection_is_for_the_host_that_it_names() {
    let names = Names::start();
    let app = open(&names).await;
    set_up(&app, &names).await;
    let asks = [
        format!("GET / HTTP/1.1\r\nHost: {STATUS}\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: {LINKS}\r\n\r\n"),
        "GET /login HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".to_owned(),
        format!("GET /login HTTP/1.1\r\nHost: {STATUS}\r\n\r\n"),
        format!("GET http://{LINKS}/ HTTP/1.1\r\nHost: {STATUS}\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: {STATUS}\r\nConnection: close\r\n\r\n"),
    ];
    let answers = exchange(&app.base, &asks.concat());
    assert_eq!(
        statuses(&answers),
        [200, 302, 200, 404, 302, 200],
        "{answers}"
    );
    assert_eq!(
        answers.matches("location: https://acme.example/").count(),
        2
    );
    app.finish().await;
}

#[actix::test]
async fn a_request_hidden_in_the_body_of_another_hosts_is_not_answered() {
    let names = Names::start();
    let app = open(&names).await;
    set_up(&app, &names).await;
    let hidden = format!("GET / HTTP/1.1\r\nHost: {STATUS}\r\n\r\n");
    for headers in [
        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
        "Content-Length: 0\r\nContent-Length: 5\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding : chunked\r\n",
    ] {
        let head = format!("POST /x HTTP/1.1\r\nHost: {LINKS}\r\n{headers}\r\n");
        let answers = exchange(&app.base, &format!("{head}0\r\n\r\n{hidden}"));
        assert_eq!(statuses(&answers), [400], "{headers:?}: {answers}");
        assert!(!answers.contains("Acme status"), "{headers:?}: {answers}");
    }
    // A body that ends where it says is one, whatever it holds.
    let length = hidden.len();
    let head = format!("POST /x HTTP/1.1\r\nHost: {LINKS}\r\nContent-Length: {length}\r\n\r\n");
    let answers = exchange(&app.base, &format!("{head}{hidden}"));
    assert!(!answers.contains("Acme status"), "{answers}");
    app.finish().await;
}

#[actix::test]
async fn over_http2_the_authority_of_each_request_counts_and_not_the_name_of_the_handshake() {
    let names = Names::start();
    let files = tempfile::tempdir().unwrap();
    let (chain, key) = (files.path().join("chain.pem"), files.path().join("key.pem"));
    let certificate = tls::renew(&chain, &key);
    let https = free_address();
    let mut app = open(&names).await;
    set_up(&app, &names).await;
    app.configure(&format!(
        "server.https_listen = '{https}'\nserver.tls_certificate = {chain:?}\nserver.tls_key = {key:?}\n\
         acme.directory_url = ''\nserver.base_url = 'http://127.0.0.1'"
    ));
    app.restart().await;
    let mut roots = RootCertStore::empty();
    roots.add(certificate).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let stream = tokio::net::TcpStream::connect(&https).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let stream = tokio_rustls::TlsConnector::from(Arc::new(config)).connect(name, stream);
    let (mut send, connection) = h2::client::handshake(stream.await.unwrap()).await.unwrap();
    let driven = actix::spawn(connection);
    for (authority, path, status, shows) in [
        (STATUS, "/", 200, true),
        (LINKS, "/", 302, false),
        ("localhost", "/", 404, false),
        ("other.example", "/status/acme", 404, false),
        (STATUS, "/login", 404, false),
        (STATUS, "/", 200, true),
    ] {
        let request = http::Request::get(format!("https://{authority}{path}"));
        let (answer, _) = send.send_request(request.body(()).unwrap(), true).unwrap();
        let answer = answer.await.unwrap();
        let given = answer.status().as_u16();
        let (mut body, mut text) = (answer.into_body(), Vec::new());
        while let Some(part) = body.data().await {
            let part = part.unwrap();
            body.flow_control().release_capacity(part.len()).unwrap();
            text.extend_from_slice(&part);
        }
        let text = String::from_utf8_lossy(&text);
        assert_eq!(given, status, "{authority}{path}: {text}");
        assert_eq!(text.contains("Acme status"), shows, "{authority}{path}");
    }
    drop(send);
    driven.abort();
    app.finish().await;
}
