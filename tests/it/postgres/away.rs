//! The database is not there: at the start, and while the program runs (drill F16).

use std::time::{Duration, Instant};

use pharos::clock::Clock;
use serde_json::json;

use super::server::Server;
use crate::{
    app::{Answer, App, NOW, until},
    process::pharos,
};

#[test]
fn a_database_that_is_not_there_is_said_at_the_start() {
    let directory = tempfile::tempdir().unwrap();
    for command in [&["serve"][..], &["setup"], &["audit", "verify"]] {
        let output = pharos(directory.path())
            .args(command)
            .env(
                "PHAROS__DATABASE__URL",
                "postgres://me:secret@127.0.0.1:1/state",
            )
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command:?}: {said}");
        let lines: Vec<_> = said.lines().collect();
        assert!(
            lines
                .iter()
                .any(|line| line.starts_with("error: PostgreSQL at 127.0.0.1:1/state: ")),
            "{said}"
        );
        assert!(said.contains("hint: check `database.url`"), "{said}");
        assert!(!said.contains("secret"), "{said}");
    }
}

async fn ready(app: &App) -> Answer {
    Answer::send(app.http.get(format!("{}/health/ready", app.base))).await
}

async fn folder(app: &App, name: &str) -> Answer {
    let body = json!({ "name": name });
    app.post(format!("{}/link-folders/create", app.base), &body)
        .await
}

async fn event(app: &App, name: &str) -> Answer {
    app.send(&json!({ "name": name, "eventId": name, "websiteId": app.website }))
        .await
}

async fn stored(app: &App) -> usize {
    app.rows("custom_events").await.len()
}

/// Stops at once, as a server that crashes does, three times; the last time over a restart of the program.
#[actix::test]
async fn while_it_is_away_events_are_taken_in_and_the_rest_says_so() {
    let Some(server) = Server::start() else {
        return;
    };
    let url = server.database("state").await;
    let settings = format!("database.url = {url:?}");
    let mut app = App::at(Clock::fixed(NOW), &settings).await;
    let link =
        json!({ "name": "Spring", "slug": "spring", "targetUrl": "https://target.example/" });
    let made = app.post(format!("{}/links/create", app.base), &link).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let mut events = 0;
    for round in 0..3 {
        assert_eq!(event(&app, &format!("before-{round}")).await.status, 200);
        server.halt();

        let refused = folder(&app, "Away").await;
        assert_eq!(refused.status, 503, "{}", refused.text);
        assert_eq!(refused.header("retry-after"), "5");
        assert_eq!(refused.body["code"], "SERVICE_UNAVAILABLE");
        // No retry at once.
        let begun = Instant::now();
        let refused = folder(&app, "Away").await;
        assert_eq!(refused.status, 503, "{}", refused.text);
        assert!(begun.elapsed() < Duration::from_secs(3), "it waited again");

        let state = ready(&app).await;
        assert_eq!(state.status, 503);
        let failing = state.body["failing"].as_array().unwrap();
        assert!(failing.contains(&json!("state database")), "{failing:?}");

        // What is in memory goes on.
        assert_eq!(event(&app, &format!("meanwhile-{round}")).await.status, 200);
        events += 2;
        assert_eq!(stored(&app).await, events);
        let client = crate::web::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap();
        let followed = client.get(format!("{}/spring", app.links)).send().await;
        let followed = followed.unwrap();
        let status = followed.status();
        let body = followed.text().await.unwrap();
        assert_eq!(status, 302, "round {round}: {body}");

        server.resume();
        until("the database is used again", async || {
            ready(&app).await.status == 200
        })
        .await;
        let name = format!("Back {round}");
        let made = folder(&app, &name).await;
        assert_eq!(made.status, 200, "{}", made.text);
        assert_eq!(event(&app, &format!("after-{round}")).await.status, 200);
        events += 1;
        assert_eq!(stored(&app).await, events);
        if round == 1 {
            app.restart().await;
            assert_eq!(stored(&app).await, events);
        }
    }
    let all = app
        .post(format!("{}/link-folders/list", app.base), &json!({}))
        .await;
    let names: Vec<_> = all
        .body
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["name"])
        .collect();
    assert_eq!(names, ["Back 0", "Back 1", "Back 2"], "{}", all.text);
    app.finish().await;
}
