//! Probes: processes of their own that check from elsewhere, with ways to the server that break.

mod console;
mod places;
mod results;
mod rights;
mod way;
mod wire;

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Stdio},
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};

use crate::{
    app::{Answer, App},
    process,
    shift::ProcessClock,
};

/// What a server and its probes may reach: the targets of the tests.
const OPEN: &str = "egress.allow = ['127.0.0.0/8']\n";

/// A spawned probe, which is killed when it goes out of scope.
struct Probe {
    child: Child,
    log: Arc<Mutex<Vec<String>>>,
}

impl Probe {
    /// Starts a probe over a directory, by a clock that is so far ahead.
    fn start(directory: &Path, join: &str, token: &str, ahead_ms: i64) -> Self {
        let file = directory.join("probe.toml");
        std::fs::write(&file, OPEN).unwrap();
        let mut command = process::pharos(directory);
        let clock = ProcessClock::new(directory.join("clock"));
        if ahead_ms != 0 {
            clock.ahead(ahead_ms);
            clock.on(&mut command);
        }
        let mut child = command
            .arg("--config")
            .arg(&file)
            .args(["probe", "--join", join, "--name", "test", "--data"])
            .arg(directory.join("results"))
            .env("PHAROS_PROBE_TOKEN", token)
            .env("PHAROS__LOG__FORMAT", "json")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let log = Arc::new(Mutex::new(Vec::new()));
        let written = Arc::clone(&log);
        // Reads to the end: the program must never wait for us.
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                written.lock().unwrap().push(line);
            }
        });
        Self { child, log }
    }

    fn count_log_lines(&self, text: &str) -> usize {
        let log = self.log.lock().unwrap();
        log.iter().filter(|line| line.contains(text)).count()
    }

    fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn call(app: &App, procedure: &str, body: Value) -> Answer {
    app.post(format!("{}/probes/{procedure}", app.base), &body)
        .await
}

/// Creates a probe, and gives its ID and its token.
async fn create(app: &App, name: &str) -> (String, String) {
    let made = call(app, "create", json!({ "name": name })).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let text = |field: &str| made.body[field].as_str().unwrap().to_owned();
    (text("id"), text("token"))
}

async fn rows(app: &App, monitor: &str, parameter: &str) -> Vec<Value> {
    let url = format!("{}/v1/query?schedule_id={monitor}", app.base);
    let body = json!({ "parameters": [parameter], "preset": "last_7d", "limit": 1000 });
    let answer = app.post(url, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.rows(0)
}

/// Checks of all places that are stored.
async fn count_place_checks(app: &App, monitor: &str) -> usize {
    let by_region = rows(app, monitor, "uptime_by_region").await;
    let counts = by_region.iter().map(|row| row["total_checks"].as_u64());
    counts.map(|count| count.unwrap() as usize).sum()
}
