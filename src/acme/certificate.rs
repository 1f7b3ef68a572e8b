//! A certificate as the authority gives it.

use instant_acme::CertificateIdentifier;
use rustls::{
    crypto::ring,
    pki_types::{CertificateDer, Der, PrivateKeyDer, PrivatePkcs8KeyDer, pem::PemObject as _},
    sign::CertifiedKey,
};
use x509_cert::{
    Certificate,
    der::{Decode as _, Encode as _, oid::AssociatedOid as _},
    ext::pkix::AuthorityKeyIdentifier,
};

/// A certificate with its key.
#[derive(Clone, PartialEq, Eq)]
pub struct IssuedCertificate {
    /// The host's certificate first, each in DER.
    pub chain: Vec<Vec<u8>>,
    /// PKCS #8.
    pub key: Vec<u8>,
    pub begins_ms: i64,
    pub ends_ms: i64,
}

impl std::fmt::Debug for IssuedCertificate {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("IssuedCertificate")
            .field("ends_ms", &self.ends_ms)
            .finish_non_exhaustive()
    }
}

impl IssuedCertificate {
    /// Reads a chain that belongs to a key.
    pub(super) fn from_pem(pem: &str, key: Vec<u8>) -> Result<Self, String> {
        let chain: Result<Vec<CertificateDer<'static>>, _> =
            CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
        let chain = chain.map_err(|error| format!("the authority sent no certificate: {error}"))?;
        let first = chain.first();
        let first = first.ok_or("the authority sent an empty chain of certificates")?;
        let (begins_ms, ends_ms) =
            read_validity(first).ok_or("the authority sent a certificate that can't be read")?;
        let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.clone()));
        CertifiedKey::from_der(chain.clone(), private, &ring::default_provider())
            .map_err(|error| format!("the authority's certificate is for another key: {error}"))?;
        Ok(Self {
            chain: chain.into_iter().map(|der| der.to_vec()).collect(),
            key,
            begins_ms,
            ends_ms,
        })
    }
}

/// When a certificate begins and ends, Unix milliseconds.
pub fn read_validity(der: &[u8]) -> Option<(i64, i64)> {
    let validity = Certificate::from_der(der).ok()?.tbs_certificate.validity;
    let ms = |time: x509_cert::time::Time| i64::try_from(time.to_unix_duration().as_millis()).ok();
    let (begins, ends) = (ms(validity.not_before)?, ms(validity.not_after)?);
    (begins < ends).then_some((begins, ends))
}

/// How renewal information names a certificate (RFC 9773, section 4.1).
pub(super) fn renewal_id(der: &[u8]) -> Option<CertificateIdentifier<'static>> {
    let certificate = Certificate::from_der(der).ok()?.tbs_certificate;
    let extensions = certificate.extensions?;
    let authority = extensions
        .iter()
        .find(|extension| extension.extn_id == AuthorityKeyIdentifier::OID)?;
    let authority = AuthorityKeyIdentifier::from_der(authority.extn_value.as_bytes()).ok()?;
    let authority = authority.key_identifier?;
    // Without tag and length, which take a byte each: serial numbers are short.
    let serial = certificate.serial_number.to_der().ok()?;
    let serial = serial.get(2..)?;
    let id = CertificateIdentifier::new(
        Der::from_slice(authority.as_bytes()),
        Der::from_slice(serial),
    );
    Some(id.into_owned())
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, SerialNumber};

    use super::*;

    fn make(serial: &[u8]) -> (rcgen::Certificate, KeyPair) {
        let mut wanted = CertificateParams::new(["a.example".to_owned()]).unwrap();
        wanted.not_before = rcgen::date_time_ymd(2031, 2, 3);
        wanted.not_after = rcgen::date_time_ymd(2031, 5, 4);
        wanted.serial_number = Some(SerialNumber::from_slice(serial));
        wanted.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate().unwrap();
        (wanted.self_signed(&key).unwrap(), key)
    }

    #[test]
    fn a_chain_counts_only_with_its_own_key() {
        let (made, key) = make(&[1]);
        let issued = IssuedCertificate::from_pem(&made.pem(), key.serialize_der()).unwrap();
        assert_eq!(issued.chain, [made.der().to_vec()]);
        assert_eq!(issued.ends_ms - issued.begins_ms, 90 * 86_400_000);
        let other = KeyPair::generate().unwrap().serialize_der();
        let wrong = IssuedCertificate::from_pem(&made.pem(), other);
        assert!(wrong.unwrap_err().contains("another key"));
        let empty = IssuedCertificate::from_pem("", key.serialize_der());
        assert!(empty.unwrap_err().contains("empty"));
    }

    #[test]
    fn renewal_information_names_the_authoritys_key_and_the_whole_serial_number() {
        // The serial number of RFC 9773, whose first bit makes a leading zero necessary.
        let (made, _) = make(&[0x87, 0x65, 0x43, 0x21]);
        let id = renewal_id(made.der()).unwrap();
        assert_eq!(id.serial, "AIdlQyE");
        assert!(!id.authority_key_identifier.is_empty());
        assert_eq!(renewal_id(b"rubbish"), None);
        assert_eq!(read_validity(b"rubbish"), None);
    }
}
