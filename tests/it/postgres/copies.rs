//! Backups of what is on `PostgreSQL`, restored there and into a file.

use std::path::Path;

use serde_json::{Value, json};

use super::server::{Server, open};
use crate::process::{pharos, start};

fn run(data: &Path, url: &str, arguments: &[&str]) -> (Option<i32>, Value, String) {
    let output = pharos(data)
        .env("PHAROS__DATABASE__URL", url)
        .args(arguments)
        .output()
        .unwrap();
    let said = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let wrong = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said, wrong)
}

fn run_ok(data: &Path, url: &str, arguments: &[&str]) -> Value {
    let (code, said, wrong) = run(data, url, arguments);
    assert_eq!(code, Some(0), "{arguments:?}: {wrong}");
    said
}

/// From a file to the server, from there to another database, and back into a file: at every stop the same events, and a
/// server that runs.
#[actix::test]
async fn an_installation_moves_to_the_server_and_back() {
    let Some(server) = Server::start() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let place = |name: &str| {
        let place = home.path().join(name);
        std::fs::create_dir_all(&place).unwrap();
        place
    };
    let one = server.database("one").await;
    let two = server.database("two").await;
    let first = place("data-0");
    let sqlite = "sqlite";
    let output = pharos(&first)
        .env("PHAROS__DATABASE__URL", sqlite)
        .args(["setup", "--json"])
        .output()
        .unwrap();
    let made: Value = serde_json::from_slice(&output.stdout).unwrap();
    run_ok(
        &first,
        sqlite,
        &[
            "demo",
            "--events",
            "2000",
            "--website",
            made["websiteId"].as_str().unwrap(),
        ],
    );
    let body = json!({ "parameters": ["summary_metrics"], "preset": "last_30d" });
    let mut before: Option<(Value, Value)> = None;
    let mut from = (first, sqlite);
    for (nth, to) in [one.as_str(), two.as_str(), sqlite].into_iter().enumerate() {
        let copies = place(&format!("copies-{nth}"));
        let copies = copies.to_str().unwrap();
        let taken = run_ok(&from.0, from.1, &["backup", copies, "--json"]);
        let data = place(&format!("data-{}", nth + 1));
        let restored = run_ok(&data, to, &["restore", copies, "--verify", "--json"]);
        assert_eq!(restored["tables"], taken["tables"]);
        assert!(!data.join("restore.tmp").exists());

        let mut command = pharos(&data);
        command.env("PHAROS__DATABASE__URL", to);
        let running = start(command).await;
        let url = format!(
            "{}/v1/query?website_id={}",
            running.base,
            made["websiteId"].as_str().unwrap()
        );
        let request = crate::web::client()
            .post(url)
            .header("x-api-key", made["apiKey"].as_str().unwrap());
        let answer: Value = request
            .json(&body)
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap();
        assert_eq!(answer["data"][0]["success"], true, "{answer}");
        let rows = answer["data"][0]["data"].clone();
        // A second server is configured, and a backup is taken beside the first.
        let beside = run_ok(
            &data,
            to,
            &[
                "backup",
                place(&format!("beside-{nth}")).to_str().unwrap(),
                "--json",
            ],
        );
        running.stop();
        let tables = beside["tables"].clone();
        let known = (rows, tables["users"].clone());
        assert_eq!(before.get_or_insert(known.clone()), &known, "at stop {nth}");
        run_ok(&data, to, &["audit", "verify", "--json"]);
        from = (data, to);
    }
}

#[actix::test]
async fn nothing_that_is_there_is_overwritten() {
    let Some(server) = Server::start() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let [data, other, copies] = ["data", "other", "copies"].map(|name| home.path().join(name));
    for place in [&data, &other] {
        std::fs::create_dir_all(place).unwrap();
    }
    let url = server.database("taken").await;
    let (code, _, wrong) = run(&data, &url, &["audit", "verify"]);
    assert_eq!(code, Some(2), "{wrong}");
    assert!(
        wrong.contains("there is no installation in the state database"),
        "{wrong}"
    );
    run_ok(&data, &url, &["setup", "--json"]);
    let copies = copies.to_str().unwrap();
    run_ok(&data, &url, &["backup", copies]);
    let (code, _, wrong) = run(&other, &url, &["restore", copies]);
    assert_eq!(code, Some(2), "{wrong}");
    assert!(
        wrong.contains("there is an installation in the state database already"),
        "{wrong}"
    );
    let people = open(&url).await;
    let rows = people.copy_to(&home.path().join("state.db")).await;
    rows.unwrap();
    assert!(
        std::fs::read_dir(&other)
            .unwrap()
            .all(|entry| entry.unwrap().file_name() == "pharos.lock")
    );
    // What is written down is sound, and can be read by the embedded program.
    let options = pharos::store::state::Options {
        url: "sqlite".to_owned(),
        data_dir: home.path().to_owned(),
    };
    let copy = pharos::store::StateDb::open(&options).await.unwrap();
    assert_eq!(copy.damage().await.unwrap(), [""; 0]);
    assert_eq!(copy.rows_of_tables().await.unwrap()["users"], 1);
}
