//! Which hosts may have a certificate.

use std::sync::Arc;

use crate::ids::OrganizationId;

/// A host that may have a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedHost {
    /// In lower case.
    pub name: Arc<str>,
    /// Whose share of orders it uses; `None` = the installation's own, which always comes first.
    pub owner: Option<OrganizationId>,
    /// Whether DNS leads here, as far as is known. The first certificate waits for it: the authority would see another server.
    pub leads_here: bool,
}

/// The hosts that are verified at this moment.
pub trait VerifiedHosts: Send + Sync {
    /// Whether this is one of them. Every handshake and every redirect asks.
    fn contains(&self, host: &str) -> bool;

    /// All of them; `None` while they aren't known, so nothing is ordered or removed.
    fn list(&self) -> Option<Vec<VerifiedHost>>;

    /// Another number once the list may be another one.
    fn version(&self) -> u64;

    /// The organization that has a host; `None` = the installation, or no one.
    fn owner(&self, host: &str) -> Option<OrganizationId>;
}

/// Hosts that never change, such as those of the settings.
#[derive(Debug, Clone, Default)]
pub struct NamedHosts(Vec<Arc<str>>);

impl NamedHosts {
    pub fn new(hosts: impl IntoIterator<Item = String>) -> Self {
        Self(hosts.into_iter().map(Arc::from).collect())
    }
}

impl VerifiedHosts for NamedHosts {
    fn contains(&self, host: &str) -> bool {
        self.0.iter().any(|own| &**own == host)
    }

    fn list(&self) -> Option<Vec<VerifiedHost>> {
        let own = self.0.iter().map(|name| VerifiedHost {
            name: Arc::clone(name),
            owner: None,
            leads_here: true,
        });
        Some(own.collect())
    }

    fn version(&self) -> u64 {
        0
    }

    fn owner(&self, _host: &str) -> Option<OrganizationId> {
        None
    }
}
