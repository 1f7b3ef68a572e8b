//! The actor of status pages.

use std::{collections::HashMap, sync::Arc, time::Duration};

use actix::{AsyncContext, Context, Handler};

use super::{
    Change, ChangePage, CreatePage, DeletePage, StatusPage, StatusPageError, StatusPagesView,
    change::apply,
    env::StatusPagesEnv,
    passwords, repo, rules,
    snapshot::{DAY_MS, DAYS},
    view::next_revision,
    writes::{delete, put},
};
use crate::{
    actors::{
        kit::{Decision, Domain, Live, Reply, commit, handlers, read_beside, refuse},
        monitors::Day,
        unlocking::Unlocker,
    },
    ids::{MonitorId, StatusPageId},
    store::StateDb,
};

const AUTOMATION: Duration = Duration::from_secs(1);
/// How often days of monitors are read and subscribers are tidied.
const READ: Duration = Duration::from_secs(5);
/// How far back receivers that answered 410 are looked for at start, milliseconds.
const LOOK_BACK_MS: i64 = 7 * 86_400_000;
/// How often days are read after a check, because results are stored a little later than published.
const MAX_READS: u8 = 3;

#[derive(Debug)]
pub struct StatusPages {
    pub(super) env: StatusPagesEnv,
    pub(super) view: Arc<StatusPagesView>,
    read: HashMap<MonitorId, DaysRead>,
    is_reading: bool,
    /// Up to when receivers that answered 410 were handled, Unix milliseconds.
    pub(super) gone_ms: i64,
    /// When unconfirmed subscribers were deleted, Unix milliseconds.
    pub(super) tidied_ms: i64,
}

impl Domain for StatusPages {
    const NAME: &'static str = "status_pages";
    type Env = StatusPagesEnv;
    type View = StatusPagesView;

    async fn boot(env: StatusPagesEnv) -> anyhow::Result<Self> {
        let mut view = StatusPagesView {
            pages: HashMap::new(),
            slugs: HashMap::new(),
            days: Arc::default(),
            revision: next_revision(),
            passwords: Unlocker::new(&env.secret, passwords::PURPOSE),
            env: env.clone(),
        };
        for page in repo::load_all(env.db.settled().await?).await? {
            view.slugs.insert(page.fields.slug.clone(), page.id.clone());
            view.pages.insert(page.id.clone(), Arc::new(page));
        }
        Ok(Self {
            gone_ms: env.clock.now_ms() - LOOK_BACK_MS,
            tidied_ms: 0,
            env,
            view: Arc::new(view),
            read: HashMap::new(),
            is_reading: false,
        })
    }

    fn view(&self) -> Arc<StatusPagesView> {
        Arc::clone(&self.view)
    }

    fn epoch_source(env: &StatusPagesEnv) -> Option<&StateDb> {
        Some(&env.db)
    }

    fn reread(&mut self, mut fresh: Self) {
        let view = Arc::make_mut(&mut fresh.view);
        view.days = Arc::clone(&self.view.days);
        self.view = fresh.view;
    }

    fn started(live: &mut Live<Self>, context: &mut Context<Live<Self>>) {
        live.read(context);
        context.run_interval(READ, Live::read);
        context.run_interval(READ, Live::tidy);
        context.run_interval(AUTOMATION, Live::run_automation);
    }
}

impl StatusPages {
    pub(super) fn find(&self, id: &StatusPageId) -> Result<Arc<StatusPage>, StatusPageError> {
        let found = self.view.by_id(id.as_str()).cloned();
        found.ok_or_else(|| StatusPageError::NotFound(id.clone()))
    }

    fn admit_new(&self, message: CreatePage) -> Result<StatusPage, StatusPageError> {
        let organizations = self.env.organizations.view();
        organizations.require_tenant(&message.organization)?;
        let now_ms = self.env.clock.now_ms();
        Ok(StatusPage {
            id: StatusPageId::new(),
            organization: message.organization,
            fields: rules::check_page(message.fields)?,
            monitors: Vec::new(),
            incidents: Vec::new(),
            logo: None,
            password_hash: message.password_hash,
            created_ms: now_ms,
            updated_ms: now_ms,
        })
    }

    fn admit_change(&self, message: ChangePage) -> Result<StatusPage, StatusPageError> {
        let before = self.find(&message.id)?;
        if let Change::AddMonitor(id) = &message.change {
            let monitors = self.env.monitors.view();
            let own = monitors
                .by_id(id.as_str())
                .is_some_and(|one| one.spec().organization == before.organization);
            if !own {
                return Err(StatusPageError::NoSchedule(id.clone()));
            }
        }
        apply(&before, message.change, self.env.clock.now_ms())
    }

    pub(super) fn adopt(&mut self, page: StatusPage) -> Arc<StatusPage> {
        let page = Arc::new(page);
        let view = Arc::make_mut(&mut self.view);
        if let Some(before) = view.pages.insert(page.id.clone(), Arc::clone(&page)) {
            view.slugs.remove(&before.fields.slug);
        }
        view.slugs.insert(page.fields.slug.clone(), page.id.clone());
        view.revision = next_revision();
        page
    }

    fn forget(&mut self, id: &StatusPageId) {
        let view = Arc::make_mut(&mut self.view);
        if let Some(gone) = view.pages.remove(id) {
            view.slugs.remove(&gone.fields.slug);
            view.revision = next_revision();
        }
    }
}

impl Live<StatusPages> {
    /// Reads the days of monitors on pages after new checks. Days that cannot be read stay.
    fn read(&mut self, context: &mut Context<Self>) {
        if self.is_reading {
            return;
        }
        let today = self.env.clock.now_ms().div_euclid(DAY_MS) as i32;
        let due = self.stale(today);
        if due.is_empty() {
            return;
        }
        self.is_reading = true;
        let monitors = self.env.monitors.view();
        let read = async move {
            let mut days = Vec::with_capacity(due.len());
            for id in due {
                match monitors.days(&id, today + 1 - DAYS).await {
                    Ok(own) => days.push((id, own)),
                    Err(error) => {
                        tracing::warn!(%error, "status pages show the days that they know");
                        break;
                    }
                }
            }
            days
        };
        read_beside(context, read, |live: &mut Self, days, _| {
            live.is_reading = false;
            live.take(days);
        });
    }

    fn take(&mut self, days: Vec<(MonitorId, Vec<Day>)>) {
        let known = &self.view.days;
        let is_new = |(id, own): &(MonitorId, Vec<Day>)| known.get(id) != Some(own);
        if !days.iter().any(is_new) {
            return;
        }
        let view = Arc::make_mut(&mut self.view);
        Arc::make_mut(&mut view.days).extend(days);
        view.revision = next_revision();
        self.publish();
    }
}

impl StatusPages {
    /// Monitors on pages whose days are due, which are marked as read.
    fn stale(&mut self, today: i32) -> Vec<MonitorId> {
        let monitors = self.env.monitors.view();
        let pages = self.view.pages.values();
        let mut due = Vec::new();
        let mut seen = HashMap::new();
        for listed in pages.flat_map(|page| &page.monitors) {
            let id = &listed.monitor;
            let Some(one) = monitors.by_id(id.as_str()) else {
                continue;
            };
            let checked_ms = one.live().last.as_ref().map(|last| last.at_ms);
            let before = self.read.get(id).copied();
            let fresh = DaysRead {
                checked_ms,
                today,
                times: 0,
            };
            let mut now = before
                .filter(|before| before.is_same_check(&fresh))
                .unwrap_or(fresh);
            if now.times < MAX_READS && !seen.contains_key(id) {
                now.times += 1;
                due.push(id.clone());
            }
            seen.entry(id.clone()).or_insert(now);
        }
        self.read = seen;
        due
    }
}

/// The check after which days were read, and how often since.
#[derive(Debug, Clone, Copy)]
struct DaysRead {
    checked_ms: Option<i64>,
    today: i32,
    times: u8,
}

impl DaysRead {
    fn is_same_check(&self, other: &Self) -> bool {
        (self.checked_ms, self.today) == (other.checked_ms, other.today)
    }
}

pub(super) type Answer<T> = Decision<StatusPages, T, StatusPageError>;

handlers! { StatusPages:
    decide CreatePage => StatusPages::create;
    decide DeletePage => StatusPages::delete;
}

impl StatusPages {
    fn create(&mut self, message: CreatePage) -> Answer<Arc<StatusPage>> {
        let page = self.admit_new(message)?;
        Ok(commit(put(self.env.clone(), None, page), Self::adopt))
    }

    fn delete(&mut self, message: DeletePage) -> Answer<()> {
        let page = self.find(&message.id)?;
        let deleted = delete(self.env.db.clone(), page.id.clone());
        Ok(commit(deleted, |domain: &mut Self, id| domain.forget(&id)))
    }
}

impl Handler<ChangePage> for Live<StatusPages> {
    type Result = Reply<StatusPages, Arc<StatusPage>, StatusPageError>;

    fn handle(&mut self, message: ChangePage, context: &mut Context<Self>) -> Self::Result {
        let before = self.view.by_id(message.id.as_str()).cloned();
        match self.admit_change(message) {
            Ok(page) => {
                context.run_later(Duration::from_millis(1), Live::read);
                commit(put(self.env.clone(), before, page), StatusPages::adopt)
            }
            Err(error) => refuse(error),
        }
    }
}
