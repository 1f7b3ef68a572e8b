//! What there is, and how it is changed: by the procedures of the API, on behalf of the organization's owner.

use std::sync::Arc;

use serde_json::{Value, json};

use super::kinds::{self, Body, Kind, fields};
use crate::{
    access::{Member, Principal, Role, SessionGrant},
    actors::{
        definitions::{self, Saved},
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
pub(super) struct World {
    shared: Arc<Shared>,
    caller: Principal,
    pub(super) organization: OrganizationId,
}

/// Something that has the natural name of a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// The organization's own, by its id.
    Own(String),
    /// Another organization's.
    Elsewhere,
}

impl World {
    /// An organization in the hands of its first owner; `None` when it has none.
    pub(super) fn of(shared: &Arc<Shared>, organization: &OrganizationId) -> Option<Self> {
        let view = shared.organizations.view();
        let owners = view.owners_of(organization);
        let session = SessionGrant {
            id: SessionId::from("provision"),
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
            return Ok(self
                .folders()
                .await?
                .into_iter()
                .find(|one| one["id"] == id));
        };
        let mut shown = match self.ask(get, json!({ kind.id: id })).await {
            Ok(shown) => shown,
            Err(fault) if matches!(fault.kind, Fell::NotFound { .. }) => return Ok(None),
            Err(fault) => return Err(fault),
        };
        if kind.table == kinds::WEBSITES.table
            && let Some(Value::Object(settings)) = shown.remove("settings")
        {
            let parts = settings.into_iter();
            shown.extend(parts.map(|(name, value)| (format!("settings.{name}"), value)));
        }
        Ok(Some(shown))
    }

    async fn folders(&self) -> Result<Vec<Body>, Fault> {
        let all = self.call(&link_folders::LIST, OrganizationBody::default());
        Ok(all
            .await?
            .into_iter()
            .map(|one| fields(json!(one)))
            .collect())
    }

    /// What has the natural name that a declaration gives.
    pub(super) async fn find(&self, kind: &Kind, body: &Body) -> Result<Option<Found>, Fault> {
        let text = |field: &str| body.get(field).and_then(Value::as_str);
        let wanted = text(kind.natural).unwrap_or_default();
        let website = text("websiteId").map(WebsiteId::from);
        let (shared, own) = (&self.shared, &self.organization);
        let id = match kind.table {
            "websites" => {
                let mut all = shared.websites.view().of(own).into_iter();
                let found = all.find(|one| one.domain.eq_ignore_ascii_case(wanted));
                found.map(|one| one.id.to_string())
            }
            "link-folders" => {
                let all = self.folders().await?;
                let found = all.iter().find(|one| one["slug"] == wanted);
                found.and_then(|one| Some(one["id"].as_str()?.to_owned()))
            }
            "links" => return self.link(wanted).await,
            "flags" => {
                let scope = Scope {
                    organization: own.clone(),
                    website,
                };
                let found = shared.flags.view().by_key(&scope, wanted).await;
                let found = found?;
                found.map(|flag| flag.id.to_string())
            }
            "monitors" => {
                let all = shared.monitors.view().of(own);
                let named = |name: &Option<String>| name.as_deref() == Some(wanted);
                let found = all.iter().find(|one| named(&one.spec().fields.name));
                found.map(|one| one.spec().id.to_string())
            }
            "goals" => self.goal(wanted, website).await?,
            "alarms" => {
                let all = shared.alarms.view().of(own);
                let found = all.iter().find(|one| one.fields.name == wanted);
                found.map(|one| one.id.to_string())
            }
            _ => {
                let view = shared.status_pages.view();
                return Ok(view.by_slug(wanted).map(|page| {
                    if page.organization == *own {
                        Found::Own(page.id.to_string())
                    } else {
                        Found::Elsewhere
                    }
                }));
            }
        };
        Ok(id.map(Found::Own))
    }

    async fn link(&self, slug: &str) -> Result<Option<Found>, Fault> {
        let view = self.shared.links.view();
        let Some(packed) = view.packed(slug) else {
            return Ok(None);
        };
        let Some(id) = Record::unpack(&packed).map(|record| record.id()) else {
            return Ok(None);
        };
        let link = view.by_id(id.as_str()).await?;
        let own = link.filter(|link| link.organization == self.organization);
        Ok(Some(own.map_or(Found::Elsewhere, |link| {
            Found::Own(link.id.to_string())
        })))
    }

    async fn goal(&self, name: &str, website: Option<WebsiteId>) -> Result<Option<String>, Fault> {
        let Some(website) = website else {
            return Ok(None);
        };
        let goals = self.shared.definitions.view();
        let all = goals.of(&website, definitions::Kind::Goal).await?;
        let named = |one: &&definitions::SavedDefinition| matches!(&one.saved, Saved::Goal(goal) if goal.name == name);
        Ok(all.iter().find(named).map(|one| one.id.to_string()))
    }
}
