//! What everyone may read without asking the actor.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use super::{Compatibility, IngestRules, WebsiteSettings};
use crate::{
    access::authorize::Site,
    actors::text_enum::text_enums,
    events::accept::protocols::Protocol,
    fault::Issue,
    ids::{ClientId, OrganizationId, OrganizationKey, WebsiteId, WebsiteKey},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Website {
    pub id: WebsiteId,
    /// The public id that its tracker sends; equal to `id` until it is rotated.
    pub client_id: ClientId,
    /// Its number in event rows.
    pub key: WebsiteKey,
    pub organization: OrganizationId,
    /// The owner's number in event rows.
    pub organization_key: OrganizationKey,
    pub name: String,
    pub domain: String,
    pub status: WebsiteStatus,
    /// Whether anyone may see its public query types.
    pub is_public: bool,
    /// Who may send events for it, and which it leaves out.
    pub settings: WebsiteSettings,
    /// Ids under which clients of other products send events for it, by protocol and id.
    pub compatibility: Vec<Compatibility>,
    /// The settings, compiled.
    pub ingest_rules: IngestRules,
    pub created_ms: i64,
    pub updated_ms: i64,
}

impl Website {
    /// Compiles the settings, after a change of them or of the domain.
    pub(super) fn with_compiled_rules(mut self) -> Self {
        self.ingest_rules = IngestRules::compile(&self.domain, &self.settings);
        self
    }

    /// The kinds of bots that count as people on it, as bits, by its number in rows.
    pub fn lenient_bots(&self) -> Option<(WebsiteKey, u32)> {
        let allowed = self.settings.bots().allowed();
        (allowed != 0).then_some((self.key, allowed))
    }

    pub fn site(&self) -> Site {
        Site {
            id: self.id.clone(),
            key: self.key,
            organization: self.organization.clone(),
            organization_key: self.organization_key,
            is_public: self.is_public,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "UPPERCASE", const_into_str)]
pub enum WebsiteStatus {
    Active,
    /// Watched and fine.
    Healthy,
    /// Watched and not fine.
    Unhealthy,
    /// Switched off.
    Inactive,
    Pending,
}

text_enums!(WebsiteStatus);

#[derive(Debug, Clone, Default)]
pub struct WebsitesView {
    websites: HashMap<WebsiteId, Arc<Website>>,
    clients: HashMap<ClientId, Arc<Website>>,
    /// By protocol and by what its clients send.
    protocols: HashMap<Protocol, HashMap<String, WebsiteId>>,
    /// Client ids of websites whose organization is gone.
    orphans: HashSet<ClientId>,
    /// Oldest first.
    owned: HashMap<OrganizationId, Vec<Arc<Website>>>,
}

impl WebsitesView {
    /// The website that the API calls this.
    pub fn by_id(&self, id: &str) -> Option<&Arc<Website>> {
        self.websites.get(id)
    }

    /// Refuses a field `websiteId` that names no website of this owner.
    pub fn require_own(&self, owner: &OrganizationId, id: Option<&str>) -> Result<(), Vec<Issue>> {
        let is_own = |id| self.by_id(id).is_some_and(|one| one.organization == *owner);
        if id.is_none_or(is_own) {
            return Ok(());
        }
        let message = "Website does not exist in this organization";
        Err(vec![Issue::new("unknown", "websiteId", message)])
    }

    /// The website whose tracker sends this.
    pub fn by_client_id(&self, client_id: &str) -> Option<&Arc<Website>> {
        self.clients.get(client_id)
    }

    /// The website that clients of another product mean by this id.
    pub fn by_protocol(
        &self,
        protocol: Protocol,
        id: &str,
    ) -> Option<(&Arc<Website>, &Compatibility)> {
        let website = self.by_id(self.protocols.get(&protocol)?.get(id)?.as_str())?;
        let mut own = website.compatibility.iter();
        let entry = own.find(|entry| entry.protocol == protocol && entry.id == id)?;
        Some((website, entry))
    }

    /// Whether this is the client id of a website whose organization was deleted.
    pub fn is_orphan(&self, client_id: &str) -> bool {
        self.orphans.contains(client_id)
    }

    /// The organization's websites, newest first.
    pub fn owned_by(&self, organization: &OrganizationId) -> Vec<Arc<Website>> {
        let own = self.owned.get(organization);
        own.into_iter().flatten().rev().cloned().collect()
    }

    /// Days after which events are deleted, of websites that have their own number of them.
    pub fn retention(&self) -> BTreeMap<i64, u32> {
        let websites = self.websites.values();
        websites
            .filter_map(|website| Some((website.key.0, website.settings.retention_days?)))
            .collect()
    }

    pub fn len(&self) -> usize {
        self.websites.len()
    }

    pub fn is_empty(&self) -> bool {
        self.websites.is_empty()
    }

    /// The organization's website with this normalised domain.
    pub(super) fn with_domain(
        &self,
        organization: &OrganizationId,
        domain: &str,
    ) -> Option<&Arc<Website>> {
        let own = self.owned.get(organization)?;
        own.iter().find(|website| website.domain == domain)
    }

    /// Remembers the client id of a website whose organization was deleted.
    pub(super) fn insert_orphan(&mut self, client_id: ClientId) {
        self.orphans.insert(client_id);
    }

    /// Puts a website in, in place of an earlier version of it.
    pub(super) fn insert(&mut self, website: Arc<Website>) {
        if let Some(before) = self
            .websites
            .insert(website.id.clone(), Arc::clone(&website))
        {
            self.clients.remove(&before.client_id);
            for entry in &before.compatibility {
                if let Some(ids) = self.protocols.get_mut(&entry.protocol) {
                    ids.remove(&entry.id);
                }
            }
        }
        for entry in &website.compatibility {
            let ids = self.protocols.entry(entry.protocol).or_default();
            ids.insert(entry.id.clone(), website.id.clone());
        }
        self.clients
            .insert(website.client_id.clone(), Arc::clone(&website));
        let own = self.owned.entry(website.organization.clone()).or_default();
        match own.iter_mut().find(|other| other.id == website.id) {
            Some(before) => *before = website,
            None => own.push(website),
        }
    }
}
