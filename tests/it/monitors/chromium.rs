//! Pages in a real Chromium: what they show, what they may reach, and what becomes of monitors without it.

use std::{
    net::TcpListener as StdListener,
    os::unix::process::CommandExt as _,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use super::{OPEN, check_all, last_check};
use crate::{
    app::{App, until},
    uptime::create,
};

/// A Chromium without a window, gone with this value.
struct Chromium {
    port: u16,
    child: Child,
    _home: TempDir,
}

impl Chromium {
    /// Nothing where `scripts/test` says that it cannot be had.
    async fn start() -> Option<Self> {
        if std::env::var_os("PHAROS_NO_BROWSER").is_some() {
            return None;
        }
        let program = std::env::var_os("PHAROS_CHROMIUM");
        let program = program.map_or_else(|| PathBuf::from("/usr/bin/chromium"), PathBuf::from);
        let missing = "is not there: run scripts/test, which installs it";
        assert!(program.exists(), "{} {missing}", program.display());
        let home = tempfile::tempdir().unwrap();
        let free = StdListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        // Tests run in containers as well, where Chromium has no sandbox.
        let child = Command::new(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
            ])
            .args(["--disable-dev-shm-usage", "--disable-background-networking"])
            .args([
                "--webrtc-ip-handling-policy=disable_non_proxied_udp",
                "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            ])
            .arg(format!("--remote-debugging-port={port}"))
            .arg(format!("--user-data-dir={}", home.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let chromium = Self {
            port,
            child,
            _home: home,
        };
        until("Chromium takes connections", async || {
            TcpStream::connect(("127.0.0.1", port)).await.is_ok()
        })
        .await;
        Some(chromium)
    }

    fn setting(&self) -> String {
        format!("egress.browser_url = 'http://127.0.0.1:{}'\n", self.port)
    }

    /// The URLs of the pages that are open.
    async fn pages(&self, app: &App) -> String {
        let url = format!("http://127.0.0.1:{}/json/list", self.port);
        let answer = app.http.get(url).send().await.unwrap();
        answer.text().await.unwrap()
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // Its processes are a group of their own.
        let leader = Pid::from_raw(self.child.id() as i32).unwrap();
        let _ = kill_process_group(leader, Signal::KILL);
        let _ = self.child.wait();
    }
}

/// A web server that answers paths, and knows which were asked for.
struct Site {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
    _task: JoinSet<()>,
}

impl Site {
    async fn start(host: &str, answer: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((host, 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (asked, answer) = (Arc::new(Mutex::new(Vec::new())), Arc::new(answer));
        let noted = Arc::clone(&asked);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut talks = JoinSet::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                let (noted, answer) = (Arc::clone(&noted), Arc::clone(&answer));
                talks.spawn(async move {
                    let path = read_path(&mut stream).await;
                    noted.lock().unwrap().push(path.clone());
                    let said = answer(&path);
                    if said.is_empty() {
                        std::future::pending::<()>().await;
                    }
                    let _ = stream.write_all(said.as_bytes()).await;
                    let _ = stream.shutdown().await;
                });
            }
        });
        Self {
            url,
            asked,
            _task: task,
        }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// The path of a request, with everything else of it read.
async fn read_path(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read_buf(&mut head).await.unwrap_or(0) == 0 {
            break;
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    head.split(' ').nth(1).unwrap_or_default().to_owned()
}

fn page(status: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

fn redirect(to: &str) -> String {
    format!(
        "HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    )
}

/// Pages of all kinds. `/hang` never answers.
fn answer(path: &str) -> String {
    match path.split('?').next().unwrap_or_default() {
        "/" => page(
            "200 OK",
            "<p id=a>static</p><script>fetch('/late').then(() => { a.textContent = 'rendered ' + 6 * 7; });</script>",
        ),
        "/hang" => String::new(),
        "/broken" => page("500 Internal Server Error", "rendered 42"),
        "/moves" => page("200 OK", "<script>location.replace('/broken');</script>"),
        "/dialogs" => page(
            "200 OK",
            "<script>for (let i = 0; i < 20; i++) { alert(i); confirm(i); }</script>rendered 42",
        ),
        "/lies" => page(
            "200 OK",
            "<script>Object.defineProperty(HTMLElement.prototype, 'innerText', { get: () => 'rendered 42' });</script>nothing",
        ),
        "/guarded" => "HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Basic realm=a\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned(),
        "/file" => "HTTP/1.1 200 OK\r\ncontent-type: application/zip\r\ncontent-length: 2\r\nconnection: close\r\n\r\nPK".to_owned(),
        "/cut" => "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 900\r\nconnection: close\r\n\r\n<p>".to_owned(),
        _ => page("404 Not Found", ""),
    }
}

fn monitor(url: &str, text: &str) -> Value {
    json!({ "kind": "browser", "url": url, "expect": { "contains": text } })
}

#[actix::test]
async fn a_page_is_up_if_it_shows_what_is_expected() {
    let Some(chromium) = Chromium::start().await else {
        return;
    };
    let app = App::with(&format!("{OPEN}{}", chromium.setting())).await;
    let site = Site::start("127.0.0.1", answer).await;
    let at = |path: &str| format!("{}{path}", site.url);
    let shows = |path: &str| monitor(&at(path), "rendered 42");
    let free = StdListener::bind("127.0.0.1:0").unwrap();
    let nowhere = format!("http://{}/", free.local_addr().unwrap());
    drop(free);
    let mut hanging = shows("/hang");
    hanging["timeout"] = json!(5_000);
    let mut expected = shows("/broken?expected");
    expected["expect"]["status"] = json!(["500"]);
    check_all(
        &app,
        vec![
            (shows("/"), None),
            (shows("/dialogs"), None),
            (expected, None),
            (json!({ "kind": "browser", "url": at("/?any") }), None),
            (monitor(&at("/?other"), "no such text"), Some("assertion")),
            (shows("/lies"), Some("assertion")),
            (shows("/broken"), Some("status")),
            (shows("/moves"), Some("status")),
            (shows("/file"), Some("protocol")),
            (shows("/guarded"), Some("credentials")),
            (shows("/cut"), Some("closed")),
            (hanging, Some("timeout_ttfb")),
            (monitor(&nowhere, "a"), Some("refused")),
        ],
    )
    .await;
    until("no page is left open", async || {
        !chromium.pages(&app).await.contains(&site.url)
    })
    .await;
    drop(chromium);
    let gone = create(&app, {
        let mut gone = monitor(&at("/?gone"), "rendered 42");
        (gone["granularity"], gone["retries"]) = (json!("hour"), json!(0));
        gone
    })
    .await;
    let last = last_check(&app, &gone).await;
    assert_eq!(last["errorClass"], "other", "{last}");
    assert!(last.to_string().contains("egress.browser_url"), "{last}");
    app.finish().await;
}

#[actix::test]
async fn pages_that_wait_for_others_lose_none_of_their_time() {
    let Some(chromium) = Chromium::start().await else {
        return;
    };
    let app = App::with(&format!("{OPEN}{}", chromium.setting())).await;
    let site = Site::start("127.0.0.1", answer).await;
    let hanging = |nth: usize| {
        let mut hanging = monitor(&format!("{}/hang?{nth}", site.url), "a");
        hanging["timeout"] = json!(3_000);
        (hanging, Some("timeout_ttfb"))
    };
    check_all(&app, (0..9).map(hanging).collect()).await;
    app.finish().await;
}

#[actix::test]
async fn a_page_reaches_nothing_that_monitors_may_not() {
    let Some(chromium) = Chromium::start().await else {
        return;
    };
    let open = "egress.allow = ['127.0.0.1/32']\negress.blocked_ports = [9]\n";
    let app = App::with(&format!("{open}{}", chromium.setting())).await;
    let inside = Site::start("127.0.0.2", |_| page("200 OK", "secret")).await;
    let (secret, port) = (inside.url.clone(), chromium.port);
    let site = Site::start("127.0.0.1", move |path| match path {
        "/embeds" => page(
            "200 OK",
            &format!(
                "<img src='{secret}/image'><iframe src='{secret}/frame'></iframe><script>
                const open = () => new Promise(done => {{ new WebSocket('ws{}/socket').onerror = done; }});
                const work = () => new Promise(done => {{
                  const code = `fetch('{secret}/worker').catch(() => postMessage(1))`;
                  new Worker(URL.createObjectURL(new Blob([code]))).onmessage = done;
                }});
                Promise.all([fetch('{secret}/fetch').catch(() => 1), open(), work()])
                  .then(() => {{ document.body.append('all refused'); }});</script>",
                secret.trim_start_matches("http"),
            ),
        ),
        "/leads" => redirect(&format!("{secret}/redirect")),
        "/turns" => page("200 OK", &format!("<script>location = '{secret}/script';</script>")),
        "/debugs" => redirect(&format!("http://127.0.0.1:{port}/json/version")),
        _ => page("404 Not Found", ""),
    })
    .await;
    let at = |path: &str| format!("{}{path}", site.url);
    check_all(
        &app,
        vec![
            (monitor(&at("/embeds"), "all refused"), None),
            (monitor(&at("/leads"), "secret"), Some("blocked_address")),
            (monitor(&at("/turns"), "secret"), Some("blocked_address")),
            (monitor(&at("/debugs"), "Chrome"), Some("blocked_address")),
            (
                json!({ "kind": "http", "url": at("/debugs") }),
                Some("blocked_address"),
            ),
        ],
    )
    .await;
    assert_eq!(inside.asked(), Vec::<String>::new());
    assert!(site.asked().contains(&"/embeds".to_owned()));
    app.finish().await;
}

#[actix::test]
async fn without_a_browser_no_page_is_monitored() {
    let app = App::with(OPEN).await;
    let mut fields = monitor("https://example.com", "a");
    fields["granularity"] = json!("hour");
    let url = format!("{}/uptime/createSchedule", app.base);
    let refused = app.post(url, &fields).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert!(
        refused.text.contains("set `egress.browser_url`"),
        "{}",
        refused.text
    );
    app.finish().await;
}
