//! TLS with a verdict instead of a bare refusal: what the certificate is like is known either way.

use std::sync::{Arc, Mutex, PoisonError};

use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        Resumption, WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::CryptoProvider,
    pki_types::{CertificateDer, ServerName, UnixTime},
};
use tokio::{
    net::TcpStream,
    time::{Instant, timeout_at},
};
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::{
    Certificate, Class, Egress, Failure, Phase, Trace, certificate::Contents, failure::socket_error,
};

/// What a connection for HTTP/1.1 offers (ALPN).
pub(super) const HTTP1: &[&[u8]] = &[b"http/1.1"];

/// The authorities that browsers trust.
pub(super) fn public_roots() -> RootCertStore {
    RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    }
}

#[derive(Clone)]
pub(super) struct Tls {
    provider: Arc<CryptoProvider>,
    verifier: Arc<WebPkiServerVerifier>,
}

impl Tls {
    pub(super) fn new(roots: RootCertStore) -> Result<Self, Failure> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder =
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
        let verifier = builder
            .build()
            .map_err(|error| Failure::new(Class::TlsFailed, error.to_string()))?;
        Ok(Self { provider, verifier })
    }
}

impl Egress {
    /// Shakes hands over a connection that speaks HTTP/1.1. What the certificate is like is in the trace, whatever becomes
    /// of it. `strict` wants it to be trusted.
    ///
    /// # Errors
    /// The handshake fails, or does not end by the deadline.
    pub async fn handshake(
        &self,
        stream: TcpStream,
        host: url::Host<&str>,
        strict: bool,
        deadline: Instant,
        trace: &mut Trace,
    ) -> Result<TlsStream<TcpStream>, Failure> {
        self.handshake_for(stream, host, (strict, HTTP1), deadline, trace)
            .await
    }

    /// The same for other protocols (ALPN); none is offered when the list is empty.
    ///
    /// # Errors
    /// As [`Egress::handshake`].
    pub async fn handshake_for(
        &self,
        stream: TcpStream,
        host: url::Host<&str>,
        (strict, protocols): (bool, &[&[u8]]),
        deadline: Instant,
        trace: &mut Trace,
    ) -> Result<TlsStream<TcpStream>, Failure> {
        trace.enter(Phase::Tls);
        let watch = Arc::new(Watch {
            inner: Arc::clone(&self.0.tls.verifier),
            strict,
            seen: Mutex::default(),
        });
        let failed =
            |error: &dyn std::fmt::Display| Failure::new(Class::TlsFailed, error.to_string());
        let mut config = ClientConfig::builder_with_provider(Arc::clone(&self.0.tls.provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| failed(&error))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::clone(&watch) as _)
            .with_no_client_auth();
        config.resumption = Resumption::disabled();
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        let name = match host {
            url::Host::Domain(name) => ServerName::try_from(name.trim_end_matches('.').to_owned())
                .map_err(|error| failed(&error))?,
            url::Host::Ipv4(ip) => ServerName::from(std::net::IpAddr::V4(ip)),
            url::Host::Ipv6(ip) => ServerName::from(std::net::IpAddr::V6(ip)),
        };
        let connecting = TlsConnector::from(Arc::new(config)).connect(name, stream);
        let outcome = timeout_at(deadline, connecting).await;
        let seen = watch.take();
        let certificate = seen.as_ref().map(|seen| seen.certificate);
        if let Some(seen) = seen {
            trace.certificate = certificate;
            trace.issuer = Some(seen.issuer);
            trace.intermediates = seen.intermediates;
            trace.scts = seen.scts;
        }
        match outcome {
            Err(_) => Err(Failure::new(
                Class::TlsTimeout,
                "the TLS handshake did not end in time",
            )),
            Ok(Err(error)) => Err(refused(&error, certificate)),
            Ok(Ok(stream)) => Ok(stream),
        }
    }
}

/// What a handshake that failed means.
fn refused(error: &std::io::Error, seen: Option<Certificate>) -> Failure {
    if let Some(failure) = seen.and_then(Certificate::failure) {
        return failure;
    }
    let tls = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<Error>());
    if let Some(error) = tls {
        Failure::new(
            Class::TlsFailed,
            format!("the TLS handshake failed: {error}"),
        )
    } else {
        let error = socket_error(error).unwrap_or(error);
        Failure::from_socket(error, "during the TLS handshake")
    }
}

/// Verifies certificates as usual, and keeps the verdict.
#[derive(Debug)]
struct Watch {
    inner: Arc<WebPkiServerVerifier>,
    strict: bool,
    seen: Mutex<Option<Seen>>,
}

/// A certificate, who has signed it, how many others came with it, and how many timestamps it holds.
#[derive(Debug)]
struct Seen {
    certificate: Certificate,
    issuer: String,
    intermediates: u32,
    scts: u32,
}

impl Watch {
    fn take(&self) -> Option<Seen> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.take()
    }
}

fn problem(error: &Error) -> Class {
    use CertificateError as Why;
    match error {
        Error::InvalidCertificate(
            Why::Expired
            | Why::ExpiredContext { .. }
            | Why::NotValidYet
            | Why::NotValidYetContext { .. },
        ) => Class::TlsExpired,
        Error::InvalidCertificate(Why::NotValidForName | Why::NotValidForNameContext { .. }) => {
            Class::TlsName
        }
        _ => Class::TlsUntrusted,
    }
}

impl ServerCertVerifier for Watch {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verdict = self.inner.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        );
        let seen = Contents::read(end_entity).map(|contents| Seen {
            certificate: Certificate {
                ends_ms: contents.ends_ms,
                problem: verdict.as_ref().err().map(problem),
            },
            issuer: contents.issuer,
            intermediates: u32::try_from(intermediates.len()).unwrap_or(u32::MAX),
            scts: contents.scts,
        });
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = seen;
        match verdict {
            Err(_) if !self.strict => Ok(ServerCertVerified::assertion()),
            verdict => verdict,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}
