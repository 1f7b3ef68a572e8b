//! `pharos probe`: checks monitors of a server from another place. It calls the server, and nothing calls it.
//!
//! Results go to the disk first (`spool`), and from there to the server. So an outage of the way, of the server or of this
//! program loses none that was made.

mod batch_size;
mod checks;
mod server;
mod spool;
#[cfg(test)]
mod tests;
mod time;

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use secrecy::SecretString;
use tokio::{
    sync::{
        Notify,
        mpsc::{Receiver, Sender, channel},
    },
    task::spawn_blocking,
};
use tokio_util::task::TaskTracker;

use self::{
    batch_size::{BatchSize, TooLarge},
    checks::Checks,
    server::{Server, ServerError},
    spool::{Batch, Spool},
    time::ServerTime,
};
use super::{CommandError, offline::block_on, outward, signals};
use crate::{
    actors::monitors::{MAX_REPORTS, RemoteMonitor, Report},
    config::{self, Settings},
    egress::Egress,
    ids::MonitorId,
    store::data_dir::DataDir,
};

/// Names the token, which other users of the machine could see in a command line.
const TOKEN: &str = "PHAROS_PROBE_TOKEN";
/// Bytes of results on the disk.
const MAX_BYTES: u64 = 256 << 20;
/// Results that wait for the disk.
const MAX_WAITING: usize = 50_000;
/// The pause after a failure, which doubles.
const PAUSE: Duration = Duration::from_millis(500);
const MAX_PAUSE: Duration = Duration::from_secs(5);
/// How long results are gathered for a request: each costs the server a transaction.
const GATHER: Duration = Duration::from_millis(200);
/// How often the disk is looked at without a hint.
const LOOK: Duration = Duration::from_secs(30);
/// How long the last results may take to the disk.
const GRACE: Duration = Duration::from_secs(5);

/// How a probe is started.
#[derive(Debug)]
pub struct ProbeOptions {
    /// The server's URL.
    pub join: String,
    /// By default what the environment says.
    pub token: Option<SecretString>,
    /// What the console shows as the machine.
    pub name: Option<String>,
    /// Where results wait.
    pub directory: PathBuf,
}

/// Checks until a signal or the end of the token.
///
/// # Errors
/// The directory is in use, the address is none, or the server refuses the token.
pub fn probe(settings: &Settings, options: ProbeOptions) -> anyhow::Result<()> {
    let token = options.token;
    let token = token.or_else(|| config::variable(TOKEN).map(SecretString::from));
    let Some(token) = token else {
        return CommandError::refuse(
            "there is no token",
            format!("create a probe in the console, and start it with --token or {TOKEN}"),
        );
    };
    let name = options.name.unwrap_or_else(host_name);
    let server = Server::new(&options.join, token, name)?;
    let directory = DataDir::take(&options.directory).map_err(|error| {
        let hint = "stop that process first, or choose another directory with --data";
        CommandError::new(error.to_string(), hint)
    })?;
    let spool = Spool::open(directory.path(), MAX_BYTES)?;
    let ways = (
        outward::egress(settings)?,
        settings.monitors.concurrency as usize,
    );
    let done = read_slots(&spool)?;
    block_on(Box::pin(run(server, (spool, done), ways)))
}

/// The last slot of each monitor whose result is on the disk.
fn read_slots(spool: &Spool) -> anyhow::Result<HashMap<MonitorId, i64>> {
    let mut slots = HashMap::new();
    for text in spool.read_all()? {
        if let Ok(report) = serde_json::from_str::<Report>(&text) {
            let last = slots.entry(report.monitor).or_insert(report.slot);
            *last = report.slot.max(*last);
        }
    }
    Ok(slots)
}

fn host_name() -> String {
    let name = rustix::system::uname();
    name.nodename().to_string_lossy().into_owned()
}

/// Results on the disk, and who waits for them.
struct SharedSpool {
    spool: Mutex<Spool>,
    written: Notify,
}

async fn run(
    server: Server,
    (spool, done): (Spool, HashMap<MonitorId, i64>),
    (egress, concurrency): (Egress, usize),
) -> anyhow::Result<()> {
    let stop = signals::stop();
    let time = Arc::new(ServerTime::new());
    let shared = Arc::new(SharedSpool {
        spool: Mutex::new(spool),
        written: Notify::new(),
    });
    let (reports, written) = channel(MAX_WAITING);
    let (work, changes) = channel(1);
    let checks = Checks {
        egress,
        time: Arc::clone(&time),
        concurrency,
        reports,
        done,
    };
    let mut writing = TaskTracker::new().spawn(write(written, Arc::clone(&shared)));
    tracing::info!(server = server.base(), "probing");
    let outcome = tokio::select! {
        signal = stop => {
            tracing::info!(signal, "stopping");
            Ok(())
        }
        error = follow(&server, &time, work) => Err(refused(&error)),
        error = send(&server, &shared) => Err(refused(&error)),
        () = checks.run(changes) => Ok(()),
        _ = &mut writing => Ok(()),
    };
    // The checks are gone, and with them who could send more.
    if !writing.is_finished() && tokio::time::timeout(GRACE, writing).await.is_err() {
        tracing::error!("the last results are not on the disk");
    }
    outcome
}

fn refused(error: &ServerError) -> anyhow::Error {
    tracing::error!(%error, "the probe stops");
    let hint = "renew the token in the console, and start the probe with the new one";
    CommandError::new(error.to_string(), hint).into()
}

/// Follows the work of the probe. Ends when the token does.
async fn follow(
    server: &Server,
    time: &ServerTime,
    changes: Sender<Vec<RemoteMonitor>>,
) -> ServerError {
    let (mut revision, mut pause) = (String::new(), PAUSE);
    loop {
        let begin = Instant::now();
        match server.fetch_work(&revision).await {
            Ok(work) => {
                pause = PAUSE;
                time.note(work.now);
                if let Some(monitors) = work.monitors {
                    revision = work.revision;
                    // Ends with the receiver.
                    let _ = changes.send(monitors).await;
                } else if begin.elapsed() < PAUSE {
                    // Another program with this token asks as well, and each ends the other's request.
                    tokio::time::sleep(PAUSE).await;
                }
            }
            Err(ServerError::Refused) => return ServerError::Refused,
            Err(error) => {
                tracing::warn!(%error, "the work is asked for again");
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(MAX_PAUSE);
            }
        }
    }
}

/// Sends what is on the disk. Ends when the token does.
async fn send(server: &Server, shared: &Arc<SharedSpool>) -> ServerError {
    let (mut pause, mut size) = (PAUSE, BatchSize::new());
    loop {
        let most = size.get();
        let batch = on_disk(shared, move |spool| spool.next_batch(most)).await;
        let Some(batch) = batch.flatten() else {
            let written = shared.written.notified();
            let _ = tokio::time::timeout(LOOK, written).await;
            tokio::time::sleep(GATHER).await;
            continue;
        };
        match server.send_batch(&batch).await {
            Ok(last) => {
                pause = PAUSE;
                size.grow();
                acknowledge(shared, batch, last).await;
            }
            Err(ServerError::Refused) => return ServerError::Refused,
            Err(error) => {
                match error.is_too_large().then(|| size.shrink(&batch)) {
                    Some(TooLarge::Halved) => continue,
                    Some(TooLarge::Hopeless) => {
                        // The server counts the gap.
                        tracing::warn!(
                            lost = 1,
                            "a result is too large for the way to the server, and lost"
                        );
                        let number = batch.first;
                        acknowledge(shared, batch, number).await;
                        continue;
                    }
                    Some(TooLarge::Unlikely) | None => {}
                }
                tracing::warn!(%error, "results are sent again");
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(MAX_PAUSE);
            }
        }
    }
}

async fn acknowledge(shared: &Arc<SharedSpool>, batch: Batch, last: i64) {
    on_disk(shared, move |spool| spool.acknowledge(&batch.spool, last)).await;
}

/// Writes results to the disk as they come.
async fn write(mut reports: Receiver<Report>, shared: Arc<SharedSpool>) {
    let mut waiting = Vec::new();
    while reports.recv_many(&mut waiting, MAX_REPORTS).await > 0 {
        let texts = waiting
            .drain(..)
            .map(|report| serde_json::to_string(&report));
        let texts: Arc<Vec<String>> = Arc::new(texts.filter_map(Result::ok).collect());
        loop {
            let appended = Arc::clone(&texts);
            if let Some(dropped) = on_disk(&shared, move |spool| spool.append(&appended)).await {
                if dropped > 0 {
                    tracing::error!(
                        dropped,
                        "the oldest results are lost: there is no space for more"
                    );
                }
                break;
            }
            tokio::time::sleep(PAUSE).await;
        }
        shared.written.notify_one();
    }
}

/// Does something with the spool, beside the checks. `None` if the disk refuses.
async fn on_disk<T: Send + 'static>(
    shared: &Arc<SharedSpool>,
    work: impl FnOnce(&mut Spool) -> std::io::Result<T> + Send + 'static,
) -> Option<T> {
    let shared = Arc::clone(shared);
    let done = spawn_blocking(move || {
        let mut spool = shared.spool.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut spool)
    });
    match done.await {
        Ok(Ok(value)) => Some(value),
        Ok(Err(error)) => {
            tracing::error!(%error, "the disk refuses the results of checks");
            None
        }
        Err(_) => None,
    }
}
