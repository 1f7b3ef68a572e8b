//! What becomes of a certificate, and of orders that go wrong.

use std::{fs, time::Duration};

use super::{
    HOST, Site, ask_in_the_clear, connect, issued,
    pebble::{Pebble, Terms},
    serial, serve,
};
use crate::{
    app::{App, until},
    process::free_address,
};

/// Pebble's certificates last five years.
const TWO_THIRDS: Duration = Duration::from_hours(24 * 365 * 3 + 24 * 200);

#[actix::test]
async fn a_certificate_is_renewed_after_two_thirds_of_its_lifetime_and_kept_over_a_restart() {
    let site = Site::new();
    let Some(pebble) = Pebble::start(&site.http, &site.https).await else {
        return;
    };
    let (mut app, first) = serve(&site, &site.toml(&pebble), &pebble).await;
    app.restart().await;
    assert_eq!(
        serial(&site.https, HOST, pebble.root()).await,
        Some(first.clone())
    );
    assert_eq!(pebble.count_orders(), 1);
    app.clock.advance(TWO_THIRDS);
    until("another certificate is served", async || {
        let now = serial(&site.https, HOST, pebble.root()).await;
        now.is_some_and(|now| now != first)
    })
    .await;
    assert_eq!(pebble.count_orders(), 2);
    app.finish().await;
}

#[actix::test]
async fn the_certificate_of_a_removed_host_is_revoked_and_served_no_more() {
    let site = Site::new();
    let Some(pebble) = Pebble::start(&site.http, &site.https).await else {
        return;
    };
    let (mut app, first) = serve(&site, &site.toml(&pebble), &pebble).await;
    assert_eq!(pebble.status(&first).await, "Valid");
    app.configure(&site.toml(&pebble).replace(HOST, "new.example.com"));
    app.restart().await;
    assert!(
        connect(&site.https, Some(HOST), pebble.root(), &[])
            .await
            .is_err()
    );
    until("the authority has revoked it", async || {
        pebble.status(&first).await == "Revoked"
    })
    .await;
    issued(&site.https, "new.example.com", pebble.root()).await;
    // It comes back with another certificate.
    app.configure(&site.toml(&pebble));
    app.restart().await;
    assert_ne!(issued(&site.https, HOST, pebble.root()).await, first);
    app.finish().await;
}

#[actix::test]
async fn keys_in_a_copied_database_are_sealed() {
    let site = Site::new();
    let Some(pebble) = Pebble::start(&site.http, &site.https).await else {
        return;
    };
    let (app, _) = serve(&site, &site.toml(&pebble), &pebble).await;
    let stream = connect(&site.https, Some(HOST), pebble.root(), &[]).await;
    let leaf = stream.unwrap().get_ref().1.peer_certificates().unwrap()[0].to_vec();
    let home = app.close().await;
    let copy = fs::read(home.path().join("state.db")).unwrap();
    let holds = |part: &[u8]| copy.windows(part.len()).any(|window| window == part);
    assert!(holds(HOST.as_bytes()));
    // The beginning of each private key of this kind, in DER and as the account has it in base64url.
    let key = [
        0x30, 0x81, 0x87, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d,
    ];
    let made = rcgen::KeyPair::generate().unwrap().serialize_der();
    assert!(made.starts_with(&key), "{made:x?}");
    assert!(!holds(&key) && !holds(&leaf[..32]));
    assert!(!holds(b"key_pkcs8") && !holds(b"MIGHAgEA"));
}

#[actix::test]
async fn a_certificate_of_another_authority_is_replaced_at_once() {
    let site = Site::new();
    let Some(pebble) = Pebble::start(&site.http, &site.https).await else {
        return;
    };
    let (mut app, first) = serve(&site, &site.toml(&pebble), &pebble).await;
    let Some(other) = Pebble::start(&site.http, &site.https).await else {
        return;
    };
    app.configure(&site.toml(&other));
    app.restart().await;
    assert_ne!(issued(&site.https, HOST, other.root()).await, first);
    app.finish().await;
}

#[actix::test]
async fn a_challenge_that_the_authority_does_not_see_says_why_and_waits_longer_each_time() {
    let site = Site::new();
    // Nothing listens where the authority looks.
    let Some(pebble) = Pebble::start(&free_address(), &free_address()).await else {
        return;
    };
    let app = App::outside(&site.toml(&pebble)).await;
    let fails = async |times: usize| {
        until("an order fails", async || {
            app.count_log_lines("the order of a certificate failed") == times
        })
        .await;
    };
    fails(1).await;
    // The authority's own words, of both kinds, and the next attempt.
    for said in [
        "HTTP-01: ",
        "; TLS-ALPN-01: ",
        "connection refused",
        "2026-10-14T12:01:00",
    ] {
        assert_eq!(app.count_log_lines(said), 1, "{said}");
    }
    app.clock.advance(Duration::from_mins(1));
    fails(2).await;
    assert_eq!(app.count_log_lines("2026-10-14T12:03:00"), 1);
    app.clock.advance(Duration::from_mins(2));
    fails(3).await;
    assert_eq!(app.count_log_lines("2026-10-14T12:07:00"), 1);
    assert_eq!(pebble.count_orders(), 6);
    // Visitors are not led to a handshake that fails.
    let notice = ask_in_the_clear(&site.http, HOST, "/a").await;
    assert!(notice.starts_with("HTTP/1.1 503"), "{notice}");
    assert!(
        notice.contains("retry-after: 60") && notice.contains("no certificate yet"),
        "{notice}"
    );
    assert!(
        connect(&site.https, Some(HOST), pebble.root(), &[])
            .await
            .is_err()
    );
    app.finish().await;
}

#[actix::test]
async fn an_authority_that_refuses_nonces_is_asked_again() {
    let site = Site::new();
    let odd = [("PEBBLE_WFE_NONCEREJECT", "25")];
    let Some(pebble) = Pebble::with(&site.http, &site.https, &odd, Terms::default()).await else {
        return;
    };
    let app = App::outside(&site.toml(&pebble)).await;
    until("a certificate is issued", async || {
        // An order that met too many refusals in a row fails, and the next attempt is due later.
        app.clock.advance(Duration::from_mins(5));
        serial(&site.https, HOST, pebble.root()).await.is_some()
    })
    .await;
    app.finish().await;
}

#[actix::test]
async fn a_restart_in_the_midst_of_an_order_makes_another_one_later() {
    let site = Site::new();
    // The authority takes its time before it looks.
    let slow = [
        ("PEBBLE_WFE_NONCEREJECT", "0"),
        ("PEBBLE_VA_NOSLEEP", "0"),
        ("PEBBLE_VA_SLEEPTIME", "3"),
    ];
    let Some(pebble) = Pebble::with(&site.http, &site.https, &slow, Terms::default()).await else {
        return;
    };
    let mut app = App::outside(&site.toml(&pebble)).await;
    until("the authority has an order", async || {
        pebble.count_orders() == 1
    })
    .await;
    app.restart().await;
    assert_eq!(app.count_log_lines("a certificate is ordered"), 0);
    app.clock.advance(Duration::from_mins(1));
    issued(&site.https, HOST, pebble.root()).await;
    assert_eq!(pebble.count_orders(), 2);
    app.finish().await;
}
