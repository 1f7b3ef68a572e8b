//! The read model: monitors with their state from memory, days and transitions from storage.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use arc_swap::ArcSwap;
use serde::{Deserialize, Serialize};

use super::{
    Kind, LastCheck, Lateness, Monitor, MonitorFields, Probes, Recent, Standing, State,
    SuggestionError, Suggestions, push::Tokens, rollup::LastResult, rules, suggest,
    work_index::WorkIndex,
};
use crate::{
    egress::Egress,
    fault::Issue,
    ids::{MonitorId, OrganizationId},
    store::StateDb,
};

/// The state that changes with every check.
#[derive(Debug, Clone, Default)]
pub struct LiveState {
    pub standing: Standing,
    pub last: Option<LastCheck>,
    pub recent: Recent,
    pub(super) memory: Memory,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Memory {
    pub(super) seen: LastResult,
    /// When the last start signal arrived, Unix milliseconds.
    pub(super) started_ms: Option<i64>,
}

/// The state of a monitor after a check.
#[derive(Debug, Clone)]
pub(super) struct StateUpdate {
    pub(super) live: LiveState,
    pub(super) mark: Option<i64>,
}

#[derive(Debug)]
pub struct MonitorEntry {
    spec: Arc<Monitor>,
    live: Arc<ArcSwap<LiveState>>,
}

impl MonitorEntry {
    pub(super) fn new(spec: Arc<Monitor>, live: LiveState) -> Self {
        Self {
            spec,
            live: Arc::new(ArcSwap::from_pointee(live)),
        }
    }

    /// The changed monitor with the same state.
    pub(super) fn changed(&self, spec: Arc<Monitor>) -> Self {
        Self {
            spec,
            live: Arc::clone(&self.live),
        }
    }

    pub fn spec(&self) -> &Arc<Monitor> {
        &self.spec
    }

    pub fn live(&self) -> Arc<LiveState> {
        self.live.load_full()
    }

    pub(super) fn set(&self, live: LiveState) {
        self.live.store(Arc::new(live));
    }

    pub(super) fn update(&self, change: impl FnOnce(&mut LiveState)) {
        let mut live = self.live().as_ref().clone();
        change(&mut live);
        self.set(live);
    }
}

#[derive(Clone)]
pub struct MonitorsView {
    pub(super) monitors: HashMap<MonitorId, Arc<MonitorEntry>>,
    pub(super) keys: HashMap<i64, MonitorId>,
    pub(super) by_token: HashMap<String, MonitorId>,
    pub(super) tokens: Tokens,
    pub(super) probes: Probes,
    pub(super) work: WorkIndex,
    pub(super) lateness: Arc<Lateness>,
    pub(super) egress: Egress,
    pub(super) db: StateDb,
}

impl MonitorsView {
    /// The monitor with this id, of any organization.
    pub fn by_id(&self, id: &str) -> Option<&Arc<MonitorEntry>> {
        self.monitors.get(id)
    }

    /// The push monitor with this token.
    pub fn by_token(&self, token: &str) -> Option<&Arc<MonitorEntry>> {
        self.monitors.get(self.by_token.get(token)?)
    }

    pub fn probes(&self) -> &Probes {
        &self.probes
    }

    pub fn push_token(&self, monitor: &Monitor) -> String {
        self.tokens.token(&monitor.id, monitor.push_turn)
    }

    /// Monitors of an organization, newest first.
    pub fn by_organization(&self, organization: &OrganizationId) -> Vec<Arc<MonitorEntry>> {
        let own = |one: &&Arc<MonitorEntry>| one.spec.organization == *organization;
        let mut all: Vec<_> = self.monitors.values().filter(own).cloned().collect();
        all.sort_by(|a, b| (b.spec.created_ms, &b.spec.id).cmp(&(a.spec.created_ms, &a.spec.id)));
        all
    }

    /// The stored form of a target, if a monitor with these fields could be created now.
    ///
    /// # Errors
    /// What is wrong with the fields.
    pub fn check(&self, fields: MonitorFields) -> Result<String, Vec<Issue>> {
        Ok(rules::check_fields(fields, &self.egress.policy())?.url)
    }

    /// Suggests monitors for a URL or host, after one look at it, and names those that the organization has already.
    /// `now_ms` is Unix milliseconds.
    ///
    /// # Errors
    /// The address is none, may not be checked, or gives no HTTP answer.
    pub async fn suggest(
        &self,
        organization: &OrganizationId,
        address: &str,
        now_ms: i64,
    ) -> Result<Suggestions, SuggestionError> {
        let mut found = suggest(&self.egress, address, now_ms).await?;
        for one in &mut found.suggestions {
            let fields = &one.monitor;
            let target = (fields.kind, fields.url.as_deref().unwrap_or_default());
            let known = self.find_target(organization, target, None);
            one.schedule_id = known.map(|spec| spec.id.to_string());
        }
        Ok(found)
    }

    /// The monitor of an organization that keeps another one with this target from being created, except `but`.
    pub(super) fn find_target(
        &self,
        owner: &OrganizationId,
        (kind, url): (Kind, &str),
        but: Option<&MonitorId>,
    ) -> Option<&Monitor> {
        let mut all = self.monitors.values().map(|one| one.spec().as_ref());
        all.find(|spec| {
            spec.organization == *owner
                && spec.kind == kind
                && kind != Kind::Push
                && spec.url == url
                && Some(&spec.id) != but
                && spec.link.is_none()
        })
    }

    /// The numbers of all monitors in event rows.
    pub fn keys(&self) -> Vec<i64> {
        self.keys.keys().copied().collect()
    }

    /// Whether messages are suppressed, because a dependency is down.
    pub fn is_suppressed(&self, monitor: &Monitor) -> bool {
        cause(self, monitor).is_some()
    }

    pub fn lateness(&self) -> &Arc<Lateness> {
        &self.lateness
    }

    pub fn len(&self) -> usize {
        self.monitors.len()
    }

    pub fn is_empty(&self) -> bool {
        self.monitors.is_empty()
    }

    pub(super) fn by_key(&self, key: i64) -> Option<&Arc<MonitorEntry>> {
        self.monitors.get(self.keys.get(&key)?)
    }

    pub(super) fn put(&mut self, monitored: Arc<MonitorEntry>) {
        let spec = Arc::clone(&monitored.spec);
        self.forget_token(&spec.id);
        if let Some(before) = self.monitors.get(&spec.id) {
            self.work.take(&before.spec);
        }
        self.work.put(&spec);
        if spec.kind == super::Kind::Push {
            self.by_token
                .insert(self.push_token(&spec), spec.id.clone());
        }
        self.keys.insert(spec.key.0, spec.id.clone());
        self.monitors.insert(spec.id.clone(), monitored);
    }

    pub(super) fn take(&mut self, id: &MonitorId) {
        self.forget_token(id);
        if let Some(gone) = self.monitors.remove(id) {
            self.work.take(&gone.spec);
            self.keys.remove(&gone.spec.key.0);
        }
    }

    fn forget_token(&mut self, id: &MonitorId) {
        if let Some(before) = self.monitors.get(id) {
            let token = self.push_token(&before.spec);
            self.by_token.remove(&token);
        }
    }
}

/// A direct or indirect dependency that is down, or about to be. Cycles end.
pub(super) fn cause(view: &MonitorsView, monitor: &Monitor) -> Option<MonitorId> {
    let mut seen = HashSet::from([monitor.id.clone()]);
    let mut next: Vec<String> = monitor.fields.depends_on.clone().unwrap_or_default();
    while let Some(id) = next.pop() {
        let Some(above) = view
            .by_id(&id)
            .filter(|above| above.spec().organization == monitor.organization)
        else {
            continue;
        };
        let spec = above.spec();
        if !seen.insert(spec.id.clone()) {
            continue;
        }
        let state = above.live().standing.state;
        if matches!(state, State::Down | State::Pending) && !spec.is_paused {
            return Some(spec.id.clone());
        }
        next.extend(spec.fields.depends_on.iter().flatten().cloned());
    }
    None
}
