//! What the authority asks for, and how it is answered.

use futures_util::future::BoxFuture;
use rcgen::{CertificateParams, CustomExtension, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use sha2::{Digest as _, Sha256};

/// The protocol in which an authority checks TLS-ALPN-01 (RFC 8737).
pub const ALPN_PROTOCOL: &[u8] = b"acme-tls/1";

/// How an authority checks that a host is here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChallengeKind {
    /// It gets a file over HTTP at port 80.
    Http,
    /// It gets a certificate in a handshake at port 443.
    TlsAlpn,
}

impl ChallengeKind {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Http => Self::TlsAlpn,
            Self::TlsAlpn => Self::Http,
        }
    }

    /// Its name in the standard.
    pub fn name(self) -> &'static str {
        match self {
            Self::Http => "HTTP-01",
            Self::TlsAlpn => "TLS-ALPN-01",
        }
    }
}

/// What is answered while the authority checks a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge {
    pub kind: ChallengeKind,
    pub host: String,
    pub token: String,
    pub key_authorization: String,
}

/// Where answers to challenges are put.
pub trait Solver: Send + Sync {
    /// Resolves once every process answers the challenge; the error says why it can't be answered.
    fn present<'a>(&'a self, challenge: &'a Challenge) -> BoxFuture<'a, Result<(), String>>;

    /// The challenge is answered no more.
    fn clean_up<'a>(&'a self, challenge: &'a Challenge) -> BoxFuture<'a, ()>;
}

/// The certificate that answers TLS-ALPN-01, with its key.
///
/// # Errors
/// The host is not the name of one.
pub fn alpn_certificate(
    host: &str,
    key_authorization: &str,
) -> Result<(CertificateDer<'static>, PrivateKeyDer<'static>), rcgen::Error> {
    let digest = Sha256::digest(key_authorization.as_bytes());
    let mut wanted = CertificateParams::new([host.to_owned()])?;
    wanted.custom_extensions = vec![CustomExtension::new_acme_identifier(&digest)];
    let key = KeyPair::generate()?;
    let certificate = wanted.self_signed(&key)?;
    Ok((certificate.into(), key.into()))
}

#[cfg(test)]
mod tests {
    use x509_cert::{Certificate, der::Decode as _};

    use super::*;

    #[test]
    fn the_certificate_of_a_challenge_names_its_host_and_holds_the_digest() {
        let (der, _) = alpn_certificate("a.example", "token.thumbprint").unwrap();
        let read = Certificate::from_der(&der).unwrap().tbs_certificate;
        let extensions = read.extensions.unwrap();
        let find = |oid: &str| {
            let mut found = extensions.iter();
            found.find(|extension| extension.extn_id.to_string() == oid)
        };
        let answer = find("1.3.6.1.5.5.7.1.31").unwrap();
        assert!(answer.critical);
        let digest = Sha256::digest(b"token.thumbprint");
        let expected = [&[4, 32][..], digest.as_slice()].concat();
        assert_eq!(answer.extn_value.as_bytes(), expected);
        let names = find("2.5.29.17").unwrap().extn_value.as_bytes();
        assert!(names.ends_with(b"a.example"));
        assert!(alpn_certificate("ä.example", "x").is_err());
    }
}
