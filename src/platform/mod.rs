//! Composition root: opens the stores, starts the domains, serves, drains, stops. The only module that knows all.
//!
//! The order is the design: HTTP stops before the domains, domains before the stores, one deadline for all of it.

mod api_client;
mod audit;
mod backup;
mod certificates;
mod clickhouse;
mod commands;
mod data;
mod descriptors;
mod doctor;
mod drills;
mod error;
mod federation;
mod gauges;
mod import;
mod import_definitions;
mod import_events;
mod listeners;
mod manifest;
mod migrate_store;
mod migration_journal;
mod monitor_suggestions;
mod offline;
mod operator;
mod outward;
mod probe;
mod progress;
mod provision;
mod reload;
mod signals;
mod stores;
mod traces;
mod wiring;

use std::{path::PathBuf, sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

pub use crate::{
    actors::{monitors::Suggestions as MonitorSuggestions, setup::Install},
    events::import::Format as ImportFormat,
    importers::Format as DefinitionFormat,
};
pub use audit::{AuditReport, audit_verify};
pub use backup::{BackupFile, BackupReport, Pruned, Record, Restored, backup, restore};
pub use commands::{Demo, SetupResult, demo, openapi, serve, setup};
pub use data::{DataFile, data};
pub use doctor::{Finding, Health, doctor, healthcheck};
pub use error::CommandError;
pub use import::{ImportOptions, Imported, import};
pub use import_definitions::{
    DefinitionImport, ImportedDefinitions, ImportedItem, OmittedPart, import_definitions,
};
pub use import_events::import_events;
pub use manifest::{RestoredManifest, restore_manifest};
pub use migrate_store::migrate_store;
pub use migration_journal::{MigrationReport, RowSum};
pub use monitor_suggestions::suggest_monitors;
pub use operator::{break_glass, confirm_clock, reset_password, set_plan};
pub use probe::{ProbeOptions, probe};
pub use provision::{Action, PlannedStep, Problem, ProvisionOptions, Report, provision};
pub use stores::Stores;
pub use wiring::channels;

use crate::{
    access::plans::Plans,
    actors::{
        Domains, domain_checks, erasure,
        kit::{Child, any_ended, drain_all, follow},
        reports::{self, ReportsEnv},
    },
    clock::Clock,
    config::{Settings, Urls, sections::OnFsyncError},
    egress::{Egress, Policy},
    events::enrich::Enricher,
    http::{Addresses, Serving, Shared, agent_model::Agents, clicks::Clicks},
    store::limits::Limits,
    telemetry,
};

/// How long a stop may take, from the signal to the end of the process.
const GRACE: Duration = Duration::from_secs(8);

pub struct Platform {
    settings: Settings,
    stores: Stores,
    domains: Domains,
    children: Vec<Child>,
    serving: Serving,
    addresses: Addresses,
    limits: Arc<ArcSwap<Limits>>,
    plans: Arc<ArcSwap<Plans>>,
    enricher: Enricher,
    egress: Egress,
    clicks: Clicks,
    agents: Agents,
    reports: ReportsEnv,
    shared: Arc<Shared>,
    traces: Option<traces::Exporter>,
    following: AbortOnDropHandle<()>,
}

impl Platform {
    /// Opens, starts and binds everything; requests are answered when this returns.
    ///
    /// # Errors
    /// Whatever keeps the program from starting; a [`CommandError`] where the operator can help it.
    pub async fn start(settings: Settings, clock: Clock) -> anyhow::Result<Self> {
        Self::start_after(settings, clock, async |_, _| Ok(())).await
    }

    /// [`Platform::start`], with something done before any request is answered.
    ///
    /// # Errors
    /// As there, and what `first` says.
    pub async fn start_after(
        settings: Settings,
        clock: Clock,
        first: impl AsyncFnOnce(&Domains, &Urls) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        let descriptors = descriptors::raise();
        let stores = Stores::open(&settings, clock).await?;
        let plans = Arc::new(ArcSwap::from_pointee(settings.plans.clone()));
        let mut env = wiring::env(&stores, &settings, &plans)?;
        env.imports.is_serving = true;
        // Before anything is read: the previous leader has written everything by then.
        let holds_lease = Box::pin(stores.state.claim_lease_at_start()).await;
        let (domains, children) = Box::pin(Domains::start(&env)).await?;
        if holds_lease {
            stores.state.begin_lease();
        }
        let following = follow(stores.state.clone(), domains.roster());
        let following = AbortOnDropHandle::new(TaskTracker::new().spawn(following));
        let limits = Arc::new(ArcSwap::from_pointee(settings.limits));
        let traces = traces::Exporter::start(&settings, &env.clock)?;
        let connections = descriptors::connections(descriptors, settings.server.max_connections);
        let listeners = listeners::bind(&settings.server, connections)?;
        let addresses = listeners.addresses();
        let bound = (addresses, connections);
        let reached = (&domains, &env.egress);
        let shared = wiring::shared(&settings, &stores, reached, (&limits, &plans), bound)?;
        let Addresses {
            api, track, links, ..
        } = addresses;
        let urls = settings.server.urls_when_bound(api, track, links);
        Box::pin(first(&domains, &urls)).await?;
        let (enricher, clicks) = (shared.enricher.clone(), shared.clicks.clone());
        let agents = shared.agents.clone();
        if let Some(certificates) = &shared.certificates {
            certificates.refresh().await?;
        }
        let serving = listeners.serve(&shared)?;
        let reports = stores.reports(&env, (shared.usage.clone(), Arc::clone(&plans)));
        Ok(Self {
            settings,
            stores,
            domains,
            children,
            serving,
            addresses,
            limits,
            plans,
            enricher,
            reports,
            egress: env.egress,
            clicks,
            agents,
            shared,
            traces,
            following,
        })
    }

    /// Where the listeners are.
    pub fn addresses(&self) -> Addresses {
        self.addresses
    }

    pub fn urls(&self) -> Urls {
        let Addresses {
            api, track, links, ..
        } = self.addresses;
        self.settings.server.urls_when_bound(api, track, links)
    }

    pub fn domains(&self) -> &Domains {
        &self.domains
    }

    /// Clicks on short links, on their way into the store.
    pub fn clicks(&self) -> &Clicks {
        &self.clicks
    }

    /// What reports are made with.
    pub fn reports(&self) -> &ReportsEnv {
        &self.reports
    }

    pub fn stores(&self) -> &Stores {
        &self.stores
    }

    /// The settings it runs with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Runs until `stop` names a signal or a part gives up, then stops. Takes over edited settings meanwhile.
    ///
    /// # Errors
    /// What made it stop, unless it was asked to.
    pub(super) async fn run(
        mut self,
        file: Option<PathBuf>,
        log: telemetry::Log,
        stop: impl Future<Output = &'static str>,
    ) -> anyhow::Result<()> {
        // Before the first event needs its tables, and beside everything else.
        let enricher = self.enricher.clone();
        let warming = TaskTracker::new().spawn(async move { enricher.ready().await });
        let _warming = AbortOnDropHandle::new(warming);
        let declarations = file.clone();
        let mut reloads = reload::Reloads {
            running: self.settings.clone(),
            file,
            log,
            limits: Arc::clone(&self.limits),
            plans: Arc::clone(&self.plans),
            enricher: self.enricher.clone(),
            egress: self.egress.clone(),
            tls: self.serving.tls().cloned(),
        };
        let egress = self.egress.clone();
        let provisioning = provision::Provisioning::new(
            &self.settings,
            declarations.as_deref(),
            &self.stores,
            Arc::clone(&self.shared),
            Box::new(move || Policy::clone(&egress.policy())),
        );
        let reason = tokio::select! {
            signal = stop => {
                tracing::info!(signal, "stopping");
                Ok(())
            }
            (name, outcome) = any_ended(&mut self.children) => {
                Err(outcome.err().unwrap_or_else(|| anyhow::anyhow!("domain `{name}` ended")))
            }
            () = self.stores.events.broken(), if self.settings.ingest.on_fsync_error == OnFsyncError::Exit => {
                Err(anyhow::anyhow!("the disk refuses the event log, and `ingest.on_fsync_error` is `exit`"))
            }
            outcome = self.serving.ended() => Err(outcome.err().map_or_else(
                || anyhow::anyhow!("a listener ended"),
                anyhow::Error::from,
            )),
            () = reloads.run() => Ok(()),
            () = provisioning.run() => Ok(()),
            () = traces::run(self.traces.take()) => Ok(()),
            () = erasure::run(self.domains.clone(), self.stores.last_run.clone()) => Ok(()),
            () = domain_checks::run(
                self.domains.clone(),
                self.stores.state.clone(),
                self.stores.clock.clone(),
            ) => Ok(()),
            () = certificates::run(self.shared.certificates.clone()) => Ok(()),
            () = reports::run(self.domains.clone(), self.reports.clone()) => Ok(()),
        };
        drop(provisioning);
        self.stop().await;
        reason
    }

    /// Finishes what was accepted, flushes and closes. Logs what was late.
    pub async fn stop(self) {
        let deadline = tokio::time::Instant::now() + GRACE;
        // Answers end first: each of them keeps a listener busy.
        self.shared.stopping.cancel();
        self.agents.close().await;
        self.serving.stop().await;
        // Clicks that were accepted.
        if tokio::time::timeout_at(deadline, self.clicks.flush())
            .await
            .is_err()
        {
            tracing::error!("clicks on links were not written in time");
        }
        drop(self.shared);
        self.stores.events.stop_upkeep(deadline.into_std());
        let left = deadline.saturating_duration_since(tokio::time::Instant::now());
        let late = drain_all(self.children, left).await;
        if !late.is_empty() {
            tracing::error!(domains = ?late, "these domains did not drain in time");
        }
        drop(self.following);
        Box::pin(self.stores.state.release_lease()).await;
        self.stores.close().await;
    }
}
