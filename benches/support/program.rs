//! The program under measurement: the real composition root on free ports, without limits.

use std::path::{Path, PathBuf};

use anyhow::Context;
use pharos::{
    clock::Clock,
    config::Settings,
    platform::{Install, Platform, SetupResult},
    telemetry::{self, Format},
};

use crate::args::variable;

/// Workers per listener, of the program and of what it is compared with.
pub(crate) const WORKERS: usize = 2;

/// What sets a program on its own free of limits and of answers from memory: variables of its environment.
pub(crate) fn unlimited(workers: &str) -> [(&'static str, &str); 9] {
    [
        ("PHAROS__STORAGE__RESERVE_BYTES", "1"),
        ("PHAROS__SERVER__WORKERS", workers),
        ("PHAROS__INGEST__ACK", "fsync"),
        ("PHAROS__QUERY__CACHE", "0"),
        ("PHAROS__LIMITS__TRACK_REQUESTS", "0"),
        ("PHAROS__LIMITS__QUERY_REQUESTS", "0"),
        ("PHAROS__LIMITS__QUERY_REQUESTS_ANONYMOUS", "0"),
        ("PHAROS__LIMITS__KEY_REQUESTS", "0"),
        ("PHAROS__LIMITS__KEY_IN_FLIGHT", "0"),
    ]
}

/// Logs as the program does by default: spans of requests cost something even when no line is written.
pub(crate) fn log() -> anyhow::Result<()> {
    telemetry::start(&telemetry::Options {
        format: Format::Pretty,
        level: "info".to_owned(),
    })?;
    Ok(())
}

/// Starts the program over a directory.
pub(crate) async fn start(data: &Path, clock: Clock) -> anyhow::Result<Platform> {
    let data = data.to_string_lossy();
    let text = format!(
        "storage.data_dir = {data:?}\nstorage.reserve_bytes = 1\n\
         server.api_listen = \"127.0.0.1:0\"\nserver.track_listen = \"127.0.0.1:0\"\n\
         server.links_listen = \"127.0.0.1:0\"\nserver.workers = {WORKERS}\ningest.ack = \"fsync\"\nquery.cache = \"0\"\n\
         [limits]\ntrack_requests = 0\nquery_requests = 0\nquery_requests_anonymous = 0\nkey_requests = 0\n\
         key_in_flight = 0\n"
    );
    let file = Some((Path::new("bench.toml"), text.as_bytes()));
    // A large future.
    Box::pin(Platform::start(Settings::parse(file, [])?, clock)).await
}

/// Organization, website and key in an empty directory.
pub(crate) async fn installed(data: &Path, wanted: Install) -> anyhow::Result<SetupResult> {
    let platform = start(data, Clock::system()).await?;
    let made = Box::pin(platform.install(wanted)).await?;
    platform.stop().await;
    Ok(made)
}

/// A directory on a real disk: where `PHAROS_BENCH_DIR` says, else below the build directory.
pub(crate) fn directory() -> anyhow::Result<PathBuf> {
    let chosen = variable("PHAROS_BENCH_DIR").unwrap_or_else(|| {
        let built = Path::new(env!("CARGO_TARGET_TMPDIR"));
        built.join("bench")
    });
    std::fs::create_dir_all(&chosen)
        .with_context(|| format!("cannot make `{}`", chosen.display()))?;
    Ok(chosen.canonicalize()?)
}
