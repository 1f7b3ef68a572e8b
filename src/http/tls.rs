//! TLS on the listeners: one certificate for all of them, replaced while running when its files change.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use arc_swap::ArcSwap;
use rustls::{
    ServerConfig,
    client::verify_server_name,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem, pem::PemObject as _},
    server::{ClientHello, ParsedCertificate, ResolvesServerCert},
    sign::CertifiedKey,
};

use crate::egress::certificate_end_ms;

/// Why the files cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read, or is not what it should be.
    #[error("`{path}` holds no {what}: {cause}")]
    Unreadable {
        path: PathBuf,
        /// What it should hold.
        what: &'static str,
        /// What is wrong.
        cause: pem::Error,
    },
    /// The certificate's file holds none.
    #[error("`{0}` holds no certificate")]
    Empty(PathBuf),
    /// They do not belong together, or the key is of a kind that is not supported.
    #[error("`{key}` is not the key of `{certificate}`: {cause}")]
    Mismatch {
        /// The file of the certificate.
        certificate: PathBuf,
        /// The file of the key.
        key: PathBuf,
        /// What is wrong.
        cause: rustls::Error,
    },
}

/// A certificate in use, with its files; cheap to clone.
#[derive(Clone)]
pub struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    provider: Arc<CryptoProvider>,
    current: Arc<Current>,
}

struct Current(ArcSwap<CertifiedKey>);

impl Tls {
    /// Reads a certificate chain and its private key from PEM files.
    ///
    /// # Errors
    /// The files cannot be read, or do not belong together.
    pub fn open(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let provider = Arc::new(ring::default_provider());
        let read = read(certificate, key, &provider)?;
        Ok(Self {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
            provider,
            current: Arc::new(Current(ArcSwap::from_pointee(read))),
        })
    }

    /// Reads the files again; connections from now on get what they hold.
    ///
    /// # Errors
    /// They cannot be used; the certificate that was there stays.
    pub fn reload(&self) -> Result<(), TlsError> {
        let read = read(&self.certificate, &self.key, &self.provider)?;
        self.current.0.store(Arc::new(read));
        Ok(())
    }

    /// The files, certificate first.
    pub fn files(&self) -> [&Path; 2] {
        [&self.certificate, &self.key]
    }

    /// When the certificate in use ends, Unix milliseconds, if it says so.
    pub fn ends_ms(&self) -> Option<i64> {
        let current = self.current.0.load();
        current
            .end_entity_cert()
            .ok()
            .and_then(|der| certificate_end_ms(der))
    }

    /// Whether the certificate in use is one of this host.
    pub(super) fn covers(&self, host: &str) -> bool {
        let current = self.current.0.load();
        let Ok(name) = ServerName::try_from(host) else {
            return false;
        };
        let parsed = current
            .end_entity_cert()
            .and_then(ParsedCertificate::try_from);
        parsed.is_ok_and(|parsed| verify_server_name(&parsed, &name).is_ok())
    }

    /// The certificate in use.
    pub(super) fn current(&self) -> Arc<CertifiedKey> {
        self.current.0.load_full()
    }

    /// What a listener needs. The server below adds the protocols that it speaks.
    pub(super) fn config(&self) -> Result<ServerConfig, rustls::Error> {
        let config = ServerConfig::builder_with_provider(Arc::clone(&self.provider));
        let resolver: Arc<dyn ResolvesServerCert> = self.current.clone();
        Ok(config
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(resolver))
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("Tls")
            .field(&self.certificate)
            .finish()
    }
}

impl fmt::Debug for Current {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Current(…)")
    }
}

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.load_full())
    }
}

fn read(
    certificate: &Path,
    key: &Path,
    provider: &CryptoProvider,
) -> Result<CertifiedKey, TlsError> {
    let unreadable = |path: &Path, what| {
        let path = path.to_owned();
        move |cause| TlsError::Unreadable { path, what, cause }
    };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .map_err(unreadable(certificate, "certificate"))?;
    if chain.is_empty() {
        return Err(TlsError::Empty(certificate.to_owned()));
    }
    let private = PrivateKeyDer::from_pem_file(key).map_err(unreadable(key, "private key"))?;
    CertifiedKey::from_der(chain, private, provider).map_err(|cause| TlsError::Mismatch {
        certificate: certificate.to_owned(),
        key: key.to_owned(),
        cause,
    })
}
