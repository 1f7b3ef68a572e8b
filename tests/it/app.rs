//! The program in a test's hands: the real composition root on free ports, a temporary directory and a clock that
//! is stopped.

use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use pharos::{
    access::Scope,
    actors::keys::CreateKey,
    clock::Clock,
    config::Settings,
    http::Host,
    ids::OrganizationId,
    platform::{Install, Platform},
};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    database,
    people::browser::Browser,
    process,
    process::Process,
    recorder,
    shift::{ProcessClock, TestClock},
    stores,
};

/// 2026-10-14T12:00:00Z, a Wednesday.
pub const NOW: i64 = 1_791_979_200_000;

/// A running program: in this process, or with `PHAROS_TEST_BINARY` that program as a process of its own, which has no inside.
pub struct App {
    pub platform: Option<Platform>,
    process: Option<Process>,
    pub clock: TestClock,
    pub base: String,
    pub track: String,
    pub links: String,
    pub organization: String,
    pub website: String,
    pub key: String,
    pub email: String,
    pub password: String,
    pub http: reqwest::Client,
    directory: TempDir,
    settings: Box<Settings>,
    toml: String,
}

impl App {
    /// Starts the program over an empty directory and sets it up.
    pub async fn spawn() -> Self {
        Self::with("").await
    }

    /// [`App::spawn`] with lines of TOML on top of the defaults.
    pub async fn with(toml: &str) -> Self {
        Self::at(Clock::fixed(NOW), toml).await
    }

    /// [`App::with`], as a process of its own: with what only the whole program does by itself.
    pub async fn outside(toml: &str) -> Self {
        Self::begin(Clock::fixed(NOW), toml, true).await
    }

    /// [`App::with`] another clock.
    pub async fn at(clock: Clock, toml: &str) -> Self {
        Self::begin(clock, toml, process::other_binary().is_some()).await
    }

    fn blank(clock: Clock, toml: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let settings = Box::new(settings(&directory, toml));
        Self {
            platform: None,
            process: None,
            clock: TestClock::new(clock, None),
            base: String::new(),
            track: String::new(),
            links: String::new(),
            organization: String::new(),
            website: String::new(),
            key: String::new(),
            email: String::new(),
            password: String::new(),
            http: crate::web::client(),
            directory,
            settings,
            toml: toml.to_owned(),
        }
    }

    async fn begin(clock: Clock, toml: &str, outside: bool) -> Self {
        let mut app = Self::blank(clock, toml);
        if outside {
            app.set_up_outside();
            Box::pin(app.start_outside()).await;
        } else {
            let started =
                Platform::start(Settings::clone(&app.settings), app.clock.clock().clone());
            let platform = Box::pin(started).await.unwrap();
            let made = Box::pin(platform.install(Install::default()))
                .await
                .unwrap();
            (app.organization, app.website) = (made.organization_id, made.website_id);
            (app.key, app.email, app.password) = (made.api_key, made.email, made.password);
            app.take(platform);
        }
        app
    }

    /// `pharos setup`, by a clock that shows what the test's shows.
    fn set_up_outside(&mut self) {
        // A clock that goes needs nothing.
        let now = self.clock.now_ms();
        if now.abs_diff(Clock::system().now_ms()) > 60_000 {
            let shown = ProcessClock::new(self.directory.path().join("clock"));
            shown.stand(now);
            self.clock = TestClock::new(self.clock.clock().clone(), Some(shown));
        }
        let output = self.program().args(["setup", "--json"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        let made: Value = serde_json::from_slice(&output.stdout).unwrap();
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        (self.organization, self.website) = (text("organizationId"), text("websiteId"));
        (self.key, self.email, self.password) = (text("apiKey"), text("email"), text("password"));
    }

    /// The program with the settings and the clock of the test.
    fn program(&self) -> std::process::Command {
        let file = self.directory.path().join("outside.toml");
        std::fs::write(&file, text(&self.directory, &self.toml)).unwrap();
        let mut command = process::pharos(self.directory.path());
        command.arg("--config").arg(file);
        if let Some(shown) = self.clock.process_clock() {
            shown.on(&mut command);
        }
        command
    }

    async fn start_outside(&mut self) {
        let mut command = self.program();
        command.arg("serve");
        let process = process::start(command).await;
        self.base.clone_from(&process.base);
        self.track.clone_from(&process.track);
        self.links.clone_from(&process.links);
        self.process = Some(process);
    }

    async fn stop(&mut self) {
        match self.process.take() {
            Some(process) => drop(process.stop()),
            None => self.platform.take().unwrap().stop().await,
        }
    }

    /// How many lines of the log of a process of its own say this.
    pub fn count_log_lines(&self, text: &str) -> usize {
        let process = self.process.as_ref().unwrap();
        process.count_log_lines(text)
    }

    fn take(&mut self, platform: Platform) {
        let addresses = platform.addresses();
        self.base = format!("http://{}", addresses.api);
        self.track = format!("http://{}", addresses.track);
        self.links = format!("http://{}", addresses.links);
        recorder::note_address(&self.base, Host::Base);
        recorder::note_address(&self.track, Host::Track);
        recorder::note_address(&self.links, Host::Links);
        self.platform = Some(platform);
    }

    /// The lines of TOML that hold from the next start on.
    pub fn configure(&mut self, toml: &str) {
        *self.settings = settings(&self.directory, toml);
        toml.clone_into(&mut self.toml);
    }

    /// Stops gracefully and starts again over the same directory.
    pub async fn restart(&mut self) {
        self.restart_after(async |_| {}).await;
    }

    /// [`App::restart`] with something done to the directory meanwhile.
    pub async fn restart_after(&mut self, meanwhile: impl AsyncFnOnce(&std::path::Path)) {
        let outside = self.process.is_some();
        self.stop().await;
        meanwhile(self.directory.path()).await;
        if outside {
            return Box::pin(self.start_outside()).await;
        }
        let started = Platform::start(Settings::clone(&self.settings), self.clock.clock().clone());
        let platform = Box::pin(started).await.unwrap();
        self.take(platform);
    }

    /// A second program with the people, websites, keys and salts of this one, over a copy of its directory. This one is
    /// started again.
    pub async fn twin(&mut self, toml: &str) -> Self {
        let mut twin = Self::blank(self.clock.clock().clone(), toml);
        let to = twin.directory.path();
        self.restart_after(async |from| copy(from, to)).await;
        for (theirs, own) in [
            (&mut twin.organization, &self.organization),
            (&mut twin.website, &self.website),
            (&mut twin.key, &self.key),
            (&mut twin.email, &self.email),
            (&mut twin.password, &self.password),
        ] {
            theirs.clone_from(own);
        }
        let started = Platform::start(Settings::clone(&twin.settings), twin.clock.clock().clone());
        let platform = Box::pin(started).await.unwrap();
        twin.take(platform);
        twin
    }

    /// Where its data lies.
    pub fn directory(&self) -> &std::path::Path {
        self.directory.path()
    }

    /// Stops and gives back the directory, for what works on it without a server.
    pub fn close(mut self) -> LocalBoxFuture<'static, TempDir> {
        Box::pin(async move {
            self.stop().await;
            std::mem::replace(&mut self.directory, tempfile::tempdir().unwrap())
        })
    }

    /// Stops; every test ends with it, or with [`App::close`].
    pub fn finish(mut self) -> LocalBoxFuture<'static, ()> {
        Box::pin(async move {
            self.stop().await;
            let embedded = self.settings.database.url.expose() == "sqlite";
            let file = self.directory.path().join("state.db");
            assert_eq!(file.exists(), embedded);
            database::drop_database(self.directory.path()).await;
            stores::drop_database(self.directory.path());
        })
    }

    /// Posts JSON with the key.
    pub async fn post(&self, url: String, body: &Value) -> Answer {
        Answer::send(
            self.http
                .post(url)
                .header("x-api-key", &self.key)
                .json(body),
        )
        .await
    }

    /// Posts JSON without credentials.
    pub async fn post_anonymously(&self, url: String, body: &Value) -> Answer {
        Answer::send(self.http.post(url).json(body)).await
    }

    /// Gets with the key.
    pub async fn get(&self, url: String) -> Answer {
        Answer::send(self.http.get(url).header("x-api-key", &self.key)).await
    }

    /// Sends custom events with the key.
    pub async fn send(&self, events: &Value) -> Answer {
        self.post(format!("{}/track", self.track), events).await
    }

    /// Asks one type about today and gives its rows.
    pub async fn rows(&self, parameter: &str) -> Vec<Value> {
        let body = json!({ "parameters": [parameter], "preset": "today", "limit": 10_000 });
        self.ask(&body).await.rows(0)
    }

    /// A column of texts of what a query type says of today, sorted.
    pub async fn sorted(&self, parameter: &str, column: &str) -> Vec<String> {
        let rows = self.rows(parameter).await;
        let texts = rows.iter().map(|row| row[column].as_str().unwrap());
        let mut texts: Vec<String> = texts.map(str::to_owned).collect();
        texts.sort_unstable();
        texts
    }

    /// Asks about the app's website, which has to succeed.
    pub async fn ask(&self, body: &Value) -> Answer {
        let answer = self.post(self.query_url(), body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer
    }

    /// Asks about the app's website what has to be refused, and gives the first thing that was wrong.
    pub async fn refused(&self, body: &Value) -> Value {
        let answer = self.post(self.query_url(), body).await;
        assert_eq!(answer.status, 400, "{body}: {}", answer.text);
        assert_eq!(answer.body["success"], false);
        assert_eq!(answer.body["code"], "VALIDATION_ERROR");
        assert_eq!(answer.body["requestId"], answer.header("x-request-id"));
        answer.body["details"][0].clone()
    }

    /// A further global key of the organization.
    pub async fn key_with(&self, scopes: &[Scope]) -> String {
        self.make_key(CreateKey {
            organization: Some(OrganizationId::from(self.organization.as_str())),
            scopes: scopes.to_vec(),
            ..CreateKey::named("test")
        })
        .await
    }

    /// A further key.
    pub async fn make_key(&self, key: CreateKey) -> String {
        let Some(platform) = &self.platform else {
            return Box::pin(self.make_key_outside(key)).await;
        };
        let made = platform.domains().keys.ask(key).await.unwrap();
        made.secret.expose_secret().to_owned()
    }

    /// As the owner, who is the only one that can.
    async fn make_key_outside(&self, key: CreateKey) -> String {
        let mut body = json!({
            "name": key.name, "organizationId": key.organization, "scopes": key.scopes,
            "expiresAt": key.expires_ms.map(pharos::clock::iso_ms),
        });
        if let Some(resources) = key.resources {
            body["resources"] = json!({ "global": resources.global });
            for (website, scopes) in resources.websites {
                body["resources"][format!("website:{website}")] = json!(scopes);
            }
        }
        if key.quota.enabled {
            body["rateLimit"] = json!({ "max": key.quota.max, "window": key.quota.window_seconds });
        }
        let made = Browser::owner(self)
            .await
            .post("/apikeys/create", &body)
            .await;
        assert_eq!(made.status, 200, "{}", made.text);
        made.body["secret"].as_str().unwrap().to_owned()
    }

    /// Stores page events of a tracker, all of them.
    pub async fn send_pages(&self, events: &[Value]) {
        let url = format!("{}/batch?client_id={}", self.track, self.website);
        let sent = self.post_anonymously(url, &json!(events)).await;
        assert_eq!(sent.status, 200, "{}", sent.text);
        assert_eq!(sent.body["batched"]["track"], events.len(), "{}", sent.text);
    }

    /// The query route for the app's website.
    pub fn query_url(&self) -> String {
        format!("{}/v1/query?website_id={}", self.base, self.website)
    }
}

impl Drop for App {
    fn drop(&mut self) {
        let running = self.platform.is_some() || self.process.is_some();
        let left_running = running && !std::thread::panicking();
        assert!(!left_running, "call `finish` at the end of the test");
    }
}

/// An answer, read whole.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub body: Value,
    pub text: String,
}

impl Answer {
    /// Sends a request, and holds it and its answer against the OpenAPI document.
    pub async fn send(request: reqwest::RequestBuilder) -> Self {
        let (client, request) = request.build_split();
        let request = request.unwrap();
        let sent = recorder::record(&request);
        let response = client.execute(request).await.unwrap();
        let from = response.url().clone();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        let answer = Self {
            status,
            headers,
            body,
            text,
        };
        if let Some(sent) = sent {
            sent.compare(&from, &answer);
        }
        answer
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    /// The rows of one parameter of a query, which has to have succeeded.
    pub fn rows(&self, parameter: usize) -> Vec<Value> {
        let result = &self.body["data"][parameter];
        assert_eq!(result["success"], true, "{}", self.text);
        result["data"].as_array().unwrap().clone()
    }
}

/// Everything below a directory, in another.
fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else if path.is_file() {
            std::fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

/// How long something may take that happens by itself: long, because machines that test are small and busy.
const PATIENCE: Duration = Duration::from_mins(1);

/// Waits for something that is on its way; a test that never sees it fails.
pub async fn until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let patience = tokio::time::timeout(PATIENCE, async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    });
    assert!(patience.await.is_ok(), "it never happened: {what}");
}

/// Settings over a directory, with free ports.
pub fn settings(directory: &TempDir, toml: &str) -> Settings {
    let text = text(directory, toml);
    let file = std::path::Path::new("test.toml");
    Settings::parse(Some((file, text.as_bytes())), []).unwrap()
}

fn text(directory: &TempDir, toml: &str) -> String {
    let database = if toml.contains("database.url") {
        String::new()
    } else {
        format!("database.url = {:?}\n", database::url(directory.path()))
    };
    let others = stores::toml(directory.path(), toml);
    let api = if toml.contains("server.api_listen") {
        ""
    } else {
        "server.api_listen = \"127.0.0.1:0\"\n"
    };
    format!(
        "storage.data_dir = {:?}\nstorage.reserve_bytes = 1\n{database}{others}\
         {api}server.track_listen = \"127.0.0.1:0\"\n\
         server.links_listen = \"127.0.0.1:0\"\nserver.workers = 1\n{toml}",
        directory.path().to_str().unwrap()
    )
}

/// How often a premise is tried for.
const ATTEMPTS: usize = 5;

/// Tries something that has a premise which a busy machine may not meet, such as that it takes less than a minute. An attempt
/// asserts what has to hold whatever the machine does, and gives back which premise was missing, where one was.
pub async fn until_met(mut attempt: impl AsyncFnMut(usize) -> Result<(), String>) {
    let mut missing = Vec::new();
    for nth in 0..ATTEMPTS {
        match attempt(nth).await {
            Ok(()) => return,
            Err(premise) => missing.push(premise),
        }
    }
    panic!("no attempt met its premise: {missing:?}");
}
