//! Certificates by ACME, from a real authority: Pebble, which Let's Encrypt makes for tests.

mod clock;
mod custom;
mod issue;
mod lifecycle;
mod pebble;
mod replicas;
mod settings;

use std::{io, sync::Arc};

use data_encoding::HEXLOWER;
use pebble::Pebble;
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tokio_rustls::{TlsConnector, client::TlsStream};
use x509_cert::{Certificate, der::Decode as _};

use crate::{
    app::{App, until},
    process::free_address,
};

/// The host of these tests.
const HOST: &str = "stats.example.com";

/// Where a program listens for all hosts.
struct Site {
    https: String,
    http: String,
}

impl Site {
    fn new() -> Self {
        Self {
            https: free_address(),
            http: free_address(),
        }
    }

    /// Settings of a program that serves [`HOST`], with both listeners.
    fn toml(&self, pebble: &Pebble) -> String {
        format!(
            "{}\nserver.http_listen = {:?}",
            self.encrypted_toml(pebble),
            self.http
        )
    }

    /// The same without the listener in the clear.
    fn encrypted_toml(&self, pebble: &Pebble) -> String {
        format!(
            "server.base_url = \"https://{HOST}\"\nserver.https_listen = {:?}\n{}",
            self.https,
            pebble.toml()
        )
    }
}

/// A handshake; without a name none is sent.
async fn connect(
    address: &str,
    name: Option<&str>,
    root: &CertificateDer<'static>,
    protocols: &[&str],
) -> io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(root.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.enable_sni = name.is_some();
    let protocols = protocols.iter().map(|name| name.as_bytes().to_vec());
    config.alpn_protocols = protocols.collect();
    let stream = TcpStream::connect(address).await?;
    let name = name.unwrap_or(HOST).to_owned();
    let name = ServerName::try_from(name).unwrap();
    TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await
}

/// The serial number of the certificate that a host is served with, in hex.
async fn serial(address: &str, name: &str, root: &CertificateDer<'static>) -> Option<String> {
    let stream = connect(address, Some(name), root, &[]).await.ok()?;
    let chain = stream.get_ref().1.peer_certificates()?;
    let leaf = Certificate::from_der(&chain[0]).unwrap().tbs_certificate;
    Some(HEXLOWER.encode(leaf.serial_number.as_bytes()))
}

/// Waits until a host is served with a certificate of the authority; its serial number.
async fn issued(address: &str, name: &str, root: &CertificateDer<'static>) -> String {
    let mut found = None;
    until("a certificate is issued", async || {
        found = serial(address, name, root).await;
        found.is_some()
    })
    .await;
    found.unwrap()
}

/// What a request in the clear is answered, as it comes over the wire.
async fn ask_in_the_clear(address: &str, host: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

/// A program with a certificate of its own authority.
async fn serve(site: &Site, toml: &str, pebble: &Pebble) -> (App, String) {
    let app = App::outside(toml).await;
    let serial = issued(&site.https, HOST, pebble.root()).await;
    (app, serial)
}
