//! `pharos import --server`.

use std::{fs, path::Path, process::Stdio};

use serde_json::{Value, json};

use super::{PADDING, Served, padded_pageviews};
use crate::{app::until, process::pharos};

const EVENTS: usize = 300;

fn command(served: &Served, file: &Path, more: &[&str]) -> std::process::Command {
    let mut command = pharos(served.directory.path());
    command
        .args([
            "import",
            "posthog",
            file.to_str().unwrap(),
            "--json",
            "--server",
            &served.process.base,
        ])
        .args(["--website", &served.made.website])
        .args(more)
        .env("PHAROS_API_KEY", &served.made.key);
    command
}

#[actix::test]
async fn a_command_that_is_killed_goes_on_when_it_runs_again() {
    let served = Served::start().await;
    let file = served.directory.path().join("export.jsonl");
    fs::write(&file, padded_pageviews(EVENTS, PADDING)).unwrap();
    // While it is uploaded, while it is planned, while it is stored.
    for status in ["uploading", "planning", "importing"] {
        let mut child = command(&served, &file, &[])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        until("it came so far", async || {
            let all = served
                .post(
                    "/imports/list",
                    &json!({ "websiteId": served.made.website }),
                )
                .await;
            let order = ["uploading", "planning", "planned", "importing", "done"];
            let at = |status: &str| order.iter().position(|known| *known == status);
            all.body[0]["status"]
                .as_str()
                .is_some_and(|found| at(found) >= at(status))
        })
        .await;
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let output = command(&served, &file, &[]).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    let sum = said["events"].as_u64().unwrap() + said["earlier"].as_u64().unwrap();
    assert_eq!(sum, EVENTS as u64, "{said}");
    assert_eq!(served.totals().await[0], EVENTS as u64);

    let plan = command(&served, &file, &["--plan"]).output().unwrap();
    let plan: Value = serde_json::from_slice(&plan.stdout).unwrap();
    assert_eq!(
        plan["events"], EVENTS,
        "a plan is of the whole file: {plan}"
    );
    let unknown = command(&served, Path::new("/nowhere"), &[])
        .output()
        .unwrap();
    assert_eq!(unknown.status.code(), Some(2));
    let mut wrong = command(&served, &file, &[]);
    let wrong = wrong.env("PHAROS_API_KEY", "wrong").output().unwrap();
    let text = String::from_utf8_lossy(&wrong.stderr);
    assert!(
        text.contains("the server refuses") && text.contains("manage:websites"),
        "{text}"
    );
    served.process.stop();
}
