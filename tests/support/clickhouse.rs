//! ClickHouse's engine behind its HTTP interface (`tests/clickhouse/front.py`).

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

/// The engine in a process of its own, which ends with this.
pub(crate) struct Server {
    child: Child,
    port: u16,
    /// Where the engine keeps its tables.
    directory: TempDir,
}

impl Server {
    /// The engine; nothing where `scripts/test` says that it cannot be had.
    pub(crate) fn start() -> Option<Self> {
        if std::env::var_os("PHAROS_NO_CLICKHOUSE").is_some() {
            return None;
        }
        let home = Path::new(env!("CARGO_MANIFEST_DIR"));
        let python = python(home);
        assert!(
            python.exists(),
            "{} is not there: run scripts/clickhouse, which installs it",
            python.display()
        );
        let directory = TempDir::new().unwrap();
        let (child, port) = serve(directory.path(), 0);
        Some(Self {
            child,
            port,
            directory,
        })
    }

    /// Ends it; what it knows stays.
    pub(crate) fn stop(&mut self) {
        // The end of its input ends it.
        self.freeze(false);
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }

    /// Starts it again where it was, with what it knew.
    pub(crate) fn again(&mut self) {
        (self.child, self.port) = serve(self.directory.path(), self.port);
    }

    /// Makes it stop answering, or go on.
    pub(crate) fn freeze(&self, is_frozen: bool) {
        use rustix::process::{Pid, Signal, kill_process};
        let id = Pid::from_raw(self.child.id() as i32).unwrap();
        let signal = if is_frozen {
            Signal::STOP
        } else {
            Signal::CONT
        };
        kill_process(id, signal).unwrap();
    }

    /// Its address for `events.clickhouse_url`.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/default", self.port)
    }

    /// What the engine answers to a statement, which has to succeed.
    pub(crate) fn tell(&self, statement: &str) -> String {
        tell(&format!("http://127.0.0.1:{}", self.port), statement)
    }
}

/// What the engine behind an address (`http://127.0.0.1:1234`) answers to a statement, which has to succeed.
pub(crate) fn tell(front: &str, statement: &str) -> String {
    let head = format!(
        "POST / HTTP/1.0\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
        statement.len()
    );
    let mut stream = TcpStream::connect(front.trim_start_matches("http://")).unwrap();
    stream
        .write_all(&[head.as_bytes(), statement.as_bytes()].concat())
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, text) = answer.split_once("\r\n\r\n").unwrap();
    assert_eq!(head.split(' ').nth(1), Some("200"), "{statement}: {text}");
    text.to_owned()
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The engine over a directory, at a port or at a free one.
fn serve(directory: &Path, port: u16) -> (Child, u16) {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut child = Command::new(python(home))
        .arg(home.join("tests/clickhouse/front.py"))
        .arg(directory)
        .arg(port.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let out = child.stdout.take().unwrap();
    BufReader::new(out).read_line(&mut said).unwrap();
    let Ok(port) = said.trim().parse() else {
        panic!("the front says on standard error what is wrong: {said}");
    };
    (child, port)
}

fn python(home: &Path) -> PathBuf {
    let mut asked = Command::new(home.join("scripts/clickhouse"));
    let output = asked.arg("--where").output().unwrap();
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
}
