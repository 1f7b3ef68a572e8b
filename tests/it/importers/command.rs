use std::{fs, path::Path, process::Output};

use serde_json::Value;

use super::{fixture, kuma};
use crate::process::{pharos, set_up, start};

struct Said {
    code: Option<i32>,
    out: String,
    wrong: String,
}

fn said(output: &Output) -> Said {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Said {
        code: output.status.code(),
        out: text(&output.stdout),
        wrong: text(&output.stderr),
    }
}

fn import(data: &Path, key: &str, arguments: &[&str]) -> Said {
    let output = pharos(data)
        .arg("import")
        .args(arguments)
        .env("PHAROS_API_KEY", key)
        .output();
    said(&output.unwrap())
}

#[actix::test]
async fn definitions_are_imported_into_a_running_server() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    let made = set_up(data);
    let file = |name: &str, bytes: &[u8]| {
        let path = data.join(name);
        fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let links = file("links.csv", fixture!("shlink.csv").as_bytes());
    let kuma = file("kuma.db", &kuma().await);
    let flags = file("flags.json", fixture!("growthbook.json").as_bytes());
    let process = start(pharos(data)).await;
    let base = process.base.clone();

    let plan = import(
        data,
        &made.key,
        &["shlink", &links, "--server", &base, "--plan"],
    );
    assert_eq!(plan.code, Some(1), "{}", plan.wrong);
    assert!(
        plan.out
            .starts_with("2 to create, 0 exist already, 3 refused\n"),
        "{}",
        plan.out
    );
    assert!(
        plan.out.contains("\n! link ü-b (line 4): ") && plan.out.contains("\n+ link spring-24"),
        "{}",
        plan.out
    );
    assert!(
        plan.out.contains("\n- 1207 former clicks of 2 links: "),
        "{}",
        plan.out
    );
    assert!(
        plan.wrong
            .starts_with("error: 3 definitions can't be imported\nhint: "),
        "{}",
        plan.wrong
    );

    let done = import(data, &made.key, &["uptime-kuma", &kuma, "--server", &base]);
    assert_eq!(done.code, Some(0), "{}", done.wrong);
    assert!(
        done.out
            .starts_with("8 created, 0 exist already, 0 refused"),
        "{}",
        done.out
    );
    let again = import(
        data,
        &made.key,
        &["uptime-kuma", &kuma, "--server", &base, "--json"],
    );
    let again: Value = serde_json::from_str(&again.out).unwrap();
    assert_eq!((&again["create"], &again["exist"]), (&0.into(), &8.into()));

    let arguments = [
        "growthbook",
        &flags,
        "--server",
        &base,
        "--website",
        &made.website,
        "--environment",
        "dev",
    ];
    let done = import(data, &made.key, &arguments);
    assert!(
        done.out.starts_with("2 created"),
        "{}{}",
        done.out,
        done.wrong
    );

    for (key, arguments, expected) in [
        ("", vec!["shlink", &links, "--server", &base], "no API key"),
        (
            "wrong",
            vec!["shlink", &links, "--server", &base],
            "the server refuses",
        ),
        (
            &made.key,
            vec!["shlink", &links, "--server", "http://127.0.0.1:9"],
            "cannot be reached",
        ),
        (
            &made.key,
            vec!["shlink", "/nowhere", "--server", &base],
            "can't be read",
        ),
        (
            &made.key,
            vec!["dub", &links, "--server", &base],
            "has a slug",
        ),
        (&made.key, vec!["umami", &links], "none is named"),
    ] {
        let refused = import(data, key, &arguments);
        assert_eq!(refused.code, Some(2), "{}", refused.out);
        assert!(
            refused.wrong.contains(expected),
            "{expected}: {}",
            refused.wrong
        );
    }
    process.stop();
}
