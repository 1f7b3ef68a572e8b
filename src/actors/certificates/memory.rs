//! What a process knows of all hosts, for handshakes and for the leader's decisions.

use std::{
    collections::HashMap,
    sync::{
        Mutex, PoisonError, RwLock,
        atomic::{AtomicI64, Ordering},
    },
};

use super::{
    packed::{Chains, Packed},
    rules::Plan,
};

/// A host's certificate, as a handshake needs it.
pub struct StoredCertificate {
    /// Another one when the certificate is another one.
    pub version: i64,
    /// The host's certificate first, each in DER.
    pub chain: Vec<Vec<u8>>,
    /// PKCS #8.
    pub key: Vec<u8>,
}

/// How certificates are doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// Hosts with a certificate.
    pub valid: usize,
    /// Hosts that wait for their first one.
    pub pending: usize,
    /// Hosts whose last attempt failed, with or without a certificate.
    pub failing: usize,
    /// When the first certificate ends, Unix milliseconds.
    pub earliest_end_ms: Option<i64>,
}

/// The certificate of a verified host, and what comes next.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CertificateStatus {
    /// When it ends, Unix milliseconds; `None` = there is none yet.
    pub ends_ms: Option<i64>,
    /// When it is renewed, Unix milliseconds.
    pub renew_ms: Option<i64>,
    /// Why the last attempt failed.
    pub error: Option<Box<str>>,
    /// When the next attempt follows one that failed, Unix milliseconds.
    pub retry_ms: Option<i64>,
}

/// A host as it was read from the table.
pub(super) struct Entry {
    pub(super) version: i64,
    pub(super) plan: Plan,
    /// Why the last attempt failed.
    pub(super) error: Option<Box<str>>,
    pub(super) packed: Option<Packed>,
}

#[derive(Default)]
pub(super) struct Memory {
    hosts: RwLock<HashMap<Box<str>, Entry>>,
    chains: Mutex<Chains>,
    /// Key authorizations of open TLS-ALPN challenges, by host.
    challenges: RwLock<HashMap<String, String>>,
    /// The highest version that was read.
    version: AtomicI64,
}

impl Memory {
    pub(super) fn version(&self) -> i64 {
        self.version.load(Ordering::SeqCst)
    }

    pub(super) fn unpack(&self, packed: &[u8]) -> Option<Packed> {
        let mut chains = self.chains.lock().unwrap_or_else(PoisonError::into_inner);
        chains.unpack(packed)
    }

    /// Takes what was read of a host. One that was removed, and whose certificate is deleted, is as if it had never been there.
    pub(super) fn insert(&self, host: &str, entry: Entry) {
        let version = entry.version;
        {
            let mut hosts = self.hosts.write().unwrap_or_else(PoisonError::into_inner);
            if entry.plan.is_removed && !entry.plan.has_certificate {
                hosts.remove(host);
            } else {
                hosts.insert(host.into(), entry);
            }
        }
        // Behind the row, because what was made of a version has its rows.
        self.version.fetch_max(version, Ordering::SeqCst);
    }

    /// The certificate of a host, unless the host was removed.
    pub(super) fn find(&self, host: &str) -> Option<StoredCertificate> {
        let (version, packed) = {
            let hosts = self.hosts.read().unwrap_or_else(PoisonError::into_inner);
            let entry = hosts.get(host).filter(|entry| !entry.plan.is_removed)?;
            (entry.version, entry.packed.clone()?)
        };
        let (key, chain) = packed.read()?;
        Some(StoredCertificate {
            version,
            chain,
            key,
        })
    }

    /// The version of a host's certificate.
    pub(super) fn find_version(&self, host: &str) -> Option<i64> {
        let hosts = self.hosts.read().unwrap_or_else(PoisonError::into_inner);
        let entry = hosts.get(host).filter(|entry| !entry.plan.is_removed)?;
        entry.packed.as_ref().map(|_| entry.version)
    }

    /// The host's own certificate, also when the host was removed.
    pub(super) fn find_leaf(&self, host: &str) -> Option<Vec<u8>> {
        let hosts = self.hosts.read().unwrap_or_else(PoisonError::into_inner);
        let (_, chain) = hosts.get(host)?.packed.as_ref()?.read()?;
        chain.into_iter().next()
    }

    pub(super) fn plan(&self, host: &str) -> Option<Plan> {
        let hosts = self.hosts.read().unwrap_or_else(PoisonError::into_inner);
        hosts.get(host).map(|entry| entry.plan)
    }

    /// How a host's certificate is doing; as if nothing had begun where nothing is known.
    pub(super) fn status(&self, host: &str) -> CertificateStatus {
        let hosts = self.hosts.read().unwrap_or_else(PoisonError::into_inner);
        let Some(Entry { plan, error, .. }) = hosts.get(host).filter(|one| !one.plan.is_removed)
        else {
            return CertificateStatus::default();
        };
        CertificateStatus {
            ends_ms: plan.ends_ms.filter(|_| plan.has_certificate),
            renew_ms: plan.renew_ms.filter(|_| plan.has_certificate),
            retry_ms: plan.next_try_ms.filter(|_| error.is_some()),
            error: error.clone(),
        }
    }

    /// All hosts with their plans.
    pub(super) fn plans(&self) -> HashMap<Box<str>, Plan> {
        let hosts = self.hosts.read().unwrap_or_else(PoisonError::into_inner);
        hosts
            .iter()
            .map(|(host, entry)| (host.clone(), entry.plan))
            .collect()
    }

    pub(super) fn challenge(&self, host: &str) -> Option<String> {
        let challenges = self
            .challenges
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        challenges.get(host).cloned()
    }

    pub(super) fn set_challenges(&self, open: HashMap<String, String>) {
        let mut challenges = self
            .challenges
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *challenges = open;
    }

    pub(super) fn summarize(&self) -> Summary {
        let hosts = self.hosts.read().unwrap_or_else(PoisonError::into_inner);
        let mut summary = Summary::default();
        for plan in hosts
            .values()
            .map(|entry| entry.plan)
            .filter(|plan| !plan.is_removed)
        {
            summary.valid += usize::from(plan.has_certificate);
            summary.pending += usize::from(!plan.has_certificate);
            summary.failing += usize::from(plan.has_failed);
            let end = plan.ends_ms.filter(|_| plan.has_certificate);
            summary.earliest_end_ms = match (summary.earliest_end_ms, end) {
                (Some(known), Some(end)) => Some(known.min(end)),
                (known, end) => known.or(end),
            };
        }
        summary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(version: i64, is_removed: bool, has_certificate: bool) -> Entry {
        Entry {
            version,
            plan: Plan {
                has_certificate,
                is_removed,
                ..Plan::default()
            },
            error: None,
            packed: None,
        }
    }

    #[test]
    fn a_removed_host_is_forgotten_once_its_certificate_is_deleted() {
        let memory = Memory::default();
        memory.insert("a.example", entry(1, false, true));
        memory.insert("a.example", entry(2, true, true));
        assert!(memory.plan("a.example").is_some(), "it is to be revoked");
        memory.insert("a.example", entry(3, true, false));
        assert!(memory.plans().is_empty());
        assert_eq!(memory.version(), 3, "the row is not read again");
    }
}
