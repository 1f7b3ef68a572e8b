//! The data directory, the disk under it, the state database.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    time::{Duration, Instant},
};

use indicatif::{HumanBytes, HumanDuration};
use rustix::process::{Resource, getrlimit};

use super::Finding;
use crate::{
    actors::ingest::load_manifest,
    config::{Settings, sections::EventStore as EventStoreKind},
    events::{
        disk,
        segments::{aside, journal::Journal},
        store::EventStore,
    },
    platform::Stores,
    store::secret,
};

/// Syncs that are timed.
const SYNCS: usize = 9;
/// A sync takes less on a disk that is made for it.
const SLOW: Duration = Duration::from_millis(25);
/// Open files that a busy installation needs: connections, segments, the log.
const FILES: u64 = 4_096;

pub(super) async fn all(settings: &Settings) -> Vec<Finding> {
    let path = Path::new(&settings.storage.data_dir);
    if !path.is_dir() {
        let seen = format!("`{}` is not there", path.display());
        let fix = "`pharos serve` or `pharos setup` makes it; or set `storage.data_dir`";
        return vec![Finding::bad("data directory", seen, fix), files()];
    }
    let mut findings = vec![
        directory(path),
        disk_space(path, settings.storage.reserve_bytes),
    ];
    findings.extend(secrets(path));
    findings.push(state(settings).await);
    findings.extend(files_of_events(settings, path).await);
    findings.push(files());
    findings
}

/// Whether it can be written, and how long that takes.
fn directory(path: &Path) -> Finding {
    let what = "data directory";
    match timed(path) {
        Err(error) => Finding::bad(
            what,
            format!("`{}` cannot be written: {error}", path.display()),
            "give the directory to the user who runs pharos",
        ),
        Ok(took) if took > SLOW => Finding::doubtful(
            what,
            format!(
                "a write takes {} ms until it is on the disk of `{}`",
                took.as_millis(),
                path.display()
            ),
            "events wait for this: use a local disk, no network file system",
        ),
        Ok(took) => Finding::good(
            what,
            format!(
                "`{}`; a write is on the disk after {:.1} ms",
                path.display(),
                took.as_secs_f64() * 1e3
            ),
        ),
    }
}

/// The median of a few small writes with their syncs.
fn timed(path: &Path) -> io::Result<Duration> {
    let probe = path.join(format!("doctor-{}.tmp", std::process::id()));
    let times = times(&probe);
    let _ = fs::remove_file(&probe);
    let mut times = times?;
    times.sort_unstable();
    Ok(times.get(SYNCS / 2).copied().unwrap_or_default())
}

fn times(probe: &Path) -> io::Result<Vec<Duration>> {
    let mut file = File::create_new(probe)?;
    let mut times = Vec::with_capacity(SYNCS);
    for _ in 0..SYNCS {
        let begun = Instant::now();
        file.write_all(&[0; 4_096])?;
        file.sync_data()?;
        times.push(begun.elapsed());
    }
    Ok(times)
}

fn disk_space(path: &Path, reserve: u64) -> Finding {
    let (Some(free), Some(size)) = (disk::free_on(path), disk::disk_size(path)) else {
        let fix = "events are refused late on a disk that does not say how full it is";
        return Finding::doubtful("disk", "it does not say how much is free", fix);
    };
    let reserve = disk::reserved_bytes(path, reserve);
    let seen = format!(
        "{} of {} are free; events are refused below {}",
        HumanBytes(free),
        HumanBytes(size),
        HumanBytes(reserve)
    );
    if free < reserve {
        let fix = "make room or use a larger disk; retention (`events.retention_days`) and `storage.reserve_bytes` decide how much is needed";
        return Finding::bad("disk", seen, fix);
    }
    if free / 2 < reserve {
        return Finding::doubtful("disk", seen, "make room before that");
    }
    Finding::good("disk", seen)
}

/// What only the owner may read.
fn secrets(path: &Path) -> Vec<Finding> {
    let mode = |path: &Path| Some(fs::metadata(path).ok()?.permissions().mode() & 0o777);
    let file = path.join(secret::FILE);
    let Some(of_key) = mode(&file) else {
        return Vec::new();
    };
    let open_to_others = mode(path).is_some_and(|mode| mode & 0o007 != 0);
    vec![if of_key & 0o077 != 0 {
        Finding::bad(
            "secrets",
            format!(
                "`{}` can be read by others (mode {of_key:o})",
                file.display()
            ),
            format!("chmod 600 {}", file.display()),
        )
    } else if open_to_others {
        Finding::doubtful(
            "secrets",
            format!("all users of this machine can open `{}`", path.display()),
            format!("chmod 700 {}", path.display()),
        )
    } else {
        Finding::good("secrets", "only their owner may read them")
    }]
}

async fn state(settings: &Settings) -> Finding {
    let what = "state database";
    let embedded = settings.database.is_embedded();
    let state = match Stores::state_beside(settings).await {
        Ok(state) => state,
        Err(error) => {
            let fix = if embedded {
                "`pharos setup` makes one; `pharos restore` brings one back"
            } else {
                "check `database.url`, and whether PostgreSQL answers there"
            };
            return Finding::bad(what, format!("{error:#}"), fix);
        }
    };
    let begun = Instant::now();
    let found = if embedded {
        state.damage().await
    } else {
        state.ping().await.map(|()| Vec::new())
    };
    let took = HumanDuration(begun.elapsed());
    // Whatever closing says, it has answered.
    let _ = state.close().await;
    match found {
        Ok(wrong) if wrong.is_empty() => {
            Finding::good(what, format!("it answers and is sound ({took})"))
        }
        Ok(wrong) => Finding::bad(
            what,
            wrong.join("; "),
            "stop the server and restore the last backup (`pharos restore`)",
        ),
        Err(error) => Finding::bad(what, error.to_string(), "see the server's log"),
    }
}

/// Whether the state database is as new as the files of events, and what was set aside of these.
async fn files_of_events(settings: &Settings, path: &Path) -> Option<Finding> {
    let what = "event files";
    let segments = path.join("segments");
    if settings.events.store != EventStoreKind::Embedded || !segments.is_dir() {
        return None;
    }
    // Before the database: a running server commits first, and notes then.
    let noted = match Journal::read(&segments) {
        Ok(noted) => noted?,
        Err(error) => {
            let fix = "give the directory to the user who runs pharos";
            return Some(Finding::bad(what, error.to_string(), fix));
        }
    };
    // That there is no database has been said.
    let state = Stores::state_beside(settings).await.ok()?;
    let node = EventStore::node_id(path).ok()?;
    let committed = load_manifest(state.reader(), &node).await;
    let _ = state.close().await;
    let committed = committed.ok()?;
    if noted.version > committed.version {
        let seen = format!(
            "the state database is older than they are: it knows {} segments, and there are {}",
            committed.segments.len(),
            noted.segments.len()
        );
        let fix = "stop the server and put the newer state database back, or run `pharos restore-manifest`";
        return Some(Finding::bad(what, seen, fix));
    }
    let kept = |folder| aside::folder_stats(&segments, folder).unwrap_or_default();
    let (strays, replaced) = (kept(aside::STRAYS), kept(aside::REPLACED));
    if strays.files > 0 {
        let seen = format!(
            "the state database does not know {} files ({}), which are in `segments/{}`",
            strays.files,
            HumanBytes(strays.bytes),
            aside::STRAYS
        );
        let fix = "put the state database back that they belong to, or delete them";
        return Some(Finding::doubtful(what, seen, fix));
    }
    let seen = format!(
        "{} segments; {} replaced files ({}) are kept for a while",
        committed.segments.len(),
        replaced.files,
        HumanBytes(replaced.bytes)
    );
    Some(Finding::good(what, seen))
}

fn files() -> Finding {
    let limit = getrlimit(Resource::Nofile).current;
    match limit {
        Some(limit) if limit < FILES => Finding::doubtful(
            "open files",
            format!("this shell allows {limit}"),
            format!(
                "allow {FILES} or more where the server is started (`ulimit -n`, `LimitNOFILE=`)"
            ),
        ),
        Some(limit) => Finding::good("open files", format!("this shell allows {limit}")),
        None => Finding::good("open files", "as many as the system has"),
    }
}
