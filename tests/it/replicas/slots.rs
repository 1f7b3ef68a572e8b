//! Every slot of a monitor has one row in all event logs together, whichever process dies or hangs (drill F19).
//! `PHAROS_DRILL_ROUNDS` makes it longer.

use std::collections::{BTreeMap, HashMap};

use rustix::process::Signal;
use sea_orm::{ConnectionTrait as _, Database, DatabaseConnection, Statement};
use serde_json::{Value, json};

use super::{
    fleet::{Fleet, REPLICAS, rounds},
    leadership::BEGINS,
};
use crate::{
    app::{Answer, until},
    database::counted,
    postgres::Server,
    process::{Process, pharos, start},
    uptime::Target,
};

const MONITORS: usize = 60;
const INTERVAL_MS: i64 = 30_000;
/// Checks between two of what happens.
const CHECKS: usize = 20;

/// What happens to the process that checks.
#[derive(Debug, Clone, Copy)]
enum Blow {
    /// Killed, and back after another one has taken over.
    Replaced,
    /// Killed, and back at once.
    Back,
    /// Standing still until another one has taken over.
    Still,
}

/// The process that begins to check, of those that have not said so often that they do.
async fn begun(fleet: &Fleet, said: &mut [usize; REPLICAS]) -> usize {
    let newer = |said: &[usize; REPLICAS]| {
        (0..REPLICAS).find(|at| fleet.replicas[*at].count_log_lines(BEGINS) > said[*at])
    };
    until("one begins", async || newer(said).is_some()).await;
    let at = newer(said).unwrap();
    said[at] = fleet.replicas[at].count_log_lines(BEGINS);
    at
}

async fn suffers(
    fleet: &mut Fleet,
    blow: Blow,
    holder: usize,
    said: &mut [usize; REPLICAS],
) -> usize {
    match blow {
        Blow::Back => {
            fleet.again(holder).await;
            said[holder] = 0;
            begun(fleet, said).await
        }
        Blow::Replaced => {
            fleet.replicas[holder].child.kill().unwrap();
            let next = begun(fleet, said).await;
            fleet.again(holder).await;
            said[holder] = 0;
            next
        }
        Blow::Still => {
            fleet.replicas[holder].signal(Signal::STOP);
            let next = begun(fleet, said).await;
            fleet.replicas[holder].signal(Signal::CONT);
            next
        }
    }
}

/// Rows of a monitor in the logs of all programs, by the number of the slot.
async fn rows(fleet: &Fleet, id: &str, phase_ms: i64) -> BTreeMap<i64, usize> {
    let mut rows = BTreeMap::new();
    for replica in &fleet.replicas {
        let path = format!("/v1/query?schedule_id={id}");
        let body =
            json!({ "parameters": ["uptime_recent_checks"], "preset": "last_7d", "limit": 1000 });
        let answer = fleet.ask(&replica.base, fleet.key(), &path, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        for row in answer.rows(0) {
            let at = chrono::DateTime::parse_from_rfc3339(row["timestamp"].as_str().unwrap());
            let at_ms = at.unwrap().timestamp_millis();
            *rows
                .entry((at_ms - phase_ms).div_euclid(INTERVAL_MS))
                .or_default() += 1;
        }
    }
    rows
}

#[actix::test]
async fn every_slot_has_one_row_while_whoever_checks_is_killed_or_stands_still() {
    let settings = [
        ("PHAROS__LIMITS__KEY_REQUESTS", "0"),
        ("PHAROS__LIMITS__QUERY_REQUESTS", "0"),
    ];
    let Some(mut fleet) = Fleet::start(&settings).await else {
        return;
    };
    let target = Target::start().await;
    let mut ids = Vec::new();
    for nth in 0..MONITORS {
        let fields = json!({ "url": format!("{}?{nth}", target.url), "name": "API", "granularity": "thirty_seconds" });
        let made = fleet.call_ok(nth, "/uptime/createSchedule", fields).await;
        ids.push(made["scheduleId"].as_str().unwrap().to_owned());
    }
    let mut said = [0; REPLICAS];
    let mut holder = begun(&fleet, &mut said).await;
    for _ in 0..rounds() {
        for blow in [Blow::Back, Blow::Replaced, Blow::Still] {
            let hits = target.hits();
            until("checks are made", async || target.hits() >= hits + CHECKS).await;
            holder = suffers(&mut fleet, blow, holder, &mut said).await;
        }
    }
    let hits = target.hits();
    until("all are checked again", async || {
        target.hits() >= hits + MONITORS
    })
    .await;

    let db = Database::connect(fleet.database()).await.unwrap();
    let phases = phases(&db).await;
    for id in &ids {
        let mut last = BTreeMap::new();
        let whole = async || {
            last = rows(&fleet, id, phases[id]).await;
            let ends = last.keys().next().zip(last.keys().next_back());
            ends.is_some_and(|(first, end)| (end - first + 1) as usize == last.len())
        };
        until("every slot has a row", whole).await;
        assert!(last.len() > 1, "{last:?}");
        assert!(
            last.values().all(|rows| *rows == 1),
            "{id}: rows by slot: {last:?}"
        );
    }
    db.close().await.unwrap();
    fleet.finish();
}

/// Where in its interval each monitor's slots are.
async fn phases(db: &DatabaseConnection) -> HashMap<String, i64> {
    let ask = Statement::from_string(
        db.get_database_backend(),
        "SELECT id, next_slot FROM monitors",
    );
    let rows = db.query_all_raw(ask).await.unwrap();
    let phase = |row: &sea_orm::QueryResult| {
        let slot: i64 = row.try_get_by_index(1).unwrap();
        (
            row.try_get_by_index(0).unwrap(),
            slot.rem_euclid(INTERVAL_MS),
        )
    };
    rows.iter().map(phase).collect()
}

async fn post(process: &Process, key: &str, path: &str, body: Value) -> Answer {
    let request = crate::web::client().post(format!("{}{path}", process.base));
    Answer::send(request.header("x-api-key", key).json(&body)).await
}

#[actix::test]
async fn a_result_that_was_committed_reaches_the_log_of_its_server_when_that_is_back_and_once() {
    let Some(postgres) = Server::start() else {
        return;
    };
    let (url, home) = (
        postgres.database("alone").await,
        tempfile::tempdir().unwrap(),
    );
    let command = |reserve: &str| {
        let mut command = pharos(home.path());
        command
            .env("PHAROS__DATABASE__URL", &url)
            .env("PHAROS__STORAGE__RESERVE_BYTES", reserve)
            .env("PHAROS__EGRESS__ALLOW", "127.0.0.0/8");
        command
    };
    let output = command("1").args(["setup", "--json"]).output().unwrap();
    let made: Value = serde_json::from_slice(&output.stdout).unwrap();
    let key = made["apiKey"].as_str().unwrap();
    let db = Database::connect(&url).await.unwrap();
    let target = Target::start().await;

    // Its log takes nothing, because the disk is full.
    let process = start(command("1000000000000000")).await;
    let fields = json!({ "url": target.url, "name": "API", "cron": "0 0 1 1 *" });
    let made = post(&process, key, "/uptime/createSchedule", fields).await;
    assert_eq!(made.status, 200, "{}", made.text);
    until("it is committed", async || {
        counted(&db, "monitor_rows").await == 1
    })
    .await;
    drop(process);
    for statement in [
        "CREATE SCHEMA aside",
        "CREATE TABLE aside.kept AS SELECT * FROM monitor_rows",
    ] {
        db.execute_unprepared(statement).await.unwrap();
    }

    let process = start(command("1")).await;
    let path = format!(
        "/v1/query?schedule_id={}",
        made.body["scheduleId"].as_str().unwrap()
    );
    let checks = async || {
        let body = json!({ "parameters": ["uptime_recent_checks"], "preset": "last_7d" });
        post(&process, key, &path, body).await.rows(0).len()
    };
    until("it is in the log", async || checks().await == 1).await;
    until("it is owed no more", async || {
        counted(&db, "monitor_rows").await == 0
    })
    .await;
    // As if the server had died before it could forget it.
    db.execute_unprepared("INSERT INTO monitor_rows SELECT * FROM aside.kept")
        .await
        .unwrap();
    until("it is owed no more", async || {
        counted(&db, "monitor_rows").await == 0
    })
    .await;
    assert_eq!(checks().await, 1);
    assert_eq!(target.hits(), 1, "nobody has checked it again");
    process.stop();
    db.close().await.unwrap();
}
