//! What is mailed: links for new passwords, and invitations (threat T44).

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    OPEN,
    browser::{Browser, PASSWORD},
    post::Post,
    team::{invite, token},
};
use crate::app::{Answer, App};

const FORGOT: &str = "/api/auth/forget-password";
const RESET: &str = "/api/auth/reset-password";
const NEW: &str = "something else entirely";

/// A program that sends its mails here.
pub async fn with_mail(post: &Post) -> App {
    let toml = format!(
        "{OPEN}\nmail.smtp_url = '{}'\nmail.from = 'Pharos <pharos@example.com>'",
        post.url
    );
    App::with(&toml).await
}

async fn forgot(app: &App, email: &str) -> Answer {
    Browser::new(app)
        .post(FORGOT, &json!({ "email": email }))
        .await
}

async fn reset(app: &App, token: &str, password: &str) -> Answer {
    let body = json!({ "token": token, "newPassword": password });
    Browser::new(app).post(RESET, &body).await
}

/// What the only link of an email ends in.
pub fn link(email: &str) -> String {
    let link = email.lines().find(|line| line.contains("://")).unwrap();
    link.trim().rsplit('/').next().unwrap().to_owned()
}

#[actix::test]
async fn a_mailed_link_sets_a_new_password_once() {
    let post = Post::open().await;
    let mut app = with_mail(&post).await;
    let session = Browser::owner(&app).await.cookie();
    let eve = Browser::signed_up(&app, "eve").await;
    let old = eve.cookie();
    let asked = forgot(&app, " Eve@Example.com ").await;
    assert_eq!((asked.status, asked.body), (200, json!({ "status": true })));
    let email = post.wait_for(1).await.remove(0);
    assert!(email.contains("To: eve@example.com"), "{email}");
    assert!(
        email.contains("From: Pharos <pharos@example.com>"),
        "{email}"
    );
    let token = link(&email);

    assert_eq!(reset(&app, &token, "7 chars").await.status, 400);
    let done = reset(&app, &token, NEW).await;
    assert_eq!(done.status, 200, "{}", done.text);
    assert_eq!(reset(&app, &token, "yet another one").await.status, 400);
    assert_eq!(
        Browser::with(&app, &old).current_session().await,
        Value::Null
    );
    assert_eq!(eve.sign_in("eve@example.com", PASSWORD).await.status, 401);
    app.restart().await;
    let eve = Browser::new(&app);
    assert_eq!(eve.sign_in("eve@example.com", NEW).await.status, 200);
    assert_eq!(
        eve.current_session().await["user"]["emailVerified"],
        true,
        "the mail was read"
    );
    assert_ne!(
        Browser::with(&app, &session).current_session().await,
        Value::Null
    );
    app.finish().await;
}

#[actix::test]
async fn nobody_learns_who_has_an_account() {
    let post = Post::open().await;
    let app = with_mail(&post).await;
    Browser::signed_up(&app, "eve").await;
    let (known, unknown) = (
        forgot(&app, "eve@example.com").await,
        forgot(&app, "nobody@example.com").await,
    );
    assert_eq!((known.status, &known.text), (unknown.status, &unknown.text));
    let emails = post.wait_for(1).await;
    assert_eq!(emails.len(), 1);
    app.finish().await;
}

#[actix::test]
async fn a_link_ends_after_an_hour_and_guesses_are_counted() {
    let post = Post::open().await;
    let app = with_mail(&post).await;
    Browser::signed_up(&app, "eve").await;
    forgot(&app, "eve@example.com").await;
    let first = link(&post.wait_for(1).await[0]);
    app.clock.advance(Duration::from_hours(1));
    let late = reset(&app, &first, NEW).await;
    assert_eq!(late.status, 400, "{}", late.text);
    forgot(&app, "eve@example.com").await;
    let second = link(&post.wait_for(2).await[1]);
    app.clock.advance(Duration::from_millis(3_599_999));
    assert_eq!(reset(&app, &second, NEW).await.status, 200);
    for _ in 0..30 {
        assert_eq!(reset(&app, "guess", NEW).await.status, 400);
    }
    assert_eq!(reset(&app, "guess", NEW).await.status, 429);
    app.finish().await;
}

#[actix::test]
async fn nobody_fills_a_mailbox_through_us() {
    let post = Post::open().await;
    let app = with_mail(&post).await;
    Browser::signed_up(&app, "eve").await;
    Browser::signed_up(&app, "ada").await;
    for _ in 0..10 {
        assert_eq!(forgot(&app, "eve@example.com").await.status, 200);
    }
    forgot(&app, "ada@example.com").await;
    let emails = post.wait_for(4).await;
    let to = |who: &str| emails.iter().filter(|email| email.contains(who)).count();
    assert_eq!((to("To: eve@"), to("To: ada@")), (3, 1));
    for _ in 0..19 {
        assert_eq!(forgot(&app, "nobody@example.com").await.status, 200);
    }
    assert_eq!(forgot(&app, "nobody@example.com").await.status, 429);
    app.finish().await;
}

#[actix::test]
async fn without_mail_the_operator_is_named_as_the_way_out() {
    let app = App::spawn().await;
    let refused = forgot(&app, "eve@example.com").await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert!(
        refused.text.contains("pharos user reset-password"),
        "{}",
        refused.text
    );
    app.finish().await;
}

#[actix::test]
async fn an_invitation_is_mailed_too_and_its_link_is_ours() {
    let post = Post::open().await;
    let app = with_mail(&post).await;
    let owner = Browser::owner(&app).await;
    let request = app
        .http
        .post(format!("{}/api/auth/organization/invite-member", app.base))
        .header("cookie", owner.cookie())
        .header("host", "evil.tld")
        .header("x-forwarded-host", "evil.tld")
        .json(&json!({ "email": "guest@example.com", "role": "viewer" }));
    let invited = Answer::send(request).await;
    assert_eq!(invited.body["mailed"], true);
    let email = post.wait_for(1).await.remove(0);
    assert!(email.contains("To: guest@example.com"), "{email}");
    assert!(
        email.contains(invited.body["link"].as_str().unwrap()),
        "{email}"
    );
    assert!(email.contains(&format!("{}/invite/", app.base)), "{email}");
    assert!(!email.contains("evil.tld") && !invited.text.contains("evil.tld"));
    let forged = app
        .http
        .post(format!("{}{FORGOT}", app.base))
        .header("host", "evil.tld")
        .json(&json!({ "email": "eve@example.com" }));
    Browser::signed_up(&app, "eve").await;
    assert_eq!(Answer::send(forged).await.status, 200);
    let email = post.wait_for(2).await.remove(1);
    assert!(email.contains(&format!("{}/reset/", app.base)), "{email}");
    assert!(!email.contains("evil.tld"), "{email}");
    app.finish().await;
}

#[actix::test]
async fn a_mail_is_sent_again_until_it_is_taken_and_only_once_after_that() {
    let post = Post::open().await;
    let mut app = with_mail(&post).await;
    post.refuse("451 come again");
    let first = {
        let owner = Browser::owner(&app).await;
        token(&invite(&app, &owner, "guest@example.com", "viewer").await)
    };
    let waiting = async |app: &App, text: &str| {
        let metrics = app.get(format!("{}/metrics", app.base)).await.text;
        metrics.contains(text)
    };
    crate::app::until("the refusal is noted", async || {
        waiting(&app, "pharos_outbox_waiting 1").await
    })
    .await;
    app.clock.advance(Duration::from_secs(10));
    app.restart().await;
    let emails = post.wait_for(1).await;
    assert!(emails[0].contains(&first));
    crate::app::until("the delivery is noted", async || {
        waiting(&app, "pharos_outbox_waiting 0").await
    })
    .await;
    app.clock.advance(Duration::from_hours(48));
    app.restart().await;
    let owner = Browser::owner(&app).await;
    invite(&app, &owner, "other@example.com", "viewer").await;
    assert_eq!(post.wait_for(2).await.len(), 2);

    post.refuse("550 no such mailbox");
    invite(&app, &owner, "nowhere@example.com", "viewer").await;
    crate::app::until("it is given up", async || {
        waiting(&app, "pharos_outbox_dead 1").await
    })
    .await;
    app.finish().await;
}

#[actix::test]
async fn no_link_is_readable_in_the_data_directory() {
    let post = Post::open().await;
    let app = with_mail(&post).await;
    post.refuse("451 come again");
    let owner = Browser::owner(&app).await;
    let invitation = token(&invite(&app, &owner, "guest@example.com", "viewer").await);
    crate::app::until("it waits", async || {
        let metrics = app.get(format!("{}/metrics", app.base)).await.text;
        metrics.contains("pharos_outbox_waiting 1")
    })
    .await;
    Browser::signed_up(&app, "eve").await;
    forgot(&app, "eve@example.com").await;
    let reset = link(&post.wait_for(1).await[0]);
    let cookie = owner.cookie().rsplit('=').next().unwrap().to_owned();
    let directory = app.close().await;
    for entry in std::fs::read_dir(directory.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            for secret in [&invitation, &reset, &cookie] {
                let found = memchr::memmem::find(&bytes, secret.as_bytes());
                assert!(found.is_none(), "{} holds a secret", path.display());
            }
        }
    }
}
