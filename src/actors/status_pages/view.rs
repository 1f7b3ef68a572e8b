use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    Snapshot, StatusPage, StatusPagesEnv,
    automation::MonitorState,
    rules,
    snapshot::{DAY_MS, freshness, overall, public_name, snapshot_monitor},
};
use crate::{
    actors::{
        monitors::{Day, MonitorsView},
        slug,
        unlocking::Unlocker,
    },
    ids::{IncidentId, MonitorId, OrganizationId, StatusPageId},
};

/// Counts what this process has published.
static REVISIONS: AtomicU64 = AtomicU64::new(0);

#[derive(Debug, Clone)]
pub struct StatusPagesView {
    pub(super) pages: HashMap<StatusPageId, Arc<StatusPage>>,
    pub(super) slugs: HashMap<String, StatusPageId>,
    pub(super) days: Arc<HashMap<MonitorId, Vec<Day>>>,
    /// Differs after every change.
    pub(super) revision: u64,
    pub(super) passwords: Unlocker,
    pub(super) env: StatusPagesEnv,
}

pub(super) fn next_revision() -> u64 {
    REVISIONS.fetch_add(1, Ordering::Relaxed)
}

impl StatusPagesView {
    /// The page with this id, of any organization.
    pub fn by_id(&self, id: &str) -> Option<&Arc<StatusPage>> {
        self.pages.get(id)
    }

    /// The page with this slug, of a live organization.
    pub fn by_slug(&self, slug: &str) -> Option<&Arc<StatusPage>> {
        let page = self.pages.get(self.slugs.get(slug)?)?;
        let organizations = self.env.organizations.view();
        organizations.is_live(&page.organization).then_some(page)
    }

    /// A slug for a new page of this name, which is free.
    pub fn free_slug(&self, name: &str) -> String {
        let slug = slug::from_name(name, rules::MAX_SLUG - 10, "status-page");
        let is_free = |slug: &String| !self.slugs.contains_key(slug) && !rules::is_reserved(slug);
        let numbered = (2_u64..).map(|number| format!("{slug}-{number}"));
        let mut all = std::iter::once(slug.clone()).chain(numbered);
        all.find(is_free).unwrap_or_default()
    }

    /// Pages of an organization, newest first.
    pub fn by_organization(&self, organization: &OrganizationId) -> Vec<Arc<StatusPage>> {
        let own = |one: &&Arc<StatusPage>| one.organization == *organization;
        let mut all: Vec<_> = self.pages.values().filter(own).cloned().collect();
        all.sort_by(|a, b| (b.created_ms, &b.id).cmp(&(a.created_ms, &a.id)));
        all
    }

    /// Every page of a live organization that anyone sees, by slug.
    pub fn public(&self) -> Vec<Arc<StatusPage>> {
        let organizations = self.env.organizations.view();
        let seen = |one: &&Arc<StatusPage>| {
            one.access().is_public() && organizations.is_live(&one.organization)
        };
        let mut all: Vec<_> = self.pages.values().filter(seen).cloned().collect();
        all.sort_by(|a, b| a.fields.slug.cmp(&b.fields.slug));
        all
    }

    /// The page with this monitor on it, by the monitor's id there.
    pub fn with_monitor(&self, id: &str) -> Option<&Arc<StatusPage>> {
        let mut pages = self.pages.values();
        pages.find(|page| page.monitors.iter().any(|one| one.id == id))
    }

    /// The page with this incident on it.
    pub fn with_incident(&self, id: &IncidentId) -> Option<&Arc<StatusPage>> {
        let mut pages = self.pages.values();
        pages.find(|page| page.incidents.iter().any(|one| one.id == *id))
    }

    /// A hash of everything that a snapshot of the page shows at this moment, except for its time.
    pub fn fingerprint(&self, page: &StatusPage) -> u64 {
        let now_ms = self.env.clock.now_ms();
        let monitors = self.env.monitors.view();
        let mut hasher = DefaultHasher::new();
        (self.revision, now_ms.div_euclid(DAY_MS)).hash(&mut hasher);
        for listed in &page.monitors {
            let Some(one) = find_monitor(&monitors, page, &listed.monitor) else {
                hasher.write_u8(0);
                continue;
            };
            let (spec, live) = (one.spec(), one.live());
            let checked_ms = live.last.as_ref().map(|last| last.at_ms);
            let freshness = freshness(checked_ms, spec.interval_ms(), now_ms);
            let last = live.last.as_ref();
            let last = last.map(|last| (last.status, last.http_code, last.at_ms));
            (spec.label(), &spec.url, freshness, last).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// The ids and public names of the monitors on a page.
    pub fn names(&self, page: &StatusPage) -> Vec<(String, String)> {
        self.env.names(page)
    }

    /// The snapshot of a page at this moment.
    pub fn snapshot(&self, page: &Arc<StatusPage>) -> Snapshot {
        let now_ms = self.env.clock.now_ms();
        let monitors = self.env.monitors.view();
        let all = page.monitors.iter().filter_map(|listed| {
            let one = find_monitor(&monitors, page, &listed.monitor)?;
            let days = self.days.get(&listed.monitor);
            let days = days.map(Vec::as_slice).unwrap_or_default();
            Some(snapshot_monitor(
                (listed, &page.incidents),
                one,
                days,
                now_ms,
            ))
        });
        let all: Vec<_> = all.collect();
        let statuses: Vec<_> = all
            .iter()
            .map(|one| (one.status, one.in_maintenance))
            .collect();
        Snapshot {
            page: Arc::clone(page),
            overall: overall(&page.incidents, &statuses),
            monitors: all,
            at_ms: now_ms,
            sends_mail: self.env.sends_mail,
        }
    }
}

impl StatusPagesEnv {
    /// [`PageFields::url`](super::PageFields::url) of a page.
    pub(super) fn page_url(&self, page: &StatusPage) -> String {
        let owned = (&page.id, &page.organization);
        page.fields.url(&self.hosts.view(), &self.base_url, owned)
    }

    /// The ids and public names of the monitors on a page.
    pub(super) fn names(&self, page: &StatusPage) -> Vec<(String, String)> {
        let monitors = self.monitors.view();
        let named = page.monitors.iter().filter_map(|listed| {
            let one = find_monitor(&monitors, page, &listed.monitor)?;
            Some((listed.id.clone(), public_name(listed, one.spec())))
        });
        named.collect()
    }

    /// The state of the owner's monitors on a page.
    pub(super) fn monitor_states(&self, page: &StatusPage, now_ms: i64) -> Vec<MonitorState> {
        let monitors = self.monitors.view();
        let states = page.monitors.iter().filter_map(|listed| {
            let one = find_monitor(&monitors, page, &listed.monitor)?;
            let (spec, live) = (one.spec(), one.live());
            Some(MonitorState {
                id: listed.id.clone(),
                name: public_name(listed, spec),
                settled: live.standing.settled,
                since_ms: live.standing.since_ms,
                checked_ms: live.last.as_ref().map_or(0, |last| last.at_ms),
                rests: spec.is_paused || spec.in_maintenance(now_ms),
            })
        });
        states.collect()
    }
}

/// The monitor, if it belongs to the page's owner.
fn find_monitor<'v>(
    monitors: &'v MonitorsView,
    page: &StatusPage,
    id: &MonitorId,
) -> Option<&'v Arc<crate::actors::monitors::MonitorEntry>> {
    let one = monitors.by_id(id.as_str())?;
    (one.spec().organization == page.organization).then_some(one)
}
