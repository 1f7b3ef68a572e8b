//! A disk so small that the backlog is smaller than a usual generation.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    app::{Answer, until},
    process::{pharos, set_up_by, start},
};

#[actix::test]
async fn a_backlog_below_the_usual_seal_is_sealed_and_ingestion_goes_on() {
    let data = tempfile::tempdir().unwrap();
    let program = || {
        let mut command = pharos(data.path());
        command.env("PHAROS__EVENTS__STORE", "embedded");
        command
    };
    let made = set_up_by(program());
    let mut command = program();
    command
        .arg("serve")
        .env("PHAROS_DRILL_BACKLOG_BYTES", "400000")
        .env("PHAROS__LIMITS__TRACK_REQUESTS", "0");
    let process = start(command).await;
    let text = "x".repeat(1_000);
    let events: Vec<Value> = (0..100)
        .map(|_| json!({ "name": "e", "websiteId": made.website, "properties": { "text": text } }))
        .collect();
    let client = crate::web::client();
    // Each is a quarter of the backlog.
    for number in 0..12 {
        until(&format!("request {number} is taken"), async || {
            let request = client.post(format!("{}/track", process.track));
            let answer = Answer::send(request.header("x-api-key", &made.key).json(&events)).await;
            assert!(
                [200, 503].contains(&answer.status),
                "{}: {}",
                answer.status,
                answer.text
            );
            if answer.status == 503 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            answer.status == 200
        })
        .await;
    }
    assert!(process.count_log_lines("sealed a generation") > 0);
    process.stop();
}
