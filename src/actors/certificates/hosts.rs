//! Which hosts may have a certificate.

use std::sync::Arc;

/// The hosts that are verified at this moment, in lower case.
pub trait VerifiedHosts: Send + Sync {
    /// Whether this is one of them. Every handshake and every redirect asks.
    fn contains(&self, host: &str) -> bool;

    /// All of them; `None` while they aren't known, so nothing is ordered or removed.
    fn list(&self) -> Option<Vec<Arc<str>>>;

    /// Whether DNS leads here, as far as is known. The first certificate waits for it: the authority would see another server.
    fn leads_here(&self, _host: &str) -> bool {
        true
    }
}

/// Hosts that never change, such as those of the settings.
#[derive(Debug, Clone, Default)]
pub struct NamedHosts(Vec<Arc<str>>);

impl NamedHosts {
    pub fn new<'a>(hosts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hosts: Vec<Arc<str>> = hosts.into_iter().map(Arc::from).collect();
        hosts.sort_unstable();
        hosts.dedup();
        Self(hosts)
    }
}

impl VerifiedHosts for NamedHosts {
    fn contains(&self, host: &str) -> bool {
        self.0.iter().any(|own| &**own == host)
    }

    fn list(&self) -> Option<Vec<Arc<str>>> {
        Some(self.0.clone())
    }
}
