//! What panels show: resources of the board's organization, as far as a reader may read them.

use std::sync::Arc;

use chrono::NaiveDate;

use super::{BoardError, ResourceKind};
use crate::{
    access::{
        Permission, Principal, ReadAccess,
        authorize::{self, Site, Tenant, Thing},
    },
    actors::{
        flags::{Flag, Flags},
        kit::Handle,
        links::Links,
        monitors::{Day, MonitorEntry, Monitors},
        organizations::Organizations,
        seal::opaque_debug,
        websites::{Website, Websites},
    },
    analytics::{Target, catalogue::Subject},
    events::store::EventStore,
    ids::OrganizationId,
};

/// With whose rights a board is read.
#[derive(Debug, Clone, Copy)]
pub enum BoardReader<'a> {
    /// Who calls.
    Caller(&'a Principal),
    /// Everyone who has a share link of it: of websites what is public.
    Public,
    /// Its organization, which sends reports of it.
    Owner,
}

/// A resource that the reader may see.
#[derive(Debug)]
pub struct Resource {
    pub name: String,
    pub(super) source: Source,
}

/// Where a panel's data is. Without a target the reader may see the resource and not its events.
#[derive(Debug)]
pub(super) enum Source {
    Website(Target),
    Link(Option<Target>),
    Monitor(Arc<MonitorEntry>),
    Flag {
        key: String,
        /// The website or organization whose flag it is.
        scope: String,
        target: Option<Target>,
    },
}

/// The resources of all organizations; cheap to clone.
#[derive(Clone)]
pub struct BoardResources {
    pub(in crate::actors) organizations: Handle<Organizations>,
    pub(in crate::actors) websites: Handle<Websites>,
    pub(in crate::actors) links: Handle<Links>,
    pub(in crate::actors) monitors: Handle<Monitors>,
    pub(in crate::actors) flags: Handle<Flags>,
    pub(in crate::actors) events: EventStore,
}

opaque_debug!(BoardResources);

impl BoardResources {
    /// A resource of an organization, if it is there and the reader may see it.
    ///
    /// # Errors
    /// It cannot be looked for.
    pub async fn find(
        &self,
        owner: &OrganizationId,
        (kind, id): (ResourceKind, &str),
        reader: BoardReader<'_>,
    ) -> Result<Option<Resource>, BoardError> {
        let Some(tenant) = self.organizations.view().tenant(owner.as_str()) else {
            return Ok(None);
        };
        let scope = ReaderScope {
            tenant: &tenant,
            reader,
        };
        Ok(match kind {
            ResourceKind::Website => self.find_website(id, &scope),
            ResourceKind::Link => self.find_link(id, &scope).await?,
            ResourceKind::Monitor => self.find_monitor(id, &scope),
            ResourceKind::Flag => self.find_flag(id, &scope).await?,
        })
    }

    /// The uptime of a monitor on some days (UTC), in percent; `None` if nothing is known.
    ///
    /// # Errors
    /// Its days cannot be read.
    pub async fn uptime(
        &self,
        monitor: &MonitorEntry,
        (first, last): (NaiveDate, NaiveDate),
    ) -> Result<Option<f64>, BoardError> {
        let day = |date: NaiveDate| (date - NaiveDate::default()).num_days() as i32;
        let view = self.monitors.view();
        let known = view.days(&monitor.spec().id, day(first)).await?;
        let mut sum = Day::default();
        for one in known.iter().filter(|one| one.day <= day(last)) {
            sum.add(one);
        }
        Ok(sum.uptime())
    }

    fn find_website(&self, id: &str, scope: &ReaderScope<'_>) -> Option<Resource> {
        let website = self.websites.view().by_id(id).cloned()?;
        let site = website.site();
        if !scope.may_see_site(Permission::WebsiteRead, &site) {
            return None;
        }
        let access = match scope.reader {
            BoardReader::Public => authorize::read_shared(&site.id, &site)?,
            _ => scope.read_site(&site)?,
        };
        Some(Resource {
            name: website.name.clone(),
            source: Source::Website(Target {
                anonymous: matches!(scope.reader, BoardReader::Public),
                ..website_target(access, &website)
            }),
        })
    }

    async fn find_link(
        &self,
        id: &str,
        scope: &ReaderScope<'_>,
    ) -> Result<Option<Resource>, BoardError> {
        let Some(link) = self.links.view().by_id(id).await? else {
            return Ok(None);
        };
        if !scope.may_see(Permission::LinkRead, id, &link.organization) {
            return Ok(None);
        }
        let thing = Thing {
            key: link.key,
            organization: link.organization,
            organization_key: scope.tenant.key,
        };
        let access = match scope.reader {
            BoardReader::Caller(caller) => authorize::read_link(caller, Some(&thing)).ok(),
            _ => authorize::read_link_on_behalf(scope.tenant, &thing),
        };
        let target = access.map(|access| Target::new(access, Some(Subject::Link)));
        Ok(Some(Resource {
            name: link.fields.name.unwrap_or(link.slug),
            source: Source::Link(target),
        }))
    }

    fn find_monitor(&self, id: &str, scope: &ReaderScope<'_>) -> Option<Resource> {
        let monitor = self.monitors.view().by_id(id).cloned()?;
        let is_seen = scope.may_see(Permission::MonitorRead, id, &monitor.spec().organization);
        let name = match (scope.reader, monitor.spec().fields.name.as_deref()) {
            // Its target is not shown to others.
            (BoardReader::Public, name) => name.unwrap_or("Monitor").to_owned(),
            _ => monitor.spec().label().to_owned(),
        };
        is_seen.then_some(Resource {
            name,
            source: Source::Monitor(monitor),
        })
    }

    async fn find_flag(
        &self,
        id: &str,
        scope: &ReaderScope<'_>,
    ) -> Result<Option<Resource>, BoardError> {
        let flag = self.flags.view().by_id(id).await?;
        let flag = flag.filter(|flag| flag.deleted_ms.is_none());
        Ok(flag.and_then(|flag| self.show_flag(flag, scope)))
    }

    fn show_flag(&self, flag: Flag, scope: &ReaderScope<'_>) -> Option<Resource> {
        let websites = self.websites.view();
        let permission = Permission::FlagRead;
        let target = if let Some(id) = &flag.scope.website {
            let website = websites.by_id(id.as_str())?;
            let site = website.site();
            if !scope.may_see_site(permission, &site) {
                return None;
            }
            let access = scope.read_site(&site);
            access.map(|access| website_target(access, website))
        } else {
            if !scope.may_see(permission, flag.id.as_str(), &flag.scope.organization) {
                return None;
            }
            let access = match scope.reader {
                BoardReader::Caller(caller) => {
                    authorize::read_organization(caller, Some(scope.tenant)).ok()
                }
                _ => authorize::read_on_behalf(scope.tenant, None),
            };
            access.map(|access| Target::new(access, None))
        };
        Some(Resource {
            source: Source::Flag {
                scope: flag.scope.id().to_owned(),
                key: flag.fields.key.clone(),
                target,
            },
            name: flag.fields.name.unwrap_or(flag.fields.key),
        })
    }
}

/// Who reads what an organization has.
struct ReaderScope<'a> {
    tenant: &'a Tenant,
    reader: BoardReader<'a>,
}

impl ReaderScope<'_> {
    /// Whether it is the organization's, and the reader may see it.
    fn may_see(&self, permission: Permission, id: &str, owner: &OrganizationId) -> bool {
        *owner == self.tenant.id
            && match self.reader {
                BoardReader::Caller(caller) => {
                    authorize::owned(caller, permission, ("resource", id), Some(owner)).is_ok()
                }
                BoardReader::Public | BoardReader::Owner => true,
            }
    }

    /// The same for something of a website, for which a key may have been made.
    fn may_see_site(&self, permission: Permission, site: &Site) -> bool {
        site.organization == self.tenant.id
            && match self.reader {
                BoardReader::Caller(caller) => {
                    authorize::website(caller, permission, site.id.as_str(), Some(site)).is_ok()
                }
                BoardReader::Public | BoardReader::Owner => true,
            }
    }

    fn read_site(&self, site: &Site) -> Option<ReadAccess> {
        match self.reader {
            BoardReader::Caller(caller) => authorize::read_website(caller, Some(site)).ok(),
            BoardReader::Public | BoardReader::Owner => {
                authorize::read_on_behalf(self.tenant, Some(site))
            }
        }
    }
}

fn website_target(access: ReadAccess, website: &Website) -> Target {
    Target {
        domain: Some(website.domain.clone()),
        lenient: website.lenient_bots().into_iter().collect(),
        ..Target::new(access, Some(Subject::Website))
    }
}
