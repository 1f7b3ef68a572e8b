//! An installation that moves, and what it says.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::answers::{Answers, answers};
use crate::{
    app::Answer,
    clickhouse::Server as ClickHouse,
    postgres::Server as Postgres,
    process::{Credentials, Process, pharos, start},
};

/// A data directory, and configurations that name different stores for it.
pub struct Home {
    pub data: TempDir,
    files: TempDir,
    pub clickhouse: ClickHouse,
    /// Address of its database.
    pub postgres: String,
    _server: Postgres,
}

/// What was made in it.
pub struct InitialData {
    pub credentials: Credentials,
    /// A session from before the first move.
    pub cookie: String,
    pub organization: String,
    pub link: String,
    pub alarm: String,
}

impl Home {
    /// One with everything; nothing where ClickHouse or PostgreSQL cannot be had.
    pub async fn new() -> Option<Self> {
        let (clickhouse, server) = (ClickHouse::start()?, Postgres::start()?);
        let postgres = server.database("moved").await;
        let home = Self {
            data: tempfile::tempdir().unwrap(),
            files: tempfile::tempdir().unwrap(),
            clickhouse,
            postgres,
            _server: server,
        };
        let state = format!("database.url = {:?}\n", home.postgres);
        let events = format!(
            "events.store = \"clickhouse\"\nevents.clickhouse_url = {:?}\n",
            home.clickhouse.url()
        );
        home.write("embedded", "");
        home.write("postgres", &state);
        home.write("clickhouse", &events);
        home.write("scaled", &format!("{state}{events}"));
        Some(home)
    }

    fn write(&self, name: &str, toml: &str) {
        let all = format!("limits.query_requests = 0\nlimits.key_requests = 0\n{toml}");
        std::fs::write(self.file(name), all).unwrap();
    }

    /// The configuration with these stores.
    pub fn file(&self, name: &str) -> PathBuf {
        self.files.path().join(format!("{name}.toml"))
    }

    /// The program with these stores.
    pub fn command(&self, stores: &str) -> Command {
        let mut command = pharos(self.data.path());
        command
            .env_remove("PHAROS__DATABASE__URL")
            .arg("--config")
            .arg(self.file(stores));
        command
    }

    pub async fn serve(&self, stores: &str) -> Process {
        let mut command = self.command(stores);
        command.arg("serve");
        start(command).await
    }

    /// What it says to everything it is asked, with these stores.
    pub async fn says(&self, stores: &str, made: &InitialData) -> Answers {
        let process = self.serve(stores).await;
        let said = answers(&process, made).await;
        process.stop();
        said
    }

    /// `pharos migrate-store`, which may be stopped where the files of `points` say so.
    pub fn moving(&self, from: &str, to: &str, points: Option<&Path>) -> Command {
        let mut command = self.command(from);
        command
            .args(["migrate-store", "--json", "--to"])
            .arg(self.file(to));
        if let Some(points) = points {
            command.env("PHAROS_DRILL_FAILPOINTS", points);
        }
        command
    }

    /// Moves, which has to succeed; what was said.
    pub fn moved(&self, from: &str, to: &str) -> Value {
        let ended = Ended::from_output(&self.moving(from, to, None).output().unwrap());
        assert_eq!(ended.code, Some(0), "{}", ended.wrong);
        assert_eq!(ended.said["wrong"], json!([]));
        ended.said
    }

    /// Moves, which is refused with 2 and one line that says this.
    pub fn refused(&self, from: &str, to: &str, what: &str) {
        let ended = Ended::from_output(&self.moving(from, to, None).output().unwrap());
        assert_eq!(ended.code, Some(2), "{}", ended.wrong);
        assert!(ended.wrong.contains(what), "{}", ended.wrong);
        assert!(ended.wrong.contains("hint: "), "{}", ended.wrong);
    }

    /// An embedded installation with something of everything, and no server.
    pub async fn filled(&self) -> InitialData {
        let run = |arguments: &[&str]| {
            let output = self.command("embedded").args(arguments).output().unwrap();
            let ended = Ended::from_output(&output);
            assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.wrong);
            ended.said
        };
        let made = run(&["setup", "--json"]);
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        let credentials = Credentials {
            website: text("websiteId"),
            key: text("apiKey"),
        };
        run(&[
            "demo",
            "--events",
            "3000",
            "--days",
            "15",
            "--website",
            &credentials.website,
        ]);
        let process = self.serve("embedded").await;
        let cookie = sign_in(&process, &made).await;
        let made = fill(&process, credentials, (cookie, text("organizationId"))).await;
        process.stop();
        made
    }
}

/// How a command ended.
pub struct Ended {
    pub code: Option<i32>,
    pub said: Value,
    pub wrong: String,
}

impl Ended {
    pub fn from_output(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            said: serde_json::from_slice(&output.stdout).unwrap_or_default(),
            wrong: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Calls with the key, which has to succeed.
pub async fn call(process: &Process, key: &str, path: &str, body: &Value) -> Value {
    let request = crate::web::client().post(format!("{}{path}", process.base));
    let answer = Answer::send(request.header("x-api-key", key).json(body)).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    answer.body
}

/// Sends one event with the key.
pub async fn send(process: &Process, made: &Credentials, name: &str) -> Value {
    let event = json!({ "name": name, "eventId": name, "websiteId": made.website });
    let request = crate::web::client().post(format!("{}/track", process.track));
    let answer = Answer::send(request.header("x-api-key", &made.key).json(&event)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

/// A session of the owner.
async fn sign_in(process: &Process, made: &Value) -> String {
    let person = json!({ "email": made["email"], "password": made["password"] });
    let request = crate::web::client().post(format!("{}/api/auth/sign-in/email", process.base));
    let signed_in = Answer::send(request.json(&person)).await;
    let cookie = signed_in.header("set-cookie").split(';').next();
    cookie.unwrap().to_owned()
}

async fn fill(
    process: &Process,
    credentials: Credentials,
    (cookie, organization): (String, String),
) -> InitialData {
    let website = &credentials.website;
    let made = async |path, body: Value| call(process, &credentials.key, path, &body).await;
    let link = json!({ "name": "moves", "slug": "moves", "targetUrl": "https://example.com" });
    let link = made("/links/create", link).await["id"].clone();
    made(
        "/flags/create",
        json!({ "websiteId": website, "key": "moves" }),
    )
    .await;
    let goal =
        json!({ "websiteId": website, "name": "signed up", "type": "EVENT", "target": "sign_up" });
    made("/goals/create", goal).await;
    let monitor = json!({ "kind": "push", "granularity": "hour", "name": "moves" });
    made("/uptime/createSchedule", monitor).await;
    made(
        "/statusPage/create",
        json!({ "name": "moves", "slug": "moves" }),
    )
    .await;
    let telegram = json!({ "type": "telegram", "identifier": "1", "config": { "token": "1:t" } });
    let alarm = json!({ "name": "moves", "destinations": [telegram] });
    let alarm = made("/alarms/create", alarm).await["id"].clone();
    // Clicks, people with sealed addresses, and events that only the log has.
    let clicked = crate::web::builder().redirect(reqwest::redirect::Policy::none());
    let clicked = clicked
        .build()
        .unwrap()
        .get(format!("{}/moves", process.links));
    assert!([301, 302, 307].contains(&Answer::send(clicked).await.status));
    let seen = json!({ "name": "seen", "websiteId": website, "anonymousId": "anon_1" });
    let request = crate::web::client().post(format!("{}/track", process.track));
    let seen = Answer::send(request.header("x-api-key", &credentials.key).json(&seen)).await;
    assert_eq!(seen.status, 200, "{}", seen.text);
    let person = json!({ "profileId": "ann", "anonymousId": "anon_1", "traits": { "email": "ann@example.com" } });
    let url = format!("{}/identify?client_id={website}", process.track);
    let named = Answer::send(crate::web::client().post(url).json(&person)).await;
    assert_eq!(named.status, 200, "{}", named.text);
    send(process, &credentials, "sent").await;
    let id = |value: &Value| value.as_str().unwrap().to_owned();
    InitialData {
        cookie,
        organization,
        link: id(&link),
        alarm: id(&alarm),
        credentials,
    }
}
