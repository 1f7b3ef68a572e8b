//! `pharos user reset-password` and `pharos organization set-plan`, also beside a running program.

use serde_json::{Value, json};

use super::{browser::Browser, second_factor};
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
        old.current_session().await,
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

/// An account that strangers have locked opens at once with a new password.
#[actix::test]
async fn a_new_password_opens_an_account_that_strangers_have_closed() {
    let app = App::spawn().await;
    let stranger = Browser::new(&app);
    for _ in 0..10 {
        assert_eq!(stranger.sign_in(&app.email, "wrong").await.status, 401);
    }
    let owner = Browser::new(&app);
    assert_eq!(owner.sign_in(&app.email, &app.password).await.status, 429);
    let ended = pharos(app.directory())
        .args(["user", "reset-password", "--email", &app.email])
        .env("PHAROS__STORAGE__DATA_DIR", app.directory())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.success(), "{said}");
    let password = String::from_utf8(ended.stdout).unwrap();
    let password = password.trim().lines().last().unwrap();
    assert_eq!(owner.sign_in(&app.email, password).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn the_operator_puts_an_organization_on_another_plan_beside_a_running_program() {
    let mut app = App::with("plans.enabled = true\nplans.free.websites = 1").await;
    let run = |id: &str, plan: &str| {
        let ended = pharos(app.directory())
            .args(["organization", "set-plan", id, plan])
            .env("PHAROS__PLANS__ENABLED", "true")
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            ended.status.code(),
            text(&ended.stdout),
            text(&ended.stderr),
        )
    };
    let create = json!({ "name": "w", "domain": "w.example" });
    let url = format!("{}/websites/create", app.base);
    assert_eq!(app.post(url, &create).await.status, 402);
    let (code, _, said) = run(&app.organization, "huge");
    assert_eq!(code, Some(2));
    assert!(
        said.contains("no plan `huge`") && said.contains("free, hobby, pro, scale"),
        "{said}"
    );
    let (code, _, said) = run("nobody", "pro");
    assert_eq!(code, Some(2), "{said}");
    let (code, printed, said) = run("default", "pro");
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(printed.trim(), "Default is on the plan pro");
    app.restart().await;
    let owner = Browser::owner(&app).await;
    let context = owner
        .post("/organizations/getBillingContext", &json!({}))
        .await;
    assert_eq!(context.body["planId"], "pro");
    let url = format!("{}/websites/create", app.base);
    assert_eq!(app.post(url, &create).await.status, 200);
    let log = owner.post("/audit/list", &json!({})).await;
    assert!(log.text.contains("\"to\":\"pro\""), "{}", log.text);
    app.finish().await;
}

#[actix::test]
async fn whoever_has_lost_the_second_factor_is_let_in_by_the_operator() {
    let app = App::spawn().await;
    let (..) = second_factor::set_up(&app).await;
    let run = |further: &[&str]| {
        let ended = pharos(app.directory())
            .args(["user", "reset-password", "--email", &app.email])
            .args(further)
            .output()
            .unwrap();
        assert!(ended.status.success());
        let printed = String::from_utf8(ended.stdout).unwrap();
        printed.trim().to_owned()
    };
    let kept = run(&[]);
    let browser = Browser::new(&app);
    let due = browser.sign_in(&app.email, &kept).await;
    assert_eq!(due.body["twoFactorRedirect"], true, "{}", due.text);
    let without = run(&["--remove-second-factor"]);
    let signed_in = browser.sign_in(&app.email, &without).await;
    assert_eq!(
        signed_in.body["user"]["twoFactorEnabled"], false,
        "{}",
        signed_in.text
    );
    app.finish().await;
}

#[test]
fn where_nothing_is_installed_nothing_is_made() {
    let directory = tempfile::tempdir().unwrap();
    let ended = pharos(directory.path())
        .args(["user", "reset-password", "--email", "a@b"])
        .env("PHAROS__DATABASE__URL", "sqlite")
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(2));
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(said.contains("there is no installation"), "{said}");
    assert!(!directory.path().join("data").exists());
}
