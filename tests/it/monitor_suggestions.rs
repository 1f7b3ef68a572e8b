//! Suggested monitors: over HTTP, and from the command line without a server.

use std::sync::Arc;

use rustls::{ServerConfig, pki_types::PrivateKeyDer};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    task::JoinSet,
};
use tokio_rustls::TlsAcceptor;

use crate::{
    app::{Answer, App},
    names::Names,
    process::pharos,
    receiver::Receiver,
};

const OPEN: &str = "egress.allow = ['127.0.0.0/8']\n";
const PAGE: &str =
    "200 OK\r\ncontent-type: text/html\r\n\r\n<html><head><title>Acme shop</title></head></html>";

async fn suggest(app: &App, address: &str) -> Answer {
    let body = json!({ "address": address });
    app.post(format!("{}/uptime/suggest", app.base), &body)
        .await
}

/// The suggestions for an address that answers.
async fn suggested(app: &App, address: &str) -> Vec<Value> {
    let answer = suggest(app, address).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body["suggestions"].as_array().unwrap().clone()
}

/// An address without a server.
async fn closed() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}/", listener.local_addr().unwrap())
}

/// A page behind a certificate that no authority has signed.
async fn encrypted() -> (String, JoinSet<()>) {
    let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    let mut task = JoinSet::new();
    task.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // The first connection ends with the handshake, because the certificate isn't trusted.
            let Ok(mut stream) = acceptor.accept(stream).await else {
                continue;
            };
            let mut head = [0; 4096];
            let _ = stream.read(&mut head).await;
            let answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
            let _ = stream.write_all(answer.as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    });
    (url, task)
}

#[actix::test]
async fn a_page_gets_a_monitor_that_is_created_as_it_is() {
    let app = App::with(OPEN).await;
    let target = Receiver::saying(PAGE).await;
    let url = format!("{}/", target.url);
    let answer = suggest(&app, &url).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(
        (&answer.body["url"], &answer.body["httpCode"]),
        (&json!(url), &json!(200))
    );
    // An IP address has neither a certificate nor DNS records.
    let suggestions = answer.body["suggestions"].as_array().unwrap();
    assert_eq!(suggestions.len(), 1, "{}", answer.text);
    let first = &suggestions[0];
    let monitor = json!({
        "kind": "http", "url": url, "name": url.trim_start_matches("http://").trim_end_matches('/'),
        "granularity": "five_minutes", "expect": { "contains": "Acme shop" },
    });
    assert_eq!(first["monitor"], monitor);
    assert_eq!(first["problem"], Value::Null);
    assert_eq!(first["scheduleId"], Value::Null);
    let reason = first["reason"].as_str().unwrap();
    assert!(reason.contains("“Acme shop”"), "{reason}");
    assert_eq!(target.got().len(), 1, "one look");

    let create = format!("{}/uptime/createSchedule", app.base);
    let created = app.post(create, &monitor).await;
    assert_eq!(created.status, 200, "{}", created.text);
    let again = suggested(&app, &url).await;
    assert_eq!(again[0]["scheduleId"], created.body["scheduleId"]);
    app.finish().await;
}

#[actix::test]
async fn a_redirect_and_an_error_are_said() {
    let app = App::with(OPEN).await;
    let target = Receiver::saying(PAGE).await;
    let door = Receiver::saying(&format!("302 Found\r\nlocation: {}/shop", target.url)).await;
    let answer = suggest(&app, &door.url).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.body["finalUrl"], format!("{}/shop", target.url));
    let first = &answer.body["suggestions"][0];
    assert_eq!(first["monitor"]["url"], format!("{}/", door.url));
    assert_eq!(first["problem"], Value::Null);
    let broken = Receiver::saying("503 Service Unavailable").await;
    let first = suggested(&app, &broken.url).await.remove(0);
    assert_eq!(first["problem"], "HTTP 503: Service Unavailable");
    assert_eq!(first["monitor"].get("expect"), None);
    app.finish().await;
}

#[actix::test]
async fn a_name_gets_monitors_of_its_records_and_name_servers() {
    let names = Names::start();
    names.set_address("shop.acme.example", Some("127.0.0.1"));
    names.set_name_servers("acme.example", &["ns1.acme.example.", "ns2.acme.example."]);
    let app = App::with(&format!("{OPEN}{}", names.toml())).await;
    let target = Receiver::saying(PAGE).await;
    let port = target.url.rsplit(':').next().unwrap();
    let address = format!("http://shop.acme.example:{port}/");
    let suggestions = suggested(&app, &address).await;
    assert_eq!(suggestions.len(), 3, "{suggestions:?}");
    for (suggestion, url, kind, records) in [
        (
            &suggestions[1],
            "dns://shop.acme.example",
            "A",
            json!(["127.0.0.1"]),
        ),
        (
            &suggestions[2],
            "dns://acme.example",
            "NS",
            json!(["ns1.acme.example", "ns2.acme.example"]),
        ),
    ] {
        let monitor = &suggestion["monitor"];
        assert_eq!(
            (&monitor["url"], &monitor["recordType"]),
            (&json!(url), &json!(kind))
        );
        assert_eq!(monitor["expect"]["records"], records);
        assert_eq!(suggestion["problem"], Value::Null);
        let create = format!("{}/uptime/createSchedule", app.base);
        let created = app.post(create, monitor).await;
        assert_eq!(created.status, 200, "{}", created.text);
    }
    app.finish().await;
}

#[actix::test]
async fn a_certificate_that_is_not_trusted_is_a_problem_of_both_monitors() {
    let app = App::with(OPEN).await;
    let (url, _task) = encrypted().await;
    let suggestions = suggested(&app, &url).await;
    let kinds: Vec<&Value> = suggestions
        .iter()
        .map(|one| &one["monitor"]["kind"])
        .collect();
    assert_eq!(kinds, ["http", "tls"]);
    let host = url.trim_start_matches("https://").trim_end_matches('/');
    let monitor = &suggestions[1]["monitor"];
    assert_eq!(monitor["url"], format!("tls://{host}"));
    assert_eq!(monitor["expect"], json!({ "certificateDays": 14 }));
    for one in &suggestions {
        let problem = "the certificate is not signed by a trusted authority";
        assert_eq!(one["problem"], problem, "{one}");
    }
    app.finish().await;
}

#[actix::test]
async fn an_address_that_does_not_answer_or_is_refused_gets_no_suggestions() {
    let app = App::with(OPEN).await;
    for (address, message) in [
        (
            closed().await.as_str(),
            "can't be reached: connection refused",
        ),
        (
            "http://10.0.0.1/",
            "is refused: the target is not a public address",
        ),
        ("ftp://acme.example", "is an http or https address"),
    ] {
        let answer = suggest(&app, address).await;
        assert_eq!(answer.status, 400, "{}", answer.text);
        let issue = &answer.body["data"]["issues"][0];
        assert_eq!(issue["path"], json!(["address"]), "{}", answer.text);
        assert!(answer.text.contains(message), "{}", answer.text);
        assert!(!answer.text.contains("suggestions"), "{}", answer.text);
    }
    app.finish().await;
    // Without `egress.allow`, nothing on this machine is requested.
    let app = App::spawn().await;
    let target = Receiver::saying(PAGE).await;
    assert_eq!(suggest(&app, &target.url).await.status, 400);
    assert!(target.got().is_empty());
    app.finish().await;
}

#[actix::test]
async fn suggestions_are_five_a_minute() {
    let app = App::spawn().await;
    for _ in 0..5 {
        assert_eq!(suggest(&app, "127.0.0.1").await.status, 400);
    }
    let sixth = suggest(&app, "127.0.0.1").await;
    assert_eq!(
        (sixth.status, &sixth.body["code"]),
        (429, &json!("RATE_LIMITED"))
    );
    app.clock.advance(std::time::Duration::from_secs(61));
    assert_eq!(suggest(&app, "127.0.0.1").await.status, 400);
    app.finish().await;
}

/// How `pharos monitor suggest` ended: exit code, standard output, standard error.
async fn run(address: &str, json: bool) -> (Option<i32>, String, String) {
    let address = address.to_owned();
    let running = tokio::task::spawn_blocking(move || {
        let data = tempfile::tempdir().unwrap();
        let mut command = pharos(data.path());
        command.env("PHAROS__EGRESS__ALLOW", "127.0.0.0/8");
        command.args(["monitor", "suggest", &address]);
        if json {
            command.arg("--json");
        }
        let output = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    });
    running.await.unwrap()
}

#[actix::test]
async fn the_command_prints_suggestions_for_people_and_the_api() {
    let target = Receiver::saying(PAGE).await;
    let url = format!("{}/", target.url);
    let (code, out, err) = run(&url, false).await;
    assert_eq!(code, Some(0), "{err}");
    assert!(out.starts_with(&format!("{url} answered 200 in ")), "{out}");
    assert!(out.contains(&format!("\n\nhttp  {url}\n      ")), "{out}");
    assert!(!out.contains("Down now"), "{out}");

    let (code, out, err) = run(&url, true).await;
    assert_eq!(code, Some(0), "{err}");
    let printed: Value = serde_json::from_str(&out).unwrap();
    let monitor = &printed["suggestions"][0]["monitor"];
    assert_eq!(monitor["expect"], json!({ "contains": "Acme shop" }));
    let app = App::with(OPEN).await;
    let create = format!("{}/uptime/createSchedule", app.base);
    let created = app.post(create, monitor).await;
    assert_eq!(created.status, 200, "{}", created.text);
    app.finish().await;
}

#[actix::test]
async fn the_command_says_what_is_wrong_with_an_address() {
    for (address, exit, message) in [
        (
            closed().await.as_str(),
            1,
            "can't be reached: connection refused",
        ),
        (
            "http://10.0.0.1/",
            2,
            "is refused: the target is not a public address",
        ),
    ] {
        let (code, out, err) = run(address, false).await;
        assert_eq!((code, out.as_str()), (Some(exit), ""), "{err}");
        assert!(err.contains("error: ") && err.contains(message), "{err}");
        assert!(err.contains("\nhint: "), "{err}");
    }
}
