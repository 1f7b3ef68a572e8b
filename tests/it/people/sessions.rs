//! Sessions: what opens one, and what ends it (threat T33).

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    OPEN,
    browser::{Browser, PASSWORD},
};
use crate::app::App;

#[actix::test]
async fn a_planted_cookie_is_worth_nothing_after_signing_in() {
    let app = App::spawn().await;
    let planted = "pharos_session=0000000000000000000000000000000000000000000";
    let victim = Browser::with(&app, planted);
    assert_eq!(victim.current_session().await, Value::Null);
    victim.sign_in(&app.email, &app.password).await;
    assert_ne!(victim.session(), planted);
    let attacker = Browser::with(&app, planted);
    assert_eq!(attacker.current_session().await, Value::Null);

    // A session of the attacker that is planted on a victim stays the attacker's.
    let first = victim.session();
    victim.sign_in(&app.email, &app.password).await;
    assert_ne!(victim.session(), first, "every sign-in is another session");
    app.finish().await;
}

#[actix::test]
async fn a_new_password_ends_every_session_and_renews_ones_own() {
    let app = App::spawn().await;
    let (one, other) = (Browser::owner(&app).await, Browser::owner(&app).await);
    let old = one.session();
    let id = one.current_session().await["session"]["id"].clone();
    let body = json!({ "currentPassword": app.password, "newPassword": "another long one" });
    let changed = one.post("/api/auth/change-password", &body).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_ne!(one.session(), old);
    assert_eq!(
        one.current_session().await["session"]["id"],
        id,
        "the same session"
    );
    assert_eq!(
        Browser::with(&app, &old).current_session().await,
        Value::Null
    );
    let refused = Browser::with(&app, &old)
        .get("/api/auth/list-sessions")
        .await;
    assert_eq!(refused.status, 401);
    assert_eq!(other.current_session().await, Value::Null);

    let again = Browser::new(&app);
    assert_eq!(again.sign_in(&app.email, &app.password).await.status, 401);
    assert_eq!(
        again.sign_in(&app.email, "another long one").await.status,
        200
    );
    app.finish().await;
}

#[actix::test]
async fn a_new_password_leaves_other_sessions_alone_when_asked_to() {
    let mut app = App::spawn().await;
    let (one, other) = (Browser::owner(&app).await, Browser::owner(&app).await);
    let body = json!({
        "currentPassword": app.password, "newPassword": "another long one", "revokeOtherSessions": false,
    });
    let changed = one.post("/api/auth/change-password", &body).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let cookies = [one.cookie(), other.cookie()];
    app.restart().await;
    for cookie in cookies {
        assert_ne!(
            Browser::with(&app, &cookie).current_session().await,
            Value::Null
        );
    }
    app.finish().await;
}

#[actix::test]
async fn a_password_is_only_changed_by_who_knows_it() {
    let app = App::spawn().await;
    let browser = Browser::owner(&app).await;
    let cookie = browser.cookie();
    for (current, new, field) in [
        ("wrong", "another long one", "currentPassword"),
        (app.password.as_str(), "7 chars", "newPassword"),
        (&app.password, &"x".repeat(1025), "newPassword"),
    ] {
        let body = json!({ "currentPassword": current, "newPassword": new });
        let refused = browser.post("/api/auth/change-password", &body).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
        assert_eq!(refused.body["details"][0]["field"], field);
    }
    assert_eq!(browser.cookie(), cookie);
    let shortest = json!({ "currentPassword": app.password, "newPassword": "8 chars!" });
    let changed = browser.post("/api/auth/change-password", &shortest).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    app.finish().await;
}

#[actix::test]
async fn who_has_a_session_cannot_guess_the_password_with_it() {
    let app = App::spawn().await;
    let browser = Browser::owner(&app).await;
    let guess = json!({ "currentPassword": "wrong", "newPassword": "another long one" });
    let right = json!({ "currentPassword": app.password, "newPassword": "another long one" });
    for _ in 0..10 {
        let refused = browser.post("/api/auth/change-password", &guess).await;
        assert_eq!(refused.status, 400);
    }
    for path in ["/api/auth/change-password", "/api/auth/delete-user"] {
        let mut body = right.clone();
        body["password"] = json!(app.password);
        let locked = browser.post(path, &body).await;
        assert_eq!(locked.status, 429, "{path}: {}", locked.text);
        assert_eq!(locked.header("retry-after"), "900");
    }
    let elsewhere = Browser::owner(&app).await;
    assert_ne!(
        elsewhere.current_session().await,
        Value::Null,
        "signing in goes on"
    );
    app.clock.advance(Duration::from_mins(15));
    let changed = browser.post("/api/auth/change-password", &right).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    app.finish().await;
}

#[actix::test]
async fn signing_out_ends_the_session_for_good() {
    let mut app = App::spawn().await;
    let browser = Browser::owner(&app).await;
    let cookie = browser.cookie();
    let out = browser.post("/api/auth/sign-out", &json!({})).await;
    assert_eq!((out.status, &out.body["success"]), (200, &json!(true)));
    assert!(out.header("set-cookie").contains("Max-Age=0"));
    assert_eq!(browser.session(), "");
    assert_eq!(
        Browser::with(&app, &cookie).current_session().await,
        Value::Null
    );
    app.restart().await;
    assert_eq!(
        Browser::with(&app, &cookie).current_session().await,
        Value::Null
    );
    app.finish().await;
}

#[actix::test]
async fn sessions_are_listed_newest_first_and_end_one_by_one_or_together() {
    let app = App::with(OPEN).await;
    let mut browsers = Vec::new();
    for _ in 0..4 {
        browsers.push(Browser::owner(&app).await);
        app.clock.advance(Duration::from_secs(1));
    }
    let listed = browsers[0].get("/api/auth/list-sessions").await;
    let ids = listed.body.as_array().unwrap().iter();
    let ids: Vec<String> = ids
        .map(|one| one["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids.len(), 4);
    let own = browsers[3].current_session().await["session"]["id"].clone();
    assert_eq!(own, json!(ids[0]));
    for browser in &browsers {
        let token = browser.cookie();
        let token = token.split_once('=').unwrap().1;
        assert!(!listed.text.contains(token), "nobody is told a cookie");
    }

    let one = json!({ "token": ids[1] });
    let ended = browsers[0].post("/api/auth/revoke-session", &one).await;
    assert_eq!((ended.status, &ended.body["status"]), (200, &json!(true)));
    assert_eq!(browsers[2].current_session().await, Value::Null);
    let again = browsers[0].post("/api/auth/revoke-session", &one).await;
    assert_eq!(again.status, 404, "{}", again.text);

    let others = browsers[0]
        .post("/api/auth/revoke-other-sessions", &json!({}))
        .await;
    assert_eq!(others.status, 200);
    assert_eq!(browsers[3].current_session().await, Value::Null);
    assert_ne!(browsers[0].current_session().await, Value::Null);

    let all = browsers[0]
        .post("/api/auth/revoke-sessions", &json!({}))
        .await;
    assert!(all.header("set-cookie").contains("Max-Age=0"));
    assert_eq!(browsers[0].current_session().await, Value::Null);
    app.finish().await;
}

#[actix::test]
async fn somebody_elses_session_is_like_none() {
    let app = App::with(OPEN).await;
    let (owner, stranger) = (
        Browser::owner(&app).await,
        Browser::signed_up(&app, "mallory").await,
    );
    let theirs = owner.current_session().await["session"]["id"].clone();
    let ask = async |id: &Value| {
        let answer = stranger
            .post("/api/auth/revoke-session", &json!({ "id": id }))
            .await;
        let text = answer.text.replace(id.as_str().unwrap(), "<id>");
        (
            answer.status,
            text.replace(answer.header("x-request-id"), ""),
        )
    };
    let (foreign, unknown) = (ask(&theirs).await, ask(&json!("no-such-session")).await);
    assert_eq!(foreign, unknown);
    assert_eq!(foreign.0, 404);
    assert_ne!(owner.current_session().await, Value::Null);
    app.finish().await;
}

#[actix::test]
async fn a_session_ends_after_seven_idle_days_and_thirty_in_any_case() {
    const DAY: Duration = Duration::from_hours(24);
    const INSTANT: Duration = Duration::from_millis(1);
    let most_of = |days: u32| (DAY * days).saturating_sub(INSTANT);
    let mut app = App::spawn().await;
    let (used, idle) = (Browser::owner(&app).await, Browser::owner(&app).await);
    let (used, idle) = (used.cookie(), idle.cookie());
    app.clock.advance(most_of(7));
    assert_ne!(
        Browser::with(&app, &used).current_session().await,
        Value::Null
    );
    app.clock.advance(INSTANT);
    assert_eq!(
        Browser::with(&app, &idle).current_session().await,
        Value::Null
    );
    app.restart().await;
    for _ in 0..22 {
        app.clock.advance(DAY);
        assert_ne!(
            Browser::with(&app, &used).current_session().await,
            Value::Null
        );
    }
    app.clock.advance(most_of(1));
    assert_ne!(
        Browser::with(&app, &used).current_session().await,
        Value::Null
    );
    app.clock.advance(INSTANT);
    assert_eq!(
        Browser::with(&app, &used).current_session().await,
        Value::Null
    );
    app.finish().await;
}

#[actix::test]
async fn neither_keys_nor_strangers_have_sessions() {
    let app = App::spawn().await;
    for (method, path) in [
        ("GET", "/api/auth/list-sessions"),
        ("POST", "/api/auth/revoke-session"),
        ("POST", "/api/auth/revoke-sessions"),
        ("POST", "/api/auth/revoke-other-sessions"),
        ("POST", "/api/auth/update-user"),
        ("POST", "/api/auth/change-password"),
        ("POST", "/api/auth/delete-user"),
    ] {
        let (stranger, url) = (Browser::new(&app), format!("{}{path}", app.base));
        let (nobody, key) = if method == "GET" {
            (stranger.get(path).await, app.get(url).await)
        } else {
            let body = json!({ "password": PASSWORD });
            (stranger.post(path, &body).await, app.post(url, &body).await)
        };
        assert_eq!(nobody.status, 401, "{path}");
        assert_eq!(key.status, 401, "{path}");
        assert_eq!(key.body["error"], "Session required", "{path}");
    }
    app.finish().await;
}

#[actix::test]
async fn the_cookie_is_guarded_and_lasts_as_long_as_it_was_asked_to() {
    let app = App::with("server.base_url = 'https://pharos.example'").await;
    let sign_in = async |remember: bool| {
        let url = format!("{}/api/auth/sign-in/email", app.base);
        let body = json!({ "email": app.email, "password": app.password, "rememberMe": remember });
        let answer = app.post_anonymously(url, &body).await;
        answer.header("set-cookie").to_owned()
    };
    let kept = sign_in(true).await;
    assert!(kept.starts_with("__Host-pharos_session="), "{kept}");
    assert!(
        kept.ends_with("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure"),
        "{kept}"
    );
    let passing = sign_in(false).await;
    assert!(
        passing.ends_with("; Path=/; HttpOnly; SameSite=Lax; Secure"),
        "{passing}"
    );
    app.finish().await;
}
