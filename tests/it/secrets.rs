//! Secrets in files, logs and answers (threats T13, T37), and forged lines in the log
//! (threat T38).

use std::path::Path;

use pharos::access::Scope;
use serde_json::{Value, json};

use crate::{
    app::Answer,
    database,
    process::{Process, pharos, set_up, start},
};

/// What would be a secret, or our inside, in an answer or a log.
const INSIDE: [&str; 4] = ["SELECT ", "panicked at", "/src/", "sea_orm"];

struct Session<'p> {
    process: &'p Process,
    http: reqwest::Client,
    cookie: String,
    answers: Vec<String>,
    secrets: Vec<String>,
}

impl Session<'_> {
    async fn send(&mut self, path: &str, headers: &[(&str, &str)], body: &Value) -> Answer {
        let mut request = self
            .http
            .post(format!("{}{path}", self.process.base))
            .json(body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = Answer::send(request).await;
        self.answers.push(answer.text.clone());
        answer
    }

    async fn as_owner(&mut self, path: &str, body: &Value) -> Answer {
        let cookie = self.cookie.clone();
        self.send(path, &[("cookie", &cookie)], body).await
    }

    /// Makes, changes and ends keys; every secret is noted where it is shown.
    async fn manage_keys(&mut self, organization: &str) {
        for scope in Scope::ALL {
            let body = json!({ "name": "k", "organizationId": organization, "scopes": [scope] });
            let made = self.as_owner("/apikeys/create", &body).await;
            self.check_shown_once(&made);
            let one = json!({ "id": made.body["id"] });
            let rotated = self.as_owner("/apikeys/rotate", &one).await;
            self.check_shown_once(&rotated);
            for path in ["getById", "revoke", "rotate", "delete", "getById"] {
                self.as_owner(&format!("/apikeys/{path}"), &one).await;
            }
            self.as_owner("/apikeys/list", &json!({})).await;
            self.as_owner("/audit/list", &json!({})).await;
        }
    }

    /// Makes, changes and shows monitors that ask with passwords, tokens and secret fields.
    async fn watch(&mut self, organization: &str) {
        let secrets = [
            "pass-of-a-monitor",
            "token-of-a-monitor",
            "head-of-a-monitor",
        ];
        let auths = [
            json!({ "type": "basic", "username": "me", "password": secrets[0] }),
            json!({ "type": "bearer", "token": secrets[1] }),
        ];
        for (nth, auth) in auths.into_iter().enumerate() {
            let request = json!({ "headers": { "X-Api-Key": secrets[2] }, "auth": auth });
            let body = json!({ "url": format!("https://{nth}.example/"), "granularity": "day",
                "organizationId": organization, "request": request });
            let made = self.as_owner("/uptime/createSchedule", &body).await;
            assert_eq!(made.status, 200, "{}", made.text);
            let one = json!({ "scheduleId": made.body["scheduleId"] });
            let change = json!({ "scheduleId": made.body["scheduleId"], "request": request });
            for (path, body) in [
                ("getSchedule", &one),
                ("updateSchedule", &change),
                ("getSchedule", &one),
            ] {
                let answer = self.as_owner(&format!("/uptime/{path}"), body).await;
                assert_eq!(answer.status, 200, "{}", answer.text);
            }
            let wrong =
                json!({ "scheduleId": made.body["scheduleId"], "request": request, "name": 1 });
            self.as_owner("/uptime/updateSchedule", &wrong).await;
        }
        self.as_owner("/uptime/listSchedules", &json!({})).await;
        self.secrets.extend(secrets.map(str::to_owned));
    }

    fn check_shown_once(&mut self, answer: &Answer) {
        assert_eq!(answer.status, 200, "{}", answer.text);
        let secret = answer.body["secret"].as_str().unwrap().to_owned();
        let answer = self.answers.pop().unwrap();
        assert_eq!(answer.matches(&secret).count(), 1, "shown once, here");
        self.secrets.push(secret);
    }

    /// Sends secrets where they do not belong.
    async fn misplace(&mut self) {
        for secret in self.secrets.clone() {
            let bearer = format!("Bearer {secret}");
            let headers = [("authorization", bearer.as_str())];
            self.send("/websites/list", &headers, &json!({})).await;
            self.send("/apikeys/verify", &[], &json!({ "secret": secret }))
                .await;
            self.send(&format!("/v1/query?api_key={secret}"), &[], &json!({}))
                .await;
            self.send(&format!("/nothing/{}", &secret[4..]), &[], &json!({}))
                .await;
        }
    }
}

const PASSWORD: &str = "correct-horse-of-mine";

#[actix::test]
async fn no_secret_is_in_any_file_log_or_answer() {
    let directory = tempfile::tempdir().unwrap();
    let made = pharos(directory.path())
        .args(["setup", "--json", "--email", "me@pharos.example"])
        .args(["--password", PASSWORD])
        .output()
        .unwrap();
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    let mut command = pharos(directory.path());
    command.env("PHAROS__LOG__LEVEL", "trace");
    let process = start(command).await;
    let mut session = Session {
        process: &process,
        http: crate::web::client(),
        cookie: String::new(),
        answers: Vec::new(),
        secrets: vec![text("apiKey"), PASSWORD.to_owned()],
    };
    for password in ["wrong-horse-of-mine", PASSWORD] {
        let credentials = json!({ "email": text("email"), "password": password });
        let answer = session
            .send("/api/auth/sign-in/email", &[], &credentials)
            .await;
        let cookie = answer.header("set-cookie").split(';').next().unwrap();
        session.cookie = cookie.to_owned();
    }
    let token = session.cookie.split_once('=').unwrap().1.to_owned();
    assert!(token.len() > 40, "{token}");
    session
        .secrets
        .extend([token, "wrong-horse-of-mine".to_owned()]);
    session.manage_keys(&text("organizationId")).await;
    session.misplace().await;
    session.watch(&text("organizationId")).await;
    let (secrets, answers) = (session.secrets, session.answers);
    assert_eq!(secrets.len(), 7 + 2 * Scope::ALL.len());
    nowhere(directory.path(), &process.stop(), &answers, &secrets);
    not_in_the_database(directory.path(), &secrets).await;
    database::drop_database(directory.path()).await;
}

/// No secret is in any row of a database on a server. An embedded one is a file, which [`nowhere`] has looked through.
async fn not_in_the_database(directory: &Path, secrets: &[String]) {
    if !database::is_shared() {
        return;
    }
    let db = database::open(directory).await;
    let rows = database::rows_as_text(db.reader()).await;
    let text = rows.join("\n");
    assert!(
        rows.len() > 50 && text.contains("me@pharos.example"),
        "{} rows were looked through",
        rows.len()
    );
    for secret in secrets {
        let found = rows.iter().find(|row| row.contains(secret));
        assert_eq!(found, None, "in a row");
    }
    db.close().await.unwrap();
}

#[actix::test]
async fn whatever_is_sent_the_log_is_lines_of_json_of_ours() {
    let directory = tempfile::tempdir().unwrap();
    let made = set_up(directory.path());
    let mut command = pharos(directory.path());
    command.env("PHAROS__LOG__LEVEL", "trace");
    let process = start(command).await;
    let http = crate::web::client();
    let forged = "\r\n{\"level\":\"ERROR\",\"message\":\"forged\"}\r\n\u{1b}[2J";
    let long = "long".repeat(300_000);
    for text in [forged, long.as_str(), "\u{0}\u{2028}\u{85}"] {
        for (path, body) in [
            ("/websites/create", json!({ "name": text, "domain": text })),
            ("/apikeys/verify", json!({ "secret": text })),
            (
                "/v1/query",
                json!({ "parameters": [text], "timeZone": text }),
            ),
            (
                "/api/auth/sign-in/email",
                json!({ "email": text, "password": text }),
            ),
        ] {
            let request = http.post(format!("{}{path}", process.base));
            Answer::send(request.header("x-api-key", &made.key).json(&body)).await;
        }
        let escaped = "%0d%0a%7b%22level%22%3a%22ERROR%22%7d%1b[2J";
        let request = http.get(format!("{}/{escaped}?{escaped}", process.base));
        Answer::send(request.header("user-agent", "\u{1b}[31mred".replace('\u{1b}', "\t"))).await;
        let request = http.post(format!("{}/track", process.track));
        Answer::send(
            request
                .header("x-api-key", &made.key)
                .json(&json!({ "name": text })),
        )
        .await;
    }
    let log = process.stop();
    assert!(log.len() > 50, "at this level much is said: {}", log.len());
    for line in &log {
        let entry: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        assert!(
            entry["level"].is_string() && entry["timestamp"].is_string(),
            "{line}"
        );
        assert!(line.len() < 8_000, "{} bytes of a line", line.len());
        assert!(!line.chars().any(char::is_control), "{line}");
    }
}

fn nowhere(directory: &Path, log: &[String], answers: &[String], secrets: &[String]) {
    let mut open = vec![directory.to_owned()];
    let mut files = 0;
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(
                std::fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            continue;
        }
        // The socket on which commands ask is no file.
        if !path.is_file() {
            continue;
        }
        files += 1;
        let bytes = std::fs::read(&path).unwrap();
        for secret in secrets {
            let found = memchr::memmem::find(&bytes, secret.as_bytes());
            assert_eq!(found, None, "{}", path.display());
        }
    }
    assert!(files > 3 && log.len() > 20 && !answers.is_empty());
    for secret in secrets {
        assert!(!log.iter().any(|line| line.contains(secret)), "in the log");
        assert!(
            !answers.iter().any(|text| text.contains(secret)),
            "in an answer"
        );
    }
    for words in INSIDE {
        let found = answers.iter().find(|text| text.contains(words));
        assert_eq!(found, None);
    }
}
