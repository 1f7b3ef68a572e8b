//! Signed certificate timestamps (RFC 6962): proofs that logs of certificates know a certificate.

use x509_cert::{
    TbsCertificate,
    der::{
        Decode as _,
        asn1::{ObjectIdentifier, OctetStringRef},
    },
};

/// The extension that holds their list.
const LIST: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.11129.2.4.2");
/// The only version, the id of a log, a time.
const VERSION: u8 = 0;
const LOG_AND_TIME: usize = 32 + 8;
/// The algorithms of a signature.
const ALGORITHMS: usize = 2;

/// How many timestamps a certificate holds; none where their list is malformed.
pub(super) fn count(certificate: &TbsCertificate) -> u32 {
    let extensions = certificate.extensions.iter().flatten();
    let list = extensions
        .filter(|one| one.extn_id == LIST)
        .find_map(|one| OctetStringRef::from_der(one.extn_value.as_bytes()).ok());
    list.and_then(|list| count_list(list.as_bytes()))
        .unwrap_or(0)
}

/// How many timestamps a list has, if every length in it is right.
fn count_list(bytes: &[u8]) -> Option<u32> {
    let (mut list, rest) = take(bytes)?;
    let mut count = 0;
    while !list.is_empty() {
        let (timestamp, after) = take(list)?;
        check_timestamp(timestamp)?;
        list = after;
        count += 1;
    }
    rest.is_empty().then_some(count)
}

fn check_timestamp(bytes: &[u8]) -> Option<()> {
    let (version, rest) = bytes.split_first()?;
    let (_extensions, rest) = take(rest.get(LOG_AND_TIME..)?)?;
    let (signature, rest) = take(rest.get(ALGORITHMS..)?)?;
    let holds = *version == VERSION && !signature.is_empty() && rest.is_empty();
    holds.then_some(())
}

/// What a length of two bytes announces, and what follows it.
fn take(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(u16::from_be_bytes(*length).into())
}

#[cfg(test)]
pub(super) mod tests {
    use x509_cert::{Certificate, der::Encode as _};

    use super::*;

    fn prefixed(bytes: &[u8]) -> Vec<u8> {
        let length = u16::try_from(bytes.len()).unwrap();
        [length.to_be_bytes().as_slice(), bytes].concat()
    }

    fn timestamp(version: u8) -> Vec<u8> {
        let mut bytes = vec![version];
        bytes.extend([7; LOG_AND_TIME]);
        bytes.extend(prefixed(b""));
        bytes.extend([4, 3]);
        bytes.extend(prefixed(&[9; 70]));
        bytes
    }

    /// A list with so many timestamps.
    fn list(count: usize) -> Vec<u8> {
        let all: Vec<u8> = (0..count).flat_map(|_| prefixed(&timestamp(0))).collect();
        prefixed(&all)
    }

    /// The extension of a certificate with this list.
    fn extension(list: &[u8]) -> rcgen::CustomExtension {
        let content = OctetStringRef::new(list).unwrap().to_der().unwrap();
        rcgen::CustomExtension::from_oid_content(&[1, 3, 6, 1, 4, 1, 11_129, 2, 4, 2], content)
    }

    /// The extension of a certificate with so many timestamps.
    pub(crate) fn extension_of(count: usize) -> rcgen::CustomExtension {
        extension(&list(count))
    }

    fn count_in(extensions: Vec<rcgen::CustomExtension>) -> u32 {
        let mut wanted = rcgen::CertificateParams::new(vec!["a.example".to_owned()]).unwrap();
        wanted.custom_extensions = extensions;
        let key = rcgen::KeyPair::generate().unwrap();
        let der = wanted.self_signed(&key).unwrap().der().to_vec();
        count(&Certificate::from_der(&der).unwrap().tbs_certificate)
    }

    #[test]
    fn timestamps_of_a_certificate_are_counted() {
        assert_eq!(count_in(Vec::new()), 0);
        for wanted in [0, 1, 3] {
            assert_eq!(count_in(vec![extension_of(wanted)]), wanted as u32);
        }
        assert_eq!(count_in(vec![extension(b"no list")]), 0);
        let bare =
            rcgen::CustomExtension::from_oid_content(&[1, 3, 6, 1, 4, 1, 11_129, 2, 4, 2], list(1));
        assert_eq!(count_in(vec![bare]), 0);
    }

    #[test]
    fn a_length_that_is_wrong_makes_the_list_none() {
        let good = list(2);
        assert_eq!(count_list(&good), Some(2));
        for length in 0..good.len() {
            assert_eq!(count_list(&good[..length]), None);
        }
        let longer = [good.as_slice(), b"x"].concat();
        assert_eq!(count_list(&longer), None);
        let one = timestamp(0);
        for wrong in [
            timestamp(1),
            one[..one.len() - 1].to_vec(),
            [one.as_slice(), b"x"].concat(),
            one[..44].to_vec(),
            Vec::new(),
        ] {
            assert_eq!(count_list(&prefixed(&prefixed(&wrong))), None);
        }
    }
}
