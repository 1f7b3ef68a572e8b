//! The real binary in a test's hands: set up over a directory, started on free ports, killed at the end.

use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread::JoinHandle,
};

use pharos::http::Host;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::{app::until, database, recorder, stores};

/// How often ports are looked for.
const TRIES: usize = 5;

/// A spawned program that is killed when it goes out of scope.
pub struct Process {
    pub child: Child,
    pub base: String,
    pub track: String,
    pub links: String,
    log: Arc<Mutex<Vec<String>>>,
    reader: Option<JoinHandle<()>>,
}

impl Process {
    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        let id = Pid::from_raw(self.child.id() as i32).unwrap();
        kill_process(id, signal).unwrap();
    }

    /// Asks it to stop, waits for its end and gives all that it has logged.
    pub fn stop(mut self) -> Vec<String> {
        self.signal(Signal::TERM);
        let status = self.child.wait().unwrap();
        self.reader.take().unwrap().join().unwrap();
        let log = self.log.lock().unwrap().clone();
        assert!(status.success(), "{status}: {log:#?}");
        log
    }

    /// How many lines of its log say this.
    pub fn count_log_lines(&self, text: &str) -> usize {
        let log = self.log.lock().unwrap();
        log.iter().filter(|line| line.contains(text)).count()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a set-up printed.
pub struct Credentials {
    pub website: String,
    pub key: String,
}

/// The program that is tested from outside, when it is another than the one that was built with the tests.
pub fn other_binary() -> Option<PathBuf> {
    std::env::var_os("PHAROS_TEST_BINARY").map(PathBuf::from)
}

/// The program's file.
pub fn binary() -> PathBuf {
    other_binary().unwrap_or_else(|| env!("CARGO_BIN_EXE_pharos").into())
}

/// Whether the program was built with these tests, and so with what drills need of it.
pub fn is_own() -> bool {
    let own = Path::new(env!("CARGO_BIN_EXE_pharos"));
    binary().canonicalize().unwrap() == own.canonicalize().unwrap()
}

/// Whether the program does what drills say in variables: releases do not.
pub fn has_drills() -> bool {
    let bytes = fs::read(binary()).unwrap();
    let name = b"PHAROS_DRILL_SEAL_ROWS";
    bytes.windows(name.len()).any(|part| part == name)
}

/// The program over a directory, which is also where it runs.
pub fn pharos(data: &Path) -> Command {
    let mut command = Command::new(binary());
    command
        .current_dir(data)
        .env("PHAROS__STORAGE__DATA_DIR", data)
        .env("PHAROS__STORAGE__RESERVE_BYTES", "1")
        .env("PHAROS__DATABASE__URL", database::url(data))
        .envs(stores::environment(data))
        .stdin(Stdio::null());
    command
}

/// Runs `pharos setup`.
pub fn set_up(data: &Path) -> Credentials {
    set_up_by(pharos(data))
}

/// [`set_up`] with settings of a test's own.
pub fn set_up_by(mut program: Command) -> Credentials {
    let output = program.args(["setup", "--json"]).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let made: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    Credentials {
        website: text("websiteId"),
        key: text("apiKey"),
    }
}

/// Ports that were given to this process's tests.
static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());

/// A port that is free at this moment, as an address to listen on. None is given twice.
pub fn free_address() -> String {
    loop {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        if GIVEN.lock().unwrap().insert(address.port()) {
            return address.to_string();
        }
    }
}

/// Starts the program on free ports and waits until it answers.
pub async fn start(mut command: Command) -> Process {
    for _ in 0..TRIES {
        let (api, track) = (free_address(), free_address());
        if let Some(process) = begin(&mut command, &api, &track, Stdio::null()).await {
            return process;
        }
    }
    panic!("no port stays free for a moment")
}

/// [`start`] with the API and the tracking listener at addresses that are known before.
pub async fn start_at(command: Command, api: &str, track: &str) -> Process {
    start_telling(command, api, track, Stdio::null()).await
}

/// [`start_at`] with what it prints somewhere.
pub async fn start_telling(mut command: Command, api: &str, track: &str, out: Stdio) -> Process {
    let begun = begin(&mut command, api, track, out).await;
    begun.unwrap_or_else(|| panic!("{api}, {track} or one more port was taken"))
}

/// Starts the program and waits until it listens; `None` if another process took one of its ports.
async fn begin(command: &mut Command, api: &str, track: &str, out: Stdio) -> Option<Process> {
    let links = free_address();
    let mut child = command
        .env("PHAROS__SERVER__API_LISTEN", api)
        .env("PHAROS__SERVER__TRACK_LISTEN", track)
        .env("PHAROS__SERVER__LINKS_LISTEN", &links)
        .env("PHAROS__LOG__FORMAT", "json")
        .stdout(out)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let log = Arc::new(Mutex::new(Vec::new()));
    let written = Arc::clone(&log);
    // Reads to the end: the program must never wait for us.
    let reader = std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            written.lock().unwrap().push(line);
        }
    });
    let mut process = Process {
        child,
        base: format!("http://{api}"),
        track: format!("http://{track}"),
        links: format!("http://{links}"),
        log,
        reader: Some(reader),
    };
    let mut ended = None;
    until("the program listens", async || {
        ended = process.child.try_wait().unwrap();
        ended.is_some() || process.count_log_lines("listening") > 0
    })
    .await;
    let Some(status) = ended else {
        recorder::note_address(&process.base, Host::Base);
        recorder::note_address(&process.track, Host::Track);
        recorder::note_address(&process.links, Host::Links);
        return Some(process);
    };
    process.reader.take().unwrap().join().unwrap();
    let log = process.log.lock().unwrap().join("\n");
    assert!(log.contains("cannot listen on"), "{status}: {log}");
    None
}

/// How many threads of a program have names that begin like this and end with a number.
pub fn threads(process: &Process, name: &str) -> usize {
    let tasks = fs::read_dir(format!("/proc/{}/task", process.child.id())).unwrap();
    let names = tasks.map(|task| fs::read_to_string(task.unwrap().path().join("comm")).unwrap());
    let own = names.filter(|own| {
        let number = own.trim().strip_prefix(name);
        number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    });
    own.count()
}
