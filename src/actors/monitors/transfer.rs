//! Moves monitors to another owner: all or none.

use std::{collections::HashSet, sync::Arc};

use super::{
    Kind, Monitor, MonitorError, MonitorFields, Monitors, MonitorsEnv, Schedule, TransferHook,
    TransferMonitors, repo, rules,
};
use crate::{
    access::authorize::Tenant,
    actors::{
        error::CommonError,
        kit::{Decision, commit},
        random,
    },
    ids::{MonitorId, WebsiteKey},
};

impl Monitors {
    fn admit_transfer(&self, message: &TransferMonitors) -> Result<Vec<Monitor>, MonitorError> {
        let organizations = self.env.organizations.view();
        let owner = organizations.require_tenant(&message.to)?;
        let mut targets = HashSet::new();
        let mut moved = Vec::with_capacity(message.ids.len());
        for id in &message.ids {
            let one = self.with_owner(id, &owner)?;
            // Two monitors may share a target if one of them belongs to a link, which stays.
            if one.kind != Kind::Push && !targets.insert((one.kind, one.url.clone())) {
                return Err(MonitorError::Taken(one.url));
            }
            moved.push(one);
        }
        self.check_allowance(&owner.id, moved.len(), message.allowance.clone())?;
        Ok(moved)
    }

    /// The monitor with its new owner. It gets a new number, because its earlier checks belong to the old owner.
    fn with_owner(&self, id: &MonitorId, owner: &Tenant) -> Result<Monitor, MonitorError> {
        let before = self.find(id)?;
        if owner.id == before.organization {
            let why = "Schedule is already in this organization";
            return Err(CommonError::refused(why).into());
        }
        self.require_free_target(&owner.id, before.kind, &before.url, None)?;
        let key = random::key()?;
        let whole = MonitorFields {
            kind: before.kind,
            url: Some(before.url.clone()),
            depends_on: None,
            places: None,
            quorum: None,
            ..before.fields.clone()
        };
        let checked = rules::check_fields(whole, &self.env.egress.policy())?;
        Ok(Monitor {
            key: WebsiteKey(key),
            organization: owner.id.clone(),
            organization_key: owner.key,
            website: None,
            link: None,
            fields: checked.fields.bare(),
            schedule: Schedule::new(checked.recurrence, key),
            updated_ms: self.env.clock.now_ms(),
            former_places: Vec::new(),
            ..before.as_ref().clone()
        })
    }

    pub(super) fn transfer(
        &mut self,
        message: TransferMonitors,
    ) -> Decision<Self, Vec<Arc<Monitor>>, MonitorError> {
        let moved = self.admit_transfer(&message)?;
        let written = write(self.env.clone(), moved, message.hook);
        Ok(commit(written, Self::adopt_transfer))
    }

    fn adopt_transfer(&mut self, moved: Vec<Monitor>) -> Vec<Arc<Monitor>> {
        let adopted = moved.into_iter().map(|spec| {
            if let Ok(before) = self.find(&spec.id) {
                self.forget(before.key.0, &before.id);
            }
            self.adopt_new(spec)
        });
        adopted.collect()
    }
}

async fn write(
    env: MonitorsEnv,
    moved: Vec<Monitor>,
    hook: Option<Arc<dyn TransferHook>>,
) -> Result<Vec<Monitor>, MonitorError> {
    let write = env.db.begin().await?;
    for spec in &moved {
        repo::update(&env, &*write, spec).await?;
    }
    if let Some(hook) = hook {
        hook.write(&write).await?;
    }
    write.commit().await?;
    Ok(moved)
}
