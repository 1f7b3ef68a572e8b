//! From settings to the small option structs of the parts. Only `platform` and `cli` import `config`.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use actix::Arbiter;
use actix_web::http::header::HeaderName;
use anyhow::Context;
use arc_swap::ArcSwap;
use futures_util::{FutureExt, future::BoxFuture};

use super::{CommandError, Stores, certificates, federation, gauges, outward};
use crate::{
    access::plans::Plans,
    actors::{
        Domains, DomainsEnv,
        audit::AuditLog,
        delivery::{Channels, Hooks, Mail, Senders},
        fresh::Fresh,
        imports::ImportOptions,
        ingest::{Ingest, Tick},
        kit::{Handle, RestartPolicy},
        organizations::{Devices, PeopleOptions},
    },
    config::Settings,
    egress::Egress,
    events::{
        enrich::{
            self, Enricher,
            visitor::{Salt, Salts},
        },
        usage::Usage,
    },
    http::{self, Addresses, Check, Shared, clicks::Clicks, edge::Proxies, metrics::Metrics},
    store::{limits::Limits, state::EpochPublisher},
};

/// What the domains need.
pub(super) fn env(
    stores: &Stores,
    settings: &Settings,
    plans: &Arc<ArcSwap<Plans>>,
) -> anyhow::Result<DomainsEnv> {
    let egress = outward::egress(settings)?;
    let channels = channels(settings)?;
    let hooks = Hooks::new(egress.clone(), channels.clone(), stores.clock.clone());
    let (kind, sender) = hooks.into_sender();
    let senders = senders(settings)?.with(kind, sender);
    Ok(DomainsEnv {
        db: stores.state.clone(),
        epochs: stores
            .epochs()
            .map(|epochs| Arc::new(epochs) as Arc<dyn EpochPublisher>),
        events: stores.events.clone(),
        secret: stores.secret.clone(),
        clock: stores.clock.clone(),
        last_run: stores.last_run.clone(),
        light: Arbiter::new().handle(),
        ingest_arbiter: Arbiter::new().handle(),
        importer: Arbiter::new().handle(),
        prober: Arbiter::new().handle(),
        egress,
        imports: ImportOptions {
            directory: Path::new(&settings.storage.data_dir).join("uploads"),
            is_serving: false,
            max_bytes: settings.ingest.import_bytes.0,
            geo_database: geo_database(settings),
        },
        monitors: settings.monitors,
        retention_days: settings.events.retention_days,
        hosts: settings.server.hosts_place(),
        links_host: settings.server.urls().links_host(),
        people: PeopleOptions {
            open: settings.signup.open,
            plan: settings.plans.default.clone(),
            plans: Arc::clone(plans),
        },
        connects_apps: settings.auth.apps,
        senders,
        channels,
        base_url: settings.server.urls().base,
        admission: Arc::clone(&stores.admission),
        policy: RestartPolicy::default(),
    })
}

/// The notification channels, with those of the operator's folder.
///
/// # Errors
/// The file that can't be read, with its line.
pub fn channels(settings: &Settings) -> Result<Channels, CommandError> {
    Channels::load(&settings.alarms).map_err(|error| {
        CommandError::new(
            error.to_string(),
            "`alarms.channels_directory` is a folder of channels, one TOML file each (docs/channels.md)",
        )
    })
}

/// Who delivers what leaves the program.
fn senders(settings: &Settings) -> anyhow::Result<Senders> {
    let mail = &settings.mail;
    if mail.smtp_url.is_empty() {
        return Ok(Senders::default());
    }
    let mail = Mail::new(mail.smtp_url.expose(), &mail.from).map_err(|error| {
        CommandError::new(
            error.to_string(),
            "`mail.smtp_url` is like \"smtp://user:password@host:port\", `mail.from` like \"pharos@example.com\"",
        )
    })?;
    let (kind, sender) = mail.into_sender();
    Ok(Senders::default().with(kind, sender))
}

#[expect(clippy::too_many_lines, reason = "a line for each part")]
pub(super) fn shared(
    settings: &Settings,
    stores: &Stores,
    (domains, egress): (&Domains, &Egress),
    (limits, plans): (&Arc<ArcSwap<Limits>>, &Arc<ArcSwap<Plans>>),
    (bound, connections): (Addresses, usize),
) -> anyhow::Result<Arc<Shared>> {
    let (secret, options) = (callers(stores)?, edge(settings)?);
    let urls = (settings.server).urls_when_bound(bound.api, bound.track, bound.links);
    let body_memory = usize::try_from(settings.server.body_memory.0).unwrap_or(usize::MAX);
    let metrics = metrics(stores, domains);
    let enricher = enricher(settings, domains)?;
    let clicks = Clicks::start(stores.events.clone(), enricher.clone(), secret);
    gauges::show_clicks(&metrics, &clicks);
    let certificates = certificates::certificates(settings, stores, domains, &metrics)?;
    let fresh = |epochs| Fresh::new(epochs, stores.state.clone(), domains);
    Ok(Arc::new(Shared {
        organizations: domains.organizations.clone(),
        records: domains.records(stores.state.clone(), stores.clock.clone()),
        keys: domains.keys.clone(),
        websites: domains.websites.clone(),
        hosts: domains.hosts.clone(),
        links: domains.links.clone(),
        flags: domains.flags.clone(),
        boards: domains.boards.clone(),
        definitions: domains.definitions.clone(),
        error_statuses: domains.error_statuses.clone(),
        feedback: domains.feedback.clone(),
        preferences: domains.preferences.clone(),
        scheduled_reports: domains.scheduled_reports.clone(),
        shares: domains.shares.clone(),
        share_hosts: http::ShareHosts::default(),
        certificates,
        oauth: domains.oauth.clone(),
        scim: domains.scim.clone(),
        ingest: domains.ingest.clone(),
        imports: domains.imports.clone(),
        monitors: domains.monitors.clone(),
        probe_inbox: domains.probe_inbox.clone(),
        probe_polls: http::ProbePolls::default(),
        stopping: tokio_util::sync::CancellationToken::new(),
        status_pages: domains.status_pages.clone(),
        page_cache: http::PageCache::default(),
        body_memory: http::BodyMemory::new(body_memory, options.body_limit()),
        streams: http::Streams::new(connections),
        documents: http::Documents::default(),
        alarms: domains.alarms.clone(),
        delivery: domains.delivery.clone(),
        profiles: domains.profiles.clone(),
        chats: domains.chats.clone(),
        agents: outward::agents(settings)?,
        audit: AuditLog::new(stores.state.clone()),
        clock: stores.clock.clone(),
        fresh: stores.epochs().map(fresh),
        admission: Arc::clone(&stores.admission),
        devices: Devices::new(&stores.secret),
        federation: federation::federation(settings, stores, egress)?,
        passkeys: http::Passkeys::new(&stores.secret, &urls.base),
        limits: Arc::clone(limits),
        plans: Arc::clone(plans),
        usage: Usage::from_store(stores.events.clone()),
        secret,
        urls,
        events: stores.events.clone(),
        enricher,
        clicks,
        metrics,
        checks: checks(stores, domains),
        options,
    }))
}

/// Metrics, with what the process, its stores and its domains count.
fn metrics(stores: &Stores, domains: &Domains) -> Arc<Metrics> {
    let metrics = Arc::new(Metrics::new());
    gauges::show_process(&metrics);
    gauges::show_events(&metrics, stores);
    gauges::show_traces(&metrics);
    gauges::show_domains(&metrics, domains);
    metrics
}

/// The secret under which callers without a name are counted: one of this process, or of all those that count together.
fn callers(stores: &Stores) -> anyhow::Result<[u8; 32]> {
    if stores.counts.is_some() {
        return Ok(stores
            .secret
            .key_for("pharos 2026-11 callers without a name"));
    }
    let mut secret = [0; 32];
    getrandom::fill(&mut secret)?;
    Ok(secret)
}

fn edge(settings: &Settings) -> anyhow::Result<http::Options> {
    let server = &settings.server;
    let header = |setting: &'static str, name: &str| match name {
        "" => Ok(None),
        name => HeaderName::try_from(name)
            .map(Some)
            .with_context(|| format!("{setting} is no header name")),
    };
    Ok(http::Options {
        proxies: Proxies {
            trusted: server.trusted_proxies.clone(),
            client_ip_header: header("server.client_ip_header", &server.client_ip_header)?,
        },
        geo_headers: http::GeoHeaders {
            country: header("geo.country_header", &settings.geo.country_header)?,
            region: header("geo.region_header", &settings.geo.region_header)?,
            city: header("geo.city_header", &settings.geo.city_header)?,
        },
        allowed_origins: server.allowed_origins.clone(),
        body_bytes: settings.limits.body_bytes as usize,
        import_bytes: settings.ingest.import_bytes.0,
        body_time: Duration::from_secs(server.body_seconds.into()),
        write_patience: Duration::from_secs(server.write_seconds.into()),
        honour_gpc: settings.ingest.honour_gpc,
        honour_dnt: settings.ingest.honour_dnt,
        tracker_path: tracker_path(&server.tracker_path)?,
    })
}

fn tracker_path(path: &str) -> anyhow::Result<String> {
    anyhow::ensure!(
        !http::is_tracked(path),
        "server.tracker_path is \"{path}\", where events are taken in: choose another path"
    );
    Ok(path.to_owned())
}

/// Enrichment with the ingest domain's salts.
fn enricher(settings: &Settings, domains: &Domains) -> anyhow::Result<Enricher> {
    let geo_database = geo_database(settings);
    let salts = Arc::new(StoredSalts(domains.ingest.clone()));
    Ok(Enricher::open(&enrich::Options { geo_database }, salts)?)
}

/// The ingest domain, as enrichment knows it.
struct StoredSalts(Handle<Ingest>);

impl Salts for StoredSalts {
    fn salt(&self, day: i64) -> Option<Salt> {
        self.0.view().get(day)
    }

    fn renew(&self) -> BoxFuture<'_, ()> {
        async {
            if let Err(error) = self.0.ask(Tick).await {
                tracing::warn!(%error, "there is no salt for today");
            }
        }
        .boxed()
    }
}

/// The file of the operator's database of places, if there is one.
pub(super) fn geo_database(settings: &Settings) -> Option<PathBuf> {
    let path = settings.geo.database.as_str();
    (!path.is_empty()).then(|| path.into())
}

/// What `/health/ready` asks: every store and every domain, by name.
fn checks(stores: &Stores, domains: &Domains) -> Vec<(&'static str, Check)> {
    let (state, events) = (&stores.state, &stores.events);
    let mut checks = vec![
        check("state database", state, |state| async move {
            state.ping().await.is_ok()
        }),
        check("event store", events, |events| async move {
            events.is_writable()
        }),
    ];
    if events.is_remote() {
        checks.push(check("clickhouse", events, |events| async move {
            events.answers().await
        }));
    }
    if let Some(counts) = &stores.counts {
        checks.push(check("redis", counts, |counts| async move {
            counts.ping().await.is_ok()
        }));
    }
    for resident in domains.roster() {
        checks.push(check(resident.name(), &resident, |resident| async move {
            resident.is_running()
        }));
    }
    checks
}

fn check<T, F>(name: &'static str, part: &T, ask: fn(T) -> F) -> (&'static str, Check)
where
    T: Clone + Send + Sync + 'static,
    F: Future<Output = bool> + Send + 'static,
{
    let part = part.clone();
    (name, Box::new(move || ask(part.clone()).boxed()))
}
