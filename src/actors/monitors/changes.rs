//! Making, changing and deleting monitors: what is admitted, and what is written.

use std::sync::Arc;

use super::{
    ChangeMonitor, CreateMonitor, Kind, Monitor, MonitorError, MonitorFields, Monitors,
    MonitorsEnv, repo, rules,
};
use crate::{
    access::plans::Allowance,
    actors::error::CommonError,
    fault::Issue,
    ids::{MonitorId, OrganizationId, WebsiteId},
    store::StateDb,
};

impl Monitors {
    /// A new monitor that is in order.
    pub(super) fn admit_new(&self, message: CreateMonitor) -> Result<Monitor, MonitorError> {
        let owner = self
            .env
            .organizations
            .view()
            .tenant(message.organization.as_str());
        let owner = owner.ok_or(CommonError::NoOrganization(message.organization))?;
        let website = message.fields.website_id.clone();
        let ready = rules::check_fields(message.fields, &self.env.egress.policy())?;
        let websites = self.env.websites.view();
        websites.require_own(&owner.id, website.as_deref())?;
        self.free(&owner.id, ready.fields.kind, &ready.url, None)?;
        self.room(&owner.id, 1, message.allowance)?;
        self.known(&owner.id, &ready.fields, None)?;
        Ok(Monitor {
            website: website.map(WebsiteId::from),
            created_by: message.created_by,
            ..ready.into_new(owner, self.env.clock.now_ms())?
        })
    }

    /// A monitor as it is after a change.
    pub(super) fn admit_change(&self, message: &ChangeMonitor) -> Result<Monitor, MonitorError> {
        let before = self.find(&message.id)?;
        let whole = MonitorFields {
            url: Some(before.url.clone()),
            website_id: before.website.as_ref().map(ToString::to_string),
            ..before.fields.clone()
        };
        let mut fields = rules::patch_fields(&whole, &message.fields)?;
        fields.kind = before.kind;
        let website = fields.website_id.clone();
        let ready = rules::check_fields(fields, &self.env.egress.policy())?;
        let websites = self.env.websites.view();
        websites.require_own(&before.organization, website.as_deref())?;
        self.free(
            &before.organization,
            before.kind,
            &ready.url,
            Some(&before.id),
        )?;
        self.known(&before.organization, &ready.fields, Some(&before.id))?;
        Ok(Monitor {
            website: website.map(WebsiteId::from),
            url: ready.url,
            fields: ready.fields.bare(),
            schedule: ready.rhythm.schedule(before.key.0),
            spans: ready.spans,
            updated_ms: self.env.clock.now_ms(),
            ..before.as_ref().clone()
        })
    }

    pub(super) fn find(&self, id: &MonitorId) -> Result<Arc<Monitor>, MonitorError> {
        let found = self
            .view
            .by_id(id.as_str())
            .map(|one| Arc::clone(one.spec()));
        found.ok_or_else(|| MonitorError::NotFound(id.clone()))
    }

    /// Refuses a target that the organization monitors already.
    pub(super) fn free(
        &self,
        owner: &OrganizationId,
        kind: Kind,
        url: &str,
        but: Option<&MonitorId>,
    ) -> Result<(), MonitorError> {
        let same = |spec: &Monitor| {
            spec.organization == *owner
                && spec.kind == kind
                && spec.url == url
                && Some(&spec.id) != but
                && spec.link.is_none()
        };
        let taken = kind != Kind::Push && self.view.monitors.values().any(|one| same(one.spec()));
        if taken {
            return Err(MonitorError::Taken(url.to_owned()));
        }
        Ok(())
    }

    /// Refuses more monitors than the plan allows.
    pub(super) fn room(
        &self,
        owner: &OrganizationId,
        more: usize,
        allowance: Option<Allowance>,
    ) -> Result<(), MonitorError> {
        let Some(allowance) = allowance else {
            return Ok(());
        };
        let monitors = self.view.monitors.values();
        let own = monitors.filter(|one| one.spec().organization == *owner);
        Ok(allowance.admit(own.count() as u64, more as u64)?)
    }

    /// Refuses dependencies on monitors of others, and on itself.
    fn known(
        &self,
        owner: &OrganizationId,
        fields: &MonitorFields,
        own: Option<&MonitorId>,
    ) -> Result<(), MonitorError> {
        let wrong = |id: &&String| {
            own.is_some_and(|own| own.as_str() == id.as_str())
                || self
                    .view
                    .by_id(id)
                    .is_none_or(|one| one.spec().organization != *owner)
        };
        match fields.depends_on.iter().flatten().find(wrong) {
            None => Ok(()),
            Some(id) => {
                let message = format!("`{id}` is no other monitor of this organization");
                Err(vec![Issue::new("unknown", "dependsOn", message)].into())
            }
        }
    }
}

pub(super) async fn insert(env: MonitorsEnv, spec: Monitor) -> Result<Monitor, MonitorError> {
    let write = env.db.begin().await?;
    repo::insert(&env, &*write, &spec).await?;
    write.commit().await?;
    Ok(spec)
}

pub(super) async fn update(env: MonitorsEnv, spec: Monitor) -> Result<Monitor, MonitorError> {
    let write = env.db.begin().await?;
    repo::update(&env, &*write, &spec).await?;
    write.commit().await?;
    Ok(spec)
}

pub(super) async fn delete(db: StateDb, id: MonitorId) -> Result<MonitorId, MonitorError> {
    let write = db.begin().await?;
    repo::delete(&*write, &id).await?;
    write.commit().await?;
    Ok(id)
}
