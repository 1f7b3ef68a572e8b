//! First certificates: by either challenge, for verified hosts only, and beside the certificate of the settings.

use rustls::pki_types::CertificateDer;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::{HOST, Site, ask_in_the_clear, connect, issued, pebble::Pebble, serial, serve};
use crate::{app::App, process::free_address, tls::renew};

#[actix::test]
async fn a_verified_host_gets_its_certificate_over_http_and_visitors_are_led_there() {
    let site = Site::new();
    let Some(pebble) = Pebble::start(&site.http, &site.https).await else {
        return;
    };
    let (app, _) = serve(&site, &site.toml(&pebble), &pebble).await;
    assert_eq!(pebble.count_orders(), 1);

    let mut stream = connect(&site.https, Some(HOST), pebble.root(), &["http/1.1"])
        .await
        .unwrap();
    let request = format!("GET /health HTTP/1.1\r\nhost: {HOST}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let both = connect(
        &site.https,
        Some("STATS.example.com"),
        pebble.root(),
        &["h2", "http/1.1"],
    );
    let both = both.await.unwrap();
    assert_eq!(both.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));

    let answer = ask_in_the_clear(&site.http, &format!("{HOST}:80"), "/a/b?c=d&e").await;
    assert!(answer.starts_with("HTTP/1.1 301"), "{answer}");
    let location = format!("location: https://{HOST}/a/b?c=d&e\r\n");
    assert!(answer.contains(&location), "{answer}");
    for (host, path) in [
        ("other.example.com", "/a"),
        ("127.0.0.1", "/"),
        ("other.example.com", "/.well-known/acme-challenge/x"),
        (HOST, "/.well-known/acme-challenge/x"),
    ] {
        let answer = ask_in_the_clear(&site.http, host, path).await;
        assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
        assert!(!answer.contains("pharos"), "{answer}");
    }
    app.finish().await;
}

#[actix::test]
async fn without_a_listener_in_the_clear_the_authority_checks_by_a_handshake() {
    let site = Site::new();
    let Some(pebble) = Pebble::start(&site.http, &site.https).await else {
        return;
    };
    let (app, _) = serve(&site, &site.encrypted_toml(&pebble), &pebble).await;
    assert_eq!(app.count_log_lines("a certificate was issued"), 1);
    app.finish().await;
}

#[actix::test]
async fn the_other_challenge_is_tried_when_the_first_is_not_seen() {
    let site = Site::new();
    // Nothing listens where the authority looks for the file.
    let Some(pebble) = Pebble::start(&free_address(), &site.https).await else {
        return;
    };
    let (app, _) = serve(&site, &site.toml(&pebble), &pebble).await;
    assert_eq!(pebble.count_orders(), 2);
    app.finish().await;
}

#[actix::test]
async fn names_that_nobody_verified_get_neither_a_handshake_nor_an_order() {
    let site = Site::new();
    let Some(pebble) = Pebble::start(&site.http, &site.https).await else {
        return;
    };
    let (app, _) = serve(&site, &site.toml(&pebble), &pebble).await;
    for nth in 0..40 {
        let name = format!("n{nth}.example.net");
        let refused = connect(&site.https, Some(&name), pebble.root(), &[]).await;
        assert!(refused.is_err(), "{name}");
        let check = connect(&site.https, Some(&name), pebble.root(), &["acme-tls/1"]).await;
        assert!(check.is_err(), "{name}");
    }
    assert!(
        connect(&site.https, None, pebble.root(), &[])
            .await
            .is_err()
    );
    assert!(serial(&site.https, HOST, pebble.root()).await.is_some());
    assert_eq!(pebble.count_orders(), 1);
    assert_eq!(pebble.count_log_lines("example.net"), 0);
    app.finish().await;
}

#[actix::test]
async fn the_certificate_of_the_settings_serves_names_without_one_of_their_own() {
    let site = Site::new();
    let Some(pebble) = Pebble::start(&site.http, &site.https).await else {
        return;
    };
    let files = tempfile::tempdir().unwrap();
    let (chain, key) = (files.path().join("chain.pem"), files.path().join("key.pem"));
    let own: CertificateDer<'static> = renew(&chain, &key);
    let toml = format!(
        "{}\nserver.tls_certificate = {chain:?}\nserver.tls_key = {key:?}",
        site.toml(&pebble)
    );
    let app = App::outside(&toml).await;
    issued(&site.https, HOST, pebble.root()).await;
    for name in [Some("localhost"), None] {
        let stream = connect(&site.https, name, &own, &[]).await;
        // Without a name the client compares what it gets with the host.
        assert_eq!(stream.is_ok(), name.is_some(), "{name:?}");
    }
    assert!(connect(&site.https, Some(HOST), &own, &[]).await.is_err());
    app.finish().await;
}
