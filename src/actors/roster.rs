//! The domains in the order in which they start, each with what it needs.

use std::sync::Arc;

use actix::ArbiterHandle;

use super::{
    alarms::{Alarms, AlarmsEnv},
    boards::{BoardResources, BoardsStore},
    chats::Chats,
    definitions::DefinitionsStore,
    delivery::{Channels, Deliveries, DeliveryEnv, Outbox, Senders},
    error_statuses::ErrorStatusesStore,
    feedback::FeedbackStore,
    flags::{Flags, FlagsEnv},
    hosts::{Hosts, HostsEnv, HostsPlace},
    imports::{ImportOptions, Imports, ImportsEnv},
    ingest::{self, Ingest},
    keys::{Keys, MakerKeys},
    kit::{Child, Domain, Handle, Resident, RestartPolicy, supervise},
    links::{Links, LinksEnv},
    monitors::{MonitorOptions, Monitors, MonitorsEnv, ProbeInbox},
    oauth::OAuthStore,
    organizations::{Organizations, OrganizationsEnv, PeopleOptions, Records},
    preferences::PreferencesStore,
    profiles::{Profiles, ProfilesEnv},
    scheduled_reports::{ReportsStoreEnv, ScheduledReportsStore},
    scim::ScimTokens,
    shares::SharesStore,
    state_env::StateEnv,
    status_pages::{StatusPages, StatusPagesEnv},
    websites::{Websites, WebsitesEnv},
};
use crate::{
    clock::Clock,
    egress::Egress,
    events::{segments::RetentionPolicy, store::EventStore},
    store::{InstanceSecret, LastRun, StateDb, limits::Admission, state::EpochPublisher},
};

#[derive(Clone)]
pub struct DomainsEnv {
    pub db: StateDb,
    /// Announces writes of keys and people to other processes at once.
    pub epochs: Option<Arc<dyn EpochPublisher>>,
    pub clock: Clock,
    /// When the server last ran: by its clock alone nothing is deleted.
    pub last_run: LastRun,
    pub events: EventStore,
    pub secret: InstanceSecret,
    /// Where hosts of organizations are reached.
    pub hosts: HostsPlace,
    /// Host (and port) of short links.
    pub links_host: String,
    /// Where the light domains run.
    pub light: ArbiterHandle,
    /// Where `ingest` runs: other domains do not wait behind a seal.
    pub ingest_arbiter: ArbiterHandle,
    /// Where imports of events run: other domains do not wait while events are encoded.
    pub importer: ArbiterHandle,
    /// Where probes run: other domains do not wait for them.
    pub prober: ArbiterHandle,
    pub egress: Egress,
    pub imports: ImportOptions,
    /// What the operator has decided about monitors.
    pub monitors: MonitorOptions,
    /// Days after which events of websites that say nothing else are deleted; 0 = never.
    pub retention_days: u32,
    /// What the operator has decided about people and organizations.
    pub people: PeopleOptions,
    /// Whether people may connect apps.
    pub connects_apps: bool,
    /// `{base_url}`.
    pub base_url: String,
    /// Where services that people gather in are reached.
    pub channels: Channels,
    /// Who delivers what is in the outbox; without one for `mail` no emails are put in.
    pub senders: Senders,
    /// Counts attempts, for all processes.
    pub admission: Arc<dyn Admission>,
    pub policy: RestartPolicy,
}

impl DomainsEnv {
    fn state<D: Domain>(&self) -> StateEnv {
        StateEnv {
            db: self.db.for_domain(D::NAME),
            clock: self.clock.clone(),
        }
    }

    /// The database in the hands of a domain whose writes other processes learn of at once. Each call gives another handle:
    /// what one commits, the memory behind the other has not read.
    fn published<D: Domain>(&self) -> StateDb {
        self.db.for_domain(D::NAME).publishing(self.epochs.clone())
    }
}

/// Declares the domains in start order: name, type, where it runs, and what it needs, which may name those above it.
/// Behind them come stores that are no domains, because nothing of them is kept in memory.
macro_rules! domains {
    ($env:ident, $outbox:ident, $inbox:ident; $($(#[$doc:meta])* $name:ident: $domain:ty, $arbiter:ident, $needs:expr;)*
    => $($store:ident: $kind:ty = $made:expr;)*) => {
        /// Handles of all domains; cheap to clone.
        #[derive(Debug, Clone)]
        pub struct Domains { $($(#[$doc])* pub $name: Handle<$domain>,)* $(pub $store: $kind,)* }

        impl Domains {
            /// Boots and starts the domains in roster order. The children are in the same order, as
            /// [`kit::drain_all`](super::kit::drain_all) wants them.
            pub async fn start($env: &DomainsEnv) -> anyhow::Result<(Self, Vec<Child>)> {
                let $outbox = Outbox::new(&$env.secret);
                let $inbox = ProbeInbox::new(&$env.db, $env.clock.clone());
                let mut children = Vec::new();
                $(
                    let ($name, child) = supervise($needs, &$env.$arbiter, $env.policy).await?;
                    children.push(child);
                )*
                $(let $store = $made;)*
                Ok((Self { $($name,)* $($store,)* }, children))
            }

            /// Every domain, in start order: for readiness, and for tests that go through all of them.
            pub fn roster(&self) -> Vec<Arc<dyn Resident>> {
                vec![$(Arc::new(self.$name.clone())),*]
            }
        }
    };
}

domains! { env, outbox, inbox;
    keys: Keys, light, StateEnv {
        db: env.published::<Keys>(),
        clock: env.clock.clone(),
    };
    organizations: Organizations, light, OrganizationsEnv {
        db: env.published::<Organizations>(),
        clock: env.clock.clone(),
        options: env.people.clone(),
        mail: env.senders.delivers_mail().then(|| outbox.clone()),
        secret: env.secret.clone(),
        keys: MakerKeys::new(env.published::<Keys>(), keys.clone()),
        admission: Arc::clone(&env.admission),
        egress: env.egress.clone(),
    };
    websites: Websites, light, WebsitesEnv {
        db: env.db.for_domain(Websites::NAME),
        clock: env.clock.clone(),
        organizations: organizations.clone(),
        events: env.events.clone(),
    };
    hosts: Hosts, light, HostsEnv {
        db: env.db.for_domain(Hosts::NAME),
        clock: env.clock.clone(),
        organizations: organizations.clone(),
        egress: env.egress.clone(),
        place: env.hosts.clone(),
    };
    links: Links, light, LinksEnv {
        db: env.db.for_domain(Links::NAME),
        clock: env.clock.clone(),
        organizations: organizations.clone(),
        hosts: hosts.clone(),
        own_host: env.links_host.clone(),
        secret: env.secret.clone(),
    };
    flags: Flags, light, FlagsEnv { db: env.db.for_domain(Flags::NAME), clock: env.clock.clone() };
    monitors: Monitors, prober, MonitorsEnv {
        db: env.db.for_domain(Monitors::NAME),
        clock: env.clock.clone(),
        events: env.events.clone(),
        egress: env.egress.clone(),
        organizations: organizations.clone(),
        websites: websites.clone(),
        links: links.clone(),
        outbox: env.senders.delivers_mail().then(|| outbox.clone()),
        secret: env.secret.clone(),
        inbox: inbox.clone(),
        options: env.monitors,
    };
    status_pages: StatusPages, light, StatusPagesEnv {
        db: env.db.for_domain(StatusPages::NAME),
        clock: env.clock.clone(),
        organizations: organizations.clone(),
        monitors: monitors.clone(),
        outbox: outbox.clone(),
        sends_mail: env.senders.delivers_mail(),
        egress: env.egress.clone(),
        secret: env.secret.clone(),
        base_url: env.base_url.clone(),
        hosts: hosts.clone(),
    };
    alarms: Alarms, light, AlarmsEnv {
        db: env.db.for_domain(Alarms::NAME),
        clock: env.clock.clone(),
        events: env.events.clone(),
        egress: env.egress.clone(),
        organizations: organizations.clone(),
        websites: websites.clone(),
        monitors: monitors.clone(),
        outbox: outbox.clone(),
        senders: env.senders.clone(),
        channels: env.channels.clone(),
        secret: env.secret.clone(),
        base_url: env.base_url.clone(),
    };
    /// The storekeeper of events.
    ingest: Ingest, ingest_arbiter, ingest::Env {
        store: env.events.clone(),
        state: env.db.for_domain(Ingest::NAME),
        clock: env.clock.clone(),
        last_run: env.last_run.clone(),
        retention: retention(env, websites.clone(), monitors.clone()),
    };
    profiles: Profiles, light, ProfilesEnv {
        db: env.db.for_domain(Profiles::NAME),
        events: env.events.clone(),
        clock: env.clock.clone(),
        secret: env.secret.clone(),
    };
    imports: Imports, importer, ImportsEnv {
        db: env.db.for_domain(Imports::NAME),
        clock: env.clock.clone(),
        events: env.events.clone(),
        websites: websites.clone(),
        profiles: profiles.clone(),
        options: env.imports.clone(),
    };
    chats: Chats, light, env.state::<Chats>();
    /// What leaves the program.
    delivery: Deliveries, light, DeliveryEnv {
        db: env.db.for_domain(Deliveries::NAME),
        clock: env.clock.clone(),
        outbox: outbox.clone(),
        senders: env.senders.clone(),
    };
    =>
    boards: BoardsStore = BoardsStore::new(&env.db, env.clock.clone(), BoardResources {
        organizations: organizations.clone(),
        websites: websites.clone(),
        links: links.clone(),
        monitors: monitors.clone(),
        flags: flags.clone(),
        events: env.events.clone(),
    });
    definitions: DefinitionsStore = DefinitionsStore::new(&env.db, env.clock.clone());
    error_statuses: ErrorStatusesStore = ErrorStatusesStore::new(&env.db, env.clock.clone());
    feedback: FeedbackStore = FeedbackStore::new(&env.db, env.clock.clone());
    probe_inbox: ProbeInbox = inbox;
    oauth: OAuthStore = OAuthStore::new(&env.db, env.clock.clone(), organizations.clone(), (&env.secret, env.egress.clone()), env.connects_apps);
    preferences: PreferencesStore = PreferencesStore::new(&env.db, env.clock.clone());
    scheduled_reports: ScheduledReportsStore = ScheduledReportsStore::new(ReportsStoreEnv {
        db: env.db.clone(),
        clock: env.clock.clone(),
        outbox: outbox.clone(),
        egress: env.egress.clone(),
        channels: env.channels.clone(),
        sends_mail: env.senders.delivers_mail(),
        base_url: env.base_url.clone(),
    }, &env.secret);
    scim: ScimTokens = ScimTokens::new(&env.db, env.clock.clone(), organizations.clone());
    shares: SharesStore = SharesStore::new(&env.db, env.clock.clone(), &env.secret);
}

impl Domains {
    /// What is read of people and organizations from storage.
    pub fn records(&self, db: StateDb, clock: Clock) -> Records {
        Records::new(db, clock, self.organizations.clone())
    }
}

/// For how long events are kept, as websites have it now, and checks as the operator has it.
fn retention(
    env: &DomainsEnv,
    websites: Handle<Websites>,
    monitors: Handle<Monitors>,
) -> Arc<dyn Fn() -> RetentionPolicy + Send + Sync> {
    let (days, checks) = (env.retention_days, env.monitors.retention_days);
    Arc::new(move || {
        let mut named = websites.view().retention();
        let watched = monitors.view().keys();
        named.extend(watched.into_iter().map(|key| (key, checks)));
        RetentionPolicy {
            days,
            websites: named,
        }
    })
}
