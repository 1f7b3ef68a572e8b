//! Requests to the authority: bounded, without redirects, and with what it says about when to come back.

use std::{
    error::Error as StdError,
    path::Path,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt as _, Full};
use hyper::{Request, Response, header::RETRY_AFTER};
use instant_acme::{BodyWrapper, BytesResponse, Error, HttpClient};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject as _},
};

use super::AuthorityOptions;
use crate::clock::Clock;

/// One request, with its answer.
const DEADLINE: Duration = Duration::from_secs(30);
/// Largest answer: a chain of certificates has a few kilobytes.
const MAX_ANSWER: usize = 1 << 20;

/// A client of one session; clones share what the authority has said.
#[derive(Clone)]
pub(super) struct Client {
    http: reqwest::Client,
    clock: Clock,
    /// When the authority wants the next request, Unix milliseconds; zero = it has not said.
    retry_at_ms: Arc<AtomicI64>,
}

impl Client {
    pub(super) fn new(http: reqwest::Client, clock: Clock) -> Self {
        Self {
            http,
            clock,
            retry_at_ms: Arc::default(),
        }
    }

    pub(super) fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// When the authority wants the next request, if it has refused one and said so.
    pub(super) fn retry_at_ms(&self) -> Option<i64> {
        Some(self.retry_at_ms.load(Ordering::SeqCst)).filter(|at| *at != 0)
    }

    async fn send(
        &self,
        request: Request<BodyWrapper<Bytes>>,
    ) -> Result<BytesResponse, Box<dyn StdError + Send + Sync>> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let request = reqwest::Request::try_from(Request::from_parts(parts, body))?;
        let mut answer = self.http.execute(request).await.map_err(describe)?;
        let mut head = Response::new(());
        *head.status_mut() = answer.status();
        *head.headers_mut() = answer.headers().clone();
        let mut text = BytesMut::new();
        while let Some(chunk) = answer.chunk().await.map_err(describe)? {
            if text.len() + chunk.len() > MAX_ANSWER {
                return Err("the authority's answer is too large".into());
            }
            text.extend_from_slice(&chunk);
        }
        let refused = head.status().is_client_error() || head.status().is_server_error();
        if let (true, Some(after)) = (refused, head.headers().get(RETRY_AFTER)) {
            let after = after.to_str().ok();
            let at = after.and_then(|after| read_retry_after(after, self.clock.now_ms()));
            self.retry_at_ms.store(at.unwrap_or(0), Ordering::SeqCst);
        }
        Ok(head.map(|()| Full::new(text.freeze())).into())
    }
}

impl HttpClient for Client {
    fn request(
        &self,
        request: Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, Error>> + Send>> {
        let client = self.clone();
        Box::pin(async move { client.send(request).await.map_err(Error::Other) })
    }
}

/// What a failed request is about, with its cause.
pub(super) fn describe(error: reqwest::Error) -> Box<dyn StdError + Send + Sync> {
    let mut text = format!("the authority can't be reached: {error}");
    let mut cause = error.source();
    while let Some(deeper) = cause {
        text = format!("{text}: {deeper}");
        cause = deeper.source();
    }
    text.into()
}

/// `Retry-After`: seconds, or a date.
fn read_retry_after(text: &str, now_ms: i64) -> Option<i64> {
    if let Ok(seconds) = text.trim().parse::<u32>() {
        return Some(now_ms + i64::from(seconds) * 1_000);
    }
    let date = chrono::DateTime::parse_from_rfc2822(text.trim()).ok()?;
    Some(date.timestamp_millis())
}

/// A client that trusts the file of the settings, or else the authorities of this machine.
pub(super) fn connect(options: &AuthorityOptions) -> Result<reqwest::Client, String> {
    let roots = match &options.root_certificate {
        Some(path) => read_roots(path).map_err(|what| format!("`{}` {what}", path.display()))?,
        None => own_roots(),
    };
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    reqwest::Client::builder()
        .tls_backend_preconfigured(config)
        .https_only(true)
        .timeout(DEADLINE)
        .connect_timeout(Duration::from_secs(10))
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .build()
        .map_err(|error| error.to_string())
}

fn read_roots(path: &Path) -> Result<RootCertStore, String> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let read = read.map_err(|error| format!("holds no certificate: {error}"))?;
    if read.is_empty() {
        return Err("holds no certificate".to_owned());
    }
    let mut roots = RootCertStore::empty();
    for certificate in read {
        let added = roots.add(certificate);
        added.map_err(|error| format!("holds a certificate that can't be trusted: {error}"))?;
    }
    Ok(roots)
}

/// The authorities of this machine, or where it has none, those of Mozilla.
fn own_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_as_seconds_and_as_a_date() {
        assert_eq!(read_retry_after(" 90 ", 1_000), Some(91_000));
        let date = "Fri, 31 Dec 1999 23:59:59 GMT";
        assert_eq!(read_retry_after(date, 0), Some(946_684_799_000));
        assert_eq!(read_retry_after("soon", 0), None);
        assert_eq!(read_retry_after("-5", 0), None);
    }

    #[test]
    fn a_file_without_certificates_is_refused_by_name() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("root.pem");
        let options = AuthorityOptions {
            root_certificate: Some(file.clone()),
            ..AuthorityOptions::default()
        };
        assert!(connect(&options).unwrap_err().contains("root.pem"));
        std::fs::write(&file, "nothing").unwrap();
        assert!(
            connect(&options)
                .unwrap_err()
                .contains("holds no certificate")
        );
    }
}
