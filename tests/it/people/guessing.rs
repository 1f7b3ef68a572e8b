//! Passwords are not guessed, and trying costs the program little (threat T23).

use std::time::{Duration, Instant};

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

/// Strangers who guess keep themselves out, and the owner of the account only where they have never signed in.
#[actix::test]
async fn an_account_that_strangers_have_closed_is_open_on_a_known_device() {
    let app = App::with("server.trusted_proxies = ['127.0.0.0/8']").await;
    let owner = Browser::owner(&app).await;
    assert_eq!(
        owner.post("/api/auth/sign-out", &json!({})).await.status,
        200
    );
    assert!(
        owner.cookie().contains("pharos_device="),
        "{}",
        owner.cookie()
    );
    let stranger = Browser::new(&app);
    for _ in 0..10 {
        assert_eq!(stranger.sign_in(&app.email, "wrong").await.status, 401);
    }
    assert_eq!(
        stranger.sign_in(&app.email, &app.password).await.status,
        429
    );
    assert_eq!(owner.sign_in(&app.email, &app.password).await.status, 200);
    assert_eq!(
        stranger.sign_in(&app.email, &app.password).await.status,
        429
    );
    app.finish().await;
}

#[actix::test]
async fn a_known_device_may_guess_ten_times_and_keeps_nobody_else_out() {
    let app = App::spawn().await;
    let thief = Browser::owner(&app).await;
    for _ in 0..10 {
        assert_eq!(thief.sign_in(&app.email, "wrong").await.status, 401);
    }
    assert_eq!(thief.sign_in(&app.email, &app.password).await.status, 429);
    assert_eq!(
        Browser::new(&app)
            .sign_in(&app.email, &app.password)
            .await
            .status,
        200
    );
    app.finish().await;
}

#[actix::test]
async fn the_token_of_a_device_counts_for_its_own_account_and_as_it_was_given() {
    let app = App::with(super::OPEN).await;
    let other = Browser::signed_up(&app, "other").await.cookie();
    let own = Browser::owner(&app).await.cookie();
    let tampered = own.replace("pharos_device=", "pharos_device=x");
    for cookie in [&other, &tampered] {
        assert!(cookie.contains("pharos_device="), "{cookie}");
    }
    let stranger = Browser::new(&app);
    for _ in 0..10 {
        assert_eq!(stranger.sign_in(&app.email, "wrong").await.status, 401);
    }
    for cookie in [other, tampered] {
        let closed = Browser::with(&app, &cookie)
            .sign_in(&app.email, &app.password)
            .await;
        assert_eq!(closed.status, 429, "{cookie}");
    }
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
        crate::app::Answer::send(request).await.status
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

/// Threat T23: response times do not reveal accounts. Known and unknown accounts are asked in
/// turn, which spreads the machine's other load over both samples; one of three tries has to show no difference.
#[actix::test]
async fn an_unknown_account_takes_as_long_as_a_known_one() {
    const PAIRS: u32 = 40;
    let app = App::spawn().await;
    let browser = Browser::new(&app);
    let took = async |account: &str| {
        let begun = Instant::now();
        let answer = browser.sign_in(account, "wrong").await;
        assert_eq!(answer.status, 401, "{}", answer.text);
        begun.elapsed()
    };
    let mut found = Vec::new();
    for _ in 0..3 {
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        for pair in 0..PAIRS {
            if pair % 8 == 0 {
                // The windows of the account and of the address are empty again.
                app.clock.advance(Duration::from_mins(15));
            }
            known.push(took(&app.email).await);
            unknown.push(took("nobody@example.com").await);
        }
        found.push(same_distribution(known, unknown));
        if found.last() > Some(&0.01) {
            break;
        }
    }
    assert!(found.last() > Some(&0.01), "p of three tries: {found:?}");
    app.finish().await;
}

/// The probability with which two samples of one distribution lie as far apart as these (Kolmogorov and Smirnov).
fn same_distribution(mut one: Vec<Duration>, mut other: Vec<Duration>) -> f64 {
    one.sort_unstable();
    other.sort_unstable();
    let share = |sample: &[Duration], up_to| {
        sample.partition_point(|at| *at <= up_to) as f64 / sample.len() as f64
    };
    let apart = one
        .iter()
        .chain(&other)
        .map(|at| (share(&one, *at) - share(&other, *at)).abs())
        .fold(0.0, f64::max);
    let (n, m) = (one.len() as f64, other.len() as f64);
    let root = (n * m / (n + m)).sqrt();
    let lambda = (root + 0.12 + 0.11 / root) * apart;
    let term = |k: i32| {
        let sign = if k % 2 == 0 { -2.0 } else { 2.0 };
        sign * (-2.0 * f64::from(k * k) * lambda * lambda).exp()
    };
    (1..=100).map(term).sum::<f64>().clamp(0.0, 1.0)
}

#[test]
fn the_test_of_distributions_tells_what_differs_from_what_does_not() {
    let every = |from: u64| {
        (0..40)
            .map(|n| Duration::from_micros(from + n * 10))
            .collect()
    };
    assert!(same_distribution(every(1_000), every(1_003)) > 0.9);
    assert!(same_distribution(every(1_000), every(1_200)) < 0.01);
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
    // A burst gets no further than thirty that come one by one.
    assert!((1..=30).contains(&wrong), "{wrong} were checked");
    for refused in answers.iter().filter(|one| one.status != 401) {
        assert!(!refused.header("retry-after").is_empty());
    }
    assert_eq!(app.get(format!("{}/health", app.base)).await.status, 200);
    app.clock.advance(Duration::from_mins(15));
    Browser::owner(&app).await;
    app.finish().await;
}
