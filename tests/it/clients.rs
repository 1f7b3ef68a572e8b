//! Published clients work against the program, unchanged.

use std::{path::Path, process::Command};

use pharos::clock::Clock;
use serde_json::{Value, json};

use crate::app::App;

/// What a script in `tests/clients` prints.
pub(crate) async fn run(script: &'static str, arguments: &[&str]) -> Value {
    let clients = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    let sdk = clients.join("node_modules/@databuddy/sdk/package.json");
    assert!(
        sdk.exists(),
        "the published client is not installed: run scripts/test, or `npm ci` in {}",
        clients.display()
    );
    let mut node = Command::new("node");
    node.current_dir(clients).arg(script).args(arguments);
    let output = tokio::task::spawn_blocking(move || node.output())
        .await
        .unwrap();
    let output = output.unwrap_or_else(|error| {
        panic!("`node` cannot be run: install it, or run scripts/test, which says what is missing: {error}")
    });
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{out}{err}");
    serde_json::from_str(&out).unwrap()
}

/// What a Python script prints, with the packages of a list in `tests/python`.
pub(crate) async fn run_python(packages: &str, script: &str, arguments: &[&str]) -> String {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut place = Command::new(home.join("scripts/python"));
    let place = place.args([packages, "--where"]).output().unwrap();
    let python = String::from_utf8(place.stdout).unwrap().trim().to_owned();
    assert!(
        Path::new(&python).exists(),
        "{python} is not there: run `scripts/python {packages}`, which installs it"
    );
    let mut client = Command::new(python);
    client.current_dir(home).arg(script).args(arguments);
    let output = tokio::task::spawn_blocking(move || client.output())
        .await
        .unwrap()
        .unwrap();
    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{out}{err}");
    out.trim().to_owned()
}

#[actix::test]
async fn the_published_node_client_tracks_events_and_identifies_people() {
    // The client says when something happened, by the machine's clock.
    let app = App::at(Clock::system(), "").await;
    let printed = run("node.mjs", &[&app.track, &app.key, &app.website]).await;
    let out = printed.to_string();
    assert_eq!(printed["tracked"]["success"], true, "{out}");
    assert_eq!(printed["flushed"]["success"], true, "{out}");
    assert_eq!(printed["flushed"]["processed"], 2, "{out}");
    assert_eq!(printed["identified"]["success"], true, "{out}");
    assert_eq!(printed["named"]["success"], true, "{out}");

    let body = json!({
        "parameters": ["custom_events"], "preset": "last_7d", "groupBy": "namespace", "sortBy": "name", "sortOrder": "asc",
    });
    let rows = app.ask(&body).await.rows(0);
    let found: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                &row["name"],
                &row["namespace"],
                &row["total_events"],
                &row["events_with_properties"],
            )
        })
        .collect();
    let (billing, none) = (json!("billing"), json!("Unknown"));
    let (batched, single, named) = (
        json!("sdk_batched"),
        json!("sdk_single"),
        json!("sdk_named"),
    );
    assert_eq!(
        found,
        [
            (&batched, &billing, &json!(2), &json!(2)),
            (&named, &none, &json!(1), &json!(0)),
            (&single, &none, &json!(1), &json!(1))
        ]
    );
    whom_it_named(&app).await;
    app.finish().await;
}

/// The event of `anon_sdk` came before anybody knew who that is.
async fn whom_it_named(app: &App) {
    let body = json!({
        "parameters": ["profile_list"], "preset": "last_7d", "sortBy": "profile_id", "sortOrder": "asc",
        "filters": [{ "field": "profile_id", "op": "starts_with", "value": "user-" }],
    });
    let rows = app.ask(&body).await.rows(0);
    let told: Vec<_> = rows
        .iter()
        .map(|row| {
            let fields = [
                "profile_id",
                "display_name",
                "email",
                "total_events",
                "traits",
            ];
            fields.map(|field| row[field].clone())
        })
        .collect();
    let traits = json!({ "plan": "pro", "username": "anna" });
    assert_eq!(
        json!(told),
        json!([
            ["user-7", "anna", "anna@example.com", 1, traits],
            ["user-8", null, null, 1, {}],
        ])
    );
}

#[actix::test]
async fn published_clients_of_other_products_work_with_another_address() {
    let app = App::at(Clock::system(), "").await;
    let entries = json!([
        { "protocol": "plausible", "id": "shop.example" }, { "protocol": "umami", "id": "umami-site" },
        { "protocol": "posthog", "id": "phc_test" }, { "protocol": "segment", "id": "write-key" },
        { "protocol": "matomo", "id": "7" },
    ]);
    let body = json!({ "id": app.website, "compatibility": entries });
    let url = format!("{}/websites/update", app.base);
    assert_eq!(app.post(url, &body).await.status, 200);
    let told = run("compatibility.mjs", &[&app.track]).await;
    let expected = json!({
        "plausible": 202, "umami": [200, "string", "string", "string"], "posthog": [], "segment": [],
        "matomo": [2, []],
    });
    assert_eq!(told, expected);

    let names = app.sorted("custom_events", "name").await;
    let expected = [
        "$groupidentify",
        "group",
        "identify",
        "matomo_event",
        "plausible_bought",
        "posthog_event",
        "posthog_seen",
        "screen",
        "segment_event",
        "umami_event",
    ];
    assert_eq!(names, expected);
    let paths = app.sorted("top_pages", "path").await;
    assert_eq!(
        paths,
        ["/matomo", "/segment", "/single", "/start", "/umami"]
    );
    let body = json!({
        "parameters": ["profile_list"], "preset": "last_7d", "sortBy": "profile_id", "sortOrder": "asc",
        "filters": [{ "field": "profile_id", "op": "starts_with", "value": "user-" }],
    });
    let rows = app.ask(&body).await.rows(0);
    let known: Vec<_> = rows
        .iter()
        .map(|row| [&row["profile_id"], &row["email"]])
        .collect();
    assert_eq!(
        json!(known),
        json!([["user-ph", "ph@example.com"], ["user-sg", "sg@example.com"]])
    );
    app.finish().await;
}

#[actix::test]
async fn the_published_python_client_of_posthog_works_with_another_address() {
    if std::env::var_os("PHAROS_NO_PYTHON").is_some() {
        return;
    }
    let app = App::at(Clock::system(), "").await;
    let body = json!({ "id": app.website, "compatibility": [{ "protocol": "posthog", "id": "phc_test" }] });
    let url = format!("{}/websites/update", app.base);
    assert_eq!(app.post(url, &body).await.status, 200);
    let said = run_python("posthog", "tests/clients/compatibility.py", &[&app.track]).await;
    assert_eq!(said, "[]");
    let names = app.sorted("custom_events", "name").await;
    assert_eq!(names, ["python_packed", "python_plain"]);
    let body = json!({
        "parameters": ["profile_list"], "preset": "last_7d",
        "filters": [{ "field": "profile_id", "op": "eq", "value": "user-py" }],
    });
    let rows = app.ask(&body).await.rows(0);
    assert_eq!(rows[0]["email"], "py@example.com");
    app.finish().await;
}

/// Makes a flag of the app's website.
pub(super) async fn flag(app: &App, fields: Value) -> Value {
    let mut body = json!({ "websiteId": app.website });
    let fields = fields.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(fields);
    let made = app.post(format!("{}/flags/create", app.base), &body).await;
    assert_eq!(made.status, 200, "{body}: {}", made.text);
    made.body
}

/// What the flags that the clients are asked for are to Anna, in the order in which they ask.
async fn flags(app: &App) -> Value {
    let banner = flag(app, json!({ "key": "banner", "defaultValue": true })).await;
    let half = json!({ "key": "half", "type": "rollout", "rolloutPercentage": 50 });
    flag(app, half).await;
    let variants = json!([
        { "key": "red", "value": "#f00", "type": "string", "weight": 0 },
        { "key": "blue", "value": "#00f", "type": "string", "weight": 100 },
    ]);
    let colour = json!({ "key": "colour", "type": "multivariant", "variants": variants });
    flag(app, colour).await;
    let rule = json!({ "type": "email", "operator": "ends_with", "value": "@example.com", "enabled": true });
    let vip = json!({ "key": "vip", "rules": [rule], "payload": { "seats": 3 } });
    flag(app, vip).await;
    let staged = json!({ "key": "staged", "environment": "staging", "defaultValue": true });
    flag(app, staged).await;
    flag(app, json!({ "key": "asleep", "status": "inactive" })).await;
    banner["id"].clone()
}

#[actix::test]
async fn the_published_flag_clients_evaluate_cache_and_notice_changes() {
    let app = App::with("").await;
    let banner = flags(&app).await;
    let arguments = [&app.base, &app.website, &app.key, banner.as_str().unwrap()];
    let said = run("flags.mjs", &arguments).await;

    // The bucket of `half:anna` by the hash of the published clients, done by hand.
    let bucket = |text: &str| {
        let hash = text.encode_utf16().fold(0_i32, |hash, unit| {
            hash.wrapping_mul(31).wrapping_add(i32::from(unit))
        });
        hash.unsigned_abs() % 100
    };
    let half = bucket("half:anna") < 50;
    let rollout = if half {
        "ROLLOUT_ENABLED"
    } else {
        "ROLLOUT_DISABLED"
    };
    let result = |enabled: bool, value: Value, payload: Value, reason: &str| json!({ "enabled": enabled, "value": value, "payload": payload, "reason": reason });
    let on = result(true, json!(true), Value::Null, "BOOLEAN_DEFAULT");
    let mut colour = result(true, json!("#00f"), Value::Null, "MULTIVARIANT_EVALUATED");
    colour["variant"] = json!("blue");
    let halved = result(half, json!(half), Value::Null, rollout);
    let vip = result(true, json!(true), json!({ "seats": 3 }), "USER_RULE_MATCH");
    let missing = result(false, json!(false), Value::Null, "NOT_FOUND");
    let anna = json!([on, halved, colour, vip, missing, missing]);
    assert_eq!(said["single"], json!({ "gives": anna, "requests": 1 }));
    assert_eq!(said["cached"], json!({ "gives": anna, "requests": 0 }));
    let ben = result(false, json!(false), Value::Null, "BOOLEAN_DEFAULT");
    assert_eq!(said["other"], json!({ "gives": ben, "requests": 1 }));
    let all = &said["all"];
    assert_eq!(all["requests"], 1);
    let mut names: Vec<_> = all["gives"].as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(names, ["banner", "colour", "half", "vip"]);
    let staging = json!({ "gives": [on, missing], "requests": 1 });
    assert_eq!(said["staging"], staging);

    // In the browser: one request for both, a rollout by device, kept beyond the page, reported to the tracker once.
    let device = said["device"].as_str().unwrap();
    let half = bucket(&format!("half:{device}")) < 50;
    assert_eq!(said["anonymous"]["requests"], 1);
    assert_eq!(said["anonymous"]["gives"][0], on);
    assert_eq!(said["anonymous"]["gives"][1]["enabled"], half);
    assert_eq!(
        (&said["shown"]["on"], &said["shown"]["status"]),
        (&json!(true), &json!("ready"))
    );
    assert_eq!(said["hydrated"], json!({ "gives": on, "requests": 0 }));
    let told = said["tracked"].as_array().unwrap();
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(told[0]["name"], "$flag_evaluated");
    assert_eq!(told[0]["properties"]["flag"], "banner");

    assert_eq!(said["changed"], 200);
    let off = result(false, json!(false), Value::Null, "BOOLEAN_DEFAULT");
    assert_eq!(said["before"], json!({ "gives": on, "requests": 0 }));
    assert_eq!(said["after"], json!({ "gives": off, "requests": 0 }));
    assert_eq!(said["shownAfter"]["on"], false);
    assert_eq!(said["unknown"]["enabled"], false);
    app.finish().await;
}

#[actix::test]
async fn the_official_mcp_sdk_lists_tools_and_its_conformance_suite_passes() {
    let app = App::with("limits.query_requests = 0").await;
    let said = run("mcp.mjs", &[&app.base, &app.key, &app.website]).await;
    let sdk = &said["sdk"];
    let tools = crate::agents::tools(&app, &app.key).await;
    let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(sdk["tools"], json!(names), "{sdk}");
    assert_eq!(sdk["website"]["id"], app.website, "{sdk}");
    assert_eq!(
        sdk["data"]["results"][0]["type"], "summary_metrics",
        "{sdk}"
    );
    for scenario in said["scenarios"].as_array().unwrap() {
        let printed = scenario["printed"].as_str().unwrap();
        assert_eq!(scenario["code"], 0, "{}: {printed}", scenario["name"]);
        assert!(printed.contains("Passed: 1/1"), "{printed}");
    }
    app.finish().await;
}
