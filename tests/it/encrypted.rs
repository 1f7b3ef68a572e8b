//! Redis and ClickHouse behind TLS: exactly the certificates that the machine trusts are accepted.

use std::{path::Path, sync::Arc};

use rustls::{
    ServerConfig,
    pki_types::{PrivateKeyDer, pem::PemObject as _},
};
use serde_json::json;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
};
use tokio_rustls::TlsAcceptor;

use crate::{
    app::{Answer, until},
    clickhouse::Server as ClickHouse,
    process::{Process, pharos, set_up, start},
    redis::Redis,
    tls::renew,
};

/// Takes encryption off whatever is sent to `localhost:` the port that it gives, for the server at an address.
async fn encrypted(acceptor: &TlsAcceptor, to: &str) -> u16 {
    let (acceptor, to) = (acceptor.clone(), to.to_owned());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    actix::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, to) = (acceptor.clone(), to.clone());
            actix::spawn(async move {
                if let Ok(mut stream) = acceptor.accept(stream).await {
                    let mut server = TcpStream::connect(&to).await.unwrap();
                    // Either side may go at any time.
                    let _ = copy_bidirectional(&mut stream, &mut server).await;
                }
            });
        }
    });
    port
}

/// A certificate for `localhost` in a directory, and its key.
fn acceptor(directory: &Path) -> TlsAcceptor {
    let key = directory.join("key.pem");
    let certificate = renew(&directory.join("certificate.pem"), &key);
    let key = PrivateKeyDer::from_pem_file(key).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key);
    TlsAcceptor::from(Arc::new(config.unwrap()))
}

async fn ready(process: &Process) -> Answer {
    let request = crate::web::client().get(format!("{}/health/ready", process.base));
    Answer::send(request).await
}

#[actix::test]
async fn redis_and_clickhouse_are_reached_with_encryption_and_believed_by_the_machine() {
    let (Some(redis), Some(clickhouse)) = (Redis::start(), ClickHouse::start()) else {
        return;
    };
    let (data, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let address = |url: String| {
        let url = url::Url::parse(&url).unwrap();
        format!("127.0.0.1:{}", url.port().unwrap())
    };
    let acceptor = acceptor(files.path());
    let counts = encrypted(&acceptor, &address(redis.url())).await;
    let events = encrypted(&acceptor, &address(clickhouse.url())).await;
    let made = set_up(data.path());
    let served = async |believed: &str| {
        let mut command = pharos(data.path());
        command
            .env("PHAROS__REDIS__URL", format!("rediss://localhost:{counts}"))
            .env("PHAROS__EVENTS__STORE", "clickhouse")
            .env(
                "PHAROS__EVENTS__CLICKHOUSE_URL",
                format!("https://localhost:{events}/default"),
            )
            .env("SSL_CERT_FILE", files.path().join(believed));
        start(command).await
    };

    let process = served("certificate.pem").await;
    until("both are there", async || {
        ready(&process).await.status == 200
    })
    .await;
    let event = json!({ "name": "sent", "websiteId": made.website });
    let request = crate::web::client().post(format!("{}/track", process.track));
    let sent = Answer::send(request.header("x-api-key", &made.key).json(&event)).await;
    assert_eq!(sent.status, 200, "{}", sent.text);
    until("it is shipped", async || {
        let counted = "SELECT count() FROM pharos_events WHERE name = 'sent'";
        clickhouse.tell(counted).trim() == "1"
    })
    .await;
    process.stop();

    // This certificate is not trusted by a machine that trusts another.
    renew(
        &files.path().join("other.pem"),
        &files.path().join("other.key"),
    );
    let process = served("other.pem").await;
    let refused = ready(&process).await;
    assert_eq!(refused.status, 503, "{}", refused.text);
    for store in ["redis", "clickhouse"] {
        assert!(refused.text.contains(store), "{store}: {}", refused.text);
    }
    process.stop();
}
