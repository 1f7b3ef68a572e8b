//! `pharos load` against the program itself.

use serde_json::{Value, json};

use crate::{
    app::App,
    process::{free_address, pharos},
};

#[actix::test]
async fn load_is_bounded_and_says_what_was_answered() {
    let app = App::with("limits.track_requests = 0").await;
    let (track, website) = (app.track.clone(), app.website.clone());
    let run = |arguments: Vec<String>| {
        tokio::task::spawn_blocking(move || {
            let data = tempfile::tempdir().unwrap();
            pharos(data.path())
                .arg("load")
                .args(arguments)
                .output()
                .unwrap()
        })
    };
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let line = format!(
        "{track} --shape page --website {website} --rate 50 --seconds 1 --rounds 1 --connections 4 --json"
    );
    let output = run(words(&line)).await.unwrap();
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        said["rounds"][0]["statuses"],
        json!({ "200": 50 }),
        "{said}"
    );
    let stored = &app.rows("summary_totals").await[0];
    assert_eq!(stored["pageviews"], 50, "{stored}");

    let against = format!(
        "{track} --website {website} --events 10 --seconds 1 --rounds 2 --connections 2 --rate 20 --against {track} --against-shape page"
    );
    let output = run(words(&against)).await.unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.lines().count(), 5, "{said}");
    assert!(
        said.contains("events/s") && said.contains(" 200: 20"),
        "{said}"
    );
    assert!(said.contains("times as many requests"), "{said}");

    let nobody = run(words(&format!("http://{}", free_address())))
        .await
        .unwrap();
    let said = String::from_utf8(nobody.stderr).unwrap();
    assert_eq!(nobody.status.code(), Some(2), "{said}");
    assert!(
        said.contains("cannot be reached") && said.contains("hint:"),
        "{said}"
    );
    app.finish().await;
}
