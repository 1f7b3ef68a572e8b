//! Passwords are not guessed, and trying costs the program little (threat T23).

use std::time::Duration;

use serde_json::json;

use super::browser::Browser;
use crate::app::App;

#[actix::test]
async fn ten_wrong_passwords_close_an_account_for_a_quarter_of_an_hour() {
    let app = App::spawn().await;
    let browser = Browser::new(&app);
    for _ in 0..10 {
        assert_eq!(browser.sign_in(&app.email, "wrong").await.status, 401);
        app.clock.advance(Duration::from_secs(1));
    }
    let closed = browser.sign_in(&app.email, &app.password).await;
    assert_eq!(closed.status, 429, "{}", closed.text);
    assert_eq!(closed.body["code"], "RATE_LIMITED");
    assert_eq!(closed.header("retry-after"), "890");
    app.clock.advance(Duration::from_millis(889_999));
    assert_eq!(browser.sign_in(&app.email, "wrong").await.status, 429);
    app.clock.advance(Duration::from_millis(1));
    assert_eq!(browser.sign_in(&app.email, &app.password).await.status, 200);
    app.finish().await;
}

#[actix::test]
async fn thirty_wrong_passwords_close_an_address() {
    let app = App::with("server.trusted_proxies = ['127.0.0.0/8']").await;
    let sign_in = async |from: &str, account: &str, password: &str| {
        let request = app
            .http
            .post(format!("{}/api/auth/sign-in/email", app.base))
            .header("x-forwarded-for", from)
            .json(&json!({ "email": account, "password": password }));
        crate::app::Answer::of(request).await.status
    };
    for nth in 0..30 {
        let account = format!("nobody{nth}@example.com");
        assert_eq!(sign_in("198.51.100.7", &account, "wrong").await, 401);
        let (email, password) = (&app.email, &app.password);
        if nth == 28 {
            let right = sign_in("198.51.100.7", email, password).await;
            assert_eq!(right, 200, "successes do not count");
        }
    }
    assert_eq!(
        sign_in("198.51.100.7", &app.email, &app.password).await,
        429
    );
    assert_eq!(
        sign_in("198.51.100.8", &app.email, &app.password).await,
        200
    );
    app.clock.advance(Duration::from_mins(15));
    assert_eq!(
        sign_in("198.51.100.7", &app.email, &app.password).await,
        200
    );
    app.finish().await;
}

#[actix::test]
async fn an_unknown_account_answers_like_a_known_one() {
    let app = App::spawn().await;
    let browser = Browser::new(&app);
    let mut known = browser.sign_in(&app.email, "wrong").await;
    let mut unknown = browser.sign_in("nobody@example.com", "wrong").await;
    for answer in [&mut known, &mut unknown] {
        let id = answer.header("x-request-id").to_owned();
        answer.text = answer.text.replace(&id, "");
        for passing in ["x-request-id", "date"] {
            answer.headers.remove(passing);
        }
    }
    assert_eq!(known.status, 401);
    assert_eq!(known.text, unknown.text);
    assert_eq!(known.headers, unknown.headers);
    app.finish().await;
}

#[actix::test]
async fn a_flood_of_sign_ins_is_turned_away_and_nobody_else_notices() {
    let app = App::spawn().await;
    let url = format!("{}/api/auth/sign-in/email", app.base);
    let tries = (0..200).map(|nth| {
        let body = json!({ "email": format!("nobody{nth}@example.com"), "password": "wrong" });
        let (app, url) = (&app, url.clone());
        async move { app.post_anonymously(url, &body).await }
    });
    let answers = futures_util::future::join_all(tries).await;
    let count = |status| answers.iter().filter(|one| one.status == status).count();
    let (wrong, later, busy) = (count(401), count(429), count(503));
    assert_eq!(wrong + later + busy, 200, "nothing else");
    assert!((1..=50).contains(&wrong), "{wrong} were checked");
    for refused in answers.iter().filter(|one| one.status != 401) {
        assert!(!refused.header("retry-after").is_empty());
    }
    assert_eq!(app.get(format!("{}/health", app.base)).await.status, 200);
    app.clock.advance(Duration::from_mins(15));
    Browser::owner(&app).await;
    app.finish().await;
}
