//! Whose rows a query is about, and whether the caller may read them. Runs before anything of the body is executed.
//!
//! `link_id` > `schedule_id` > `website_id` > `organization_id` > the key's or the session's own.
//! When several are given the most specific is the target and every one of them must be allowed.

use std::{collections::HashMap, sync::Arc};

use serde::Deserialize;

use crate::{
    access::{
        Principal, Scope,
        authorize::{self, ReadAccess, Thing},
    },
    actors::{shares::Share, websites::Website},
    analytics::{ErrorTracking, Target, catalogue::Subject, people::People},
    fault::Fault,
    http::Shared,
    ids::{OrganizationId, WebsiteKey},
};

/// The query string of the family.
#[derive(Debug, Default, Clone, Deserialize)]
pub(in crate::http) struct TargetQuery {
    pub(in crate::http) website_id: Option<String>,
    pub(in crate::http) link_id: Option<String>,
    pub(in crate::http) schedule_id: Option<String>,
    pub(in crate::http) organization_id: Option<String>,
    pub(in crate::http) timezone: Option<String>,
}

impl TargetQuery {
    pub(in crate::http) fn timezone(&self) -> Option<&str> {
        non_empty(self.timezone.as_ref())
    }

    /// Takes a website from elsewhere, unless the query string names a target.
    pub(super) fn or_website(mut self, id: Option<&str>) -> Self {
        let ids = [
            &self.website_id,
            &self.link_id,
            &self.schedule_id,
            &self.organization_id,
        ];
        if ids.iter().all(|id| non_empty(id.as_ref()).is_none()) {
            self.website_id = id.map(str::to_owned);
        }
        self
    }
}

fn non_empty(id: Option<&String>) -> Option<&str> {
    id.map(String::as_str).filter(|id| !id.is_empty())
}

/// The target, with the proof that it may be read.
pub(in crate::http) async fn resolve(
    shared: &Shared,
    caller: &Principal,
    query: &TargetQuery,
) -> Result<Target, Fault> {
    let organization = non_empty(query.organization_id.as_ref())
        .map(|id| organization(shared, caller, id))
        .transpose()?;
    let website = non_empty(query.website_id.as_ref())
        .map(|id| website(shared, caller, id))
        .transpose()?;
    let schedule = non_empty(query.schedule_id.as_ref())
        .map(|id| schedule(shared, caller, id))
        .transpose()?;
    let link = match non_empty(query.link_id.as_ref()) {
        Some(id) => Some(link(shared, caller, id).await?),
        None => None,
    };
    let things = [(link, Subject::Link), (schedule, Subject::Schedule)];
    let thing = things
        .into_iter()
        .find_map(|(access, subject)| Some((access?, subject)));
    if let Some((access, subject)) = thing {
        return Ok(find_owner_target(access, subject));
    }
    website
        .or(organization)
        .map_or_else(|| default_target(shared, caller), Ok)
}

/// A link, looked up in storage. An anonymous caller is refused before that.
async fn link(shared: &Shared, caller: &Principal, id: &str) -> Result<ReadAccess, Fault> {
    if matches!(caller, Principal::Anonymous) {
        return authorize::read_link(caller, None);
    }
    let found = shared.links.view().by_id(id).await?;
    let organizations = shared.organizations.view();
    let thing = found.and_then(|link| {
        let owner = organizations.tenant(link.organization.as_str())?;
        Some(Thing {
            key: link.key,
            organization: owner.id,
            organization_key: owner.key,
        })
    });
    authorize::read_link(caller, thing.as_ref())
}

/// A monitor of a live organization.
fn schedule(shared: &Shared, caller: &Principal, id: &str) -> Result<ReadAccess, Fault> {
    let monitors = shared.monitors.view();
    let organizations = shared.organizations.view();
    let thing = monitors.by_id(id).and_then(|one| {
        let spec = one.spec();
        let owner = organizations.tenant(spec.organization.as_str())?;
        Some(Thing {
            key: spec.key,
            organization: owner.id,
            organization_key: owner.key,
        })
    });
    authorize::read_schedule(caller, thing.as_ref())
}

/// The target of a caller who names none.
fn default_target(shared: &Shared, caller: &Principal) -> Result<Target, Fault> {
    match caller {
        Principal::Anonymous => Err(Fault::unauthenticated()),
        Principal::Key(key) => match (key.only_website(), &key.organization) {
            (_, None) => Err(authorize::refuse_read(
                caller,
                "Access denied to this organization",
            )),
            (Some(id), _) => website(shared, caller, id.as_str()),
            (None, Some(_)) if key.global.is_empty() => Err(no_target()),
            (None, Some(id)) => organization(shared, caller, id.as_str()),
        },
        Principal::Session(session) => match &session.active_organization {
            Some(id) => organization(shared, caller, id.as_str()),
            None => Err(no_target()),
        },
    }
}

fn no_target() -> Fault {
    Fault::invalid("One of website_id, schedule_id, link_id or organization_id is required")
        .with_code("MISSING_PROJECT_ID")
}

/// A website, with all that questions about it need.
pub(in crate::http) fn website(
    shared: &Shared,
    caller: &Principal,
    id: &str,
) -> Result<Target, Fault> {
    let view = shared.websites.view();
    let website = view.by_id(id);
    let site = website.map(|website| website.site());
    let access = authorize::read_website(caller, site.as_ref())?;
    let anonymous = matches!(caller, Principal::Anonymous);
    Ok(find_website_target(shared, website, access, anonymous))
}

/// What a share link shows of its website to everyone; `None` if the website is gone.
pub(in crate::http) fn shared_website(shared: &Shared, share: &Share) -> Option<Target> {
    let view = shared.websites.view();
    let shown = share.dashboard.website()?;
    let website = view.by_id(shown.as_str())?;
    let access = authorize::read_shared(shown, &website.site())?;
    Some(find_website_target(shared, Some(website), access, true))
}

fn find_website_target(
    shared: &Shared,
    website: Option<&Arc<Website>>,
    access: ReadAccess,
    anonymous: bool,
) -> Target {
    Target {
        access,
        anonymous,
        subject: Some(Subject::Website),
        domain: website.map(|website| website.domain.clone()),
        websites: HashMap::new(),
        lenient: website.into_iter().filter_map(lenient).collect(),
        error_tracking: error_tracking(shared, website.map(|website| &website.organization)),
        people: Some(people(shared)),
    }
}

/// Whether the owner's plan includes the error types.
fn error_tracking(shared: &Shared, owner: Option<&OrganizationId>) -> ErrorTracking {
    let view = shared.organizations.view();
    let owner = owner.and_then(|owner| view.organization(owner.as_str()));
    let plan = owner.map_or("", |owner| owner.plan.as_str());
    match shared.plans.load().feature(plan, "errors") {
        Ok(()) => ErrorTracking::Included,
        Err(plan) => ErrorTracking::From(plan),
    }
}

/// The kinds of bots that count as people on a website.
fn lenient(website: &Arc<Website>) -> Option<(WebsiteKey, u32)> {
    let allowed = website.settings.bots().allowed();
    (allowed != 0).then_some((website.key, allowed))
}

/// All that an organization has.
pub(super) fn organization(shared: &Shared, caller: &Principal, id: &str) -> Result<Target, Fault> {
    let tenant = shared.organizations.view().tenant(id);
    let access = authorize::read_organization(caller, tenant.as_ref())?;
    let error_tracking = error_tracking(shared, tenant.as_ref().map(|tenant| &tenant.id));
    let view = shared.websites.view();
    let websites = tenant
        .into_iter()
        .flat_map(|tenant| view.owned_by(&tenant.id));
    let websites: Vec<_> = websites.collect();
    Ok(Target {
        access,
        anonymous: false,
        subject: None,
        domain: None,
        lenient: websites.iter().filter_map(lenient).collect(),
        websites: websites
            .iter()
            .map(|website| (website.key, website.id.clone()))
            .collect(),
        error_tracking,
        people: Some(people(shared)),
    })
}

fn find_owner_target(access: ReadAccess, subject: Subject) -> Target {
    Target {
        access,
        anonymous: false,
        subject: Some(subject),
        domain: None,
        websites: HashMap::new(),
        lenient: Vec::new(),
        error_tracking: ErrorTracking::Included,
        people: None,
    }
}

/// Who knows more of people than their events.
fn people(shared: &Shared) -> Arc<dyn People> {
    shared.profiles.view()
}

/// Whether a key may list websites at all.
pub(super) fn may_list(caller: &Principal) -> Result<(), Fault> {
    match caller {
        Principal::Anonymous => Err(Fault::unauthenticated()),
        Principal::Key(key) if key.organization.is_none() => Err(authorize::refuse_read(
            caller,
            "Access denied to this organization",
        )),
        Principal::Key(key) if !key.holds_anywhere(Scope::ReadData) => {
            Err(Fault::forbidden("API key missing read:data scope"))
        }
        Principal::Key(_) | Principal::Session(_) => Ok(()),
    }
}
