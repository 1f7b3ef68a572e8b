//! The program as its own process: what it costs is not mixed with what the measuring costs.

use std::{
    fs,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::{args::variable, machine, wire::Connection};

const PATIENCE: Duration = Duration::from_mins(2);
/// How long a process has to do nearly nothing to count as quiet.
const QUIET: Duration = Duration::from_millis(300);
/// Ticks per second of `/proc`, the same on every Linux.
const TICKS: f64 = 100.0;
const HEALTH: &[u8] = b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// The release binary: what `PHAROS_BIN` names, else the one that Cargo built beside the benchmarks.
pub(crate) fn binary() -> anyhow::Result<PathBuf> {
    let path = variable("PHAROS_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_pharos").into());
    path.canonicalize()
        .with_context(|| format!("no program at `{}`", path.display()))
}

/// Sets an installation up in a directory; what was said about it.
pub(crate) fn set_up(home: &Path, settings: &[(&str, &str)]) -> anyhow::Result<Value> {
    let output = Command::new(binary()?)
        .args(["setup", "--json"])
        .current_dir(home)
        .env("PHAROS__STORAGE__DATA_DIR", home)
        .envs(settings.iter().copied())
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "setup: {said}");
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// A running server; killed when dropped.
pub(crate) struct Server {
    child: Child,
    started: Instant,
    /// Where it answers queries.
    pub(crate) api: SocketAddr,
    /// Where it takes events.
    pub(crate) track: SocketAddr,
}

impl Server {
    /// Starts the program over a data directory; `settings` are variables of its environment.
    pub(crate) fn start(data: &Path, settings: &[(&str, &str)]) -> anyhow::Result<Self> {
        // Free now, and hardly taken in the next moment.
        let (api, track) = (free()?, free()?);
        let mut command = Command::new(binary()?);
        command
            .arg("serve")
            .current_dir(data)
            .env("PHAROS__STORAGE__DATA_DIR", data)
            .env("PHAROS__SERVER__API_LISTEN", api.to_string())
            .env("PHAROS__SERVER__TRACK_LISTEN", track.to_string())
            .env("PHAROS__SERVER__LINKS_LISTEN", "127.0.0.1:0")
            .envs(settings.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log()?);
        let started = Instant::now();
        Ok(Self {
            child: command.spawn()?,
            started,
            api,
            track,
        })
    }

    /// Starts this very benchmark with other words, as a server at `address`.
    pub(crate) fn again(words: &[&str], address: SocketAddr) -> anyhow::Result<Self> {
        let started = Instant::now();
        let child = Command::new(std::env::current_exe()?)
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()?;
        Ok(Self {
            child,
            started,
            api: address,
            track: address,
        })
    }

    /// Milliseconds from the start until `/health` answers, whatever it says.
    pub(crate) async fn healthy(&mut self) -> anyhow::Result<f64> {
        while self.started.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait()? {
                bail!("the server ended with {status}");
            }
            if let Ok(mut connection) = Connection::open(self.api).await
                && matches!(connection.exchange(HEALTH).await, Ok(200 | 404))
            {
                return Ok(self.started.elapsed().as_secs_f64() * 1e3);
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        bail!("the server is not healthy after {PATIENCE:?}")
    }

    /// Processor time of all its threads so far.
    pub(crate) fn processor(&self) -> anyhow::Result<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // The name in brackets may contain anything; numbers are counted behind it.
        let (_, fields) = stat.rsplit_once(')').context("no process name")?;
        let ticks: u64 = fields
            .split_whitespace()
            .skip(11)
            .take(2)
            .map(|field| field.parse::<u64>().unwrap_or_default())
            .sum();
        let seconds = ticks as f64 / TICKS;
        Ok(Duration::from_secs_f64(seconds))
    }

    /// Resident memory, MB.
    pub(crate) fn resident_mb(&self) -> anyhow::Result<f64> {
        machine::resident_mb(&self.child.id().to_string())
    }

    /// Waits until seals, merges and the like are done: what runs on would be counted against the next measurement.
    pub(crate) async fn quiet(&self) -> anyhow::Result<()> {
        let asked = Instant::now();
        while asked.elapsed() < PATIENCE {
            let before = self.processor()?;
            tokio::time::sleep(QUIET).await;
            if self.processor()?.saturating_sub(before) < QUIET / 15 {
                break;
            }
        }
        Ok(())
    }

    /// Ends it after it has been left alone for this long; its resident memory before, megabytes.
    pub(crate) async fn rested_mb(self, rest: Duration) -> anyhow::Result<f64> {
        self.quiet().await?;
        tokio::time::sleep(rest).await;
        let resident = self.resident_mb()?;
        self.stop()?;
        Ok(resident)
    }

    /// Ends it in good order.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        kill_process(Pid::from_child(&self.child), Signal::TERM)?;
        let status = self.child.wait()?;
        if !status.success() {
            bail!("the program ended with {status}");
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Ends it when a measurement failed; nothing to do after `stop`.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port of the loopback that is free now.
pub(crate) fn free() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

/// Where the program's log goes: the file that `PHAROS_BENCH_LOG` names, else nowhere.
fn log() -> anyhow::Result<Stdio> {
    let Some(path) = variable("PHAROS_BENCH_LOG") else {
        return Ok(Stdio::null());
    };
    let file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)?;
    Ok(Stdio::from(file))
}
