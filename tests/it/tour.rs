//! Commands in the documentation work: the quick start, and the output of the first start.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::{Deserializer, Value, json};

use crate::{
    app::App,
    process::{free_address, pharos, start_at},
};

/// The text of a page of the repository.
fn page(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The `sh` blocks of the quick start.
fn blocks() -> Vec<String> {
    let text = page("docs/quickstart.md");
    let blocks = text.split("```sh\n").skip(1);
    blocks
        .map(|rest| rest.split("```").next().unwrap().to_owned())
        .collect()
}

/// Runs a script as a person would, and gives what it printed.
async fn bash(script: &str, environment: &[(&str, &str)]) -> String {
    let mut command = Command::new("bash");
    command
        .args(["-euo", "pipefail", "-c", script])
        .stdin(Stdio::null());
    command.envs(environment.iter().copied());
    let output = tokio::task::spawn_blocking(move || command.output())
        .await
        .unwrap()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{script}\n{said}");
    String::from_utf8(output.stdout).unwrap()
}

/// The JSON values that commands printed one after another.
fn answers(printed: &str) -> Vec<Value> {
    let values: Result<Vec<Value>, _> = Deserializer::from_str(printed).into_iter().collect();
    values.unwrap_or_else(|error| panic!("{error}: {printed}"))
}

fn binaries() -> PathBuf {
    let binary = crate::process::binary();
    binary.parent().unwrap().to_owned()
}

#[actix::test]
async fn the_quick_start_works_as_written() {
    let app = App::spawn().await;
    let blocks = blocks();
    let [demo, exports, page_view, custom_event, ask, more] = blocks.as_slice() else {
        panic!("the quick start has other steps now: {blocks:#?}");
    };
    let known = [
        ("BASE", &app.base),
        ("TRACK", &app.track),
        ("KEY", &app.key),
        ("WEBSITE", &app.website),
    ];
    for (name, _) in known {
        assert!(
            exports.contains(&format!("{name}=")),
            "`{name}` is not exported"
        );
    }
    let environment = known.map(|(name, value)| (name, value.as_str()));

    let sent = answers(&bash(page_view, &environment).await);
    assert_eq!(sent, [json!({ "status": "success", "type": "track" })]);
    let sent = answers(&bash(custom_event, &environment).await);
    assert_eq!(
        sent,
        [json!({ "status": "success", "type": "custom_event", "count": 1 })]
    );

    let asked = answers(&bash(ask, &environment).await);
    let [answer] = asked.as_slice() else {
        panic!("{asked:?}");
    };
    let row = |parameter: usize| {
        let result = &answer["data"][parameter];
        assert_eq!(result["success"], true, "{answer}");
        &result["data"][0]
    };
    assert_eq!(
        (&row(0)["pageviews"], &row(0)["total_events"]),
        (&json!(1), &json!(2)),
        "{answer}"
    );
    assert_eq!(
        (&row(1)["path"], &row(1)["pageviews"]),
        (&json!("/pricing"), &json!(1))
    );
    assert_eq!(row(2)["source"], "Google");
    assert_eq!(
        (&row(3)["name"], &row(3)["total_events"]),
        (&json!("signup"), &json!(1))
    );

    let more = answers(&bash(more, &environment).await);
    assert_eq!(more.len(), 2);
    assert!(
        more.iter().all(|answer| answer["success"] == true),
        "{more:?}"
    );
    assert!(more[1]["sql"].as_str().unwrap().contains("SELECT"));
    for url in ["docs", "openapi.json"] {
        bash(&format!("curl -sSf \"$BASE/{url}\""), &environment).await;
    }

    // Fewer than the page says, in the directory of the program that was stopped.
    let data = app.close().await;
    let fewer = demo.replace("1000000", "2000");
    assert_ne!(&fewer, demo);
    let path = format!(
        "{}:{}",
        binaries().display(),
        std::env::var("PATH").unwrap()
    );
    let script = format!(
        "cd '{0}'\nexport PHAROS__STORAGE__DATA_DIR='{0}'\n{fewer}",
        data.path().display()
    );
    let printed = bash(
        &script,
        &[("PATH", &path), ("PHAROS__STORAGE__RESERVE_BYTES", "1")],
    )
    .await;
    assert!(printed.starts_with("wrote 2000 events"), "{printed}");
}

#[actix::test]
async fn the_commands_that_a_set_up_prints_work_as_printed() {
    let data = tempfile::tempdir().unwrap();
    let (api, track) = (free_address(), free_address());
    let output = pharos(data.path())
        .arg("setup")
        .env("PHAROS__SERVER__API_LISTEN", &api)
        .env("PHAROS__SERVER__TRACK_LISTEN", &track)
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{printed}");
    // What the pages show of it, with other values.
    let sample: Vec<&str> = printed.lines().take(7).collect();
    for name in ["docs/quickstart.md", "README.md"] {
        let text = page(name);
        let (_, shown) = text.split_once("```text\n").unwrap();
        let shown: Vec<&str> = shown.lines().take(7).collect();
        let label = |line: &&str| line.get(..12).unwrap_or(line).to_owned();
        let shown: Vec<String> = shown.iter().map(label).collect();
        assert_eq!(
            shown,
            sample.iter().map(label).collect::<Vec<_>>(),
            "{name}"
        );
    }
    let commands: Vec<&str> = printed
        .split("\n\n")
        .filter(|part| part.contains("curl "))
        .collect();
    let commands: Vec<&str> = commands
        .iter()
        .map(|part| part.split_once(":\n").unwrap().1)
        .collect();
    let [send, ask] = commands.as_slice() else {
        panic!("other commands are printed now: {printed}");
    };
    let process = start_at(pharos(data.path()), &api, &track).await;
    let sent = answers(&bash(send, &[]).await);
    assert_eq!(
        sent,
        [json!({ "status": "success", "type": "custom_event", "count": 1 })]
    );
    let asked = answers(&bash(ask, &[]).await);
    let rows = &asked[0]["data"][0]["data"];
    assert_eq!(
        (&rows[0]["name"], &rows[0]["total_events"]),
        (&json!("hello"), &json!(1)),
        "{asked:?}"
    );
    drop(process);
}
