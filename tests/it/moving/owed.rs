//! Results of checks that are committed, and not in a log yet when an installation moves.

use sea_orm::Database;
use serde_json::{Value, json};

use super::home::{Ended, Home, call};
use crate::{
    app::{Answer, until},
    database::counted,
    process::start,
    uptime::Target,
};

#[actix::test]
async fn a_result_that_no_log_has_yet_moves_and_is_stored() {
    let Some(home) = Home::new().await else {
        return;
    };
    let output = home.command("postgres").args(["setup", "--json"]).output();
    let made = Ended::from_output(&output.unwrap()).said;
    let key = made["apiKey"].as_str().unwrap();
    let target = Target::start().await;

    // The log takes nothing, because the disk is full.
    let mut full = home.command("postgres");
    full.env("PHAROS__STORAGE__RESERVE_BYTES", "1000000000000000")
        .env("PHAROS__EGRESS__ALLOW", "127.0.0.0/8")
        .arg("serve");
    let process = start(full).await;
    let monitor = json!({ "url": target.url, "name": "API", "cron": "0 0 1 1 *" });
    let monitor = call(&process, key, "/uptime/createSchedule", &monitor).await;
    let database = Database::connect(&home.postgres).await.unwrap();
    until("it is committed", async || {
        counted(&database, "monitor_rows").await == 1
    })
    .await;
    database.close().await.unwrap();
    drop(process);

    home.moved("postgres", "embedded");
    let process = home.serve("embedded").await;
    let id = monitor["scheduleId"].as_str().unwrap();
    let url = format!("{}/v1/query?schedule_id={id}", process.base);
    let question = json!({ "parameters": ["uptime_recent_checks"], "preset": "last_7d" });
    let checks = async || -> Vec<Value> {
        let request = crate::web::client().post(&url).header("x-api-key", key);
        Answer::send(request.json(&question)).await.rows(0)
    };
    until("it is stored", async || checks().await.len() == 1).await;
    assert_eq!(target.hits(), 1, "nobody has checked it again");
    process.stop();
    let file = format!("sqlite://{}/state.db", home.data.path().display());
    let database = Database::connect(file).await.unwrap();
    assert_eq!(counted(&database, "monitor_rows").await, 0);
    database.close().await.unwrap();
}
