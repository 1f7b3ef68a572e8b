//! `pharos user reset-password`, also beside a running program.

use serde_json::Value;

use super::browser::Browser;
use crate::{app::App, process::pharos};

#[actix::test]
async fn the_operator_sets_a_new_password_beside_a_running_program() {
    let app = App::spawn().await;
    let old = Browser::owner(&app).await;
    let run = |email: &str| {
        pharos(app.directory())
            .args(["user", "reset-password", "--email", email])
            .env("PHAROS__STORAGE__DATA_DIR", app.directory())
            .output()
            .unwrap()
    };
    let ended = run(&app.email);
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.success(), "{said}");
    let password = String::from_utf8(ended.stdout).unwrap();
    let password = password.trim().lines().last().unwrap().to_owned();
    assert_eq!(password.len(), 20, "{password}");

    let browser = Browser::new(&app);
    assert_eq!(browser.sign_in(&app.email, &app.password).await.status, 401);
    assert_eq!(browser.sign_in(&app.email, &password).await.status, 200);
    assert_eq!(
        old.who().await,
        Value::Null,
        "what was opened with the old one is over"
    );

    let unknown = run("nobody@example.com");
    assert_eq!(unknown.status.code(), Some(2));
    let said = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(
        said.contains("there is no account `nobody@example.com`"),
        "{said}"
    );
    app.finish().await;
}

#[test]
fn where_nothing_is_installed_nothing_is_made() {
    let directory = tempfile::tempdir().unwrap();
    let ended = pharos(directory.path())
        .args(["user", "reset-password", "--email", "a@b"])
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(2));
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(said.contains("there is no installation"), "{said}");
    assert!(!directory.path().join("data").exists());
}
