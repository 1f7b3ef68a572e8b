//! Creates, changes and deletes monitors: admission and writes.

use std::sync::Arc;

use super::{
    ChangeMonitor, CreateMonitor, HERE, Kind, Monitor, MonitorError, MonitorFields, Monitors,
    MonitorsEnv, Schedule, repo, rules,
};
use crate::{
    access::plans::Allowance,
    entities::{self, monitor},
    fault::Issue,
    ids::{MonitorId, OrganizationId, WebsiteId},
    store::StateDb,
};

impl Monitors {
    pub(super) fn admit_new(&self, message: CreateMonitor) -> Result<Monitor, MonitorError> {
        let organizations = self.env.organizations.view();
        let owner = organizations.require_tenant(&message.organization)?;
        let website = message.fields.website_id.clone();
        let checked = rules::check_fields(message.fields, &self.env.egress.policy())?;
        let websites = self.env.websites.view();
        websites.require_own(&owner.id, website.as_deref())?;
        self.require_free_target(&owner.id, checked.fields.kind, &checked.url, None)?;
        self.check_allowance(&owner.id, 1, message.allowance)?;
        self.check_dependencies(&owner.id, &checked.fields, None)?;
        self.check_places(&owner.id, &checked.fields)?;
        Ok(Monitor {
            website: website.map(WebsiteId::from),
            created_by: message.created_by,
            is_paused: message.is_paused,
            ..checked.into_new(owner, self.env.clock.now_ms())?
        })
    }

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
        let checked = rules::check_fields(fields, &self.env.egress.policy())?;
        let websites = self.env.websites.view();
        websites.require_own(&before.organization, website.as_deref())?;
        self.require_free_target(
            &before.organization,
            before.kind,
            &checked.url,
            Some(&before.id),
        )?;
        self.check_dependencies(&before.organization, &checked.fields, Some(&before.id))?;
        self.check_places(&before.organization, &checked.fields)?;
        let now_ms = self.env.clock.now_ms();
        let is_moved = checked.url != before.url;
        Ok(Monitor {
            website: website.map(WebsiteId::from),
            asked_ms: if is_moved {
                Some(now_ms)
            } else {
                before.asked_ms
            },
            url: checked.url,
            former_places: before.former_places_after(&checked.fields, now_ms),
            fields: checked.fields.bare(),
            schedule: Schedule::new(checked.recurrence, before.key.0),
            spans: checked.spans,
            updated_ms: now_ms,
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

    /// Refuses a target that the organization already monitors.
    pub(super) fn require_free_target(
        &self,
        owner: &OrganizationId,
        kind: Kind,
        url: &str,
        but: Option<&MonitorId>,
    ) -> Result<(), MonitorError> {
        if self.view.find_target(owner, (kind, url), but).is_some() {
            return Err(MonitorError::Taken(url.to_owned()));
        }
        Ok(())
    }

    /// Refuses more monitors than the plan allows.
    pub(super) fn check_allowance(
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

    /// Refuses probes of others.
    fn check_places(
        &self,
        owner: &OrganizationId,
        fields: &MonitorFields,
    ) -> Result<(), MonitorError> {
        let probes = &self.view.probes;
        let is_unknown = |id: &&String| {
            let probe = probes.by_id(id);
            id.as_str() != HERE && probe.is_none_or(|probe| probe.organization != *owner)
        };
        match fields.places.iter().flatten().find(is_unknown) {
            None => Ok(()),
            Some(id) => {
                let message = format!("`{id}` is no probe of this organization");
                Err(vec![Issue::new("unknown", "places", message)].into())
            }
        }
    }

    /// Refuses dependencies on monitors of others, and on itself.
    fn check_dependencies(
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
    entities::delete::<monitor::Entity>(&*write, id.as_str()).await?;
    write.commit().await?;
    Ok(id)
}
