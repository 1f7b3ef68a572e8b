//! Opening the store: what is on disk becomes a running store.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use tokio::sync::{Notify, Semaphore};

use super::{EventStore, Inner, WAITING_KIB};
use crate::{
    clock::Clock,
    events::{
        dedup::{Seen, keyfile},
        engine::{self, Pool, Root},
        segments::{self, Manifest},
        snapshot::Current,
        spool::{
            recovery::{self, Recovered},
            writer::{Health, Rules, Writer, disk_bytes},
        },
        tail::Generation,
    },
};

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
            seal_rows: 1 << 16,
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
        segments::delete_strays(&segments, manifest)?;

        let recovered = recovery::recover(&spool, manifest.cursor)?;
        let oldest = clock.now_ms() - options.dedup_window.as_millis() as i64;
        let mut seen = Seen::new(keyfile::open_all(&keys, manifest.cursor, oldest)?);
        let generation = Arc::new(Generation::new(1));
        seen.open(generation.id);
        let (files, next_lsn, next_number) = replay(recovered, &mut seen, &generation);

        let current = Arc::new(Current::default());
        current.update(|snapshot| snapshot.generations.push(Arc::clone(&generation)));
        let engine = engine::Options {
            segments: segments.clone(),
            spill: options.data_dir.join("spill"),
            memory: options.memory,
            threads: options.threads,
            concurrent: options.concurrent,
        };
        let root = Arc::new(open_engine(engine)?);
        let seal_due = Arc::new(Notify::new());
        let health = Arc::new(Health::default());
        let writer = Writer {
            rules: rules(&options, spool, node),
            clock,
            seen,
            current: Arc::clone(&current),
            open: generation,
            file: None,
            finished: files,
            next_lsn,
            next_number,
            seal_due: Arc::clone(&seal_due),
            health: Arc::clone(&health),
            disk: None,
        };
        let (commands, queue) = mpsc::channel();
        let thread = std::thread::Builder::new()
            .name("spool".into())
            .spawn(move || writer.run(&queue))?;
        let store = Self(Arc::new(Inner {
            queries: Pool::start(&root, "query", options.concurrent, 5)?,
            upkeep: Pool::start(&root, "upkeep", 1, 15)?,
            options,
            segments,
            keys,
            node,
            secret,
            commands,
            waiting: Arc::new(Semaphore::new(WAITING_KIB)),
            current,
            seal_due,
            health,
            thread: Mutex::new(Some(thread)),
        }));
        store.adopt(manifest, Vec::new());
        Ok(store)
    }
}

fn made(data_dir: &Path, name: &str) -> io::Result<PathBuf> {
    let path = data_dir.join(name);
    fs::create_dir_all(&path)?;
    path.canonicalize()
}

fn rules(options: &Options, directory: PathBuf, node: [u8; 16]) -> Rules {
    let reserve = match options.reserve {
        0 => (1 << 30).max(disk_bytes(&directory).unwrap_or(0) / 100 * 3),
        bytes => bytes,
    };
    Rules {
        directory,
        node,
        sync: options.sync,
        window: options.dedup_window.as_millis() as i64,
        reserve,
        seal_rows: options.seal_rows,
        seal_bytes: options.seal_bytes,
    }
}

/// Shows what was read back to the tail and to the duplicate check.
fn replay(
    recovered: Recovered,
    seen: &mut Seen,
    generation: &Generation,
) -> (Vec<(PathBuf, u64)>, u64, u64) {
    let Recovered {
        frames,
        next_lsn,
        next_number,
        files,
        ..
    } = recovered;
    let count = frames.len();
    generation.push(frames.into_iter().map(Into::into));
    for key in generation.keys() {
        seen.insert(key);
    }
    if count > 0 {
        tracing::info!(
            frames = count,
            events = generation.rows(),
            "read unsealed events back from the spool"
        );
    }
    (files, next_lsn, next_number)
}

/// The engine's own threads inherit the priority of the thread that opens it.
fn open_engine(options: engine::Options) -> anyhow::Result<Root> {
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
