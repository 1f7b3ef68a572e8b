//! Monitors that get another owner: all that are named, or none.

use std::{collections::HashSet, sync::Arc};

use actix::{Context, Handler};

use super::{
    Along, Kind, Monitor, MonitorError, MonitorFields, Monitors, MonitorsEnv, TransferMonitors,
    repo, rules,
};
use crate::{
    access::authorize::Tenant,
    actors::{
        kit::{Live, Reply, commit, refuse},
        random,
    },
    ids::{MonitorId, WebsiteKey},
};

impl Monitors {
    /// Monitors as they are with another owner.
    fn admit_transfer(&self, message: &TransferMonitors) -> Result<Vec<Monitor>, MonitorError> {
        let owner = self.env.organizations.view().tenant(message.to.as_str());
        let owner = owner.ok_or_else(|| MonitorError::NoOrganization(message.to.clone()))?;
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
            return Err(MonitorError::Already(
                "Schedule is already in this organization",
            ));
        }
        self.free(&owner.id, before.kind, &before.url, None)?;
        let key = random::key()?;
        let whole = MonitorFields {
            kind: before.kind,
            url: Some(before.url.clone()),
            depends_on: None,
            ..before.fields.clone()
        };
        let ready =
            rules::checked(whole, &self.env.egress.policy()).map_err(MonitorError::Invalid)?;
        Ok(Monitor {
            key: WebsiteKey(key),
            organization: owner.id.clone(),
            organization_key: owner.key,
            website: None,
            link: None,
            fields: repo::bare(ready.fields),
            schedule: ready.rhythm.of(key),
            updated_ms: self.env.clock.now_ms(),
            ..before.as_ref().clone()
        })
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

impl Handler<TransferMonitors> for Live<Monitors> {
    type Result = Reply<Monitors, Vec<Arc<Monitor>>, MonitorError>;

    fn handle(&mut self, message: TransferMonitors, _: &mut Context<Self>) -> Self::Result {
        match self.admit_transfer(&message) {
            Ok(moved) => commit(
                write(self.env.clone(), moved, message.along),
                Monitors::adopt_transfer,
            ),
            Err(error) => refuse(error),
        }
    }
}
