//! A run over declarations that is killed, and what the audit log says of it.

use std::{collections::BTreeSet, fmt::Write as _, fs, path::Path};

use serde_json::{Value, json};

use crate::{
    app::{Answer, until},
    process::{Process, pharos, start},
};

const LINKS: usize = 80;

async fn serve(data: &Path) -> Process {
    let mut command = pharos(data);
    command
        .arg("serve")
        .env("PHAROS__LIMITS__KEY_IN_FLIGHT", "0");
    start(command).await
}

async fn slugs(process: &Process, key: &str) -> Vec<String> {
    let request = crate::web::client().post(format!("{}/links/list", process.base));
    let listed = Answer::send(request.header("x-api-key", key).json(&json!({}))).await;
    let slug = |link: &Value| link["slug"].as_str().unwrap().to_owned();
    listed.body.as_array().unwrap().iter().map(slug).collect()
}

/// What the owner reads in the audit log about declarations: action and target.
async fn told(process: &Process, made: &Value) -> Vec<(String, String)> {
    let person = json!({ "email": made["email"], "password": made["password"] });
    let request = crate::web::client().post(format!("{}/api/auth/sign-in/email", process.base));
    let signed_in = Answer::send(request.json(&person)).await;
    let cookie = signed_in
        .header("set-cookie")
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    let request = crate::web::client().post(format!("{}/audit/list", process.base));
    let wish = json!({ "organizationId": made["organizationId"], "limit": 500 });
    let log = Answer::send(request.header("cookie", cookie).json(&wish)).await;
    assert_eq!(log.status, 200, "{}", log.text);
    let all = log.body.as_array().unwrap().iter();
    let text = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    let pairs = all.map(|entry| (text(entry, "action"), text(entry, "targetId")));
    pairs
        .filter(|(action, _)| action.starts_with("provision."))
        .collect()
}

#[actix::test]
async fn a_run_that_is_killed_goes_on_and_the_audit_log_tells_of_all_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path();
    let output = pharos(data).args(["setup", "--json"]).output().unwrap();
    let made: Value = serde_json::from_slice(&output.stdout).unwrap();
    let key = made["apiKey"].as_str().unwrap();
    let mut declared = String::new();
    for number in 0..LINKS {
        let _ = writeln!(
            declared,
            "[links.link-{number}]\ntargetUrl = \"https://a.example/{number}\""
        );
    }
    fs::create_dir_all(data.join("config/provision")).unwrap();
    let file = data.join("config/provision/links.toml");
    fs::write(&file, &declared).unwrap();
    let mut process = serve(data).await;
    until("some are made", async || {
        slugs(&process, key).await.len() > 4
    })
    .await;
    process.child.kill().unwrap();
    process.child.wait().unwrap();

    let process = serve(data).await;
    until("all are made", async || {
        slugs(&process, key).await.len() >= LINKS
    })
    .await;
    let plan = pharos(data).arg("plan").output().unwrap();
    let plan = String::from_utf8(plan.stdout).unwrap();
    assert!(plan.starts_with("nothing to do"), "{plan}");
    let made_of = slugs(&process, key).await;
    let different: BTreeSet<&String> = made_of.iter().collect();
    assert_eq!(
        (made_of.len(), different.len()),
        (LINKS, LINKS),
        "each once"
    );
    let targets: BTreeSet<String> = told(&process, &made)
        .await
        .into_iter()
        .map(|(_, target)| target)
        .collect();
    let wanted: BTreeSet<String> = (0..LINKS)
        .map(|number| format!("links.link-{number}"))
        .collect();
    assert_eq!(targets, wanted);

    fs::write(
        &file,
        declared.replace("[links.link-0]\ntargetUrl = \"https://a.example/0\"\n", ""),
    )
    .unwrap();
    let applied = pharos(data).arg("apply").output().unwrap();
    assert!(
        applied.status.success(),
        "{}",
        String::from_utf8_lossy(&applied.stderr)
    );
    let told = told(&process, &made).await;
    assert!(
        told.contains(&("provision.forget".to_owned(), "links.link-0".to_owned())),
        "{told:?}"
    );
    process.stop();
    let verified = pharos(data).args(["audit", "verify"]).output().unwrap();
    assert!(verified.status.success());
}
