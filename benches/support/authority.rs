//! An authority of this process, whose certificates are about as large as those of public ones.

use anyhow::Context;
use pharos::acme::{IssuedCertificate, read_validity};
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, CustomExtension, DnType, IsCa, Issuer,
    KeyPair,
};

/// Public certificates hold signatures of logs, which these lack. Bytes.
const LOGS: usize = 250;
/// The extension of those signatures (RFC 6962).
const LOGS_OID: [u64; 10] = [1, 3, 6, 1, 4, 1, 11129, 2, 4, 2];

/// A root, and the intermediate below it that signs.
pub(crate) struct Authority {
    root: Certificate,
    intermediate: Certificate,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub(crate) fn new() -> anyhow::Result<Self> {
        let (root_key, key) = (KeyPair::generate()?, KeyPair::generate()?);
        let root = authority("Bench root")?;
        let below = authority("Bench intermediate")?;
        let certificate = root.self_signed(&root_key)?;
        let root_issuer = Issuer::new(root, root_key);
        let intermediate = below.signed_by(&key, &root_issuer)?;
        Ok(Self {
            root: certificate,
            intermediate,
            issuer: Issuer::new(below, key),
        })
    }

    /// What its certificates are trusted by.
    pub(crate) fn root(&self) -> &Certificate {
        &self.root
    }

    /// A certificate of a host.
    pub(crate) fn issue(&self, host: &str) -> anyhow::Result<IssuedCertificate> {
        let mut wanted = CertificateParams::new([host.to_owned()])?;
        let logs = CustomExtension::from_oid_content(&LOGS_OID, vec![4; LOGS]);
        wanted.custom_extensions.push(logs);
        let key = KeyPair::generate()?;
        let leaf = wanted.signed_by(&key, &self.issuer)?;
        let (begins_ms, ends_ms) = read_validity(leaf.der()).context("no validity")?;
        Ok(IssuedCertificate {
            chain: vec![leaf.der().to_vec(), self.intermediate.der().to_vec()],
            key: key.serialize_der(),
            begins_ms,
            ends_ms,
        })
    }
}

fn authority(name: &str) -> anyhow::Result<CertificateParams> {
    let mut wanted = CertificateParams::new(Vec::new())?;
    wanted.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    wanted.distinguished_name.push(DnType::CommonName, name);
    Ok(wanted)
}
