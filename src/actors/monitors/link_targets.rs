//! Monitors of link targets (`watchTarget` of a link), which follow their links.

use std::{collections::HashMap, sync::Arc};

use actix::Context;

use super::{
    Granularity, Monitor, MonitorError, MonitorFields, Monitors, MonitorsEnv, repo, rules,
};
use crate::{
    actors::{
        kit::{Live, commit_exclusive, read_beside},
        links::WatchedTarget,
    },
    entities::{self, monitor},
    ids::{LinkId, MonitorId},
};

/// What has to change for monitors to match links.
#[derive(Debug, Default)]
pub(super) struct Changes {
    new: Vec<Monitor>,
    moved: Vec<Monitor>,
    deleted: Vec<(i64, MonitorId)>,
}

impl Changes {
    fn is_empty(&self) -> bool {
        self.new.is_empty() && self.moved.is_empty() && self.deleted.is_empty()
    }
}

pub(super) fn sync(live: &Live<Monitors>, context: &mut Context<Live<Monitors>>) {
    let links = live.env.links.view();
    let read = async move { links.watched_targets().await };
    read_beside(
        context,
        read,
        |live: &mut Live<Monitors>, read, context| match read {
            Ok(watched) => apply(live, watched, context),
            Err(error) => tracing::warn!(%error, "links whose targets are watched cannot be read"),
        },
    );
}

fn apply(
    live: &Live<Monitors>,
    watched: Vec<WatchedTarget>,
    context: &mut Context<Live<Monitors>>,
) {
    let changes = match live.compare(watched) {
        Ok(changes) if changes.is_empty() => return,
        Ok(changes) => changes,
        Err(error) => {
            tracing::warn!(%error, "targets of links are not watched yet");
            return;
        }
    };
    let write = write(live.env.clone(), changes);
    commit_exclusive(
        context,
        write,
        |domain: &mut Monitors, written| match written {
            Ok(changes) => {
                for (key, id) in changes.deleted {
                    domain.forget(key, &id);
                }
                for spec in changes.moved {
                    domain.adopt_change(spec);
                }
                for spec in changes.new {
                    domain.adopt_new(spec);
                }
            }
            Err(error) => tracing::warn!(%error, "targets of links are not watched yet"),
        },
    );
}

async fn write(env: MonitorsEnv, changes: Changes) -> Result<Changes, MonitorError> {
    let write = env.db.begin().await?;
    for (_, id) in &changes.deleted {
        entities::delete::<monitor::Entity>(&*write, id.as_str()).await?;
    }
    for spec in &changes.moved {
        repo::update(&env, &*write, spec).await?;
    }
    for spec in &changes.new {
        repo::insert(&env, &*write, spec).await?;
    }
    write.commit().await?;
    Ok(changes)
}

impl Monitors {
    fn compare(&self, watched: Vec<WatchedTarget>) -> Result<Changes, MonitorError> {
        let mut known: HashMap<LinkId, Arc<Monitor>> = HashMap::new();
        for one in self.view.monitors.values() {
            if let Some(link) = &one.spec().link {
                known.insert(link.clone(), Arc::clone(one.spec()));
            }
        }
        let mut changes = Changes::default();
        for link in watched {
            let before = known.remove(&link.id);
            let same = before.as_ref().is_some_and(|spec| {
                spec.organization == link.organization && spec.url == link.target
            });
            if same {
                continue;
            }
            match (self.link_monitor(&link)?, before) {
                (Some(spec), Some(before)) if before.organization == spec.organization => {
                    changes.moved.push(Monitor {
                        url: spec.url,
                        updated_ms: spec.updated_ms,
                        ..before.as_ref().clone()
                    });
                }
                (spec, before) => {
                    changes.new.extend(spec);
                    changes
                        .deleted
                        .extend(before.map(|before| (before.key.0, before.id.clone())));
                }
            }
        }
        let deleted = known
            .into_values()
            .map(|spec| (spec.key.0, spec.id.clone()));
        changes.deleted.extend(deleted);
        Ok(changes)
    }

    /// The monitor of a link's target; `None` if the target cannot be checked, or its owner is deleted.
    fn link_monitor(&self, link: &WatchedTarget) -> Result<Option<Monitor>, MonitorError> {
        let organizations = self.env.organizations.view();
        let Some(owner) = organizations.tenant(link.organization.as_str()) else {
            return Ok(None);
        };
        let fields = MonitorFields {
            url: Some(link.target.clone()),
            name: Some(format!("Target of the link {}", link.name)),
            granularity: Some(Granularity::Hour),
            ..MonitorFields::default()
        };
        let Ok(checked) = rules::check_fields(fields, &self.env.egress.policy()) else {
            return Ok(None);
        };
        Ok(Some(Monitor {
            link: Some(link.id.clone()),
            url: link.target.clone(),
            ..checked.into_new(owner, self.env.clock.now_ms())?
        }))
    }
}
