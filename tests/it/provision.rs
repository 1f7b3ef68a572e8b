//! Declared resources: `pharos plan`, `pharos apply`, and a server that follows its files.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    app::{Answer, until},
    process::{Credentials, Process, pharos, set_up, start},
};

const EXAMPLE: &str = include_str!("../../config/provision/example.toml.sample");

struct Ended {
    code: i32,
    out: String,
    err: String,
}

fn ended(output: Output) -> Ended {
    Ended {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn run(data: &Path, arguments: &[&str]) -> Ended {
    let mut command = pharos(data);
    command.env("PHAROS__LOG__LEVEL", "error").args(arguments);
    ended(command.output().unwrap())
}

/// What a command prints that goes well.
fn run_ok(data: &Path, arguments: &[&str]) -> String {
    let ended = run(data, arguments);
    assert_eq!(ended.code, 0, "{arguments:?}: {}{}", ended.out, ended.err);
    ended.out
}

fn declare(data: &Path, file: &str, text: &str) {
    let directory = data.join("config/provision");
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join(file), text).unwrap();
}

fn installed() -> (TempDir, Credentials) {
    let data = tempfile::tempdir().unwrap();
    let made = set_up(data.path());
    (data, made)
}

async fn serving(data: &Path) -> Process {
    let mut command: Command = pharos(data);
    command.arg("serve");
    start(command).await
}

async fn ask(process: &Process, made: &Credentials, procedure: &str, input: Value) -> Value {
    let url = format!("{}{procedure}", process.base);
    let request = crate::web::client()
        .post(url)
        .header("x-api-key", &made.key);
    let answer = Answer::send(request.json(&input)).await;
    assert_eq!(answer.status, 200, "{procedure}: {}", answer.text);
    answer.body
}

async fn link(process: &Process, made: &Credentials, slug: &str) -> Value {
    let links = ask(process, made, "/links/list", json!({})).await;
    let mut links = links.as_array().unwrap().iter();
    links
        .find(|link| link["slug"] == slug)
        .cloned()
        .unwrap_or_default()
}

fn spring(target: &str) -> String {
    format!("[links.spring]\ntargetUrl = \"https://{target}/\"\n")
}

#[actix::test]
async fn the_example_is_planned_made_and_then_there_is_nothing_to_do() {
    let (data, made) = installed();
    let data = data.path();
    assert!(run_ok(data, &["plan"]).starts_with("nothing to do: there is no directory "));
    declare(data, "example.toml", EXAMPLE);
    let plan = run_ok(data, &["plan"]);
    for line in [
        "+ websites.shop.example: create\n",
        "+ link-folders.campaigns: create\n",
        "+ links.spring: create\n",
        "+ flags.new-checkout: create\n",
        "+ monitors.homepage: create\n",
        "+ monitors.api: create\n",
        "+ monitors.nightly-backup: create\n",
        "+ goals.purchase: create\n",
        "+ alarms.shop-down: create\n",
        "+ status-pages.shop-status: create\n",
        "+ domains.status: create\n",
        "to do: 11 create; 0 as declared\n",
    ] {
        assert!(plan.contains(line), "{line}: {plan}");
    }
    assert!(
        run_ok(data, &["plan"]).contains("to do: 11 create"),
        "a plan changes nothing"
    );
    assert!(run_ok(data, &["apply"]).ends_with("done: 11 create; 0 as declared\n"));
    assert_eq!(run_ok(data, &["apply"]), "nothing to do; 11 as declared\n");

    let process = serving(data).await;
    assert_eq!(
        run_ok(data, &["plan"]),
        "nothing to do; 11 as declared\n",
        "the server says the same"
    );
    let pages = ask(&process, &made, "/statusPage/list", json!({})).await;
    let page = ask(
        &process,
        &made,
        "/statusPage/get",
        json!({ "statusPageId": pages[0]["id"] }),
    )
    .await;
    let shown: Vec<_> = page["monitors"].as_array().unwrap().iter().collect();
    assert_eq!(page["slug"], "shop-status");
    let names = |field: &str| {
        shown
            .iter()
            .map(|one| one[field].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names("displayName"), ["Shop", "API"]);
    assert_eq!(names("group"), ["Public", "Public"]);
    assert_eq!(names("hideUrl"), [false, true]);

    let sites = ask(&process, &made, "/websites/list", json!({})).await;
    let site = sites
        .as_array()
        .unwrap()
        .iter()
        .find(|site| site["domain"] == "shop.example")
        .unwrap();
    assert_eq!(site["name"], "Shop");
    assert_eq!(site["settings"]["retentionDays"], 730);
    assert_eq!(site["settings"]["excludedPaths"], json!(["/admin/*"]));
    let flags = ask(
        &process,
        &made,
        "/flags/list",
        json!({ "websiteId": site["id"] }),
    )
    .await;
    assert_eq!(flags[0]["key"], "new-checkout");
    assert_eq!(flags[0]["rolloutPercentage"], 10);
    assert_eq!(flags[0]["rules"][0]["value"], "@shop.example");
    let goals = ask(
        &process,
        &made,
        "/goals/list",
        json!({ "websiteId": site["id"] }),
    )
    .await;
    assert_eq!(
        (&goals[0]["name"], &goals[0]["target"]),
        (&json!("purchase"), &json!("/thanks"))
    );

    let monitors = ask(&process, &made, "/uptime/listSchedules", json!({})).await;
    let monitor = |name: &str| {
        monitors
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["name"] == name)
            .unwrap()
    };
    assert_eq!(monitor("homepage")["websiteId"], site["id"]);
    assert_eq!(
        monitor("api")["dependsOn"],
        json!([monitor("homepage")["id"]])
    );
    let alarms = ask(&process, &made, "/alarms/list", json!({})).await;
    let watched = [&monitor("homepage")["id"], &monitor("api")["id"]];
    assert_eq!(alarms[0]["triggerConditions"]["monitorIds"], json!(watched));
    let destinations = &alarms[0]["destinations"];
    assert_eq!(destinations[0]["fallback"], destinations[1]["id"]);

    let folders = ask(&process, &made, "/link-folders/list", json!({})).await;
    assert_eq!(
        link(&process, &made, "spring").await["folderId"],
        folders[0]["id"]
    );
    let followed = crate::web::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let answer = Answer::send(followed.get(format!("{}/spring", process.links))).await;
    assert!(
        answer
            .header("location")
            .starts_with("https://shop.example/spring"),
        "{:?}",
        answer.headers
    );
    process.stop();
}

#[actix::test]
async fn edits_of_files_become_changes_and_what_is_taken_away_is_deleted() {
    let (data, made) = installed();
    let data = data.path();
    let two = "[links.spring]\ntargetUrl = \"https://a.example/\"\nogTitle = \"Spring\"\n[links.autumn]\ntargetUrl = \"https://b.example/\"\n";
    declare(data, "links.toml", two);
    run_ok(data, &["apply"]);
    let process = serving(data).await;
    let before = link(&process, &made, "spring").await;

    // One is changed, loses a field and has another name; the other is gone.
    declare(
        data,
        "links.toml",
        "[links.summer]\nslug = \"spring\"\ntargetUrl = \"https://c.example/\"\n",
    );
    let plan = run_ok(data, &["plan"]);
    assert!(
        plan.contains("~ links.summer: update name, ogTitle, targetUrl\n"),
        "{plan}"
    );
    assert!(plan.contains("- links.autumn: delete\n"), "{plan}");
    assert!(run_ok(data, &["apply"]).ends_with("done: 1 update, 1 delete; 0 as declared\n"));
    let after = link(&process, &made, "spring").await;
    assert_eq!(after["id"], before["id"], "it is the same link");
    assert_eq!(after["targetUrl"], "https://c.example/");
    assert_eq!(
        (&after["name"], &after["ogTitle"]),
        (&json!("summer"), &Value::Null)
    );
    assert_eq!(link(&process, &made, "autumn").await, Value::Null);
    assert_eq!(run_ok(data, &["apply"]), "nothing to do; 1 as declared\n");

    declare(data, "links.toml", "");
    assert_eq!(
        run_ok(data, &["plan", "--keep"]),
        "- links.summer: forget, declared no more\nto do: 1 forget; 0 as declared\n"
    );
    run_ok(data, &["apply", "--keep"]);
    assert_eq!(link(&process, &made, "spring").await["id"], before["id"]);
    assert_eq!(run_ok(data, &["apply"]), "nothing to do; 0 as declared\n");
    process.stop();
}

#[actix::test]
async fn what_was_done_by_hand_is_left_alone_until_somebody_says_otherwise() {
    let (data, made) = installed();
    let data = data.path();
    declare(data, "links.toml", &spring("a.example"));
    run_ok(data, &["apply"]);
    let process = serving(data).await;
    let id = link(&process, &made, "spring").await["id"].clone();
    let edit = json!({ "id": id, "targetUrl": "https://hand.example/" });
    ask(&process, &made, "/links/update", edit).await;

    let conflict =
        "! links.spring: conflict: it was changed by hand: targetUrl; `force` overwrites that\n";
    assert_eq!(
        run_ok(data, &["plan"]),
        format!("{conflict}nothing to do; 0 as declared\n")
    );
    let refused = run(data, &["apply"]);
    assert_eq!(refused.code, 1, "{}", refused.err);
    assert!(
        refused.err.starts_with("error: 1 in conflict"),
        "{}",
        refused.err
    );
    // Another edit of the file does not overwrite it either.
    declare(data, "links.toml", &spring("b.example"));
    assert_eq!(run(data, &["apply"]).code, 1);
    assert_eq!(
        link(&process, &made, "spring").await["targetUrl"],
        "https://hand.example/"
    );
    assert!(run_ok(data, &["apply", "--force"]).starts_with("~ links.spring: update targetUrl\n"));
    assert_eq!(
        link(&process, &made, "spring").await["targetUrl"],
        "https://b.example/"
    );

    ask(&process, &made, "/links/delete", json!({ "id": id })).await;
    assert!(run_ok(data, &["plan"]).contains("it was deleted by hand"));
    declare(
        data,
        "links.toml",
        &format!("{}force = true\n", spring("b.example")),
    );
    run_ok(data, &["apply"]);
    assert_eq!(
        link(&process, &made, "spring").await["targetUrl"],
        "https://b.example/"
    );

    // Removed from the file, but changed by hand: manual work is kept.
    let id = link(&process, &made, "spring").await["id"].clone();
    ask(
        &process,
        &made,
        "/links/update",
        json!({ "id": id, "ogTitle": "Mine" }),
    )
    .await;
    let edit = json!({ "id": id, "targetUrl": "https://hand.example/" });
    ask(&process, &made, "/links/update", edit).await;
    declare(data, "links.toml", "");
    assert!(
        run_ok(data, &["plan"]).contains("declared no more and was changed by hand: targetUrl")
    );
    assert_eq!(run(data, &["apply"]).code, 1);
    assert_eq!(link(&process, &made, "spring").await["ogTitle"], "Mine");
    assert!(run_ok(data, &["apply", "--force"]).ends_with("done: 1 delete; 0 as declared\n"));
    process.stop();
}

#[actix::test]
async fn what_is_there_already_is_taken_over_only_when_that_is_said() {
    let (data, made) = installed();
    let data = data.path();
    let process = serving(data).await;
    let hand = json!({ "name": "Hand", "slug": "spring", "targetUrl": "https://hand.example/" });
    let hand = ask(&process, &made, "/links/create", hand).await;
    declare(data, "links.toml", &spring("a.example"));
    let plan = run_ok(data, &["plan"]);
    let id = hand["id"].as_str().unwrap();
    assert!(
        plan.contains("a link with the same `slug` already, made by hand"),
        "{plan}"
    );
    assert!(
        plan.contains(id) && plan.contains("links.spring"),
        "both are named: {plan}"
    );
    assert_eq!(run(data, &["apply"]).code, 1);
    assert_eq!(
        link(&process, &made, "spring").await["targetUrl"],
        "https://hand.example/"
    );
    declare(
        data,
        "links.toml",
        &format!("{}adopt = true\n", spring("a.example")),
    );
    assert!(run_ok(data, &["apply"]).starts_with("+ links.spring: adopt name, slug, targetUrl\n"));
    let adopted = link(&process, &made, "spring").await;
    assert_eq!(
        (&adopted["id"], &adopted["targetUrl"]),
        (&hand["id"], &json!("https://a.example/"))
    );
    assert_eq!(run_ok(data, &["apply"]), "nothing to do; 1 as declared\n");
    process.stop();
}

const MISTAKEN: &str = "[monitors.home]\nurl = \"https://a.example/\"\ngranularity = \"minute\"\ngroop = \"x\"\n\n[monitors.db]\nkind = \"tcp\"\nurl = \"127.0.0.1:5432\"\ngranularity = \"minute\"\ndependsOn = [\n  \"ref:monitors.hom\",\n]\n\n[links.spring]\ntargetUrl = \"env:PHAROS_TEST_NOT_THERE\"\n";

#[test]
fn every_mistake_of_every_file_is_told_with_its_line_and_what_to_do() {
    let (data, _) = installed();
    let data = data.path();
    declare(
        data,
        "a.toml",
        "[link.spring]\ntargetUrl = \"https://a.example/\"\n",
    );
    declare(data, "b.toml", MISTAKEN);
    let ended = run(data, &["plan"]);
    assert_eq!((ended.code, ended.out.as_str()), (1, ""), "{}", ended.err);
    for (file, line, said) in [
        (
            "a.toml",
            1,
            "`link` cannot be declared\nhint: did you mean `links`?",
        ),
        (
            "b.toml",
            15,
            "`links.spring.targetUrl` there is no variable `PHAROS_TEST_NOT_THERE`\nhint: ",
        ),
    ] {
        let place = data.join("config/provision").join(file);
        let expected = format!("error: {}:{line}: {said}", place.display());
        assert!(ended.err.contains(&expected), "{expected}: {}", ended.err);
    }
    let file = data.join("config/provision/a.toml");
    fs::write(&file, "[links.spring\n").unwrap();
    let ended = run(data, &["plan"]);
    assert_eq!(ended.code, 1);
    assert!(ended.err.contains(":1: is no TOML: "), "{}", ended.err);
    fs::write(&file, "").unwrap();
    fs::write(data.join("config/provision/b.toml"), "").unwrap();
    assert_eq!(run_ok(data, &["apply"]), "nothing to do; 0 as declared\n");
    assert_eq!(run(data, &["plan", "--frobnicate"]).code, 2);
}

#[test]
fn what_the_rules_of_the_api_refuse_is_told_before_anything_is_made() {
    let (data, _) = installed();
    let data = data.path();
    let file = data.join("config/provision/b.toml");
    let text = MISTAKEN.replace("env:PHAROS_TEST_NOT_THERE", "ftp://a.example/");
    declare(data, "b.toml", &text);
    let ended = run(data, &["apply"]);
    assert_eq!((ended.code, ended.out.as_str()), (1, ""), "{}", ended.err);
    for (line, said) in [
        (
            4,
            "`monitors.home.groop` is wrong: a monitor has no field `groop`\nhint: did you mean `group`?",
        ),
        (8, "`monitors.db.url` is wrong: "),
        (
            11,
            "`monitors.db.dependsOn.0` names `monitors.hom`, which is not declared\nhint: did you mean `ref:monitors.home`?",
        ),
        (15, "`links.spring.targetUrl` is wrong: "),
    ] {
        let expected = format!("error: {}:{line}: {said}", file.display());
        assert!(ended.err.contains(&expected), "{expected}: {}", ended.err);
    }
}

#[actix::test]
async fn a_server_follows_its_files_and_refuses_a_bad_edit_as_a_whole() {
    let (data, made) = installed();
    let data = data.path();
    declare(data, "links.toml", &spring("a.example"));
    let process = serving(data).await;
    until("what is declared is made at the start", async || {
        link(&process, &made, "spring").await["targetUrl"] == "https://a.example/"
    })
    .await;
    declare(data, "links.toml", &spring("b.example"));
    process.signal(Signal::HUP);
    until("the edit shows after SIGHUP", async || {
        link(&process, &made, "spring").await["targetUrl"] == "https://b.example/"
    })
    .await;
    declare(
        data,
        "links.toml",
        &format!(
            "{}[links.b]\ntargetUrl = \"nowhere\"\n",
            spring("c.example")
        ),
    );
    process.signal(Signal::HUP);
    until("the bad edit is refused", async || {
        process.count_log_lines("the declarations are refused") > 0
    })
    .await;
    assert!(
        process.count_log_lines("links.b.targetUrl") > 0,
        "the reason is in the log"
    );
    assert_eq!(
        link(&process, &made, "spring").await["targetUrl"],
        "https://b.example/"
    );
    declare(data, "links.toml", &spring("d.example"));
    until("the edit is noticed", async || {
        link(&process, &made, "spring").await["targetUrl"] == "https://d.example/"
    })
    .await;
    // A directory that is not there, an unmounted one say, takes nothing away.
    fs::rename(data.join("config/provision"), data.join("config/gone")).unwrap();
    assert!(run_ok(data, &["apply"]).starts_with("nothing to do: there is no directory"));
    assert_eq!(
        link(&process, &made, "spring").await["targetUrl"],
        "https://d.example/"
    );
    process.stop();
}

#[actix::test]
async fn a_run_that_is_refused_on_the_way_leaves_nothing_behind() {
    let (data, made) = installed();
    let data = data.path();
    let plans = "[plans]\nenabled = true\ndefault = \"free\"\n[plans.free]\nlinks = 2\n";
    fs::create_dir_all(data.join("config")).unwrap();
    fs::write(data.join("config/pharos.toml"), plans).unwrap();
    declare(data, "links.toml", &spring("a.example"));
    run_ok(data, &["apply"]);
    let edit = "[links.bbb]\ntargetUrl = \"https://b.example/\"\n[links.ccc]\ntargetUrl = \"https://c.example/\"\n";
    declare(
        data,
        "links.toml",
        &format!("{}name = \"Spring\"\n{edit}", spring("changed.example")),
    );
    let ended = run(data, &["apply"]);
    assert_eq!(ended.code, 1, "{}", ended.out);
    assert!(
        ended.err.contains("links.toml:6: `links.ccc` is refused: "),
        "{}",
        ended.err
    );
    assert!(ended.out.ends_with("nothing was done\n"), "{}", ended.out);
    let process = serving(data).await;
    // A server tries them itself at its start.
    until("that run is refused, too", async || {
        process.count_log_lines("what they had made is taken back") > 0
    })
    .await;
    let links = ask(&process, &made, "/links/list", json!({})).await;
    assert_eq!(links.as_array().unwrap().len(), 1, "{links}");
    assert_eq!(
        (&links[0]["targetUrl"], &links[0]["name"]),
        (&json!("https://a.example/"), &json!("spring"))
    );
    declare(data, "links.toml", &spring("a.example"));
    assert_eq!(
        run_ok(data, &["apply"]),
        "nothing to do; 1 as declared\n",
        "not even the memory of it"
    );
    process.stop();
}

#[actix::test]
async fn secrets_come_from_the_environment_and_are_kept_nowhere_else() {
    let (data, made) = installed();
    let data = data.path();
    let monitor = "[monitors.api]\nurl = \"https://a.example/\"\ngranularity = \"day\"\nrequest = { headers = { X-Token = \"env:PHAROS_TEST_TOKEN\" } }\n";
    declare(data, "monitors.toml", monitor);
    let apply = |token: &str| {
        let mut command = pharos(data);
        command
            .args(["apply", "--json"])
            .env("PHAROS_TEST_TOKEN", token);
        let ended = ended(command.output().unwrap());
        assert_eq!(ended.code, 0, "{}", ended.err);
        assert!(!ended.out.contains(token) && !ended.err.contains(token));
        let report: Value = serde_json::from_str(&ended.out).unwrap();
        report["steps"][0].clone()
    };
    assert_eq!(apply("first-secret")["action"], "create");
    assert_eq!(apply("first-secret")["action"], "unchanged");
    let step = apply("second-secret");
    assert_eq!(
        (&step["action"], &step["fields"]),
        (&json!("update"), &json!(["request"]))
    );
    let mut command = pharos(data);
    command
        .arg("serve")
        .env("PHAROS_TEST_TOKEN", "second-secret");
    let process = start(command).await;
    let monitors = ask(&process, &made, "/uptime/listSchedules", json!({})).await;
    assert_eq!(monitors.as_array().unwrap().len(), 1);
    let log = process.stop();
    assert!(!log.iter().any(|line| line.contains("second-secret")));
}

#[test]
fn the_directory_and_what_becomes_of_what_is_taken_away_are_settings() {
    let (data, _) = installed();
    let data = data.path();
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("a.toml");
    let run = |arguments: &[&str]| {
        let mut command = pharos(data);
        command.env("PHAROS__PROVISION__DIRECTORY", elsewhere.path());
        command.env("PHAROS__PROVISION__REMOVED", "keep");
        command.env("PHAROS__LOG__LEVEL", "error").args(arguments);
        let ended = ended(command.output().unwrap());
        assert_eq!(ended.code, 0, "{}", ended.err);
        ended.out
    };
    fs::write(&file, spring("a.example")).unwrap();
    assert!(run(&["apply"]).starts_with("+ links.spring: create\n"));
    fs::write(&file, "").unwrap();
    assert!(run(&["apply"]).starts_with("- links.spring: forget, declared no more\n"));
    fs::write(&file, spring("a.example")).unwrap();
    assert!(run(&["plan"]).contains("made by hand"), "it stayed");
}
