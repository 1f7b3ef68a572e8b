//! What scripts rely on: exit codes, and which stream says what.

use std::{fs, path::Path, process::Command};

struct Ended {
    code: i32,
    out: String,
    err: String,
}

fn pharos(directory: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Ended {
    let mut command = Command::new(crate::process::binary());
    command.current_dir(directory).args(arguments);
    command.envs(variables.iter().copied());
    let output = command.output().unwrap();
    Ended {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn check_config_says_ok_with_0() {
    let directory = tempfile::tempdir().unwrap();
    let ended = pharos(directory.path(), &["check-config"], &[]);
    assert_eq!(
        (ended.code, ended.out.as_str(), ended.err.as_str()),
        (0, "ok\n", "")
    );
}

#[test]
fn check_config_says_every_mistake_with_1() {
    let directory = tempfile::tempdir().unwrap();
    let usual = directory.path().join("config");
    fs::create_dir(&usual).unwrap();
    fs::write(usual.join("pharos.toml"), "[limits]\ntrack_requets = 1\n").unwrap();
    let variables = [("PHAROS__SERVER__WORKERS", "many")];
    let ended = pharos(directory.path(), &["check-config"], &variables);
    assert_eq!((ended.code, ended.out.as_str()), (1, ""));
    let expected = "error: config/pharos.toml:2: `limits.track_requets` is not a known setting\n\
                    hint: did you mean `limits.track_requests`?\n\
                    error: PHAROS__SERVER__WORKERS: `server.workers` must be a whole number\n";
    assert!(ended.err.starts_with(expected), "{}", ended.err);
}

#[test]
fn check_config_names_the_line_of_a_channel_that_cannot_be_read() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join("pager.toml"),
        "title = 'Pager'\nkind = 'x'\n",
    )
    .unwrap();
    let variables = [("PHAROS__ALARMS__CHANNELS_DIRECTORY", ".")];
    let ended = pharos(directory.path(), &["check-config"], &variables);
    assert_eq!((ended.code, ended.out.as_str()), (1, ""));
    let expected = "error: ./pager.toml: line 2: unknown field `kind`";
    assert!(ended.err.starts_with(expected), "{}", ended.err);
}

#[test]
fn a_named_file_takes_the_usual_ones_place() {
    let directory = tempfile::tempdir().unwrap();
    let usual = directory.path().join("config");
    fs::create_dir(&usual).unwrap();
    fs::write(usual.join("pharos.toml"), "wrong = 1\n").unwrap();
    fs::write(directory.path().join("mine.toml"), "[query]\nthreads = 1\n").unwrap();
    let ended = pharos(
        directory.path(),
        &["check-config", "--config", "mine.toml"],
        &[],
    );
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (0, "ok\n"),
        "{}",
        ended.err
    );
}

#[test]
fn usage_and_environment_are_2_in_two_lines() {
    let directory = tempfile::tempdir().unwrap();
    for arguments in [
        &["check-config", "--config", "missing.toml"][..],
        &["serve", "--config", "missing.toml"],
        &["frobnicate"],
        &["demo"],
        &["setup", "--password"],
    ] {
        let ended = pharos(directory.path(), arguments, &[]);
        assert_eq!(
            (ended.code, ended.out.as_str()),
            (2, ""),
            "{arguments:?}: {}",
            ended.err
        );
        let lines: Vec<_> = ended.err.lines().collect();
        assert_eq!(lines.len(), 2, "{arguments:?}: {}", ended.err);
        assert!(
            lines[0].starts_with("error: ") && lines[1].starts_with("hint: "),
            "{lines:?}"
        );
    }
}

#[test]
fn wrong_settings_keep_the_program_from_starting_with_2() {
    let directory = tempfile::tempdir().unwrap();
    let ended = pharos(
        directory.path(),
        &["serve"],
        &[("PHAROS__EVENTS__CLICKHOUSE_URL", "ftp://u:pw@h")],
    );
    assert_eq!((ended.code, ended.out.as_str()), (2, ""));
    assert!(
        ended
            .err
            .contains("`events.clickhouse_url` must be an address"),
        "{}",
        ended.err
    );
    assert!(
        !ended.err.contains("pw") && !directory.path().join("data").exists(),
        "{}",
        ended.err
    );
}

#[test]
fn a_sound_audit_log_is_0_and_a_changed_one_is_1_with_the_place() {
    let directory = tempfile::tempdir().unwrap();
    let verify = |arguments: &[&str]| {
        let all = [&["audit", "verify"], arguments].concat();
        pharos(directory.path(), &all, &[])
    };
    let nothing = verify(&[]);
    assert_eq!(nothing.code, 2, "{}", nothing.err);
    assert!(
        nothing
            .err
            .starts_with("error: there is no installation in")
    );
    let made = pharos(directory.path(), &["setup", "--json"], &[]);
    assert_eq!(made.code, 0, "{}", made.err);
    let sound = verify(&[]);
    assert_eq!(
        (sound.code, sound.out.as_str()),
        (0, "1 entries in 1 chains: ok\n")
    );

    // Threat T46: with access to the file you remove the guard and claim that another program made the key.
    let options = pharos::store::state::Options {
        url: "sqlite".to_owned(),
        data_dir: directory.path().join("data"),
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        use sea_orm::ConnectionTrait as _;
        let db = pharos::store::StateDb::open(&options).await.unwrap();
        for statement in [
            "DROP TRIGGER audit_entries_keep",
            "UPDATE audit_entries SET actor_id = 'somebody'",
        ] {
            db.writer().execute_unprepared(statement).await.unwrap();
        }
        db.close().await.unwrap();
    });
    let changed = verify(&["--json"]);
    assert_eq!(changed.code, 1, "{}", changed.err);
    let found: serde_json::Value = serde_json::from_str(&changed.out).unwrap();
    assert_eq!(found["ok"], false);
    assert_eq!(found["broken"][0]["entry"], 1);
    assert!(
        changed.err.contains("entry 1: it was changed"),
        "{}",
        changed.err
    );
}

#[test]
fn help_is_no_error() {
    let directory = tempfile::tempdir().unwrap();
    for command in ["serve", "setup", "check-config", "openapi", "demo", "audit"] {
        let ended = pharos(directory.path(), &[command, "--help"], &[]);
        assert_eq!((ended.code, ended.err.as_str()), (0, ""));
        assert!(ended.out.contains("Example:\n  pharos"), "{}", ended.out);
    }
}
