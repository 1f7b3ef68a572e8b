//! Monitors that speak the protocols of mail servers, databases and brokers: against servers that say what a test wants, and a real Redis.

use std::sync::Arc;

use rustls::{ServerConfig, pki_types::PrivateKeyDer};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::TcpListener,
    task::JoinSet,
};
use tokio_rustls::TlsAcceptor;

use super::OPEN;
use crate::{
    app::App,
    redis::Redis,
    uptime::{call_ok, checked, create},
};

/// Servers of a test, which end with it.
#[derive(Default)]
struct Servers(JoinSet<()>);

impl Servers {
    /// A server that sends this to everyone and then waits until the other side hangs up. The answer is its host and port.
    async fn start(&mut self, answer: &[u8], acceptor: Option<TlsAcceptor>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let answer: Arc<[u8]> = answer.into();
        self.0.spawn(async move {
            let mut talks = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, acceptor) = (Arc::clone(&answer), acceptor.clone());
                talks.spawn(async move {
                    match acceptor {
                        None => say(stream, &answer).await,
                        Some(acceptor) => {
                            if let Ok(stream) = acceptor.accept(stream).await {
                                say(stream, &answer).await;
                            }
                        }
                    }
                });
            }
        });
        address
    }
}

async fn say(mut stream: impl AsyncRead + AsyncWrite + Unpin, answer: &[u8]) {
    let _ = stream.write_all(answer).await;
    let _ = stream.flush().await;
    let mut heard = [0; 1024];
    while stream.read(&mut heard).await.is_ok_and(|length| length > 0) {}
}

/// TLS with a certificate that no authority has signed.
fn untrusted() -> TlsAcceptor {
    let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

fn ada() -> Value {
    json!({ "auth": { "type": "basic", "username": "ada", "password": "s3cr3t" } })
}

/// Creates a monitor, waits for its first check, and answers with its error class, or null if it is up.
async fn outcome(app: &App, kind: &str, url: &str, more: Value) -> Value {
    let mut fields =
        json!({ "kind": kind, "url": url, "granularity": "hour", "retries": 0, "timeout": 10_000 });
    for (name, value) in more.as_object().unwrap() {
        fields[name] = value.clone();
    }
    let id = create(app, fields).await;
    checked(app, &id, 1).await;
    let shown = call_ok(app, "getSchedule", json!({ "scheduleId": id })).await;
    assert!(!shown.to_string().contains("s3cr3t"), "{shown}");
    let last = &shown["lastCheck"];
    let phases = last["phases"].as_object().unwrap();
    let sum: u64 = phases.values().map(|micros| micros.as_u64().unwrap()).sum();
    assert_eq!(last["total"], sum, "{last}");
    last["errorClass"].clone()
}

/// What a server that works sends, without a sign-in.
const UP: [(&str, &[u8]); 9] = [
    ("smtp", b"220 ready\r\n250 mail\r\n"),
    ("imap", b"* OK ready\r\np OK done\r\n"),
    ("pop3", b"+OK ready\r\n+OK\r\n.\r\n"),
    ("ssh", b"SSH-2.0-ready\r\n"),
    ("mqtt", &[0x20, 2, 0, 0]),
    ("redis", b"+PONG\r\n"),
    ("postgresql", b"N"),
    (
        "rabbitmq",
        b"\x01\0\0\0\0\0\x17\0\x0a\0\x0a\0\x09\0\0\0\0\0\0\0\x05PLAIN\0\0\0\0\xce",
    ),
    (
        "kafka",
        b"\0\0\0\x10\0\0\0\x12\0\0\0\0\0\x01\0\x03\0\0\0\x01\0\0\0\x15\0\0\0\x03\0\0\0\x01\0\0\0\x01\0\x01a\0\0\0\x01\xff\xff",
    ),
];

#[actix::test]
async fn a_server_that_answers_in_its_protocol_is_up_and_any_other_is_down() {
    let app = App::with(OPEN).await;
    let mut servers = Servers::default();
    for (kind, answer) in UP {
        let url = servers.start(answer, None).await;
        let up = outcome(&app, kind, &url, json!({})).await;
        assert_eq!(up, Value::Null, "{kind}");
        let noise = b"\xfe\xfe\xfe\xfe\xfe\xfe\xfe\xfe\n".repeat(60);
        let url = servers.start(&noise, None).await;
        let garbage = outcome(&app, kind, &url, json!({})).await;
        let known = ["protocol", "body_too_large"];
        assert!(known.iter().any(|one| garbage == *one), "{kind}: {garbage}");
        let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = free.local_addr().unwrap().to_string();
        drop(free);
        let down = outcome(&app, kind, &url, json!({})).await;
        assert_eq!(down, "refused", "{kind}");
    }
    app.finish().await;
}

#[actix::test]
async fn a_server_that_is_silent_or_stops_in_the_middle_is_late() {
    let app = App::with(OPEN).await;
    let mut servers = Servers::default();
    for (kind, answer) in UP {
        let more = json!({ "timeout": 1_000 });
        let url = servers.start(b"", None).await;
        let silent = outcome(&app, kind, &url, more.clone()).await;
        assert_eq!(silent, "timeout_ttfb", "{kind}");
        // The answer of PostgreSQL is one byte.
        if kind != "postgresql" {
            let half = answer.len() / 2;
            let url = servers.start(&answer[..half], None).await;
            let late = outcome(&app, kind, &url, more).await;
            assert_eq!(late, "timeout_transfer", "{kind}");
        }
    }
    app.finish().await;
}

#[actix::test]
async fn a_certificate_is_verified_unless_that_is_turned_off() {
    let app = App::with(OPEN).await;
    let mut servers = Servers::default();
    for (kind, scheme) in [
        ("smtp", "smtps"),
        ("imap", "imaps"),
        ("pop3", "pop3s"),
        ("mqtt", "mqtts"),
        ("redis", "rediss"),
        ("rabbitmq", "amqps"),
    ] {
        let (_, answer) = UP.iter().find(|(own, _)| *own == kind).unwrap();
        let bad = servers.start(answer, Some(untrusted())).await;
        let url = format!("{scheme}://{bad}");
        assert_eq!(outcome(&app, kind, &url, json!({})).await, "tls_untrusted");
        let other = servers.start(answer, Some(untrusted())).await;
        let url = format!("{scheme}://{other}");
        let more = json!({ "request": { "verifyTls": false } });
        assert_eq!(outcome(&app, kind, &url, more).await, Value::Null, "{kind}");
    }
    app.finish().await;
}

#[actix::test]
async fn refused_credentials_and_missing_text_are_told_apart() {
    let app = App::with(OPEN).await;
    let mut servers = Servers::default();
    for (kind, answer) in [
        ("mqtt", &[0x20, 2, 0, 5][..]),
        ("redis", b"-WRONGPASS no\r\n"),
        ("postgresql", b"E\0\0\0\x0cC28P01\0\0"),
        ("mysql", b"\x03\0\0\0\xff\x15\x04"),
    ] {
        let url = servers.start(answer, None).await;
        let refused = outcome(&app, kind, &url, json!({ "request": ada() })).await;
        assert_eq!(refused, "credentials", "{kind}");
    }
    let url = servers.start(b"220 ready\r\n250 mail\r\n", None).await;
    let more = json!({ "expect": { "contains": "other" } });
    assert_eq!(outcome(&app, "smtp", &url, more).await, "assertion");
    let url = servers.start(b"220 ready\r\n250 mail\r\n", None).await;
    let more = json!({ "request": { "tls": true } });
    assert_eq!(outcome(&app, "smtp", &url, more).await, "tls_failed");
    app.finish().await;
}

#[actix::test]
async fn a_real_redis_runs_a_command() {
    let Some(redis) = Redis::start() else {
        return;
    };
    let app = App::with(OPEN).await;
    let more = json!({ "request": { "body": "ECHO \"two words\"" }, "expect": { "contains": "two words" } });
    assert_eq!(
        outcome(&app, "redis", &redis.url(), more).await,
        Value::Null
    );
    let url = format!("{}/1", redis.url());
    let wrong = json!({ "request": { "body": "GET" } });
    assert_eq!(outcome(&app, "redis", &url, wrong).await, "server_error");
    let url = format!("{}/2", redis.url());
    let signed_in = json!({ "request": ada() });
    assert_eq!(outcome(&app, "redis", &url, signed_in).await, "credentials");
    let url = format!("{}/99999", redis.url());
    assert_eq!(
        outcome(&app, "redis", &url, json!({})).await,
        "server_error"
    );
    app.finish().await;
}
