//! The certificate of a handshake, by the host that the client names: from ACME, or else from the settings' file.

use std::{
    fmt,
    num::NonZero,
    sync::{Arc, Mutex, PoisonError},
};

use lru::LruCache;
use rustls::{
    ServerConfig,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};

use super::Tls;
use crate::{
    acme::{ALPN_PROTOCOL, alpn_certificate},
    actors::certificates::Certificates,
};

/// Hosts whose certificates stay parsed. A parsed one has about ten kilobytes.
const MAX_PARSED: NonZero<usize> = NonZero::new(1_024).unwrap();

/// Chooses certificates on the listener for all hosts.
pub(super) struct Sni {
    certificates: Certificates,
    file: Option<Tls>,
    provider: Arc<CryptoProvider>,
    /// The latest hosts that were asked for, with the version of their certificate.
    parsed: Mutex<LruCache<String, (i64, Arc<CertifiedKey>)>>,
}

impl Sni {
    pub(super) fn new(certificates: Certificates, file: Option<Tls>) -> Self {
        Self {
            certificates,
            file,
            provider: Arc::new(ring::default_provider()),
            parsed: Mutex::new(LruCache::new(MAX_PARSED)),
        }
    }

    /// What the listener needs. The server adds the protocols that it speaks.
    pub(super) fn into_config(self) -> Result<ServerConfig, rustls::Error> {
        let config = ServerConfig::builder_with_provider(Arc::clone(&self.provider));
        let mut config = config
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(self));
        config.alpn_protocols = vec![ALPN_PROTOCOL.to_vec()];
        Ok(config)
    }

    /// The certificate of a host that has one; unknown names cost a look into memory.
    fn find(&self, host: &str) -> Option<Arc<CertifiedKey>> {
        let Some(version) = self.certificates.find_version(host) else {
            // The key of a removed host goes.
            self.lock().pop(host);
            return None;
        };
        if let Some((known, key)) = self.lock().get(host)
            && *known == version
        {
            return Some(Arc::clone(key));
        }
        let stored = self.certificates.find(host)?;
        let chain = stored.chain.into_iter().map(CertificateDer::from).collect();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(stored.key));
        let key = Arc::new(CertifiedKey::from_der(chain, key, &self.provider).ok()?);
        let parsed = (stored.version, Arc::clone(&key));
        self.lock().put(host.to_owned(), parsed);
        Some(key)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, LruCache<String, (i64, Arc<CertifiedKey>)>> {
        // Nothing panics while it is held.
        self.parsed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What an authority sees that checks a host.
    fn answer_challenge(&self, host: &str) -> Option<Arc<CertifiedKey>> {
        let answer = self.certificates.find_tls_challenge(host)?;
        let (certificate, key) = alpn_certificate(host, &answer).ok()?;
        // Without a look at the certificate: the verifier doesn't know its critical extension.
        let key = self.provider.key_provider.load_private_key(key).ok()?;
        Some(Arc::new(CertifiedKey::new(vec![certificate], key)))
    }
}

impl ResolvesServerCert for Sni {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let host = hello.server_name().map(str::to_ascii_lowercase);
        let checks = hello
            .alpn()
            .is_some_and(|mut names| names.any(|name| name == ALPN_PROTOCOL));
        if checks {
            return self.answer_challenge(&host?);
        }
        let own = host.and_then(|host| self.find(&host));
        own.or_else(|| self.file.as_ref().map(Tls::current))
    }
}

impl fmt::Debug for Sni {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Sni(…)")
    }
}
