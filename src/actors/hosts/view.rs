//! What everyone may read without asking the actor.

use std::{collections::HashMap, sync::Arc};

use super::{CustomHost, HostUse, rules};
use crate::{
    actors::dns_proof::registrable,
    ids::{HostId, OrganizationId},
};

/// Every host, and those that are served by their names and by what they serve.
#[derive(Debug, Clone)]
pub struct HostsView {
    place: HostsPlace,
    hosts: HashMap<HostId, Arc<CustomHost>>,
    served: HashMap<String, Arc<CustomHost>>,
    subjects: HashMap<String, Arc<CustomHost>>,
}

/// Where the program is reached.
#[derive(Debug, Clone, Default)]
pub struct HostsPlace {
    /// Names of the program's own hosts: `{base_url}`, `{track_url}`, `{links_url}`. No organization ever has one.
    pub own_names: [String; 3],
    /// Whether hosts of organizations are reached over TLS.
    pub is_https: bool,
    /// Their port, unless it is the scheme's own.
    pub port: Option<u16>,
}

impl HostsPlace {
    /// Whether a name is below the domain that one of the program's own hosts is below: that it leads here can come from a
    /// wildcard record of the operator's (threat T97).
    pub(super) fn shares_domain(&self, name: &str) -> bool {
        let is_below = |domain: &str| {
            let rest = name.strip_suffix(domain);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        let mut own = self.own_names.iter();
        own.any(|own| registrable(own).is_some_and(is_below))
    }

    /// The name that a host for this should lead to.
    pub(super) fn target(&self, serves: HostUse) -> &str {
        let [base, track, links] = &self.own_names;
        match serves {
            HostUse::Links => links,
            HostUse::Tracker => track,
            HostUse::Status | HostUse::Share => base,
        }
    }
}

impl HostsView {
    pub(super) fn new(place: HostsPlace, hosts: Vec<CustomHost>) -> Self {
        let mut view = Self {
            place,
            hosts: HashMap::new(),
            served: HashMap::new(),
            subjects: HashMap::new(),
        };
        for host in hosts {
            view.insert(Arc::new(host));
        }
        view
    }

    /// Whether no host is served, so that no header needs a look.
    pub fn serves_none(&self) -> bool {
        self.served.is_empty()
    }

    /// The verified host of this name, which is in lower case.
    pub fn served(&self, name: &str) -> Option<&Arc<CustomHost>> {
        self.served.get(name)
    }

    /// Every host that is served.
    pub fn all_served(&self) -> impl Iterator<Item = &Arc<CustomHost>> {
        self.served.values()
    }

    pub fn by_id(&self, id: &str) -> Option<&Arc<CustomHost>> {
        self.hosts.get(id)
    }

    /// The host that serves this status page or share link, of any owner: the oldest that is verified and leads here.
    pub fn subject_host(&self, id: &str) -> Option<&Arc<CustomHost>> {
        self.subjects.get(id)
    }

    /// The name that a host for this should lead to.
    pub fn target(&self, serves: HostUse) -> &str {
        self.place.target(serves)
    }

    /// Whether a host's name is below a domain of the installation's own: with several organizations only the text record
    /// proves it.
    pub fn shares_domain(&self, host: &CustomHost) -> bool {
        self.place.shares_domain(&host.name)
    }

    /// The address of a host, without a final slash.
    pub fn url(&self, host: &CustomHost) -> String {
        let scheme = if self.place.is_https { "https" } else { "http" };
        let name = &host.name;
        match self.place.port {
            Some(port) => format!("{scheme}://{name}:{port}"),
            None => format!("{scheme}://{name}"),
        }
    }

    /// The hosts of an organization, oldest first.
    pub fn owned_by(&self, organization: &OrganizationId) -> Vec<Arc<CustomHost>> {
        let own = self
            .hosts
            .values()
            .filter(|host| host.organization == *organization);
        let mut own: Vec<_> = own.cloned().collect();
        own.sort_by(|one, other| one.id.cmp(&other.id));
        own
    }

    /// The verified host of short links of an organization with this name.
    pub fn link_host(&self, organization: &OrganizationId, name: &str) -> Option<&Arc<CustomHost>> {
        let host = self.served.get(name)?;
        (host.serves == HostUse::Links && host.organization == *organization).then_some(host)
    }

    /// The hosts that the clock asks to check, the longest unchecked first.
    pub fn due(&self, now_ms: i64) -> Vec<Arc<CustomHost>> {
        let due = self
            .hosts
            .values()
            .filter(|host| rules::is_due(host, now_ms));
        let mut due: Vec<_> = due.cloned().collect();
        due.sort_unstable_by(|one, other| {
            (one.checked_ms, &one.id).cmp(&(other.checked_ms, &other.id))
        });
        due
    }

    pub(super) fn insert(&mut self, host: Arc<CustomHost>) {
        self.remove(&host.id);
        if host.is_verified() && !self.place.own_names.contains(&host.name) {
            self.served.insert(host.name.clone(), Arc::clone(&host));
            self.show(&host);
        }
        self.hosts.insert(host.id.clone(), host);
    }

    pub(super) fn remove(&mut self, id: &HostId) {
        let Some(before) = self.hosts.remove(id) else {
            return;
        };
        if self
            .served
            .get(&before.name)
            .is_some_and(|host| host.id == *id)
        {
            self.served.remove(&before.name);
        }
        let subject = before.subject.as_deref().unwrap_or_default();
        if self
            .subjects
            .get(subject)
            .is_some_and(|host| host.id == *id)
        {
            let subject = subject.to_owned();
            self.subjects.remove(&subject);
            let others = self
                .served
                .values()
                .filter(|one| one.subject.as_ref() == Some(&subject) && one.leads_here());
            let oldest = others.min_by(|one, other| one.id.cmp(&other.id)).cloned();
            self.subjects.extend(oldest.map(|oldest| (subject, oldest)));
        }
    }

    /// Makes a host the address of what it serves, unless an older one is.
    fn show(&mut self, host: &Arc<CustomHost>) {
        let Some(subject) = host.subject.as_ref().filter(|_| host.leads_here()) else {
            return;
        };
        let known = self.subjects.get(subject);
        if known.is_none_or(|known| host.id < known.id) {
            self.subjects.insert(subject.clone(), Arc::clone(host));
        }
    }

    pub(super) fn remove_owner(&mut self, organization: &OrganizationId) {
        self.hosts
            .retain(|_, host| host.organization != *organization);
        for known in [&mut self.served, &mut self.subjects] {
            known.retain(|_, host| host.organization != *organization);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beside_the_installations_own_share_its_domain() {
        let place = HostsPlace {
            own_names: ["stats.example.com", "127.0.0.1", "localhost"].map(str::to_owned),
            ..HostsPlace::default()
        };
        for name in ["go.example.com", "example.com", "a.stats.example.com"] {
            assert!(place.shares_domain(name), "{name}");
        }
        for name in [
            "go.acme.com",
            "notexample.com",
            "example.com.acme.net",
            "a.localhost",
        ] {
            assert!(!place.shares_domain(name), "{name}");
        }
    }
}
