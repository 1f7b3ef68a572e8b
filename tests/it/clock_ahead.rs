//! A machine whose clock is far ahead: what is deleted by age is not deleted by such a clock.

use std::{fs, path::Path, process::Command};

use pharos::clock::{Clock, iso_ms};
use serde_json::{Value, json};

use crate::{
    app::{Answer, until},
    process::{Credentials, Process, pharos, set_up_by, start},
    shift::ProcessClock,
};

const DAY: i64 = 86_400_000;

fn program(data: &Path, shown: &ProcessClock) -> Command {
    let mut command = pharos(data);
    command
        .env("PHAROS__EVENTS__STORE", "embedded")
        .env("PHAROS__EVENTS__RETENTION_DAYS", "30");
    shown.on(&mut command);
    command
}

async fn post(process: &Process, made: &Credentials, path: &str, body: &Value) -> Answer {
    let host = if path == "/track" {
        &process.track
    } else {
        &process.base
    };
    let request = crate::web::client().post(format!("{host}{path}"));
    let answer = Answer::send(request.header("x-api-key", &made.key).json(body)).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    answer
}

async fn names(process: &Process, made: &Credentials) -> Vec<Value> {
    let today = Clock::system().now_ms();
    let day = |ms: i64| iso_ms(ms)[..10].to_owned();
    let ask = json!({ "parameters": ["custom_events"], "startDate": day(today - 5 * DAY), "endDate": day(today + DAY),
        "sortBy": "name", "sortOrder": "asc", "limit": 10 });
    let path = format!("/v1/query?website_id={}", made.website);
    let rows = post(process, made, &path, &ask).await.rows(0);
    rows.into_iter().map(|row| row["name"].clone()).collect()
}

#[actix::test]
async fn a_clock_far_ahead_deletes_nothing_until_it_is_confirmed() {
    let data = tempfile::tempdir().unwrap();
    let shown = ProcessClock::new(data.path().join("clock"));
    let made = set_up_by(program(data.path(), &shown));
    let serve = async || {
        let mut command = program(data.path(), &shown);
        start({
            command.arg("serve");
            command
        })
        .await
    };
    let event = |name: &str| json!({ "name": name, "websiteId": made.website });
    let process = serve().await;
    for name in ["a", "b", "c"] {
        post(&process, &made, "/track", &event(name)).await;
    }
    // Deleted a moment ago: by a clock that is right it comes back for seven days.
    let link = json!({ "name": "a", "targetUrl": "https://a.example/" });
    let link = post(&process, &made, "/links/create", &link).await.body;
    post(
        &process,
        &made,
        "/links/delete",
        &json!({ "id": link["id"] }),
    )
    .await;
    process.stop();

    shown.ahead(400 * DAY);
    let process = serve().await;
    until("it was looked for what is too old", async || {
        process.count_log_lines("nothing is deleted by age") > 1
            || process.count_log_lines("deleted events that are too old") > 0
    })
    .await;
    assert_eq!(names(&process, &made).await, ["a", "b", "c"]);
    assert_eq!(
        process.count_log_lines("the clicks of deleted links were erased"),
        0,
        "nor what was deleted"
    );
    // Whatever is stored by that clock makes it no more plausible.
    post(&process, &made, "/track", &event("d")).await;
    process.stop();
    let process = serve().await;
    until("it is doubted still", async || {
        process.count_log_lines("nothing is deleted by age") > 1
    })
    .await;
    assert_eq!(names(&process, &made).await, ["a", "b", "c"]);
    let told = program(data.path(), &shown)
        .args(["doctor", "--json"])
        .output()
        .unwrap();
    let findings: Vec<Value> = serde_json::from_slice(&told.stdout).unwrap();
    let clock = findings.iter().find(|found| found["what"] == "clock");
    let clock = clock.unwrap();
    assert_eq!(clock["health"], "bad", "{clock}");
    let fix = clock["fix"].as_str().unwrap();
    assert!(fix.contains("pharos confirm-clock"), "{clock}");
    process.stop();

    // The clock is set: nothing happened.
    shown.ahead(0);
    let process = serve().await;
    assert_eq!(names(&process, &made).await, ["a", "b", "c"]);
    process.stop();

    // It really is 400 days later.
    shown.ahead(400 * DAY);
    let confirmed = program(data.path(), &shown)
        .arg("confirm-clock")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&confirmed.stderr);
    assert!(confirmed.status.success(), "{said}");
    let process = serve().await;
    until("what is too old is deleted", async || {
        names(&process, &made).await.is_empty()
    })
    .await;
    assert_eq!(process.count_log_lines("nothing is deleted by age"), 0);
    process.stop();
    assert!(fs::exists(data.path().join("last_run")).unwrap());
}
