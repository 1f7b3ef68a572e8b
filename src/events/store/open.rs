//! Opening the store: what is on disk becomes a running store.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicI64, AtomicU64},
        mpsc,
    },
    thread::{self, JoinHandle},
};

use anyhow::ensure;
use tokio::sync::{Notify, Semaphore};

use super::{
    EACH, EventStore, Inner, Options, WAITING_KIB, compatibility,
    remote::Engine,
    replay::{Replay, due},
    result_cache::ResultCache,
    scrub,
    shipper::{
        self, Shipper,
        journal::{Journal as ShipperJournal, LogRange},
    },
    worker::Workers,
};
use crate::{
    clock::Clock,
    events::{
        answer_budget::AnswerBudget,
        dedup::index::DedupIndex,
        disk::Disk,
        engine::{self, Pool, Root},
        log::{
            Lsn,
            recovery::{self, Recovered},
        },
        segments::{Look, Manifest, aside, journal::Journal},
        spool::writer::{Command, Health, Rules, Writer},
        tenant_limiter::TenantLimiter,
        threads,
    },
};

/// Unsealed bytes beyond which nothing more is taken, if the disk is large: sealing has fallen far behind.
const MAX_UNSEALED: u64 = 8 << 30;

/// So many generations fit into the backlog at least: while one is sealed, others go on.
const SEALS_PER_BACKLOG: u64 = 4;

/// File of the secret that makes keys of ids, beside the keys.
const SECRET: &str = "secret";

/// File of the log position from which keys of ids distinguish trust, beside the keys.
const TRUSTED_FROM: &str = "trusted_from";

impl EventStore {
    /// The id of the node that this data directory belongs to; made at the first call.
    pub fn node_id(data_dir: &Path) -> io::Result<String> {
        let node = recovery::node_id(&create_directory(data_dir, "spool")?)?;
        Ok(uuid::Uuid::from_bytes(node).to_string())
    }

    /// Has ids of events recognised by keys that this secret makes, so nodes with the same secret know them alike, and a store
    /// that is moved knows what it knew. A store that has a secret of its own keeps it and the ids that it knows, unless it `must`
    /// be this one. Before the store is opened.
    pub fn share_ids(data_dir: &Path, secret: &[u8; 32], must: bool) -> io::Result<()> {
        let path = create_directory(data_dir, "dedup")?.join(SECRET);
        match fs::read(&path) {
            Ok(own) if own == secret || !must => Ok(()),
            _ => recovery::write_durably(&path, secret),
        }
    }

    /// Opens the store: reads the log behind the manifest's cursor back and starts the spool thread.
    #[expect(
        clippy::too_many_lines,
        reason = "every part of the store is made here, one line each"
    )]
    pub fn open(options: Options, clock: Clock, manifest: &Manifest) -> anyhow::Result<Self> {
        let spool = create_directory(&options.data_dir, "spool")?;
        let segments = create_directory(&options.data_dir, "segments")?;
        let keys = create_directory(&options.data_dir, "dedup")?;
        let node = recovery::node_id(&spool)?;
        let secret = dedup_secret(&keys)?;
        let (manifest, pending) = &shipped(&options, manifest)?;
        let places = [spool.as_path(), &segments, &keys];
        let (index, replay, recovered) =
            read_back(places, node, &options, &clock, (manifest, pending.clone()))?;
        let trusted_from = trusted_from(&keys, recovered.next_lsn)?;
        let (seal_due, last) = (seal_due(&replay, &options), replay.last());
        let current = replay.current();
        let health = Arc::new(health_at_start(&recovered));
        let disk = Disk::watch(&options.data_dir, options.reserve)?;
        let backlog = backlog(&options, &disk);
        let journal = match options.remote {
            // The shipper's journal says how far the log is there.
            Some(_) => None,
            None => Some(Journal::begin(&segments, manifest)),
        };
        let writer = Writer {
            rules: rules(&options, spool, node, backlog),
            clock: clock.clone(),
            seen: replay.seen.trusting_from(trusted_from),
            current: Arc::clone(&current),
            open: replay.open,
            file: None,
            finished: recovered.files,
            next_lsn: recovered.next_lsn,
            next_number: recovered.next_number,
            seal_due: Arc::clone(&seal_due),
            health: Arc::clone(&health),
            failures: 0,
            disk: Arc::clone(&disk),
            tallies_due: None,
        };
        let (commands, thread) = start(writer)?;
        let engine = engine(&options, &segments, node, (manifest.cursor, last))?;
        let store = Self(Arc::new(Inner {
            engine,
            workers: Workers::start()?,
            result_cache: result_cache(&options),
            memory_turn: Mutex::new(()),
            limiter: TenantLimiter::new(EACH),
            answers: AnswerBudget::new(options.deadline),
            backlog,
            stopping: OnceLock::new(),
            disk,
            options,
            segments,
            clock,
            journal: Mutex::new(journal),
            erased: AtomicI64::new(i64::MIN),
            strays: AtomicU64::new(0),
            index,
            node,
            secret,
            has_untold: trusted_from > 1,
            commands,
            waiting: Arc::new(Semaphore::new(WAITING_KIB)),
            current,
            seal_due,
            merge_due: Notify::new(),
            mend_due: Notify::new(),
            health,
            thread: Mutex::new(Some(thread)),
        }));
        store.begin(manifest)?;
        Ok(store)
    }

    /// Shows what the manifest says and starts what goes on by itself.
    fn begin(&self, manifest: &Manifest) -> io::Result<()> {
        self.adopt(manifest);
        self.inspect(&self.snapshot().segments, Look::AtAGlance);
        scrub::start(&self.0)?;
        match self.shipper() {
            Some(shipper) => shipper::thread::start(&self.0, shipper),
            None => Ok(()),
        }
    }
}

/// Due at once, when the log held enough.
fn seal_due(replay: &Replay, options: &Options) -> Arc<Notify> {
    let seal_due = Arc::new(Notify::new());
    if !replay.closed.is_empty() || due(&replay.open, options) {
        seal_due.notify_one();
    }
    seal_due
}

/// Nothing is cached where other processes add rows without notice.
fn result_cache(options: &Options) -> ResultCache {
    ResultCache::new(options.remote.as_ref().map_or(options.result_cache, |_| 0))
}

/// What is known of the log at start.
fn health_at_start(recovered: &Recovered) -> Health {
    Health {
        damaged: AtomicU64::new(recovered.damaged as u64),
        ..Health::default()
    }
}

/// Who answers statements: threads of this process, or ClickHouse, which has the log up to the first position; the log
/// ends with the second.
fn engine(
    options: &Options,
    segments: &Path,
    node: [u8; 16],
    positions: (Lsn, Lsn),
) -> anyhow::Result<Engine> {
    let Some(remote) = options.remote.clone() else {
        return Ok(Engine::Embedded(queries(options, segments)?));
    };
    let node = uuid::Uuid::from_bytes(node).to_string();
    let shipper = Shipper::new(remote, options.data_dir.clone(), node, positions);
    Ok(Engine::Remote(Arc::new(shipper)))
}

/// The manifest that holds for this store, and the batch that may be on its way to ClickHouse. Where ClickHouse holds the
/// rows, the shipper's journal has the cursor.
fn shipped(options: &Options, manifest: &Manifest) -> anyhow::Result<(Manifest, Option<LogRange>)> {
    let journal = ShipperJournal::read(&options.data_dir)?;
    if options.remote.is_none() {
        let elsewhere = journal.is_some_and(|journal| {
            let noted = journal.batch.map_or(journal.cursor, |batch| batch.to);
            noted > manifest.cursor
        });
        ensure!(
            !elsewhere,
            "events of `{}` are in ClickHouse: set `events.store` to \"clickhouse\" again, or begin with another directory",
            options.data_dir.display()
        );
        return Ok((manifest.clone(), None));
    }
    ensure!(
        manifest.segments.is_empty(),
        "`{}` holds events in segments, which ClickHouse does not have: set `events.store` to \"embedded\" again, or begin with \
         another directory",
        options.data_dir.display()
    );
    let journal = journal.unwrap_or_default();
    let manifest = Manifest {
        segments: Vec::new(),
        cursor: journal.cursor.max(manifest.cursor),
        version: manifest.version,
    };
    let pending = journal.batch.filter(|batch| batch.to > manifest.cursor);
    Ok((manifest, pending))
}

/// Starts the threads that run statements.
fn queries(options: &Options, segments: &Path) -> anyhow::Result<Pool> {
    let root = Arc::new(open_engine(options, segments)?);
    Ok(Pool::start(&root, "query", options.concurrent, 5)?)
}

fn start(writer: Writer) -> io::Result<(mpsc::Sender<Command>, JoinHandle<()>)> {
    let (commands, queue) = mpsc::channel();
    let thread = thread::Builder::new()
        .name("spool".into())
        .spawn(move || writer.run(&queue))?;
    Ok((commands, thread))
}

fn create_directory(data_dir: &Path, name: &str) -> io::Result<PathBuf> {
    let path = data_dir.join(name);
    fs::create_dir_all(&path)?;
    path.canonicalize()
}

fn rules(options: &Options, directory: PathBuf, node: [u8; 16], backlog: u64) -> Rules {
    Rules {
        directory,
        node,
        sync: options.sync,
        seal_rows: options.seal_rows,
        // Something is sealed long before the backlog is full, however small the disk is.
        seal_bytes: options.seal_bytes.min(backlog / SEALS_PER_BACKLOG),
    }
}

fn backlog(options: &Options, disk: &Disk) -> u64 {
    match options.backlog {
        0 => MAX_UNSEALED.min(disk.size() / 10),
        bytes => bytes,
    }
}

/// Reads log and keys back and clears away what a crash left in `[spool, segments, keys]`.
fn read_back(
    [spool, segments, keys]: [&Path; 3],
    node: [u8; 16],
    options: &Options,
    clock: &Clock,
    (manifest, pending): (&Manifest, Option<LogRange>),
) -> anyhow::Result<(DedupIndex, Replay, Recovered)> {
    if options.remote.is_none() {
        compatibility::ensure_not_older(spool, segments, manifest)?;
    }
    compatibility::ensure_compatible(spool, segments, manifest)?;
    settle_files(segments, manifest, clock.now_ms())?;
    let window = options.dedup_window.as_millis() as i64;
    let index = DedupIndex::start(keys, manifest.cursor, window, clock.clone())?;
    let mut replay = Replay::new(spool, &index, manifest.cursor, pending);
    let recovered = recovery::recover(spool, node, manifest.cursor, &mut |frame| {
        replay.push(frame, &index, options)
    })?;
    replay.end(&index)?;
    if recovered.frames > 0 {
        tracing::info!(
            frames = recovered.frames,
            events = replay.events,
            "read unsealed events back from the spool"
        );
    }
    Ok((index, replay, recovered))
}

/// Has every file that the manifest names in its place, and no other. Where the journal proves that the manifest is the newest,
/// what it does not name is in other files or in the log, and goes in time; elsewhere an operator has to look at it.
fn settle_files(segments: &Path, manifest: &Manifest, now: i64) -> io::Result<()> {
    aside::take_back(segments, manifest)?;
    let noted = Journal::read(segments)?;
    if noted
        .as_ref()
        .is_some_and(|noted| noted.version < manifest.version)
    {
        // The commit in between may have erased events.
        aside::expire(segments, i64::MAX)?;
    }
    let folder = if noted.is_some() {
        aside::REPLACED
    } else {
        aside::STRAYS
    };
    aside::clear_strays(segments, manifest, folder, now).map(drop)
}

/// The engine's own threads inherit the priority of the thread that opens it.
fn open_engine(options: &Options, segments: &Path) -> anyhow::Result<Root> {
    let options = engine::Options {
        segments: segments.to_owned(),
        spill: options.spill(),
        memory: options.memory,
        threads: options.threads,
        concurrent: options.concurrent,
    };
    let opener = thread::Builder::new()
        .name("engine".into())
        .spawn(move || {
            threads::lower_priority(5);
            Root::open(options)
        })?;
    Ok(opener
        .join()
        .map_err(|_| anyhow::anyhow!("the query engine panicked while opening"))??)
}

fn dedup_secret(directory: &Path) -> anyhow::Result<[u8; 32]> {
    let path = directory.join(SECRET);
    match fs::read(&path) {
        Ok(bytes) => <[u8; 32]>::try_from(bytes.as_slice())
            .map_err(|_| anyhow::anyhow!("`{}` is damaged", path.display())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut secret = [0; 32];
            getrandom::fill(&mut secret)?;
            recovery::write_durably(&path, &secret)?;
            Ok(secret)
        }
        Err(error) => Err(error.into()),
    }
}

/// The log position from which keys distinguish trust: what an earlier program wrote lies before it.
fn trusted_from(directory: &Path, next: Lsn) -> anyhow::Result<Lsn> {
    let path = directory.join(TRUSTED_FROM);
    match fs::read_to_string(&path) {
        Ok(text) => Ok(text
            .trim()
            .parse()
            .map_err(|_| anyhow::anyhow!("`{}` is damaged: delete it", path.display()))?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // On a full disk the next start says where it is.
            if let Err(error) = recovery::write_durably(&path, next.to_string().as_bytes()) {
                tracing::warn!(%error, "the position from which keys tell trust apart cannot be noted");
            }
            Ok(next)
        }
        Err(error) => Err(error.into()),
    }
}
