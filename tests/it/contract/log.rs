//! What is logged, and how.

use std::process::Command;

use serde_json::Value;

use crate::process::{pharos, set_up};

/// What a command that ends by itself writes to its log.
fn logged(command: &mut Command, settings: &[(&str, &str)]) -> String {
    let output = command.envs(settings.iter().copied()).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn lines_are_json_where_nobody_looks_and_pretty_when_that_is_said() {
    let data = tempfile::tempdir().unwrap();
    set_up(data.path());
    let copies = tempfile::tempdir().unwrap();
    let backup = |settings: &[(&str, &str)]| {
        let mut command = pharos(data.path());
        logged(command.arg("backup").arg(copies.path()), settings)
    };
    let usual = backup(&[("PHAROS__LOG__LEVEL", "trace")]);
    let lines = usual.lines().filter(|line| line.starts_with('{'));
    let lines: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(!lines.is_empty(), "{usual}");
    assert!(
        lines.iter().all(|line| line["level"].is_string()),
        "{usual}"
    );
    let pretty = backup(&[
        ("PHAROS__LOG__LEVEL", "trace"),
        ("PHAROS__LOG__FORMAT", "pretty"),
    ]);
    assert!(
        !pretty.is_empty() && !pretty.lines().any(|line| line.starts_with('{')),
        "{pretty}"
    );
    let quiet = backup(&[("PHAROS__LOG__LEVEL", "off")]);
    assert!(!quiet.contains("\"level\""), "{quiet}");
}

#[test]
fn long_work_says_plain_lines_where_there_is_no_terminal() {
    let data = tempfile::tempdir().unwrap();
    set_up(data.path());
    let mut command = pharos(data.path());
    let said = logged(
        command.args(["demo", "--events", "2000", "--days", "3"]),
        &[],
    );
    assert!(!said.contains('\u{1b}') && !said.contains('\r'), "{said}");
}
