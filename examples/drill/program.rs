//! The program in a drill's hands.

use std::{
    fs::{self, File},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, bail, ensure};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, setrlimit};
use serde_json::Value;
use tempfile::TempDir;

use crate::{Setting, watch::Watch};

/// How long the program may take to answer or to end.
const PATIENCE: Duration = Duration::from_mins(5);
/// How often it is asked.
const LOOK: Duration = Duration::from_millis(5);

/// A thousand connections need more files than most shells allow.
pub(crate) fn raise_limits() -> anyhow::Result<()> {
    let now = getrlimit(Resource::Nofile);
    let wanted = now.maximum.unwrap_or(65_536).min(65_536);
    let limits = Rlimit {
        current: Some(wanted.max(now.current.unwrap_or(wanted))),
        ..now
    };
    Ok(setrlimit(Resource::Nofile, limits)?)
}

/// An installation: a directory, a website, a key.
pub(crate) struct House {
    binary: PathBuf,
    /// Where data and logs are.
    pub(crate) directory: Arc<TempDir>,
    /// The data directory.
    pub(crate) data: PathBuf,
    /// Files in it make things go wrong.
    pub(crate) failpoints: PathBuf,
    settings: Vec<(String, String)>,
    ports: [u16; 3],
    /// The website's id.
    pub(crate) website: String,
    /// A key with every scope.
    pub(crate) key: String,
    /// Who may sign in.
    pub(crate) owner: (String, String),
}

impl House {
    /// Sets one up with these settings (environment variables); data in `data`, or below the house's own directory.
    pub(crate) fn new(
        setting: &Setting,
        data: Option<&Path>,
        settings: &[(&str, &str)],
    ) -> anyhow::Result<Self> {
        let directory = tempfile::tempdir_in(&setting.directory)?;
        let data = data.map_or_else(|| directory.path().join("data"), Path::to_owned);
        let failpoints = directory.path().join("failpoints");
        fs::create_dir_all(&failpoints)?;
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let mut house = Self {
            binary: setting.binary.clone(),
            data,
            failpoints,
            settings: settings.iter().map(own).collect(),
            ports: free_ports()?,
            directory: Arc::new(directory),
            website: String::new(),
            key: String::new(),
            owner: (String::new(), String::new()),
        };
        let made = house.set_up()?;
        let text = |name: &str| made[name].as_str().unwrap_or_default().to_owned();
        house.website = text("websiteId");
        house.key = text("apiKey");
        house.owner = (text("email"), text("password"));
        Ok(house)
    }

    /// What setting up printed. On a starved machine it may give up, as people would meet it; then it is done anew.
    fn set_up(&self) -> anyhow::Result<Value> {
        let mut said = String::new();
        for _ in 0..3 {
            let made = self.command(&[]).args(["setup", "--json"]).output()?;
            if made.status.success() {
                return Ok(serde_json::from_slice(&made.stdout)?);
            }
            said = String::from_utf8_lossy(&made.stderr).into_owned();
            if self.data.exists() {
                fs::remove_dir_all(&self.data)?;
            }
        }
        bail!("setup: {said}")
    }

    /// `{base_url}`.
    pub(crate) fn base(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports[0])
    }

    /// Where short links are.
    pub(crate) fn links(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports[2])
    }

    /// The same installation over another data directory, for when nothing runs over this one.
    pub(crate) fn moved_to(&self, data: &Path) -> Self {
        Self {
            binary: self.binary.clone(),
            directory: Arc::clone(&self.directory),
            data: data.to_owned(),
            failpoints: self.failpoints.clone(),
            settings: self.settings.clone(),
            ports: self.ports,
            website: self.website.clone(),
            key: self.key.clone(),
            owner: self.owner.clone(),
        }
    }

    /// Runs a command to its end, beside whatever runs.
    pub(crate) async fn run(&self, arguments: &[&str]) -> anyhow::Result<Output> {
        self.run_with(arguments, &[]).await
    }

    /// [`Self::run`] with other settings.
    pub(crate) async fn run_with(
        &self,
        arguments: &[&str],
        settings: &[(&str, &str)],
    ) -> anyhow::Result<Output> {
        let mut command = self.command(&[]);
        command.args(arguments).envs(settings.iter().copied());
        Ok(tokio::task::spawn_blocking(move || command.output()).await??)
    }

    /// Calls a procedure, which has to succeed.
    pub(crate) async fn call(&self, procedure: &str, body: &Value) -> anyhow::Result<Value> {
        let request = reqwest::Client::new().post(format!("{}{procedure}", self.base()));
        let answer = request
            .header("x-api-key", &self.key)
            .json(body)
            .send()
            .await?;
        let status = answer.status();
        let text = answer.text().await?;
        ensure!(status == 200, "{procedure}: {status} {text}");
        Ok(serde_json::from_str(&text)?)
    }

    /// A figure that the program publishes, without labels.
    pub(crate) async fn metric(&self, name: &str) -> anyhow::Result<f64> {
        let text = reqwest::get(format!("{}/metrics", self.base()))
            .await?
            .text()
            .await?;
        let mut lines = text.lines();
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        Ok(value.context("no such metric")?.parse()?)
    }

    /// Where events go.
    pub(crate) fn track(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports[1])
    }

    /// The port of `{base_url}`.
    pub(crate) fn base_port(&self) -> u16 {
        self.ports[0]
    }

    /// The port of the tracking listener.
    pub(crate) fn track_port(&self) -> u16 {
        self.ports[1]
    }

    /// A further setting, from the next start on.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.settings.push((name.to_owned(), value.to_owned()));
    }

    /// Lets a place of the program go wrong, or right again.
    pub(crate) fn failpoint(&self, place: &str, what: Option<&str>) -> anyhow::Result<()> {
        let file = self.failpoints.join(place);
        match what {
            Some(what) => fs::write(file, what)?,
            None => fs::remove_file(file)?,
        }
        Ok(())
    }

    /// Kills the program, tears its log, and starts it again.
    pub(crate) async fn restart_without_log(&self, running: Running) -> anyhow::Result<Running> {
        running.kill()?;
        self.tear_log()?;
        self.start().await
    }

    /// Takes everything out of the log that is in no segment yet: a disk that lied.
    pub(crate) fn tear_log(&self) -> anyhow::Result<()> {
        /// Of a log file.
        const HEADER: u64 = 48;
        for path in files(&self.data.join("spool"), "seg")? {
            File::options().write(true).open(path)?.set_len(HEADER)?;
        }
        Ok(())
    }

    /// Takes away what is known of ids whose events are in segments.
    pub(crate) fn forget_ids(&self) -> anyhow::Result<()> {
        for path in files(&self.data.join("dedup"), "keys")? {
            fs::remove_file(path)?;
        }
        Ok(())
    }

    fn command(&self, wrapper: &[String]) -> Command {
        let mut command = match wrapper {
            [] => Command::new(&self.binary),
            [tool, rest @ ..] => {
                let mut command = Command::new(tool);
                command.args(rest).arg(&self.binary);
                command
            }
        };
        let [api, track, links] = self.ports.map(|port| format!("127.0.0.1:{port}"));
        command
            .current_dir(self.directory.path())
            .env("PHAROS__STORAGE__DATA_DIR", &self.data)
            .env("PHAROS__STORAGE__RESERVE_BYTES", "1")
            .env("PHAROS__SERVER__API_LISTEN", api)
            .env("PHAROS__SERVER__TRACK_LISTEN", track)
            .env("PHAROS__SERVER__LINKS_LISTEN", links)
            .env("PHAROS__LIMITS__TRACK_REQUESTS", "0")
            .env("PHAROS__LIMITS__QUERY_REQUESTS", "0")
            .env("PHAROS__LIMITS__KEY_IN_FLIGHT", "0")
            .env("PHAROS__LOG__FORMAT", "json")
            .env("PHAROS_DRILL_FAILPOINTS", &self.failpoints)
            .envs(self.settings.iter().cloned())
            .stdin(Stdio::null());
        command
    }

    /// Starts the program and waits until it takes events.
    pub(crate) async fn start(&self) -> anyhow::Result<Running> {
        let started = self.start_under(&[]).await?;
        started.with_context(|| format!("it ended at its start:\n{}", self.last_words()))
    }

    /// Starts the program under a tool; `None` when it ended before it took events.
    pub(crate) async fn start_under(&self, wrapper: &[String]) -> anyhow::Result<Option<Running>> {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.directory.path().join("log"))?;
        let begun = Watch::start();
        let child = self
            .command(wrapper)
            .arg("serve")
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()?;
        let mut running = Running {
            child,
            wrapped: !wrapper.is_empty(),
            ready_after: Duration::ZERO,
        };
        let http = reqwest::Client::new();
        while begun.elapsed() < PATIENCE {
            if running.child.try_wait()?.is_some() {
                return Ok(None);
            }
            let health = http.get(format!("{}/health", self.track()));
            let answered = health.timeout(Duration::from_secs(2)).send().await;
            if answered.is_ok_and(|answer| answer.status().is_success()) {
                running.ready_after = begun.elapsed();
                return Ok(Some(running));
            }
            tokio::time::sleep(LOOK).await;
        }
        bail!("it never answered:\n{}", self.last_words());
    }

    /// The end of the log.
    pub(crate) fn last_words(&self) -> String {
        let log = self.log();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(8)..].join("\n")
    }

    /// The lines of the log that contain this.
    pub(crate) fn lines_with(&self, text: &str) -> Vec<String> {
        let log = self.log();
        let lines = log.lines().filter(|line| line.contains(text));
        lines.map(str::to_owned).collect()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.directory.path().join("log")).unwrap_or_default()
    }
}

/// The files in a directory that end like this, by name.
pub(crate) fn files(directory: &Path, extension: &str) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|held| held == extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Ports that nobody listens on now, and that no client's connection is given while the program is away.
fn free_ports() -> anyhow::Result<[u16; 3]> {
    let mut ports = [0; 3];
    let mut held = Vec::new();
    let first = std::process::id().wrapping_mul(97) % 10_000;
    let mut candidates = (0..10_000).map(|n| (15_000 + (first + n) % 10_000) as u16);
    for port in &mut ports {
        let free = candidates.find_map(|port| {
            let listener = TcpListener::bind(("127.0.0.1", port)).ok()?;
            Some((port, listener))
        });
        let (found, listener) = free.context("no free port")?;
        *port = found;
        held.push(listener);
    }
    Ok(ports)
}

/// A started program; it is killed when this goes out of scope.
pub(crate) struct Running {
    child: Child,
    wrapped: bool,
    /// From exec to the first answer.
    pub(crate) ready_after: Duration,
}

impl Running {
    /// The program's process; under a tool, the tool's only child.
    pub(crate) fn pid(&self) -> Option<Pid> {
        let own = self.child.id();
        if !self.wrapped {
            return Pid::from_raw(own as i32);
        }
        let children = fs::read_to_string(format!("/proc/{own}/task/{own}/children")).ok()?;
        Pid::from_raw(children.split_whitespace().next()?.parse().ok()?)
    }

    /// Sends a signal to the program; whether there is one.
    pub(crate) fn signal(&mut self, signal: Signal) -> bool {
        // Who has ended has no number any more.
        let pid = if self.has_ended() { None } else { self.pid() };
        pid.is_some_and(|pid| kill_process(pid, signal).is_ok())
    }

    /// Whether it has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    /// `kill -9`, and waits until it is gone.
    pub(crate) fn kill(mut self) -> anyhow::Result<()> {
        self.signal(Signal::KILL);
        self.child.wait()?;
        Ok(())
    }

    /// Waits until it ends by itself.
    pub(crate) async fn ended(&mut self) -> anyhow::Result<ExitStatus> {
        let begun = Watch::start();
        while begun.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            tokio::time::sleep(LOOK).await;
        }
        bail!("it did not end")
    }

    /// SIGTERM, and waits until it has ended in good order.
    pub(crate) async fn stop(mut self) -> anyhow::Result<()> {
        self.signal(Signal::TERM);
        let status = self.ended().await?;
        ensure!(status.success(), "it ended with {status}");
        Ok(())
    }

    /// How many files and connections are open.
    pub(crate) fn open_files(&self) -> usize {
        let pid = self.pid().map_or(0, |pid| pid.as_raw_nonzero().get());
        fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count)
    }

    /// Resident memory, bytes.
    pub(crate) fn resident(&self) -> u64 {
        self.memory("VmRSS:")
    }

    /// The most resident memory until now, bytes.
    pub(crate) fn peak(&self) -> u64 {
        self.memory("VmHWM:")
    }

    fn memory(&self, kind: &str) -> u64 {
        let pid = self.pid().map_or(0, |pid| pid.as_raw_nonzero().get());
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(kind));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kib.unwrap_or(0) << 10
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A tool ends with the program, and not before it.
        if !self.signal(Signal::KILL) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}
