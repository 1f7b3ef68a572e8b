//! The command line as scripts use it.

use std::{fs, path::Path, process::Stdio};

use serde_json::{Value, json};

use crate::{
    app::Answer,
    process::{free_address, pharos, set_up, start, start_telling},
};

/// Every command, with the arguments that it cannot do without; the last one serves.
pub(super) const COMMANDS: &[(&str, &str)] = &[
    ("serve", ""),
    ("setup", ""),
    ("check-config", ""),
    ("openapi", ""),
    ("backup", "copies"),
    ("restore", "copies"),
    ("restore-manifest", ""),
    ("confirm-clock", ""),
    ("migrate-store", "--to next.toml"),
    ("demo", "--events 1"),
    ("import", "access-log access.log --website w"),
    ("monitor suggest", "https://example.com"),
    ("probe", "--join https://pharos.example.com --token t"),
    ("user break-glass", "--email a@example.com"),
    ("user reset-password", "--email a@example.com"),
    ("organization set-plan", "o free"),
    ("plan", ""),
    ("apply", ""),
    ("data", ""),
    ("doctor", ""),
    ("healthcheck", ""),
    ("audit verify", ""),
    ("load", "http://127.0.0.1:1"),
    ("", ""),
];

struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

fn run(data: &Path, arguments: &[&str]) -> Ended {
    let output = pharos(data).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended {
        code: output.status.code(),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

fn sorted<T: AsRef<str>>(names: &[T]) -> Vec<&str> {
    let mut names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    names.sort_unstable();
    names
}

/// The commands that the help of another one lists, those below them in their place.
fn commands(data: &Path, of: &str) -> Vec<String> {
    let help = run(data, &[words(of), vec!["--help"]].concat()).out;
    let list = help.split_once("\nCommands:\n").unwrap().1;
    let list = list.split("\n\n").next().unwrap();
    let names = list
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let names = names.filter(|name| *name != "help");
    let names = names.map(|name| format!("{of} {name}").trim().to_owned());
    names
        .flat_map(|name| {
            if ["user", "organization", "audit", "monitor"].contains(&name.as_str()) {
                commands(data, &name)
            } else {
                vec![name]
            }
        })
        .collect()
}

#[test]
fn every_command_has_help_with_an_example_and_takes_a_file() {
    let data = tempfile::tempdir().unwrap();
    let known: Vec<&str> = COMMANDS.iter().map(|(command, _)| *command).collect();
    let mut listed = commands(data.path(), "");
    listed.push(String::new());
    assert_eq!(sorted(&listed), sorted(&known));
    for (command, arguments) in COMMANDS {
        let ended = run(data.path(), &[words(command), vec!["--help"]].concat());
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{command}");
        assert!(
            ended.out.contains("Example:\n  pharos"),
            "{command}: {}",
            ended.out
        );
        // Data and load have no settings to read.
        if ["data", "load"].contains(command) {
            continue;
        }
        let missing = vec!["--config", "missing.toml"];
        let ended = run(
            data.path(),
            &[words(command), words(arguments), missing].concat(),
        );
        assert_eq!(ended.code, Some(2), "{command}: {}", ended.err);
        let mut lines = ended.err.lines();
        let first = lines.next().unwrap_or_default();
        assert!(
            first.starts_with("error: ") && first.contains("missing.toml"),
            "{command}: {}",
            ended.err
        );
        assert!(
            lines.any(|line| line.starts_with("hint: ")),
            "{command}: {}",
            ended.err
        );
    }
}

#[test]
fn a_set_up_says_in_json_what_it_made_and_happens_once() {
    let data = tempfile::tempdir().unwrap();
    let first = run(data.path(), &["setup", "--json"]);
    assert_eq!(first.code, Some(0), "{}", first.err);
    let made: Value = serde_json::from_str(&first.out).unwrap();
    let names: Vec<&String> = made.as_object().unwrap().keys().collect();
    let mut names: Vec<&str> = names.into_iter().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "apiKey",
            "email",
            "organizationId",
            "password",
            "userId",
            "websiteId"
        ]
    );
    assert!(
        made.as_object().unwrap().values().all(Value::is_string),
        "{made}"
    );
    assert_eq!(made["email"], "admin@localhost");
    let again = run(data.path(), &["setup", "--json"]);
    assert_eq!((again.code, again.out.as_str()), (Some(2), ""));
    assert!(again.err.contains("\nhint: "), "{}", again.err);
}

#[actix::test]
async fn a_set_up_makes_what_is_wished_for() {
    let data = tempfile::tempdir().unwrap();
    let wish = [
        "setup",
        "--json",
        "--organization",
        "Acme",
        "--email",
        "ann@acme.example",
        "--password",
        "long and secret",
        "--website",
        "acme.example",
    ];
    let made = run(data.path(), &wish);
    let made: Value = serde_json::from_str(&made.out).unwrap();
    assert_eq!(made["password"], "long and secret");
    let mut command = pharos(data.path());
    command.arg("serve");
    let process = start(command).await;
    let http = crate::web::client();
    let person = json!({ "email": "ann@acme.example", "password": "long and secret" });
    let sign_in = http
        .post(format!("{}/api/auth/sign-in/email", process.base))
        .json(&person);
    let signed_in = Answer::send(sign_in).await;
    assert_eq!(signed_in.status, 200, "{}", signed_in.text);
    let key = made["apiKey"].as_str().unwrap();
    let ask = async |path: &str| {
        let request = http
            .post(format!("{}{path}", process.base))
            .header("x-api-key", key);
        Answer::send(request.json(&json!({}))).await.body
    };
    let websites = ask("/websites/list").await;
    assert_eq!(
        (&websites[0]["id"], &websites[0]["domain"]),
        (&made["websiteId"], &json!("acme.example"))
    );
    // Every scope, everywhere: a thing of each kind can be listed.
    for path in [
        "/links/list",
        "/alarms/list",
        "/uptime/listSchedules",
        "/statusPage/list",
    ] {
        let request = http
            .post(format!("{}{path}", process.base))
            .header("x-api-key", key);
        assert_eq!(
            Answer::send(request.json(&json!({}))).await.status,
            200,
            "{path}"
        );
    }
    process.stop();
}

#[actix::test]
async fn serving_an_empty_directory_sets_it_up_and_prints_that_once() {
    let data = tempfile::tempdir().unwrap();
    let told = data.path().join("told");
    let mut keys = Vec::new();
    for _ in 0..2 {
        let mut command = pharos(data.path());
        command.env("PHAROS__STORAGE__DATA_DIR", "own").arg("serve");
        let out = Stdio::from(fs::File::create(&told).unwrap());
        let process = start_telling(command, &free_address(), &free_address(), out).await;
        let text = fs::read_to_string(&told).unwrap();
        keys.extend(
            text.split_whitespace()
                .find(|word| word.starts_with("svc_"))
                .map(str::to_owned),
        );
        let request = crate::web::client().post(format!("{}/websites/list", process.base));
        let answer = Answer::send(request.header("x-api-key", &keys[0]).json(&json!({}))).await;
        assert_eq!(
            answer.body.as_array().map(Vec::len),
            Some(1),
            "{}",
            answer.text
        );
        process.stop();
    }
    assert_eq!(keys.len(), 1, "the second start has nothing to tell");
    // A relative directory is relative to where the program was started.
    assert!(data.path().join("own/instance.key").is_file());
}

#[actix::test]
async fn a_demo_fills_a_website_with_events_of_every_kind() {
    let data = tempfile::tempdir().unwrap();
    let made = set_up(data.path());
    let wish = ["--days", "3", "--seed", "7", "--website", &made.website];
    let wish = [&["demo", "--events", "500"][..], &wish[..]].concat();
    let done = run(data.path(), &wish);
    assert_eq!(done.code, Some(0), "{}", done.err);
    let says = format!("500 events of the last 3 days for website {}", made.website);
    assert!(done.out.contains(&says), "{}", done.out);
    let mut command = pharos(data.path());
    command.arg("serve");
    let process = start(command).await;
    let url = format!("{}/v1/query?website_id={}", process.base, made.website);
    let body = json!({ "parameters": ["summary_totals", "custom_events", "vitals_overview"], "preset": "last_7d" });
    let request = crate::web::client()
        .post(url)
        .header("x-api-key", &made.key);
    let answer = Answer::send(request.json(&body)).await;
    assert!(
        answer.rows(0)[0]["pageviews"].as_u64().unwrap() > 50,
        "{}",
        answer.text
    );
    for other in 1..3 {
        assert!(!answer.rows(other).is_empty(), "{}", answer.text);
    }
    process.stop();
}

#[actix::test]
async fn a_new_password_is_printed_and_opens() {
    let data = tempfile::tempdir().unwrap();
    let made = run(data.path(), &["setup", "--json"]);
    let made: Value = serde_json::from_str(&made.out).unwrap();
    let mut command = pharos(data.path());
    command.arg("serve");
    let process = start(command).await;
    let printed = run(
        data.path(),
        &["user", "reset-password", "--email", "admin@localhost"],
    );
    assert_eq!(printed.code, Some(0), "{}", printed.err);
    let fresh = printed.out.trim().lines().last().unwrap().to_owned();
    for (password, status) in [(made["password"].as_str().unwrap(), 401), (&fresh, 200)] {
        let person = json!({ "email": "admin@localhost", "password": password });
        let request = crate::web::client().post(format!("{}/api/auth/sign-in/email", process.base));
        assert_eq!(Answer::send(request.json(&person)).await.status, status);
    }
    process.stop();
}
