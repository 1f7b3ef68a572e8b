//! Servers for monitors: real ones in Python, and ones that say what a test says.

use std::{
    io::{BufRead as _, BufReader},
    net::UdpSocket,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
};

use serde_json::Value;
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

/// The Python that has the servers; nothing where `scripts/test` says that they cannot be had.
pub(super) fn find_python() -> Option<PathBuf> {
    if std::env::var_os("PHAROS_NO_PYTHON").is_some() {
        return None;
    }
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let place = Command::new(home.join("scripts/python"))
        .args(["monitors", "--where"])
        .output();
    let place = String::from_utf8(place.unwrap().stdout).unwrap();
    let python = PathBuf::from(place.trim());
    let missing = "run `scripts/python monitors`, which installs it";
    assert!(
        python.exists(),
        "{} is not there: {missing}",
        python.display()
    );
    Some(python)
}

/// A program of `tests/monitors`.
pub(super) fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/monitors")
        .join(name)
}

/// gRPC, WebSocket and SNMP by the packages that others use.
pub(super) struct Python {
    child: Child,
    ports: Value,
    _certificate: TempDir,
}

impl Python {
    /// The servers; nothing where there is no Python for them.
    pub(super) fn start() -> Option<Self> {
        let python = find_python()?;
        let directory = tempfile::tempdir().unwrap();
        let (certificate, key) = (
            directory.path().join("c.pem"),
            directory.path().join("k.pem"),
        );
        let signed = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        std::fs::write(&certificate, signed.cert.pem()).unwrap();
        std::fs::write(&key, signed.signing_key.serialize_pem()).unwrap();
        let mut child = Command::new(python)
            .arg(script("servers.py"))
            .args([&certificate, &key])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let ports = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        Some(Self {
            child,
            ports,
            _certificate: directory,
        })
    }

    pub(super) fn port(&self, server: &str) -> u64 {
        self.ports[server].as_u64().unwrap()
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A host of datagrams that answers each with these, and ends with the process.
pub(super) fn answer_datagrams(answer: impl Fn(&[u8]) -> Vec<Vec<u8>> + Send + 'static) -> u16 {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    thread::spawn(move || {
        let mut buffer = [0; 2_048];
        while let Ok((length, from)) = socket.recv_from(&mut buffer) {
            for bytes in answer(&buffer[..length]) {
                let _ = socket.send_to(&bytes, from);
            }
        }
    });
    port
}

/// A web server that answers a request, head and body, with a status line, headers and a body.
pub(super) struct Web {
    pub(super) url: String,
    _task: JoinSet<()>,
}

impl Web {
    pub(super) async fn start(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let mut task = JoinSet::new();
        task.spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let said = answer(&read(&mut stream).await);
                let (head, body) = said.split_once("\n\n").unwrap_or((&said, ""));
                let head = head.replace('\n', "\r\n");
                let length = body.len();
                let whole = format!("HTTP/1.1 {head}\r\ncontent-length: {length}\r\n\r\n{body}");
                let _ = stream.write_all(whole.as_bytes()).await;
            }
        });
        Self { url, _task: task }
    }
}

/// A request with its body.
async fn read(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_ascii_lowercase();
            let length = head.split("content-length: ").nth(1);
            let length = length.and_then(|rest| rest.lines().next()?.parse().ok());
            if body.len() >= length.unwrap_or(0_usize) {
                return text;
            }
        }
        if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return text;
        }
    }
}

/// A server that takes connections and says this, without an end if it is repeated.
pub(super) async fn say(bytes: &'static [u8], again: bool) -> (u16, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut task = JoinSet::new();
    task.spawn(async move {
        let mut open = JoinSet::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            open.spawn(async move {
                while stream.write_all(bytes).await.is_ok() && again {}
                let mut rest = [0; 1_024];
                while stream.read(&mut rest).await.is_ok_and(|length| length > 0) {}
            });
        }
    });
    (port, task)
}
