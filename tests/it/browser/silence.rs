//! Who sends nothing.

use serde_json::{Value, json};

use super::{browse, named, pairs, shop};
use crate::app::until;

/// The result of `act` and `control` in scenarios: nothing left the browser before tracking began.
fn was_silent(said: &Value, cases: usize, stored: impl Fn(&str) -> Option<Value>) {
    assert_eq!(said["before"], 0, "{said}");
    let all = said["stored"].as_object().unwrap();
    assert_eq!(all.len(), cases);
    for (case, keys) in all {
        if let Some(expected) = stored(case) {
            assert_eq!(*keys, expected, "{case}");
        }
    }
    let routes = said["routes"].as_array().unwrap();
    for route in [
        "/",
        "/batch",
        "/track",
        "/errors",
        "/vitals",
        "/engagement",
        "/identify",
    ] {
        assert!(routes.contains(&json!(route)), "{route} of {routes:?}");
    }
}

#[actix::test]
async fn visitors_who_say_no_send_and_store_nothing() {
    let Some(app) = shop().await else { return };
    let said = browse(&app, "visitorsWhoSayNo").await;
    was_silent(&said, 6, |_| Some(json!([])));
    assert_eq!(
        said["left"],
        json!({ "more": 0, "did": null, "out": "true" })
    );
    assert_eq!(said["leaked"], false);
    until("who came back", async || {
        let custom = pairs(&app, "custom_events", "name", "total_events").await;
        custom == named(&[("after_coming_back", 1), ("clicked", 1), ("said", 1)])
    })
    .await;
    app.finish().await;
}

#[actix::test]
async fn pages_that_are_off_send_nothing() {
    let Some(app) = shop().await else { return };
    let said = browse(&app, "pagesThatAreOff").await;
    was_silent(&said, 7, |case| match case {
        // Whether a session is in the sample is known once there is one.
        "not in the sample" => None,
        // The identity is kept for pages that are not skipped.
        "on a skipped page" => Some(json!(["did_profile"])),
        _ => Some(json!([])),
    });
    let custom = pairs(&app, "custom_events", "name", "total_events").await;
    assert!(custom.iter().all(|(_, total)| *total == 1), "{custom:?}");
    app.finish().await;
}
