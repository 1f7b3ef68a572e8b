//! The code that the console shows for flags does what it says.

use std::{fmt::Write as _, fs, path::Path};

use serde_json::{Value, json};

use super::page;
use crate::{
    app::{Answer, App},
    clients::{run, run_python},
    people::browser::Browser,
};

/// Flags with their fields, and what their code has to read.
fn flags() -> Vec<(Value, Value)> {
    let variants = |kind: &str, value: Value| {
        let variant = |key: &str| json!({ "key": key, "type": kind, "value": value, "weight": 50 });
        json!([variant("a"), variant("b")])
    };
    let multi = |kind: &str, value: &Value| {
        let variants = variants(kind, value.clone());
        let fields =
            json!({ "key": format!("{kind}-flag"), "type": "multivariant", "variants": variants });
        (fields, value.clone())
    };
    let boolean = json!({ "key": "banner", "type": "boolean", "defaultValue": true });
    let whole = variants("number", json!(2));
    let whole = json!({ "key": "whole", "type": "multivariant", "variants": whole });
    vec![
        (boolean, json!(true)),
        multi("string", &json!("blue")),
        multi("number", &json!(1.5)),
        multi("json", &json!({ "size": 3 })),
        (whole, json!(2)),
    ]
}

/// The code for a client on the page of a flag.
fn code(page: &str, client: &str) -> Option<String> {
    let label = format!("aria-label=\"Code for {client}\"><code>");
    let start = page.find(&label)? + label.len();
    let end = start + page[start..].find("</code>")?;
    let unescaped = page[start..end].replace("&lt;", "<").replace("&gt;", ">");
    Some(unescaped.replace("&quot;", "\"").replace("&amp;", "&"))
}

async fn create(app: &App, mut fields: Value) -> String {
    fields["websiteId"] = json!(app.website);
    fields["status"] = json!("active");
    let made = app
        .post(format!("{}/flags/create", app.base), &fields)
        .await;
    assert_eq!(made.status, 200, "{}", made.text);
    made.body["id"].as_str().unwrap().to_owned()
}

/// What a curl command is answered: its address, and its body if it has one.
async fn curl(app: &App, command: &str) -> Answer {
    let words = command.replace("\\\n", " ");
    let address = words.split_whitespace().nth(1).unwrap().trim_matches('"');
    let body = words
        .split_once("-d '")
        .map(|(_, body)| body.trim_end_matches('\'').to_owned());
    Answer::send(match body {
        Some(body) => app
            .http
            .post(address)
            .header("content-type", "application/json")
            .body(body),
        None => app.http.get(address),
    })
    .await
}

#[actix::test]
async fn the_code_that_is_shown_for_a_flag_reads_the_flag() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    let has_python = std::env::var_os("PHAROS_NO_PYTHON").is_none();
    for (fields, expected) in flags() {
        let id = create(&app, fields.clone()).await;
        let shown = page(&owner, &format!("/console/flag/{id}")).await;
        for client in ["curl", "curl (OFREP)"] {
            let answer = curl(&app, &code(&shown, client).unwrap()).await;
            assert_eq!(
                answer.body["value"], expected,
                "{client} {fields}: {}",
                answer.text
            );
        }
        for (client, end) in [
            ("OpenFeature for the web", "web"),
            ("OpenFeature for Node.js", "server"),
        ] {
            let mut code = code(&shown, client).unwrap();
            write!(
                code,
                "\nconsole.log(JSON.stringify(value));\nprocess.exit(0);\n"
            )
            .unwrap();
            // Packages are found from where the script is.
            let file = tempfile::Builder::new()
                .prefix(&format!(".{end}-"))
                .suffix(".mjs")
                .tempfile_in(&folder)
                .unwrap();
            fs::write(file.path(), code).unwrap();
            let script = file.path().to_str().unwrap().to_owned();
            assert_eq!(
                run("--no-warnings", &[&script]).await,
                expected,
                "{client} {fields}"
            );
        }
        if has_python {
            let mut code = code(&shown, "OpenFeature for Python").unwrap();
            code.push_str("\nimport json\nprint(json.dumps(value))\n");
            let file = tempfile::Builder::new().suffix(".py").tempfile().unwrap();
            fs::write(file.path(), code).unwrap();
            let said = run_python("flags", file.path().to_str().unwrap(), &[]).await;
            assert_eq!(
                serde_json::from_str::<Value>(&said).unwrap(),
                expected,
                "{fields}"
            );
        }
    }
    app.finish().await;
}

#[actix::test]
async fn the_code_for_a_flag_of_an_environment_names_the_environment() {
    let app = App::spawn().await;
    let owner = Browser::owner(&app).await;
    let fields = json!({ "key": "staged", "type": "boolean", "defaultValue": true, "environment": "staging" });
    let id = create(&app, fields).await;
    let shown = page(&owner, &format!("/console/flag/{id}")).await;
    let answer = curl(&app, &code(&shown, "curl").unwrap()).await;
    assert_eq!(answer.body["value"], true, "{}", answer.text);
    assert_eq!(code(&shown, "curl (OFREP)"), None, "it has no environments");
    assert!(shown.contains("protocol has no environments"), "{shown}");
    app.finish().await;
}
