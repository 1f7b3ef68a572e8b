//! `pharos import`: files of other tools, once, whole, and with a word about what was left out.

use std::{fmt::Write as _, fs, path::Path};

use serde_json::{Value, json};

use crate::{
    privacy::files,
    process::{Credentials, pharos, set_up, start},
};

const CHROME: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";

fn import(
    data: &Path,
    format: &str,
    file: &str,
    made: &Credentials,
    more: &[&str],
) -> (Option<i32>, Value, String) {
    let output = pharos(data)
        .args(["import", format, file, "--website", &made.website, "--json"])
        .args(more)
        .output()
        .unwrap();
    let said = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let wrong = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said, wrong)
}

/// The rows of one query type over all of November.
async fn rows(data: &Path, made: &Credentials, kind: &str) -> Vec<Value> {
    let running = start(pharos(data)).await;
    let body = json!({ "parameters": [kind], "startDate": "2026-11-01", "endDate": "2026-11-30", "limit": 100 });
    let answer = crate::web::client()
        .post(format!(
            "{}/v1/query?website_id={}",
            running.base, made.website
        ))
        .header("x-api-key", &made.key)
        .header("content-type", "application/json")
        .body(body.to_string());
    let answer = crate::app::Answer::send(answer).await;
    let rows = answer.rows(0);
    running.stop();
    rows
}

fn line(address: &str, minute: u32, request: &str, status: u16, agent: &str) -> String {
    format!(
        "{address} - - [10/Nov/2026:10:{minute:02}:00 +0000] \"{request} HTTP/1.1\" {status} 10 \"https://www.google.com/\" \"{agent}\"\n"
    )
}

#[actix::test]
async fn an_access_log_is_imported_once_and_goes_on_where_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let (data, made) = (directory.path(), set_up(directory.path()));
    let log = data.join("access.log");
    let mut text = String::new();
    for (address, minute, request, status, agent) in [
        ("8.8.8.8", 0, "GET /", 200, CHROME),
        ("8.8.8.8", 5, "GET /pricing?utm_source=letter", 200, CHROME),
        ("8.8.8.8", 6, "GET /logo.png", 200, CHROME),
        ("8.8.8.8", 7, "POST /form", 200, CHROME),
        ("8.8.4.4", 8, "GET /", 200, CHROME),
        ("8.8.4.4", 9, "GET /gone", 404, CHROME),
        (
            "66.249.66.1",
            9,
            "GET /",
            200,
            "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        ),
    ] {
        text.push_str(&line(address, minute, request, status, agent));
    }
    text.push_str("what is this\n");
    fs::write(&log, &text).unwrap();

    let (_, dry, _) = import(data, "access-log", "access.log", &made, &["--dry-run"]);
    assert_eq!(dry["events"], 3, "{dry}");
    assert!(rows(data, &made, "top_pages").await.is_empty());

    let (code, said, wrong) = import(data, "access-log", "access.log", &made, &[]);
    assert_eq!(code, Some(1), "one line was refused: {wrong}");
    assert_eq!(
        (&said["events"], &said["refused"]),
        (&json!(3), &json!(1)),
        "{said}"
    );
    assert_eq!(said["refusals"][0]["line"], 8);
    assert_eq!(
        said["leftOut"],
        json!({ "answers other than 2xx and 304": 1, "bots": 1, "files of pages": 1, "other methods than GET": 1 })
    );
    let totals = rows(data, &made, "summary_totals").await.remove(0);
    assert_eq!(
        (
            &totals["pageviews"],
            &totals["visitors"],
            &totals["sessions"]
        ),
        (&json!(3), &json!(2), &json!(2)),
        "{totals}"
    );

    // The same once more, then the same with more of the last visit behind it.
    let (_, again, _) = import(data, "access-log", "access.log", &made, &[]);
    assert_eq!(
        (&again["events"], &again["earlier"]),
        (&json!(0), &json!(3)),
        "{again}"
    );
    text.push_str(&line("8.8.4.4", 20, "GET /docs", 200, CHROME));
    fs::write(&log, &text).unwrap();
    let (code, more, wrong) = import(data, "access-log", "access.log", &made, &[]);
    assert_eq!(
        (code, &more["events"]),
        (Some(0), &json!(1)),
        "{more} {wrong}"
    );
    let pages = rows(data, &made, "top_pages").await;
    let views: u64 = pages
        .iter()
        .map(|row| row["pageviews"].as_u64().unwrap())
        .sum();
    assert_eq!(views, 4, "{pages:?}");
    let countries = rows(data, &made, "country").await;
    assert_eq!(countries[0]["country_code"], "US", "{countries:?}");
    // No IP address is in any file.
    fs::remove_file(&log).unwrap();
    for file in files(data) {
        let bytes = fs::read(&file).unwrap();
        for address in ["8.8.8.8", "8.8.4.4"] {
            let found = bytes
                .windows(address.len())
                .any(|window| window == address.as_bytes());
            assert!(!found, "{address} in {}", file.display());
        }
    }
}

#[actix::test]
async fn an_import_that_is_killed_goes_on_and_doubles_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let (data, made) = (directory.path(), set_up(directory.path()));
    let mut text = String::new();
    for turn in 0..12_000_u32 {
        let address = format!("9.{}.{}.1", turn / 200 % 250, turn % 200);
        let (hour, minute) = (turn / 600, turn / 10 % 60);
        let _ = writeln!(
            text,
            "{address} - - [11/Nov/2026:{hour:02}:{minute:02}:00 +0000] \"GET /p{turn} HTTP/1.1\" 200 1 \"-\" \"{CHROME}\""
        );
    }
    fs::write(data.join("access.log"), &text).unwrap();
    let mut cut = pharos(data)
        .args([
            "import",
            "access-log",
            "access.log",
            "--website",
            &made.website,
        ])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // Once something of it is durable.
    crate::app::until("the log of events grows", async || {
        let spool = files(&data.join("spool"));
        spool
            .iter()
            .any(|file| fs::metadata(file).is_ok_and(|data| data.len() > 100_000))
            || files(&data.join("segments")).len() > 1
    })
    .await;
    let _ = cut.kill();
    cut.wait().unwrap();
    let (code, said, wrong) = import(data, "access-log", "access.log", &made, &[]);
    assert_eq!(code, Some(0), "{wrong}");
    let sum = said["events"].as_u64().unwrap() + said["earlier"].as_u64().unwrap();
    assert_eq!(sum, 12_000, "{said}");
    let totals = rows(data, &made, "summary_totals").await.remove(0);
    assert_eq!(totals["pageviews"], 12_000, "{totals}");
}

#[actix::test]
async fn an_umami_export_keeps_what_umami_knew() {
    let directory = tempfile::tempdir().unwrap();
    let (data, made) = (directory.path(), set_up(directory.path()));
    let csv = include_str!("../importers/umami.csv");
    fs::write(data.join("events.csv"), csv).unwrap();
    let (code, said, wrong) = import(data, "umami", "events.csv", &made, &[]);
    assert_eq!(code, Some(1), "{wrong}");
    assert_eq!(
        (&said["events"], &said["refused"]),
        (&json!(4), &json!(1)),
        "{said}"
    );
    assert_eq!(said["refusals"][0]["why"], "`created_at` is no time");
    assert_eq!(
        said["leftOut"]["rows of another website than the first one's"],
        1
    );
    let totals = rows(data, &made, "summary_totals").await.remove(0);
    assert_eq!(
        (
            &totals["pageviews"],
            &totals["sessions"],
            &totals["visitors"]
        ),
        (&json!(3), &json!(2), &json!(2)),
        "{totals}"
    );
    let browsers = rows(data, &made, "browser_name").await;
    let names: Vec<&str> = browsers
        .iter()
        .map(|row| row["browser_name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Chrome", "Safari"], "{browsers:?}");
    let events = rows(data, &made, "custom_events").await;
    assert_eq!(
        (&events[0]["name"], &events[0]["total_events"]),
        (&json!("purchase"), &json!(1)),
        "{events:?}"
    );
    let (_, again, _) = import(data, "umami", "events.csv", &made, &[]);
    assert_eq!(
        (&again["events"], &again["earlier"]),
        (&json!(0), &json!(4)),
        "{again}"
    );
}

#[test]
fn what_cannot_be_imported_is_told_and_nothing_happens() {
    let directory = tempfile::tempdir().unwrap();
    let (data, made) = (directory.path(), set_up(directory.path()));
    fs::write(data.join("a.csv"), "a,b\n1,2\n").unwrap();
    let nowhere = Credentials {
        website: "nowhere".to_owned(),
        key: String::new(),
    };
    for (format, file, whose, says) in [
        (
            "umami",
            "a.csv",
            &made,
            "does not name created_at, session_id, url_path",
        ),
        ("umami", "missing.csv", &made, "cannot be imported"),
        ("umami", "a.csv", &nowhere, "there is no website `nowhere`"),
        (
            "guess",
            "a.csv",
            &made,
            "possible values: access-log, umami, pharos, plausible",
        ),
    ] {
        let (code, _, said) = import(data, format, file, whose, &[]);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(says), "{said}");
    }
}
