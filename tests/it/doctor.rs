//! `pharos doctor` and `pharos data`.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use serde_json::Value;

use crate::{
    app::App,
    clickhouse::Server as ClickHouse,
    process::{free_address, pharos, set_up, start},
    redis::Redis,
};

/// What the doctor says of one thing, with its exit code.
fn diagnose(data: &Path, settings: &[(&str, &str)], what: &str) -> (Option<i32>, Value) {
    let mut command = pharos(data);
    for (name, value) in settings {
        command.env(name, value);
    }
    let output = command.args(["doctor", "--json"]).output().unwrap();
    let findings: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let finding = findings.into_iter().find(|finding| finding["what"] == what);
    let finding = finding.unwrap_or_else(|| panic!("nothing is said of {what}"));
    let told = finding["health"] == "good" || !finding["fix"].as_str().unwrap().is_empty();
    assert!(told, "{finding}");
    (output.status.code(), finding)
}

#[actix::test]
async fn a_health_check_asks_the_running_program() {
    let data = tempfile::tempdir().unwrap();
    set_up(data.path());
    let process = start(pharos(data.path())).await;
    let api = process.base.split_once("//").unwrap().1.to_owned();
    let check = || {
        let mut command = pharos(data.path());
        command.env("PHAROS__SERVER__API_LISTEN", &api);
        command.arg("healthcheck").output().unwrap()
    };
    let healthy = check();
    assert!(healthy.status.success(), "{healthy:?}");
    assert_eq!(healthy.stdout, b"ok\n");
    process.stop();
    let ended = check();
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(
        said.contains(&format!("nothing answers at http://{api}/health/ready")),
        "{said}"
    );
}

#[actix::test]
async fn a_running_server_is_met_where_people_are_sent() {
    let data = tempfile::tempdir().unwrap();
    set_up(data.path());
    let process = start(pharos(data.path())).await;
    let address = |url: &str| url.split_once("//").unwrap().1.to_owned();
    let (api, track, links) = (
        address(&process.base),
        address(&process.track),
        address(&process.links),
    );
    let settings = [
        ("PHAROS__SERVER__API_LISTEN", &*api),
        ("PHAROS__SERVER__TRACK_LISTEN", &track),
        ("PHAROS__SERVER__LINKS_LISTEN", &links),
    ];
    for what in [
        "API listener",
        "tracking listener",
        "short-link listener",
        "base_url",
        "track_url",
        "links_url",
        "clock",
        "state database",
        "data directory",
        "disk",
    ] {
        let (_, finding) = diagnose(data.path(), &settings, what);
        assert_eq!(finding["health"], "good", "{finding}");
    }
    let nowhere = format!("http://{}", free_address());
    let wrong = [
        settings[0],
        settings[1],
        settings[2],
        ("PHAROS__SERVER__TRACK_URL", &*nowhere),
    ];
    let (code, finding) = diagnose(data.path(), &wrong, "track_url");
    assert_eq!(
        (code, &finding["health"]),
        (Some(1), &Value::from("bad")),
        "{finding}"
    );
    process.stop();
}

#[test]
fn what_people_run_into_is_named() {
    let data = tempfile::tempdir().unwrap();
    set_up(data.path());
    let bad = |settings: &[(&str, &str)], what: &str| {
        let (code, finding) = diagnose(data.path(), settings, what);
        assert_eq!(
            (code, &finding["health"]),
            (Some(1), &Value::from("bad")),
            "{finding}"
        );
    };
    bad(
        &[("PHAROS__SERVER__BASE_URL", "https://stats.example.com")],
        "proxies",
    );
    bad(
        &[("PHAROS__SERVER__TRUSTED_PROXIES", "0.0.0.0/0")],
        "proxies",
    );
    bad(
        &[("PHAROS__STORAGE__RESERVE_BYTES", "1000000000000000")],
        "disk",
    );
    bad(
        &[
            ("PHAROS__SERVER__TLS_CERTIFICATE", "nowhere"),
            ("PHAROS__SERVER__TLS_KEY", "nowhere"),
        ],
        "certificate",
    );
    bad(
        &[("PHAROS__STORAGE__DATA_DIR", "nowhere")],
        "data directory",
    );
    let key = data.path().join("instance.key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    bad(&[], "secrets");
    fs::write(data.path().join("state.db"), "no database").unwrap();
    bad(&[], "state database");
    let left: Vec<_> = fs::read_dir(data.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("doctor"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn servers_that_settings_name_are_asked() {
    let data = tempfile::tempdir().unwrap();
    set_up(data.path());
    let nobody = free_address();
    let (redis, clickhouse) = (Redis::start(), ClickHouse::start());
    let health = |settings: &[(&str, &str)], what: &str| {
        let (code, finding) = diagnose(data.path(), settings, what);
        let is_good = finding["health"] == "good";
        assert!(is_good || code == Some(1), "{finding}");
        (is_good, finding["seen"].to_string())
    };
    let away = format!("redis://{nobody}");
    assert!(!health(&[("PHAROS__REDIS__URL", &away)], "Redis").0);
    if let Some(redis) = redis {
        let (is_good, seen) = health(&[("PHAROS__REDIS__URL", &redis.url())], "Redis");
        assert!(is_good, "{seen}");
    }
    let ask = |url: &str| {
        let settings = [
            ("PHAROS__EVENTS__STORE", "clickhouse"),
            ("PHAROS__EVENTS__CLICKHOUSE_URL", url),
        ];
        health(&settings, "ClickHouse")
    };
    assert!(!ask(&format!("http://{nobody}")).0);
    let Some(clickhouse) = clickhouse else {
        return;
    };
    let (is_good, seen) = ask(&clickhouse.url());
    assert!(is_good && seen.contains("the next start"), "{seen}");
    let there = clickhouse.tell("SHOW TABLES");
    assert_eq!(there.trim(), "", "a doctor changes nothing");
}

#[test]
fn listeners_for_all_hosts_and_their_authority_are_looked_at() {
    let data = tempfile::tempdir().unwrap();
    set_up(data.path());
    let (https, http, nobody) = (free_address(), free_address(), free_address());
    let directory = format!("https://{nobody}/dir");
    let settings = [
        ("PHAROS__SERVER__BASE_URL", "https://stats.example.com"),
        ("PHAROS__SERVER__HTTPS_LISTEN", &*https),
        ("PHAROS__SERVER__HTTP_LISTEN", &http),
        ("PHAROS__ACME__DIRECTORY_URL", &directory),
    ];
    for (what, health, said) in [
        ("HTTPS listener", "good", "is free"),
        ("HTTP listener", "good", "is free"),
        ("ACME directory", "bad", "can't be reached"),
        ("certificates", "doubtful", "none yet for stats.example.com"),
        // Visitors come to the listener for all hosts by themselves.
        ("proxies", "good", "0 networks"),
    ] {
        let (_, finding) = diagnose(data.path(), &settings, what);
        assert_eq!(finding["health"], health, "{finding}");
        assert!(
            finding["seen"].as_str().unwrap().contains(said),
            "{finding}"
        );
    }
}

#[actix::test]
async fn a_clock_behind_what_was_written_is_noticed() {
    let app = App::at(pharos::clock::Clock::fixed(4_000_000_000_000), "").await;
    app.key_with(&[]).await;
    let (code, finding) = diagnose(app.directory(), &[], "clock");
    assert_eq!(
        (code, &finding["health"]),
        (Some(1), &Value::from("bad")),
        "{finding}"
    );
    app.finish().await;
}

#[test]
fn the_data_inside_is_shown_with_its_licences() {
    let here = tempfile::tempdir().unwrap();
    let output = pharos(here.path())
        .args(["data", "--json"])
        .output()
        .unwrap();
    assert!(output.status.success());
    let files: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert!(files.len() >= 8);
    assert!(
        files
            .iter()
            .all(|file| !file["licence"].as_str().unwrap().is_empty())
    );
    assert_eq!(
        fs::read_dir(here.path()).unwrap().count(),
        0,
        "nothing is made"
    );
}
