//! Creates links. A link is what its slug is, so a slug that leads to the same target exists already.

use std::collections::{BTreeMap, HashSet};

use url::Url;

use super::outcome::{Done, Verdict, sentences};
use crate::{
    actors::links::{self, LinkFields, LinkRules, Record, SlugRule},
    fault::Fault,
    http::procedures::{
        Call,
        links::{BULK_CREATE, BulkCreateBody, CREATE, CreateBody},
    },
    ids::{HostId, OrganizationId},
    importers::{LinkDefinition, Omission},
};

pub(super) struct LinkImporter<'c> {
    call: &'c Call,
    organization: &'c OrganizationId,
    own_host: String,
    /// Domains, by their ID, and slugs of the file.
    seen: HashSet<(Option<HostId>, String)>,
    /// Domains of the file that aren't the organization's, with the links that go without them.
    foreign: BTreeMap<String, usize>,
}

impl<'c> LinkImporter<'c> {
    pub(super) fn new(call: &'c Call, organization: &'c OrganizationId) -> Self {
        Self {
            call,
            organization,
            own_host: call.shared.urls.links_host(),
            seen: HashSet::new(),
            foreign: BTreeMap::new(),
        }
    }

    const fn rules(&self) -> LinkRules<'_> {
        LinkRules {
            own_host: self.own_host.as_str(),
            hosts: None,
            slugs: SlugRule::Imported,
        }
    }

    /// The organization's own domain that the file names, or the name of another one, whose links go to the installation's.
    fn find_host(&self, fields: &mut LinkFields) -> (Option<HostId>, Option<String>) {
        let Some(domain) = fields.domain.take().map(|name| name.to_lowercase()) else {
            return (None, None);
        };
        let hosts = self.call.shared.hosts.view();
        if let Some(host) = hosts.link_host(self.organization, &domain) {
            fields.domain = Some(domain);
            return (Some(host.id.clone()), None);
        }
        (None, Some(domain).filter(|domain| *domain != self.own_host))
    }

    /// What became of domains that aren't the organization's.
    pub(super) fn omissions(&self) -> impl Iterator<Item = Omission> {
        self.foreign.iter().map(|(domain, links)| {
            let here = &self.own_host;
            Omission {
                at: String::new(),
                what: format!("domain {domain}"),
                reason: format!("It isn't a verified domain for short links of this organization, so its links ({links}) are on {here}"),
            }
        })
    }

    pub(super) async fn judge(&mut self, link: &mut LinkDefinition) -> Result<Verdict, Fault> {
        let issues = links::check(link.fields.clone(), self.rules());
        if !issues.is_empty() {
            return Ok(Verdict::Refused(sentences(&issues)));
        }
        let (host, foreign) = self.find_host(&mut link.fields);
        let slug = link.fields.slug.clone().unwrap_or_default();
        if !self.seen.insert((host.clone(), slug.clone())) {
            let reason = "The file has this slug twice; the first one counts";
            return Ok(Verdict::Refused(reason.to_owned()));
        }
        if let Some(domain) = foreign {
            *self.foreign.entry(domain).or_default() += 1;
        }
        let view = self.call.shared.links.view();
        let Some(packed) = view.packed(host.as_ref(), &slug) else {
            return Ok(Verdict::Create);
        };
        let taken = || Verdict::Refused("This slug is already taken".to_owned());
        let Some(id) = Record::unpack(&packed).map(|record| record.id()) else {
            return Ok(taken());
        };
        let existing = view.by_id(id.as_str()).await?;
        let Some(own) = existing.filter(|own| own.organization == *self.organization) else {
            return Ok(taken());
        };
        let target = own.fields.target_url.unwrap_or_default();
        let wanted = link.fields.target_url.as_deref().unwrap_or_default();
        let wanted = Url::parse(wanted).map(String::from);
        if wanted.is_ok_and(|wanted| wanted == target) {
            return Ok(Verdict::Exists(own.id.to_string()));
        }
        let reason = format!("You have a link with this slug, which leads to {target}");
        Ok(Verdict::Refused(reason))
    }

    /// Creates links together, or one by one where that is refused.
    pub(super) async fn create(&self, drafts: Vec<LinkFields>) -> Vec<Done> {
        if drafts.is_empty() {
            return Vec::new();
        }
        let organization_id = Some(self.organization.to_string());
        let body = BulkCreateBody {
            organization_id: organization_id.clone(),
            links: drafts.clone(),
            slugs: SlugRule::Imported,
        };
        if let Ok(made) = BULK_CREATE.call(self.call.clone(), body).await
            && made.len() == drafts.len()
        {
            return made
                .into_iter()
                .map(|made| Done::created(made.id))
                .collect();
        }
        let mut all = Vec::with_capacity(drafts.len());
        for fields in drafts {
            let organization_id = organization_id.clone();
            let body = CreateBody {
                organization_id,
                fields,
                slugs: SlugRule::Imported,
            };
            let made = CREATE.call(self.call.clone(), body).await;
            all.push(match made {
                Ok(made) => Done::created(made.id),
                Err(fault) => Done::failed(&fault),
            });
        }
        all
    }
}
