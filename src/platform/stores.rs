//! Everything that keeps state: the data directory, the state database, the event store.

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::Context;
use arc_swap::ArcSwap;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

use super::{CommandError, clickhouse, drills, migration_journal::ensure_settled};
use crate::{
    access::plans::Plans,
    actors::{DomainsEnv, audit, ingest::load_manifest, reports::ReportsEnv},
    clock::Clock,
    config::{
        Settings,
        sections::{Ack, IngestDegraded, Redis},
    },
    events::{
        event::TIMELESS,
        segments::Manifest,
        store::shipper::Remote,
        store::{self as events, Accepted, AppendError, EventStore},
        usage::Usage,
    },
    store::{
        InstanceSecret, LastRun, Schema, StateError, UpgradeError, Upgraded,
        data_dir::{DataDir, DataDirError},
        limits::{self, Admission, Epochs, Local},
        state::{self, StateDb},
    },
};

/// How long bulk writing waits when the store is behind.
const CATCH_UP: Duration = Duration::from_millis(50);

/// How long the state database may take to close. Closing waits for connections in use.
const LAST: Duration = Duration::from_secs(1);

/// The open stores of one process.
pub struct Stores {
    /// The state database, migrated.
    pub state: StateDb,
    pub events: EventStore,
    pub secret: InstanceSecret,
    /// Where requests are counted, when several processes count them together.
    pub counts: Option<limits::Shared>,
    /// Decides how often callers may ask.
    pub admission: Arc<dyn Admission>,
    pub clock: Clock,
    /// When the server last ran.
    pub last_run: LastRun,
    /// Keeps the places of running requests.
    _keeping: Option<AbortOnDropHandle<()>>,
    /// Given back last.
    _directory: DataDir,
}

impl Stores {
    /// What reports are made with.
    pub(super) fn reports(
        &self,
        env: &DomainsEnv,
        quotas: (Usage, Arc<ArcSwap<Plans>>),
    ) -> ReportsEnv {
        ReportsEnv::new(
            self.state.clone(),
            self.clock.clone(),
            self.events.clone(),
            &self.secret,
            (env.base_url.clone(), env.senders.delivers_mail()),
            quotas,
        )
    }

    /// Takes the data directory, migrates the state database and opens the event store at the committed manifest.
    pub(super) async fn open(settings: &Settings, clock: Clock) -> anyhow::Result<Self> {
        let path = Path::new(&settings.storage.data_dir);
        let directory = take_data_dir(path)?;
        ensure_settled(directory.path(), settings)?;
        let secret = InstanceSecret::open(directory.path())?;
        let node = EventStore::node_id(directory.path())?;
        let state = open_state(settings, directory.path()).await?.on_node(&node);
        upgrade(&state, directory.path()).await?;
        let manifest = load_manifest(state.writer(), &node).await?;
        let counts = counts(&settings.redis, &clock)?;
        // Of several servers, which share a state database.
        let claims = counts.clone().filter(|_| state.is_shared());
        let remote = clickhouse::remote(settings, claims).await?;
        let shared = secret.key_for("pharos 2026-11 ids of events");
        EventStore::share_ids(directory.path(), &shared, remote.is_some())?;
        let events = EventStore::open(
            event_options(settings, directory.path(), remote),
            clock.clone(),
            &manifest,
        )
        .context("the event store cannot be opened")?;
        let newest = newest(&manifest, audit::last_written(&state).await?);
        let last_run = LastRun::open(directory.path(), clock.clone(), newest)?;
        if settings.ingest.ack == Ack::Memory {
            tracing::warn!("`ingest.ack` is `memory`: acknowledged events can be lost in a crash");
        }
        let keeping = counts.clone().map(|counts| {
            let kept = TaskTracker::new().spawn(async move { counts.keep().await });
            AbortOnDropHandle::new(kept)
        });
        Ok(Self {
            state,
            events,
            secret,
            admission: match &counts {
                Some(shared) => Arc::new(shared.clone()),
                None => Arc::new(Local::new(clock.clone())),
            },
            counts,
            clock,
            last_run,
            _keeping: keeping,
            _directory: directory,
        })
    }

    /// The state database of an installation whose server may be running.
    pub(super) async fn state_beside(settings: &Settings) -> anyhow::Result<StateDb> {
        let data_dir = Path::new(&settings.storage.data_dir);
        if settings.database.is_embedded() && !data_dir.join(state::FILE).is_file() {
            return CommandError::refuse(
                format!("there is no installation in `{}`", data_dir.display()),
                "run the command where the server runs, or name its file with `--config`",
            );
        }
        let state = open_state(settings, data_dir).await?;
        match state.schema().await? {
            Schema::Older(_) => CommandError::refuse(
                "the state database is an older version's",
                "start this version's server once, which upgrades it",
            ),
            Schema::Newer(steps) => Err(not_upgraded(&UpgradeError::Newer(steps)).into()),
            Schema::Empty if state.is_shared() => CommandError::refuse(
                "there is no installation in the state database",
                "start the server once, or run `pharos setup`; or check `database.url`",
            ),
            Schema::Empty | Schema::Current => Ok(state),
        }
    }

    /// Epochs in Redis, where several processes share a database and a Redis.
    pub(super) fn epochs(&self) -> Option<Epochs> {
        let counts = self.counts.clone().filter(|_| self.state.is_shared())?;
        Some(Epochs::new(counts, &self.secret))
    }

    /// Appends a chunk, waiting while the store catches up with sealing.
    pub(super) async fn append(&self, chunk: Vec<Accepted>) -> anyhow::Result<()> {
        loop {
            match self.events.append(chunk.clone()).await {
                Ok(_) => return Ok(()),
                Err(AppendError::Overloaded | AppendError::Descriptors) => {
                    tokio::time::sleep(CATCH_UP).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Closes in reverse order; what is not sealed stays in the spool.
    pub(super) async fn close(self) {
        let events = self.events;
        let closed = tokio::task::spawn_blocking(move || events.close()).await;
        if let Err(error) = closed {
            tracing::error!(%error, "the event store did not close");
        }
        match tokio::time::timeout(LAST, self.state.close()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "the state database did not close"),
            Err(_) => tracing::error!("the state database did not close in time"),
        }
    }
}

/// Where several processes count requests together; nothing is asked of it yet.
pub(super) fn counts(settings: &Redis, clock: &Clock) -> anyhow::Result<Option<limits::Shared>> {
    let url = settings.url.expose();
    if url.is_empty() {
        return Ok(None);
    }
    let degraded = match settings.ingest_degraded {
        IngestDegraded::Refuse => None,
        IngestDegraded::Local => Some(Local::new(clock.clone())),
    };
    let patience = Duration::from_millis(settings.timeout_ms.into());
    // A test's clock counts for Redis, too.
    let given = (!clock.is_system()).then(|| clock.clone());
    let shared = limits::Shared::with(url, patience, degraded, given);
    let shared = shared.map_err(|error| {
        CommandError::new(
            error.to_string(),
            "it is like \"redis://user:password@host:6379/0\"",
        )
    })?;
    Ok(Some(shared))
}

/// When the newest thing was stored that says when, Unix ms.
fn newest(manifest: &Manifest, audited: Option<i64>) -> Option<i64> {
    let times = manifest.segments.iter().map(|row| row.times.1);
    times.chain(audited).filter(|time| *time != TIMELESS).max()
}

/// Opens the state database, or says what has to be done about it. An embedded one lies in `directory`.
pub(super) async fn open_state(settings: &Settings, directory: &Path) -> anyhow::Result<StateDb> {
    let options = state::Options {
        url: settings.database.url.expose().to_owned(),
        data_dir: directory.to_owned(),
    };
    match StateDb::open(&options).await {
        Ok(state) => Ok(state),
        Err(error @ StateError::Unusable { .. }) => CommandError::refuse(
            error.to_string(),
            "check `database.url`, and that PostgreSQL runs there and lets this machine in",
        ),
        Err(error) => Err(error).context("the state database cannot be opened"),
    }
}

/// Brings the state database to this version's schema, or says why it is left alone.
pub(super) async fn upgrade(state: &StateDb, data_dir: &Path) -> anyhow::Result<()> {
    match state.upgrade(data_dir).await {
        Ok(Upgraded::Fresh) => Ok(()),
        Ok(Upgraded::From(steps, copy)) => {
            let copy = copy.map(|path| path.display().to_string());
            tracing::info!(
                steps = steps.join(", "),
                copy,
                "the state database was upgraded"
            );
            Ok(())
        }
        Err(UpgradeError::State(error)) => {
            Err(error).context("the state database cannot be upgraded; it is as it was")
        }
        Err(error) => Err(not_upgraded(&error).into()),
    }
}

fn not_upgraded(error: &UpgradeError) -> CommandError {
    let hint = match error {
        UpgradeError::Newer(_) => {
            "start that version, or restore a backup (or the copy below `before-upgrade/`) from before the upgrade"
        }
        UpgradeError::Foreign(_) => {
            "give pharos a database of its own, and name it in `database.url`"
        }
        _ => "make room on the disk of the data directory, and see that it can be written",
    };
    CommandError::new(error.to_string(), hint)
}

fn event_options(settings: &Settings, data_dir: &Path, remote: Option<Remote>) -> events::Options {
    events::Options {
        remote,
        sync: settings.ingest.ack != Ack::Memory,
        dedup_window: Duration::from_hours(settings.ingest.dedup_hours.into()),
        reserve: settings.storage.reserve_bytes,
        memory: settings.query.memory.0,
        result_cache: settings.query.cache.0,
        threads: settings.query.thread_count(),
        concurrent: settings.query.concurrent as usize,
        deadline: Duration::from_secs(settings.query.deadline_seconds.into()),
        keep_replaced: Duration::from_hours(settings.events.keep_replaced_hours.into()),
        ..drills::options(events::Options::new(data_dir))
    }
}

/// Takes the lock of a data directory.
pub(super) fn take_data_dir(path: &Path) -> Result<DataDir, CommandError> {
    DataDir::take(path).map_err(|error| {
        let hint = match error {
            DataDirError::Held { .. } => {
                "stop that process first, or set `storage.data_dir` to another directory"
            }
            DataDirError::Unusable { .. } => {
                "check the permissions, or set `storage.data_dir` to another directory"
            }
        };
        CommandError::new(error.to_string(), hint)
    })
}
