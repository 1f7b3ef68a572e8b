//! A certificate with its key in few bytes: parts behind each other, each with its length in front.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use crate::acme::IssuedCertificate;

/// Puts parts behind each other.
fn join(parts: &[&[u8]]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(parts.iter().map(|part| part.len() + 4).sum());
    for part in parts {
        let length = u32::try_from(part.len()).unwrap_or(u32::MAX);
        joined.extend_from_slice(&length.to_le_bytes());
        joined.extend_from_slice(part);
    }
    joined
}

/// The parts of [`join`]; `None` if it is something else.
fn split(mut joined: &[u8]) -> Option<Vec<&[u8]>> {
    let mut parts = Vec::new();
    while !joined.is_empty() {
        let (length, rest) = joined.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (part, rest) = rest.split_at_checked(length)?;
        parts.push(part);
        joined = rest;
    }
    Some(parts)
}

/// As it is sealed: the key, then the chain.
pub(super) fn pack(issued: &IssuedCertificate) -> Vec<u8> {
    let chain = issued.chain.iter().map(Vec::as_slice);
    join(
        &std::iter::once(issued.key.as_slice())
            .chain(chain)
            .collect::<Vec<_>>(),
    )
}

/// A certificate in memory. What stands behind the host's own certificate is shared with other hosts.
#[derive(Clone)]
pub(super) struct Packed {
    /// The key and the host's certificate.
    own: Box<[u8]>,
    /// The certificates of the authority.
    rest: Arc<[u8]>,
}

impl Packed {
    /// The key, and the chain.
    pub(super) fn read(&self) -> Option<(Vec<u8>, Vec<Vec<u8>>)> {
        let own = split(&self.own)?;
        let (key, leaf) = (own.first()?, own.get(1)?);
        let chain = std::iter::once(*leaf).chain(split(&self.rest)?);
        Some((key.to_vec(), chain.map(<[u8]>::to_vec).collect()))
    }
}

/// The chains of authorities that some host uses.
#[derive(Default)]
pub(super) struct Chains(HashMap<[u8; 32], Weak<[u8]>>);

impl Chains {
    /// Reads what [`pack`] has written.
    pub(super) fn unpack(&mut self, packed: &[u8]) -> Option<Packed> {
        let parts = split(packed)?;
        let (own, rest) = parts.split_at_checked(2)?;
        let rest = join(rest);
        let hash = *blake3::hash(&rest).as_bytes();
        let known = self.0.get(&hash).and_then(Weak::upgrade);
        let rest = known.unwrap_or_else(|| Arc::from(rest));
        self.0.retain(|_, chain| chain.strong_count() > 0);
        self.0.insert(hash, Arc::downgrade(&rest));
        Some(Packed {
            own: join(own).into_boxed_slice(),
            rest,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issued(key: u8, chain: &[u8]) -> IssuedCertificate {
        IssuedCertificate {
            key: vec![key; 3],
            chain: chain.iter().map(|byte| vec![*byte; 5]).collect(),
            begins_ms: 0,
            ends_ms: 1,
        }
    }

    #[test]
    fn hosts_share_the_chain_of_their_authority() {
        let mut chains = Chains::default();
        let one = chains.unpack(&pack(&issued(1, &[2, 9, 8]))).unwrap();
        let two = chains.unpack(&pack(&issued(3, &[4, 9, 8]))).unwrap();
        let other = chains.unpack(&pack(&issued(5, &[6]))).unwrap();
        assert!(Arc::ptr_eq(&one.rest, &two.rest));
        assert_eq!(
            two.read().unwrap(),
            (vec![3; 3], vec![vec![4; 5], vec![9; 5], vec![8; 5]])
        );
        assert_eq!(other.read().unwrap(), (vec![5; 3], vec![vec![6; 5]]));
        drop((one, two));
        chains.unpack(&pack(&issued(7, &[7]))).unwrap();
        assert_eq!(chains.0.len(), 1, "unused chains are forgotten");
    }

    #[test]
    fn damaged_bytes_are_no_certificate() {
        let whole = pack(&issued(1, &[2, 3]));
        for length in 0..whole.len() {
            let read = Chains::default().unpack(&whole[..length]);
            assert!(read.is_none() || length == 8 + 3 + 5, "{length}");
        }
        assert!(Chains::default().unpack(&[255; 40]).is_none());
    }

    #[test]
    fn a_host_takes_less_than_four_kilobytes() {
        let made = rcgen::generate_simple_self_signed(vec![
            "a-rather-long-name.of-a-host.example".to_owned(),
        ])
        .unwrap();
        let issued = IssuedCertificate {
            key: made.signing_key.serialize_der(),
            chain: vec![made.cert.der().to_vec(), vec![0; 2_000]],
            begins_ms: 0,
            ends_ms: 1,
        };
        let packed = Chains::default().unpack(&pack(&issued)).unwrap();
        assert!(packed.own.len() < 1_024, "{}", packed.own.len());
    }
}
