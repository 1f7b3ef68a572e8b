//! The domains: one folder each, one actor each, one writer per table.
//!
//! A domain's folder reads in this order: `messages.rs` (all that can be asked), `view.rs` (what anyone may read),
//! `rules.rs` (pure decisions), `actor.rs` (admit → commit → adopt), `repo.rs` (its tables), `error.rs`. Other code
//! uses what the folder's `mod.rs` exports and nothing else.
//!
//! The roster, in start order; a domain asks earlier ones only, and drain runs backwards:
//!
//! | domain | owns |
//! |---|---|
//! | `keys` | API keys |
//! | `organizations` | organizations, people, memberships, sessions |
//! | `websites` | websites |
//! | `links` | short links and their folders |
//! | `flags` | feature flags, target groups, their history and plans |
//! | `studies` | goals, funnels, annotations and segments |
//! | `monitors` | monitors, what changed about them, and their days |
//! | `status_pages` | status pages, with their monitors and incidents, and who is told of them |
//! | `alarms` | alarms, whom they tell, and how they stand |
//! | `ingest` | the manifest of event segments, salts |
//! | `profiles` | people whom websites have named, and which visitors they are |
//! | `chats` | conversations of people with an agent |
//! | `delivery` | what leaves the program: the outbox, which others fill |
//!
//! Beside them, [`feedback`] and [`preferences`], which keep nothing in memory; [`audit`]: a table that one function fills inside the transaction of whoever acts; [`erasure`] and [`reports`],
//! which look at all of them from time to time; [`imports`] and [`provisioned`], where commands remember what they did.
//!
//! To add a domain: a folder here, a field of [`Domains`], a line in [`Domains::start`] and one in
//! [`Domains::roster`].

pub mod alarms;
pub mod audit;
pub mod change;
pub mod chats;
pub mod delivery;
mod digest;
pub mod erasure;
pub mod error;
pub mod feedback;
pub mod flags;
pub mod fresh;
mod hex;
pub mod imports;
pub mod ingest;
mod issues;
pub mod keys;
pub mod kit;
pub mod links;
pub mod monitors;
pub mod organizations;
mod password;
mod patch;
pub mod preferences;
pub mod profiles;
pub mod provisioned;
mod random;
pub mod reports;
mod seal;
pub mod setup;
mod state_env;
pub mod status_pages;
pub mod studies;
#[cfg(test)]
mod tests;
mod validation;
pub mod websites;

use std::sync::Arc;

use actix::ArbiterHandle;

use self::{
    alarms::{Alarms, AlarmsEnv},
    chats::Chats,
    delivery::{Bases, Deliveries, DeliveryEnv, Outbox, Senders},
    feedback::FeedbackStore,
    flags::{Flags, FlagsEnv},
    ingest::Ingest,
    keys::{Keys, MakerKeys},
    kit::{Child, Domain, Handle, Resident, RestartPolicy, supervise},
    links::{Links, LinksEnv},
    monitors::{MonitorOptions, Monitors, MonitorsEnv},
    organizations::{Organizations, OrganizationsEnv, PeopleOptions, Records},
    preferences::PreferencesStore,
    profiles::{Profiles, ProfilesEnv},
    state_env::StateEnv,
    status_pages::{StatusPages, StatusPagesEnv},
    studies::Library,
    websites::{Websites, WebsitesEnv},
};
use crate::{
    clock::Clock,
    egress::Egress,
    events::{segments::Retention, store::EventStore},
    store::{InstanceSecret, LastRun, StateDb, limits::Admission, state::EpochPublisher},
};

/// What the domains need to come alive.
#[derive(Clone)]
pub struct DomainsEnv {
    pub db: StateDb,
    /// Who tells other processes at once that keys or people were written.
    pub epochs: Option<Arc<dyn EpochPublisher>>,
    pub clock: Clock,
    /// When the server last ran: by its clock alone nothing is deleted.
    pub last_run: LastRun,
    pub events: EventStore,
    pub secret: InstanceSecret,
    /// Host (and port) of short links.
    pub links_host: String,
    /// Where the light domains run.
    pub light: ArbiterHandle,
    /// Where the storekeeper runs, so that nobody waits behind a seal.
    pub ingest_arbiter: ArbiterHandle,
    /// Where probes run, so that they keep nobody waiting.
    pub prober: ArbiterHandle,
    pub egress: Egress,
    /// What the operator has decided about monitors.
    pub monitors: MonitorOptions,
    /// Days after which events of websites that say nothing else are deleted; 0 = never.
    pub retention_days: u32,
    /// What the operator has decided about people and organizations.
    pub people: PeopleOptions,
    /// `{base_url}`.
    pub base_url: String,
    /// Where services that people gather in are reached.
    pub bases: Bases,
    /// Who delivers what is in the outbox; without one for `mail` no emails are put in.
    pub senders: Senders,
    /// Counts attempts, for all processes.
    pub admission: Arc<dyn Admission>,
    /// How often a domain may die.
    pub policy: RestartPolicy,
}

/// The domains that run by now.
struct Starting {
    policy: RestartPolicy,
    children: Vec<Child>,
}

impl Starting {
    async fn start<D: Domain>(
        &mut self,
        needs: D::Env,
        on: &ArbiterHandle,
    ) -> anyhow::Result<Handle<D>> {
        let (handle, child) = supervise(needs, on, self.policy).await?;
        self.children.push(child);
        Ok(handle)
    }
}

impl DomainsEnv {
    fn state<D: Domain>(&self) -> StateEnv {
        StateEnv {
            db: self.db.of(D::NAME),
            clock: self.clock.clone(),
        }
    }
}

/// Handles of all domains; cheap to clone.
#[derive(Debug, Clone)]
pub struct Domains {
    pub organizations: Handle<Organizations>,
    pub keys: Handle<Keys>,
    pub websites: Handle<Websites>,
    pub links: Handle<Links>,
    pub flags: Handle<Flags>,
    /// Goals, funnels, annotations and segments.
    pub studies: Handle<Library>,
    pub feedback: FeedbackStore,
    pub preferences: PreferencesStore,
    pub monitors: Handle<Monitors>,
    pub status_pages: Handle<StatusPages>,
    pub alarms: Handle<Alarms>,
    /// The storekeeper of events.
    pub ingest: Handle<Ingest>,
    /// People whom websites have named.
    pub profiles: Handle<Profiles>,
    /// Conversations with an agent.
    pub chats: Handle<Chats>,
    /// What leaves the program.
    pub delivery: Handle<Deliveries>,
}

impl Domains {
    /// Boots and starts the domains in roster order. The children are in the same order, as
    /// [`kit::drain_all`] wants them.
    pub async fn start(env: &DomainsEnv) -> anyhow::Result<(Self, Vec<Child>)> {
        let clock = &env.clock;
        let mut starting = Starting {
            policy: env.policy,
            children: Vec::new(),
        };
        let outbox = Outbox::new(&env.secret);
        let keys_db = env.db.of(Keys::NAME).publishing(env.epochs.clone());
        let needs = StateEnv {
            db: keys_db.clone(),
            clock: clock.clone(),
        };
        let keys = starting.start(needs, &env.light).await?;
        let needs = organizations(env, &outbox, MakerKeys::new(keys_db, keys.clone()));
        let organizations = starting.start(needs, &env.light).await?;
        let needs = WebsitesEnv {
            db: env.db.of(Websites::NAME),
            clock: clock.clone(),
            organizations: Handle::clone(&organizations),
            events: env.events.clone(),
        };
        let websites = starting.start(needs, &env.light).await?;
        let needs = links(env, &organizations);
        let links = starting.start(needs, &env.light).await?;
        let flags = starting.start(flags(env), &env.light).await?;
        let studies = starting.start(env.state::<Library>(), &env.light).await?;
        let needs = monitors(env, (&organizations, &websites, &links), &outbox);
        let monitors = starting.start(needs, &env.prober).await?;
        let needs = status_pages(env, (&organizations, &monitors), &outbox);
        let status_pages = starting.start(needs, &env.light).await?;
        let needs = alarms(env, (&organizations, &websites, &monitors), &outbox);
        let alarms = starting.start(needs, &env.light).await?;
        let needs = ingest::Env {
            store: env.events.clone(),
            state: env.db.of(Ingest::NAME),
            clock: clock.clone(),
            last_run: env.last_run.clone(),
            retention: retention(env, websites.clone(), monitors.clone()),
        };
        let ingest = starting.start(needs, &env.ingest_arbiter).await?;
        let profiles = starting.start(profiles(env), &env.light).await?;
        let chats = starting.start(env.state::<Chats>(), &env.light).await?;
        let needs = delivery(env, outbox);
        let delivery = starting.start(needs, &env.light).await?;
        let domains = Self {
            organizations,
            keys,
            websites,
            links,
            flags,
            studies,
            feedback: FeedbackStore::new(&env.db, clock.clone()),
            preferences: PreferencesStore::new(&env.db, clock.clone()),
            monitors,
            status_pages,
            alarms,
            ingest,
            profiles,
            chats,
            delivery,
        };
        Ok((domains, starting.children))
    }

    /// What is read of people and organizations from storage.
    pub fn records(&self, db: StateDb, clock: Clock) -> Records {
        Records::new(db, clock, self.organizations.clone())
    }

    /// Every domain, in start order: for readiness, and for tests that go through all of them.
    pub fn roster(&self) -> Vec<Arc<dyn Resident>> {
        vec![
            Arc::new(self.keys.clone()),
            Arc::new(self.organizations.clone()),
            Arc::new(self.websites.clone()),
            Arc::new(self.links.clone()),
            Arc::new(self.flags.clone()),
            Arc::new(self.studies.clone()),
            Arc::new(self.monitors.clone()),
            Arc::new(self.status_pages.clone()),
            Arc::new(self.alarms.clone()),
            Arc::new(self.ingest.clone()),
            Arc::new(self.profiles.clone()),
            Arc::new(self.chats.clone()),
            Arc::new(self.delivery.clone()),
        ]
    }
}

fn organizations(env: &DomainsEnv, outbox: &Outbox, keys: MakerKeys) -> OrganizationsEnv {
    OrganizationsEnv {
        db: env
            .db
            .of(Organizations::NAME)
            .publishing(env.epochs.clone()),
        clock: env.clock.clone(),
        options: env.people.clone(),
        mail: env.senders.delivers_mail().then(|| outbox.clone()),
        secret: env.secret.clone(),
        keys,
        admission: Arc::clone(&env.admission),
    }
}

fn flags(env: &DomainsEnv) -> FlagsEnv {
    FlagsEnv {
        db: env.db.of(Flags::NAME),
        clock: env.clock.clone(),
    }
}

fn links(env: &DomainsEnv, organizations: &Handle<Organizations>) -> LinksEnv {
    LinksEnv {
        db: env.db.of(Links::NAME),
        clock: env.clock.clone(),
        organizations: organizations.clone(),
        own_host: env.links_host.clone(),
        secret: env.secret.clone(),
    }
}

fn monitors(
    env: &DomainsEnv,
    (organizations, websites, links): (&Handle<Organizations>, &Handle<Websites>, &Handle<Links>),
    outbox: &Outbox,
) -> MonitorsEnv {
    MonitorsEnv {
        db: env.db.of(Monitors::NAME),
        clock: env.clock.clone(),
        events: env.events.clone(),
        egress: env.egress.clone(),
        organizations: organizations.clone(),
        websites: websites.clone(),
        links: links.clone(),
        outbox: env.senders.delivers_mail().then(|| outbox.clone()),
        secret: env.secret.clone(),
        options: env.monitors,
    }
}

fn alarms(
    env: &DomainsEnv,
    (organizations, websites, monitors): (
        &Handle<Organizations>,
        &Handle<Websites>,
        &Handle<Monitors>,
    ),
    outbox: &Outbox,
) -> AlarmsEnv {
    AlarmsEnv {
        db: env.db.of(Alarms::NAME),
        clock: env.clock.clone(),
        events: env.events.clone(),
        egress: env.egress.clone(),
        organizations: organizations.clone(),
        websites: websites.clone(),
        monitors: monitors.clone(),
        outbox: outbox.clone(),
        senders: env.senders.clone(),
        bases: env.bases.clone(),
        secret: env.secret.clone(),
        base_url: env.base_url.clone(),
    }
}

fn profiles(env: &DomainsEnv) -> ProfilesEnv {
    ProfilesEnv {
        db: env.db.of(Profiles::NAME),
        events: env.events.clone(),
        clock: env.clock.clone(),
        secret: env.secret.clone(),
    }
}

fn status_pages(
    env: &DomainsEnv,
    (organizations, monitors): (&Handle<Organizations>, &Handle<Monitors>),
    outbox: &Outbox,
) -> StatusPagesEnv {
    StatusPagesEnv {
        db: env.db.of(StatusPages::NAME),
        clock: env.clock.clone(),
        organizations: organizations.clone(),
        monitors: monitors.clone(),
        outbox: outbox.clone(),
        sends_mail: env.senders.delivers_mail(),
        egress: env.egress.clone(),
        secret: env.secret.clone(),
        base_url: env.base_url.clone(),
    }
}

fn delivery(env: &DomainsEnv, outbox: Outbox) -> DeliveryEnv {
    DeliveryEnv {
        db: env.db.of(Deliveries::NAME),
        clock: env.clock.clone(),
        outbox,
        senders: env.senders.clone(),
    }
}

/// For how long events are kept, as websites have it now, and checks as the operator has it.
fn retention(
    env: &DomainsEnv,
    websites: Handle<Websites>,
    monitors: Handle<Monitors>,
) -> Arc<dyn Fn() -> Retention + Send + Sync> {
    let (days, checks) = (env.retention_days, env.monitors.retention_days);
    Arc::new(move || {
        let mut named = websites.view().retention();
        let watched = monitors.view().keys();
        named.extend(watched.into_iter().map(|key| (key, checks)));
        Retention {
            days,
            websites: named,
        }
    })
}
