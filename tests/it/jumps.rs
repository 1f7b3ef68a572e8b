//! Fault drill F20: the machine's clock jumps under the running program. Nothing is lost or stored twice, no client is refused for
//! longer than a window, no time that passed is negative, and monitors are checked on.

use proptest::{strategy::Strategy as _, strategy::ValueTree as _, test_runner::TestRunner};
use serde_json::{Value, json};

use crate::{
    app::{Answer, until},
    process::{Credentials, Process, pharos, set_up, start},
    shift::ProcessClock,
};

const HOUR: i64 = 3_600_000;
/// What the short mode jumps to, in ms ahead of the machine; `PHAROS_DRILL_JUMPS` asks for so many others.
const JUMPS: [i64; 6] = [HOUR, -HOUR, 25 * HOUR, -2 * HOUR, 200 * 24 * HOUR, 0];

fn jumps() -> Vec<i64> {
    let Ok(count) = std::env::var("PHAROS_DRILL_JUMPS") else {
        return JUMPS.to_vec();
    };
    let mut runner = TestRunner::deterministic();
    let mut any = || (-48 * HOUR..400 * 24 * HOUR).new_tree(&mut runner).unwrap();
    (0..count.parse().unwrap())
        .map(|_| any().current())
        .collect()
}

async fn post(process: &Process, made: &Credentials, path: &str, body: Value) -> Answer {
    let host = if path == "/track" {
        &process.track
    } else {
        &process.base
    };
    let request = crate::web::client().post(format!("{host}{path}"));
    let answer = Answer::send(request.header("x-api-key", &made.key).json(&body)).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    answer
}

#[actix::test]
async fn a_clock_that_jumps_loses_nothing_and_keeps_nobody_out() {
    let data = tempfile::tempdir().unwrap();
    let made = set_up(data.path());
    let shown = ProcessClock::new(data.path().join("clock"));
    let mut command = pharos(data.path());
    command
        .arg("serve")
        .env("PHAROS__EGRESS__ALLOW", "127.0.0.0/8")
        .env("PHAROS__MONITORS__RETRIES", "0")
        .env("PHAROS__LIMITS__QUERY_REQUESTS", "0")
        .env("PHAROS__LIMITS__QUERY_REQUESTS_ANONYMOUS", "3");
    shown.on(&mut command);
    let process = start(command).await;
    let nobody = format!("http://{}/", crate::process::free_address());
    let monitor = json!({ "url": nobody, "granularity": "hour" });
    let monitor = post(&process, &made, "/uptime/createSchedule", monitor).await;
    let monitor = monitor.body["scheduleId"].as_str().unwrap().to_owned();
    let checks = async || {
        let ask = json!({ "parameters": ["uptime_recent_checks"], "startDate": "2020-01-01", "endDate": "2030-12-31", "limit": 10_000 });
        let path = format!("/v1/query?schedule_id={monitor}");
        post(&process, &made, &path, ask).await.rows(0)
    };
    until("it is checked", async || !checks().await.is_empty()).await;
    let (mut names, mut latest) = (0, 0);
    for ahead in jumps() {
        let before = checks().await.len();
        shown.ahead(ahead);
        // Twice, as one event.
        for _ in 0..2 {
            let event =
                json!({ "name": "e", "eventId": format!("{names}"), "websiteId": made.website });
            post(&process, &made, "/track", event).await;
        }
        names += 1;
        // A client over a limit waits for one window at most, whatever the clock says.
        let mut refused = None;
        for _ in 0..4 {
            let request = crate::web::client().post(format!("{}/v1/query", process.base));
            let answer = Answer::send(request.json(&json!({}))).await;
            refused = (answer.status == 429).then_some(answer).or(refused);
        }
        let refused = refused.expect("the limit holds");
        let wait: u64 = refused.header("retry-after").parse().unwrap();
        assert!((1..=60).contains(&wait), "{ahead}: {}", refused.text);
        // A slot that comes with the jump is taken; one that came before is not taken again.
        if ahead > latest {
            until("it is checked on", async || checks().await.len() > before).await;
            latest = ahead;
        }
        for check in checks().await {
            for time in ["total_ms", "ttfb_ms"] {
                let time = check[time].as_f64().unwrap_or(0.0);
                assert!((0.0..120_000.0).contains(&time), "{check}");
            }
        }
    }
    shown.ahead(401 * 24 * HOUR);
    let ask = json!({ "parameters": ["custom_events"], "startDate": "2020-01-01", "endDate": "2030-12-31" });
    let path = format!("/v1/query?website_id={}", made.website);
    let stored = post(&process, &made, &path, ask).await.rows(0);
    assert_eq!(stored[0]["total_events"], names);
    assert_eq!(process.count_log_lines("panicked"), 0);
    process.stop();
}
