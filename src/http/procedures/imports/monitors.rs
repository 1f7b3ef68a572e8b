//! Creates monitors. An organization monitors a target once, so one of the same kind and target exists already. Push
//! monitors have no target: they are told apart by name, and the second of a name is the second one.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::outcome::{Done, Verdict, sentences};
use crate::{
    actors::monitors::{Kind, MonitorFields},
    http::procedures::{
        Call,
        uptime::{CREATE_SCHEDULE, CreateBody},
    },
    ids::OrganizationId,
    importers::MonitorDefinition,
};

pub(super) struct MonitorImporter<'c> {
    call: &'c Call,
    organization: &'c OrganizationId,
    /// Ids by kind and target; before this import.
    targets: HashMap<(Kind, String), String>,
    /// Ids of push monitors by name, the newest first.
    pushes: HashMap<String, Vec<String>>,
    /// Targets of the file.
    seen: HashSet<(Kind, String)>,
    /// Ids by key of the file; of what would be created, `None`.
    ids: HashMap<String, Option<String>>,
}

impl<'c> MonitorImporter<'c> {
    pub(super) fn new(call: &'c Call, organization: &'c OrganizationId) -> Self {
        let mut targets = HashMap::new();
        let mut pushes: HashMap<String, Vec<String>> = HashMap::new();
        for one in call.shared.monitors.view().by_organization(organization) {
            let (spec, id) = (one.spec(), one.spec().id.to_string());
            if spec.kind == Kind::Push {
                let name = spec.fields.name.clone().unwrap_or_default();
                pushes.entry(name).or_default().push(id);
            } else if spec.link.is_none() {
                targets.insert((spec.kind, spec.url.clone()), id);
            }
        }
        Self {
            call,
            organization,
            targets,
            pushes,
            seen: HashSet::new(),
            ids: HashMap::new(),
        }
    }

    /// The id of a monitor of the file; `None` in it = it would be created.
    pub(super) fn find(&self, key: &str) -> Option<&Option<String>> {
        self.ids.get(key)
    }

    pub(super) async fn import(&mut self, monitor: MonitorDefinition, apply: bool) -> Done {
        let verdict = self.judge(&monitor.fields);
        let done = match verdict {
            Verdict::Create if apply => self.create(&monitor).await,
            verdict => verdict.into(),
        };
        if done.reason.is_none() {
            self.ids.insert(monitor.key, done.id.clone());
        }
        done
    }

    fn judge(&mut self, fields: &MonitorFields) -> Verdict {
        let view = self.call.shared.monitors.view();
        let url = match view.check(fields.clone()) {
            Ok(url) => url,
            Err(issues) => return Verdict::Refused(sentences(&issues)),
        };
        if fields.kind == Kind::Push {
            let name = fields.name.clone().unwrap_or_default();
            let existing = self.pushes.get_mut(name.trim()).and_then(Vec::pop);
            return existing.map_or(Verdict::Create, Verdict::Exists);
        }
        let target = (fields.kind, url);
        if !self.seen.insert(target.clone()) {
            let reason = "The file has this target twice; a target is monitored once";
            return Verdict::Refused(reason.to_owned());
        }
        let existing = self.targets.get(&target).cloned();
        existing.map_or(Verdict::Create, Verdict::Exists)
    }

    async fn create(&self, monitor: &MonitorDefinition) -> Done {
        let mut fields = match json!(monitor.fields) {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        fields.retain(|_, value| !value.is_null());
        let body = CreateBody {
            organization_id: Some(self.organization.to_string()),
            is_paused: Some(monitor.is_paused),
            fields: fields.into(),
        };
        match CREATE_SCHEDULE.call(self.call.clone(), body).await {
            Ok(made) => Done::created(made.schedule_id),
            Err(fault) => Done::failed(&fault),
        }
    }
}
