//! Monitors that get another owner: all that are named, or none.

use std::{collections::HashSet, sync::Arc};

use super::{
    Along, Kind, Monitor, MonitorError, MonitorFields, Monitors, MonitorsEnv, TransferMonitors,
    repo, rules,
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
    /// Monitors as they are with another owner.
    fn admit_transfer(&self, message: &TransferMonitors) -> Result<Vec<Monitor>, MonitorError> {
        let owner = self.env.organizations.view().tenant(message.to.as_str());
        let owner = owner.ok_or_else(|| CommonError::NoOrganization(message.to.clone()))?;
        let mut targets = HashSet::new();
        let mut moved = Vec::with_capacity(message.ids.len());
        for id in &message.ids {
            let one = self.with_owner(id, &owner)?;
            // Two may watch the same as long as one does it for a link, which stays.
            if one.kind != Kind::Push && !targets.insert((one.kind, one.url.clone())) {
                return Err(MonitorError::Taken(one.url));
            }
            moved.push(one);
        }
        self.room(&owner.id, moved.len(), message.allowance.clone())?;
        Ok(moved)
    }

    /// A monitor as it is with another owner: a new number, because its earlier checks are the old owner's.
    fn with_owner(&self, id: &MonitorId, owner: &Tenant) -> Result<Monitor, MonitorError> {
        let before = self.find(id)?;
        if owner.id == before.organization {
            let why = "Schedule is already in this organization";
            return Err(CommonError::Refused(why).into());
        }
        self.free(&owner.id, before.kind, &before.url, None)?;
        let key = random::key()?;
        let whole = MonitorFields {
            kind: before.kind,
            url: Some(before.url.clone()),
            depends_on: None,
            ..before.fields.clone()
        };
        let ready = rules::check_fields(whole, &self.env.egress.policy())?;
        Ok(Monitor {
            key: WebsiteKey(key),
            organization: owner.id.clone(),
            organization_key: owner.key,
            website: None,
            link: None,
            fields: ready.fields.bare(),
            schedule: ready.rhythm.schedule(key),
            updated_ms: self.env.clock.now_ms(),
            ..before.as_ref().clone()
        })
    }

    pub(super) fn transfer(
        &mut self,
        message: TransferMonitors,
    ) -> Decision<Self, Vec<Arc<Monitor>>, MonitorError> {
        let moved = self.admit_transfer(&message)?;
        let written = write(self.env.clone(), moved, message.along);
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
    along: Option<Arc<dyn Along>>,
) -> Result<Vec<Monitor>, MonitorError> {
    let write = env.db.begin().await?;
    for spec in &moved {
        repo::update(&env, &*write, spec).await?;
    }
    if let Some(along) = along {
        along.write(&write).await?;
    }
    write.commit().await?;
    Ok(moved)
}
