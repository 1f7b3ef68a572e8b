//! Opening the store: what is on disk becomes a running store.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread::JoinHandle,
    time::Duration,
};

use tokio::sync::{Notify, Semaphore};

use super::{EventStore, Inner, WAITING_KIB};
use crate::{
    clock::Clock,
    events::{
        dedup::{Seen, keeper::Keeper},
        disk::Disk,
        engine::{self, Pool, Root},
        segments::{self, Manifest},
        snapshot::Current,
        spool::{
            Lsn,
            frame::{self, Frame},
            recovery::{self, Recovered},
            writer::{Command, Health, Rules, Writer},
        },
        tail::{Generation, TailFrame},
    },
};

/// Generations whose keys wait for their file while the log is read back.
const MOST_BEHIND: usize = 8;

/// Below listeners, but not so far that load keeps seals waiting: what is not sealed is held in memory.
const UPKEEP_NICE: i32 = 3;

/// How the store is set up.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where everything lies.
    pub data_dir: PathBuf,
    /// Whether answers wait for the disk.
    pub sync: bool,
    /// How long duplicates are recognised.
    pub dedup_window: Duration,
    /// Free bytes below which nothing is accepted; 0 = the larger of 1 GiB and 3 % of the disk.
    pub reserve: u64,
    /// Rows after which the tail is sealed.
    pub seal_rows: u64,
    /// Bytes after which the tail is sealed.
    pub seal_bytes: u64,
    /// Engine memory, bytes.
    pub memory: u64,
    /// Engine threads.
    pub threads: usize,
    /// Statements at a time.
    pub concurrent: usize,
    /// How long a statement may take.
    pub deadline: Duration,
}

impl Options {
    /// The defaults of the configuration, over one directory.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            sync: true,
            dedup_window: Duration::from_hours(24),
            reserve: 0,
            seal_rows: 1 << 15,
            seal_bytes: 32 << 20,
            memory: 192 << 20,
            threads: 2,
            concurrent: 4,
            deadline: Duration::from_secs(15),
        }
    }
}

impl EventStore {
    /// The id of the node that this data directory belongs to; made at the first call.
    pub fn node_of(data_dir: &Path) -> io::Result<String> {
        let node = recovery::node_id(&made(data_dir, "spool")?)?;
        Ok(uuid::Uuid::from_bytes(node).to_string())
    }

    /// Opens the store: reads the log behind the manifest's cursor back and starts the spool thread.
    pub fn open(options: Options, clock: Clock, manifest: &Manifest) -> anyhow::Result<Self> {
        let spool = made(&options.data_dir, "spool")?;
        let segments = made(&options.data_dir, "segments")?;
        let keys = made(&options.data_dir, "dedup")?;
        let node = recovery::node_id(&spool)?;
        let secret = dedup_secret(&keys)?;
        let places = [spool.as_path(), &segments, &keys];
        let (keeper, seen, replayed) = read_back(places, node, &options, &clock, manifest)?;
        let seal_due = Arc::new(Notify::new());
        if !replayed.closed.is_empty() || due(&replayed.open, &options) {
            seal_due.notify_one();
        }
        let current = Arc::new(Current::default());
        current.update(|snapshot| {
            snapshot.generations = replayed.closed;
            snapshot.generations.push(Arc::clone(&replayed.open));
        });
        let root = Arc::new(open_engine(&options, &segments)?);
        let health = Arc::new(Health::default());
        health.damaged.store(replayed.damaged, Ordering::Relaxed);
        let disk = Disk::watch(&options.data_dir, options.reserve)?;
        let writer = Writer {
            rules: rules(&options, spool, node),
            clock,
            seen,
            current: Arc::clone(&current),
            open: replayed.open,
            file: None,
            finished: replayed.files,
            next_lsn: replayed.next_lsn,
            next_number: replayed.next_number,
            seal_due: Arc::clone(&seal_due),
            health: Arc::clone(&health),
            failures: 0,
            disk: Arc::clone(&disk),
            tallies_due: None,
        };
        let (commands, thread) = start(writer)?;
        let store = Self(Arc::new(Inner {
            queries: Pool::start(&root, "query", options.concurrent, 5)?,
            upkeep: Pool::start(&root, "upkeep", 1, UPKEEP_NICE)?,
            upkeep_job: Mutex::default(),
            stopping: AtomicBool::new(false),
            disk,
            options,
            segments,
            keeper,
            node,
            secret,
            commands,
            waiting: Arc::new(Semaphore::new(WAITING_KIB)),
            current,
            seal_due,
            health,
            thread: Mutex::new(Some(thread)),
        }));
        store.adopt(manifest);
        store.inspect(&store.snapshot().segments, false);
        Ok(store)
    }
}

/// Starts the spool thread.
fn start(writer: Writer) -> io::Result<(mpsc::Sender<Command>, JoinHandle<()>)> {
    let (commands, queue) = mpsc::channel();
    let thread = std::thread::Builder::new()
        .name("spool".into())
        .spawn(move || writer.run(&queue))?;
    Ok((commands, thread))
}

fn made(data_dir: &Path, name: &str) -> io::Result<PathBuf> {
    let path = data_dir.join(name);
    fs::create_dir_all(&path)?;
    path.canonicalize()
}

fn rules(options: &Options, directory: PathBuf, node: [u8; 16]) -> Rules {
    Rules {
        directory,
        node,
        sync: options.sync,
        seal_rows: options.seal_rows,
        seal_bytes: options.seal_bytes,
    }
}

fn due(open: &Generation, options: &Options) -> bool {
    open.rows() >= options.seal_rows || open.bytes() >= options.seal_bytes
}

/// The log as the running store needs it.
struct Replayed {
    /// Generations that are full.
    closed: Vec<Arc<Generation>>,
    /// The one that goes on.
    open: Arc<Generation>,
    files: Vec<(PathBuf, Lsn)>,
    next_lsn: Lsn,
    next_number: u64,
    damaged: u64,
}

/// Reads log and keys back and deletes what a crash left in `[spool, segments, keys]`.
fn read_back(
    [spool, segments, keys]: [&Path; 3],
    node: [u8; 16],
    options: &Options,
    clock: &Clock,
    manifest: &Manifest,
) -> anyhow::Result<(Keeper, Seen, Replayed)> {
    let recovered = recovery::recover(spool, node, manifest.cursor)?;
    ensure_the_manifest_is_ours(segments, manifest, &recovered)?;
    segments::delete_strays(segments, manifest)?;
    let window = options.dedup_window.as_millis() as i64;
    let keeper = Keeper::start(keys, manifest.cursor, window, clock.clone())?;
    let mut seen = Seen::new(&keeper, manifest.cursor + 1);
    let replayed = replay(recovered, &mut seen, &keeper, options)?;
    keeper.begin()?;
    seen.refresh();
    Ok((keeper, seen, replayed))
}

/// Shows what was read back to the tail and to the duplicate check, in generations of the usual size.
///
/// An event can be in the log twice: a frame whose sync failed may have reached the disk, and the client, who was told
/// to, has sent it again. The first one counts.
fn replay(
    recovered: Recovered,
    seen: &mut Seen,
    keeper: &Keeper,
    options: &Options,
) -> io::Result<Replayed> {
    let (count, mut events) = (recovered.frames.len(), 0);
    let mut open = Arc::new(Generation::first());
    let mut closed = Vec::new();
    for frame in recovered.frames {
        if due(&open, options) {
            let next = Arc::new(open.next());
            open.freeze_keys(seen);
            if seen.behind() > MOST_BEHIND {
                keeper.confirm(open.id)?;
                seen.refresh();
            }
            closed.push(std::mem::replace(&mut open, next));
        }
        let frame = TailFrame::from(unseen(frame, seen));
        events += u64::from(frame.rows);
        open.push([frame]);
    }
    if count > 0 {
        tracing::info!(
            frames = count,
            events,
            "read unsealed events back from the spool"
        );
    }
    Ok(Replayed {
        closed,
        open,
        files: recovered.files,
        next_lsn: recovered.next_lsn,
        next_number: recovered.next_number,
        damaged: recovered.damaged as u64,
    })
}

/// The frame without the records whose keys are known.
fn unseen(mut frame: Frame, seen: &mut Seen) -> Frame {
    let mut payload = Vec::new();
    let mut dropped = false;
    for record in frame::records(&frame.payload) {
        if let Some(key) = record.key {
            if seen.contains(key) {
                dropped = true;
                continue;
            }
            seen.insert(key);
        }
        frame::push_record(&mut payload, record.key, &record.event);
    }
    if dropped {
        frame.payload = payload.into();
    }
    frame
}

/// A state database that knows of no segment, segments on disk and nothing in the log: that is another database
/// than the one these files belong to, and to go on would delete them as leftovers.
fn ensure_the_manifest_is_ours(
    directory: &Path,
    manifest: &Manifest,
    recovered: &Recovered,
) -> anyhow::Result<()> {
    let fresh = manifest.cursor == 0 && manifest.segments.is_empty() && recovered.frames.is_empty();
    anyhow::ensure!(
        !fresh || !segments::any(directory)?,
        "`{}` holds event segments, but the state database knows none: it is not the database that they belong to. \
         Restore it, or move the directory away to begin anew",
        directory.display()
    );
    Ok(())
}

/// The engine's own threads inherit the priority of the thread that opens it.
fn open_engine(options: &Options, segments: &Path) -> anyhow::Result<Root> {
    let options = engine::Options {
        segments: segments.to_owned(),
        spill: options.data_dir.join("spill"),
        memory: options.memory,
        threads: options.threads,
        concurrent: options.concurrent,
    };
    let opener = std::thread::Builder::new()
        .name("engine".into())
        .spawn(move || {
            engine::lower_priority(5);
            Root::open(options)
        })?;
    Ok(opener
        .join()
        .map_err(|_| anyhow::anyhow!("the query engine panicked while opening"))??)
}

fn dedup_secret(directory: &Path) -> anyhow::Result<[u8; 32]> {
    let path = directory.join("secret");
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
