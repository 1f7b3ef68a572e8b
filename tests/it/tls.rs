//! The listeners with a certificate of their own.

use std::{fs, path::Path, sync::Arc};

use rustix::process::Signal;
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

use crate::{
    app::until,
    process::{Process, pharos, set_up, start},
};

/// Writes a new certificate with its key.
pub fn renew(certificate: &Path, key: &Path) -> CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    fs::write(key, made.signing_key.serialize_pem()).unwrap();
    fs::write(certificate, made.cert.pem()).unwrap();
    made.cert.der().clone()
}

fn address(url: &str) -> &str {
    url.split_once("//").unwrap().1
}

async fn connect(
    url: &str,
    trusted: &CertificateDer<'static>,
    protocols: &[&str],
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols
        .iter()
        .map(|name| name.as_bytes().to_vec())
        .collect();
    let stream = TcpStream::connect(address(url)).await?;
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
}

/// What a host answers to a question after its health.
async fn health(url: &str, trusted: &CertificateDer<'static>) -> std::io::Result<String> {
    let mut stream = connect(url, trusted, &["http/1.1"]).await?;
    let request = b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(request).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

async fn served(data: &Path, certificate: &Path, key: &Path) -> Process {
    let mut command = pharos(data);
    command
        .env("PHAROS__SERVER__TLS_CERTIFICATE", certificate)
        .env("PHAROS__SERVER__TLS_KEY", key);
    start(command).await
}

#[actix::test]
async fn every_listener_speaks_tls_with_both_versions_of_http_and_nothing_else() {
    let data = tempfile::tempdir().unwrap();
    set_up(data.path());
    let (certificate, key) = (data.path().join("chain.pem"), data.path().join("key.pem"));
    let trusted = renew(&certificate, &key);
    let process = served(data.path(), &certificate, &key).await;
    for url in [&process.base, &process.track, &process.links] {
        let answer = health(url, &trusted).await.unwrap();
        assert!(
            answer.starts_with("HTTP/1.1 200") && answer.ends_with(r#"{"status":"ok"}"#),
            "{answer}"
        );

        let stream = connect(url, &trusted, &["h2", "http/1.1"]).await.unwrap();
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
        let (mut send, connection) = h2::client::handshake(stream).await.unwrap();
        actix::spawn(connection);
        let request = http::Request::get("https://localhost/health")
            .body(())
            .unwrap();
        let (answer, _) = send.send_request(request, true).unwrap();
        assert_eq!(answer.await.unwrap().status(), 200);

        let mut plain = TcpStream::connect(address(url)).await.unwrap();
        plain
            .write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
            .await
            .unwrap();
        let mut answer = Vec::new();
        // Whether it is closed or reset, nothing of HTTP comes back.
        let _ = plain.read_to_end(&mut answer).await;
        assert!(!answer.starts_with(b"HTTP"));
    }
    assert_eq!(
        process.count_log_lines("https://127.0.0.1"),
        1,
        "the public addresses follow"
    );
    process.stop();
}

#[actix::test]
async fn a_renewed_certificate_is_taken_up_and_a_bad_one_is_not() {
    let data = tempfile::tempdir().unwrap();
    set_up(data.path());
    let (certificate, key) = (data.path().join("chain.pem"), data.path().join("key.pem"));
    let first = renew(&certificate, &key);
    let process = served(data.path(), &certificate, &key).await;
    assert!(health(&process.base, &first).await.is_ok());

    let second = renew(&certificate, &key);
    until("the new certificate is used", async || {
        health(&process.base, &second).await.is_ok()
    })
    .await;
    assert!(health(&process.links, &first).await.is_err());

    fs::write(&key, "no key").unwrap();
    process.signal(Signal::HUP);
    until("the bad one is refused", async || {
        process.count_log_lines("the one in use stays") > 0
    })
    .await;
    assert!(health(&process.track, &second).await.is_ok());
    process.stop();
}

#[actix::test]
async fn files_that_do_not_belong_together_are_refused_at_start() {
    let data = tempfile::tempdir().unwrap();
    set_up(data.path());
    let (certificate, key) = (data.path().join("chain.pem"), data.path().join("key.pem"));
    renew(&data.path().join("other.pem"), &key);
    renew(&certificate, &data.path().join("other.key"));
    let run = |certificate: &Path, key: &Path| {
        let mut command = pharos(data.path());
        command
            .env("PHAROS__SERVER__TLS_CERTIFICATE", certificate)
            .env("PHAROS__SERVER__TLS_KEY", key);
        let output = command.arg("serve").output().unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    for (certificate, key, told) in [
        (&certificate, &key, "is not the key of"),
        (&certificate, &certificate, "holds no private key"),
        (&key, &key, "holds no certificate"),
        (&data.path().join("nowhere"), &key, "holds no certificate"),
    ] {
        let (code, said) = run(certificate, key);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(told) && said.contains("hint: "), "{said}");
    }
}
