//! Published clients work against the program, unchanged.

use std::{path::Path, process::Command};

use pharos::clock::Clock;
use serde_json::{Value, json};

use crate::app::App;

#[actix::test]
async fn the_published_node_client_tracks_single_and_batched_events() {
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
    let (batched, single) = (json!("sdk_batched"), json!("sdk_single"));
    assert_eq!(
        found,
        [
            (&batched, &billing, &json!(2), &json!(2)),
            (&single, &none, &json!(1), &json!(1))
        ]
    );
    app.finish().await;
}
