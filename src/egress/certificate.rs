//! A certificate of a connection: its end, and what speaks against it.

use x509_cert::{Certificate as Parsed, der::Decode as _};

use super::{Class, Failure, sct};

/// Characters of a name that are kept.
const MAX_NAME: usize = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Certificate {
    /// When it ends, Unix milliseconds.
    pub ends_ms: i64,
    /// What speaks against it; nothing when it is to be trusted.
    pub problem: Option<Class>,
}

impl Certificate {
    /// What speaks against it, in a sentence.
    pub fn failure(self) -> Option<Failure> {
        let class = self.problem?;
        let message = match class {
            Class::TlsExpired => "the certificate's time is over, or has not come",
            Class::TlsName => "the certificate is for another name",
            _ => "the certificate is not signed by a trusted authority",
        };
        Some(Failure::new(class, message))
    }
}

/// What a certificate says of itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Contents {
    /// When it ends, Unix milliseconds.
    pub(super) ends_ms: i64,
    /// Who has signed it, such as `CN=R11,O=Let's Encrypt,C=US`.
    pub(super) issuer: String,
    /// How many signed certificate timestamps it holds.
    pub(super) scts: u32,
}

impl Contents {
    pub(super) fn read(der: &[u8]) -> Option<Self> {
        let parsed = Parsed::from_der(der).ok()?;
        let issuer = parsed.tbs_certificate.issuer.to_string();
        Some(Self {
            ends_ms: end_ms(&parsed)?,
            issuer: issuer.chars().take(MAX_NAME).collect(),
            scts: sct::count(&parsed.tbs_certificate),
        })
    }
}

/// When a certificate ends, Unix milliseconds.
pub fn certificate_end_ms(der: &[u8]) -> Option<i64> {
    end_ms(&Parsed::from_der(der).ok()?)
}

fn end_ms(parsed: &Parsed) -> Option<i64> {
    let end = parsed.tbs_certificate.validity.not_after;
    i64::try_from(end.to_unix_duration().as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_read_off_and_rubbish_is_none() {
        let mut wanted = rcgen::CertificateParams::new(vec!["a.example".to_owned()]).unwrap();
        wanted.not_after = rcgen::date_time_ymd(2031, 2, 3);
        let key = rcgen::KeyPair::generate().unwrap();
        let der = wanted.self_signed(&key).unwrap().der().to_vec();
        assert_eq!(certificate_end_ms(&der), Some(1_927_843_200_000));
        let contents = Contents::read(&der).unwrap();
        assert_eq!(contents.ends_ms, 1_927_843_200_000);
        let is_own = contents.issuer.contains("rcgen self signed cert");
        assert!(is_own && contents.scts == 0, "{contents:?}");
        for length in 0..der.len() {
            assert_eq!(certificate_end_ms(&der[..length]), None);
        }
        for at in 0..der.len() {
            let mut damaged = der.clone();
            damaged[at] ^= 0xff;
            let _ = Contents::read(&damaged);
        }
    }
}
