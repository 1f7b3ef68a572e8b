//! Published clients work against the program, unchanged.

use std::{path::Path, process::Command};

use pharos::clock::Clock;
use serde_json::{Value, json};

use crate::app::App;

#[actix::test]
async fn the_published_node_client_tracks_events_and_identifies_people() {
    let clients = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    let sdk = clients.join("node_modules/@databuddy/sdk/package.json");
    assert!(
        sdk.exists(),
        "the published client is not installed: run scripts/test, or `npm ci` in {}",
        clients.display()
    );
    // The client says when something happened, by the machine's clock.
    let app = App::at(Clock::system(), "").await;
    let mut node = Command::new("node");
    node.current_dir(clients)
        .arg("node.mjs")
        .args([&app.track, &app.key, &app.website]);
    let output = tokio::task::spawn_blocking(move || node.output())
        .await
        .unwrap();
    let output = output.expect(
        "`node` cannot be run: install it, or run scripts/test, which says what is missing",
    );
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{out}{err}");
    let printed: Value = serde_json::from_str(&out).unwrap();
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
