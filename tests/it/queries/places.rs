//! At most eight queries of a website run at a time; others wait, and never for another
//! website. A drill's file pauses the engine, which keeps time out of the test.

use std::{fs, time::Duration};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinHandle;

use crate::{
    app::{Answer, until},
    process::{Credentials, Process, pharos, set_up, start},
};

/// The program with an engine that can be held.
struct PausedEngine {
    process: Process,
    website: String,
    key: String,
    http: reqwest::Client,
    points: TempDir,
    _data: TempDir,
}

impl PausedEngine {
    async fn start() -> Self {
        let (data, points) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let Credentials { website, key } = set_up(data.path());
        let mut command = pharos(data.path());
        command
            .env("PHAROS_DRILL_FAILPOINTS", points.path())
            // More than all queries here: only the slots limit them.
            .env("PHAROS__QUERY__CONCURRENT", "24")
            .env("PHAROS__QUERY__THREADS", "1")
            .env("PHAROS__QUERY__DEADLINE_SECONDS", "600");
        Self {
            process: start(command).await,
            website,
            key,
            http: crate::web::client(),
            points,
            _data: data,
        }
    }

    fn hold(&self) {
        fs::write(self.points.path().join("engine"), "wait").unwrap();
    }

    fn release(&self) {
        fs::remove_file(self.points.path().join("engine")).unwrap();
    }

    fn request(&self, path: &str, body: &Value) -> reqwest::RequestBuilder {
        let request = self.http.post(format!("{}{path}", self.process.base));
        let request = request.timeout(Duration::from_mins(1)).json(body);
        request.header("x-api-key", &self.key)
    }

    /// Asks, beside others.
    fn ask(&self, query: &str) -> JoinHandle<Answer> {
        let request = self.request(&format!("/v1/query?{query}"), &about("top_pages"));
        tokio::spawn(Answer::send(request))
    }

    fn ask_website(&self) -> JoinHandle<Answer> {
        self.ask(&format!("website_id={}", self.website))
    }

    async fn figure(&self, name: &str) -> usize {
        let answer = Answer::send(self.http.get(format!("{}/metrics", self.process.base))).await;
        let mut lines = answer.text.lines();
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.unwrap().parse().unwrap()
    }

    /// Waits until so many statements run, and so many wait for a place.
    async fn sees(&self, running: usize, waiting: usize) {
        until(&format!("{running} run and {waiting} wait"), async || {
            (
                self.figure("pharos_queries_running").await,
                self.figure("pharos_queries_waiting").await,
            ) == (running, waiting)
        })
        .await;
    }
}

/// A question that means the same at any time.
fn about(kind: &str) -> Value {
    json!({ "parameters": [kind], "startDate": "2026-01-01", "endDate": "2026-01-31" })
}

fn abort(asked: &JoinHandle<Answer>) {
    asked.abort();
}

#[tokio::test]
async fn eight_run_the_ninth_waits_and_other_websites_do_not() {
    let program = PausedEngine::start().await;
    let create = json!({ "name": "Shop", "domain": "shop.example" });
    let made = Answer::send(program.request("/websites/create", &create)).await;
    let other = made.body["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/query?website_id={}", program.website);
    let known = about("summary_totals");
    let before = Answer::send(program.request(&path, &known)).await;
    assert_eq!(before.status, 200, "{}", before.text);

    program.hold();
    let mut asked: Vec<_> = (0..8).map(|_| program.ask_website()).collect();
    program.sees(8, 0).await;
    asked.push(program.ask_website());
    program.sees(8, 1).await;

    // What is remembered needs no place, and compiling reads no rows.
    let again = Answer::send(program.request(&path, &known)).await;
    assert_eq!(again.rows(0), before.rows(0));
    let compile = path.replace("/v1/query", "/v1/query/compile");
    let compiled = Answer::send(program.request(&compile, &about("country"))).await;
    assert_eq!(compiled.status, 200, "{}", compiled.text);

    // Another website and the organization have places of their own.
    let others: Vec<_> = [format!("website_id={other}"), String::new()]
        .iter()
        .map(|query| program.ask(query))
        .collect();
    program.sees(10, 1).await;

    program.release();
    for asked in asked.into_iter().chain(others) {
        let answer = asked.await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.rows(0);
    }
    program.sees(0, 0).await;
}

#[tokio::test]
async fn every_statement_of_a_body_takes_a_place() {
    let program = PausedEngine::start().await;
    program.hold();
    let body = json!({
        "parameters": ["top_pages", "country", "browser_name", "os_name"],
        "startDate": "2026-01-01", "endDate": "2026-01-31",
    });
    let path = format!("/v1/query?website_id={}", program.website);
    let ask = || tokio::spawn(Answer::send(program.request(&path, &body)));
    let asked = [ask(), ask(), ask()];
    program.sees(8, 4).await;
    program.release();
    for asked in asked {
        let answer = asked.await.unwrap();
        assert_eq!(answer.rows(3).len(), 0, "{}", answer.text);
    }
    program.sees(0, 0).await;
}

#[tokio::test]
async fn a_caller_who_goes_away_leaves_its_place_at_once() {
    let program = PausedEngine::start().await;
    program.hold();
    let asked: Vec<_> = (0..8).map(|_| program.ask_website()).collect();
    program.sees(8, 0).await;
    let ninth = program.ask_website();
    let tenth = program.ask_website();
    program.sees(8, 2).await;

    // One that waits goes, then one that runs: the engine is still held.
    abort(&ninth);
    program.sees(8, 1).await;
    abort(&asked[0]);
    program.sees(8, 0).await;
    for asked in &asked[1..] {
        abort(asked);
    }
    program.sees(1, 0).await;

    program.release();
    let answer = tenth.await.unwrap();
    assert_eq!(answer.status, 200, "{}", answer.text);
    program.sees(0, 0).await;
}
