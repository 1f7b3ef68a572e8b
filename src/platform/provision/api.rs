//! Reads and changes what there is by the procedures of the API, on behalf of the organization's owner.

use std::sync::Arc;

use serde_json::{Value, json};

use super::kinds::{self, Body, Kind, fields};
use crate::{
    access::{Member, Principal, Role, SessionGrant},
    actors::{
        definitions::{self, Saved, SavedDefinition},
        flags::Scope,
        links::Record,
    },
    fault::{Fault, Kind as Fell},
    http::{
        Shared,
        procedures::{
            Call, Handle, Input, Output, Procedure, bodies::OrganizationBody, link_folders,
        },
    },
    ids::{OrganizationId, SessionId, WebsiteId},
};

/// One organization, as its owner sees it.
pub(super) struct OrganizationApi {
    shared: Arc<Shared>,
    caller: Principal,
    pub(super) organization: OrganizationId,
}

/// Something that has the natural name of a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Existing {
    /// The organization's own, by its id.
    Own(String),
    /// Another organization's.
    Elsewhere,
}

impl OrganizationApi {
    /// Acts as the first owner; `None` when there is none.
    pub(super) fn new(shared: &Arc<Shared>, organization: &OrganizationId) -> Option<Self> {
        let view = shared.organizations.view();
        let owners = view.owners(organization);
        let session = SessionGrant {
            id: SessionId::from(SessionGrant::PROVISIONING),
            user: owners.first()?.id.clone(),
            active_organization: Some(organization.clone()),
            memberships: vec![Member {
                organization: organization.clone(),
                role: Role::Owner,
            }],
        };
        Some(Self {
            shared: Arc::clone(shared),
            caller: Principal::Session(Arc::new(session)),
            organization: organization.clone(),
        })
    }

    /// Calls the procedure of a kind.
    pub(super) async fn ask(&self, procedure: Procedure, input: Value) -> Result<Body, Fault> {
        Ok(fields(procedure.invoke(self.as_owner(), input).await?))
    }

    pub(super) async fn call<I: Input, O: Output>(
        &self,
        procedure: &Handle<I, O>,
        input: I,
    ) -> Result<O, Fault> {
        procedure.call(self.as_owner(), input).await
    }

    fn as_owner(&self) -> Call {
        Call {
            shared: Arc::clone(&self.shared),
            caller: self.caller.clone(),
            address: None,
        }
    }

    /// A thing as the API shows it, settings of websites one by one; `None` when it is not there.
    pub(super) async fn read(&self, kind: &Kind, id: &str) -> Result<Option<Body>, Fault> {
        let Some(get) = kind.get else {
            let folders = self.folders().await?;
            let folder = folders.iter().find(|folder| folder.folder.id == id);
            return Ok(folder.map(|folder| fields(json!(folder))));
        };
        let mut current = match self.ask(get, json!({ kind.id: id })).await {
            Ok(current) => current,
            Err(fault) if matches!(fault.kind, Fell::NotFound { .. }) => return Ok(None),
            Err(fault) => return Err(fault),
        };
        if kind.table == kinds::WEBSITES.table
            && let Some(Value::Object(settings)) = current.remove("settings")
        {
            let parts = settings.into_iter();
            current.extend(parts.map(|(name, value)| (format!("settings.{name}"), value)));
        }
        Ok(Some(current))
    }

    async fn folders(&self) -> Result<Vec<link_folders::CountedOut>, Fault> {
        let input = OrganizationBody::default();
        self.call(&link_folders::LIST, input).await
    }

    /// What has the natural name that a declaration gives.
    pub(super) async fn find(&self, kind: &Kind, body: &Body) -> Result<Option<Existing>, Fault> {
        let text = |field: &str| body.get(field).and_then(Value::as_str);
        let wanted = text(kind.natural).unwrap_or_default();
        let website = text("websiteId").map(WebsiteId::from);
        let (shared, own) = (&self.shared, &self.organization);
        let id = match kind.table {
            "websites" => {
                let mut all = shared.websites.view().owned_by(own).into_iter();
                let found = all.find(|one| one.domain.eq_ignore_ascii_case(wanted));
                found.map(|one| one.id.to_string())
            }
            "link-folders" => {
                let all = self.folders().await?.into_iter();
                let mut all = all.map(|folder| folder.folder);
                all.find(|folder| folder.slug == wanted)
                    .map(|folder| folder.id)
            }
            "links" => return self.link(text("domain"), wanted).await,
            "domains" => {
                let mut all = shared.hosts.view().owned_by(own).into_iter();
                let found = all.find(|one| one.name.eq_ignore_ascii_case(wanted));
                found.map(|one| one.id.to_string())
            }
            "flags" => {
                let scope = Scope {
                    organization: own.clone(),
                    website,
                };
                let found = shared.flags.view().by_key(&scope, wanted).await?;
                found.map(|flag| flag.id.to_string())
            }
            "monitors" => {
                let all = shared.monitors.view().by_organization(own);
                let named = |name: &Option<String>| name.as_deref() == Some(wanted);
                let found = all.iter().find(|one| named(&one.spec().fields.name));
                found.map(|one| one.spec().id.to_string())
            }
            "goals" => self.goal(wanted, website).await?,
            "alarms" => {
                let all = shared.alarms.view().by_organization(own);
                let found = all.iter().find(|one| one.fields.name == wanted);
                found.map(|one| one.id.to_string())
            }
            _ => {
                let view = shared.status_pages.view();
                return Ok(view.by_slug(wanted).map(|page| {
                    if page.organization == *own {
                        Existing::Own(page.id.to_string())
                    } else {
                        Existing::Elsewhere
                    }
                }));
            }
        };
        Ok(id.map(Existing::Own))
    }

    async fn link(&self, domain: Option<&str>, slug: &str) -> Result<Option<Existing>, Fault> {
        let (view, hosts) = (self.shared.links.view(), self.shared.hosts.view());
        let host = match domain {
            None => None,
            Some(name) => match hosts.link_host(&self.organization, &name.to_lowercase()) {
                Some(host) => Some(&host.id),
                None => return Ok(None),
            },
        };
        let Some(packed) = view.packed(host, slug) else {
            return Ok(None);
        };
        let Some(id) = Record::unpack(&packed).map(|record| record.id()) else {
            return Ok(None);
        };
        let link = view.by_id(id.as_str()).await?;
        let own = link.filter(|link| link.organization == self.organization);
        Ok(Some(own.map_or(Existing::Elsewhere, |link| {
            Existing::Own(link.id.to_string())
        })))
    }

    async fn goal(&self, name: &str, website: Option<WebsiteId>) -> Result<Option<String>, Fault> {
        let Some(website) = website else {
            return Ok(None);
        };
        let goals = &self.shared.definitions;
        let all = goals.list(&website, definitions::Kind::Goal).await?;
        let named =
            |one: &&SavedDefinition| matches!(&one.saved, Saved::Goal(goal) if goal.name == name);
        Ok(all.iter().find(named).map(|one| one.id.to_string()))
    }
}
