//! What the settings of certificates do, and which of them are refused.

use std::fs;

use super::{
    HOST, Site, issued,
    pebble::{HMAC_KEY, NO_REFUSALS, Pebble, Terms},
};
use crate::{
    app::{App, until},
    process::pharos,
};

/// What `pharos check-config` says of a file, and whether it is fine.
fn check(toml: &str) -> (bool, String) {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("pharos.toml");
    fs::write(&file, toml).unwrap();
    let mut command = pharos(data.path());
    let output = command
        .arg("--config")
        .arg(file)
        .arg("check-config")
        .output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.success(), said)
}

#[test]
fn settings_that_do_not_belong_together_are_refused() {
    for (toml, key) in [
        ("server.https_listen = \"nowhere\"", "server.https_listen"),
        (
            "server.https_listen = \"127.0.0.1:8080\"",
            "server.https_listen",
        ),
        (
            "server.http_listen = \"127.0.0.1:80\"",
            "server.http_listen",
        ),
        (
            "acme.directory_url = \"http://ca.example\"",
            "acme.directory_url",
        ),
        ("acme.email = \"nobody\"", "acme.email"),
        ("acme.eab_key_id = \"a\"", "acme.eab_hmac_key"),
        ("acme.eab_hmac_key = \"YWFh\"", "acme.eab_key_id"),
        (
            "acme.eab_key_id = \"a\"\nacme.eab_hmac_key = \"not base64!\"",
            "acme.eab_hmac_key",
        ),
    ] {
        let (fine, said) = check(toml);
        assert!(!fine && said.contains(key), "{toml}: {said}");
        assert!(!said.contains("not base64!"), "{said}");
    }
    let (fine, said) = check(
        "server.https_listen = \"127.0.0.1:4443\"\nserver.http_listen = \"127.0.0.1:4480\"\n\
         acme.email = \"a@b.example\"\nacme.eab_key_id = \"a\"\nacme.eab_hmac_key = \"YWFh\"",
    );
    assert!(fine, "{said}");
}

#[test]
fn staging_is_an_environment_of_the_default_authority_alone() {
    let (fine, said) = check("acme.staging = true");
    assert!(fine, "{said}");
    let (fine, said) = check("acme.staging = true\nacme.directory_url = \"https://ca.example/\"");
    assert!(!fine && said.contains("acme.staging"), "{said}");
}

#[actix::test]
async fn an_account_is_bound_to_the_external_one_of_the_settings() {
    let site = Site::new();
    let terms = Terms {
        needs_external_account: true,
        ..Terms::default()
    };
    let Some(pebble) = Pebble::with(&site.http, &site.https, &NO_REFUSALS, terms).await else {
        return;
    };
    let bound = format!("acme.eab_key_id = \"kid-1\"\nacme.eab_hmac_key = {HMAC_KEY:?}");
    let app = App::outside(&format!("{}\n{bound}", site.toml(&pebble))).await;
    issued(&site.https, HOST, pebble.root()).await;
    app.finish().await;
    // Without one the authority's reason is in the log.
    let app = App::outside(&site.toml(&pebble)).await;
    until("the authority refuses", async || {
        app.count_log_lines("externalAccountRequired") == 1
    })
    .await;
    app.finish().await;
}

#[actix::test]
async fn the_authority_gets_the_email_address_of_the_settings() {
    let site = Site::new();
    let Some(pebble) = Pebble::start(&site.http, &site.https).await else {
        return;
    };
    let email = "acme.email = \"admin@stats.example.com\"";
    let app = App::outside(&format!("{}\n{email}", site.toml(&pebble))).await;
    issued(&site.https, HOST, pebble.root()).await;
    app.finish().await;
    // Pebble reads it: what is no address is refused in its words.
    let email = "acme.email = \"a@b@c\"";
    let app = App::outside(&format!("{}\n{email}", site.toml(&pebble))).await;
    until("the authority refuses", async || {
        app.count_log_lines("a@b@c") == 1
    })
    .await;
    app.finish().await;
}
