//! Signing in at the pages: with a password, with a code, with an invitation, with a new password.

use std::time::Duration;

use serde_json::{Value, json};

use super::{is_page, leads_to, page};
use crate::{
    app::App,
    people::{
        OPEN,
        browser::{Browser, PASSWORD},
        mails::{link, with_mail},
        post::Post,
        second_factor::set_up,
        team::{invite, token},
    },
};

#[actix::test]
async fn a_stranger_is_led_to_the_sign_in_and_back() {
    let app = App::spawn().await;
    let browser = Browser::new(&app);
    assert_eq!(leads_to(&browser.get("/").await), "/login");
    let asked = browser.get("/console/sites/new?a=b%26c").await;
    let way = leads_to(&asked).to_owned();
    assert_eq!(way, "/login?next=%2Fconsole%2Fsites%2Fnew%3Fa%3Db%2526c");
    let form = page(&browser, &way).await;
    assert!(
        form.contains("name=\"next\" value=\"/console/sites/new?a=b%26c\""),
        "{form}"
    );

    let mut fields = [
        ("email", "\"><script>alert(1)</script>"),
        ("password", "wrong"),
        ("next", "/console/sites/new?a=b%26c"),
    ];
    let wrong = browser.submit("/login", &fields).await;
    is_page(&wrong, 401);
    assert!(wrong.text.contains("role=\"alert\""), "{}", wrong.text);
    assert!(!wrong.text.contains("<script>alert"), "{}", wrong.text);
    assert!(
        !wrong.text.contains("value=\"wrong\""),
        "no password comes back"
    );
    assert_eq!(browser.current_session().await, Value::Null);

    fields[0].1 = &app.email;
    fields[1].1 = &app.password;
    let signed_in = browser.submit("/login", &fields).await;
    assert_eq!(leads_to(&signed_in), "/console/sites/new?a=b%26c");
    let cookie = signed_in.header("set-cookie");
    assert!(
        cookie.contains("HttpOnly") && !cookie.contains("Max-Age"),
        "no box was ticked: {cookie}"
    );
    let home = page(&browser, "/").await;
    assert!(home.contains(&app.email), "{home}");
    assert_eq!(
        leads_to(&browser.get("/login?next=/console/sites/new").await),
        "/console/sites/new"
    );

    let out = browser.submit("/logout", &[]).await;
    assert_eq!(leads_to(&out), "/login?done=out");
    assert_eq!(browser.session(), "");
    assert!(
        page(&browser, "/login?done=out")
            .await
            .contains("You are signed out.")
    );
    assert_eq!(leads_to(&browser.get("/").await), "/login");
    app.finish().await;
}

#[actix::test]
async fn nobody_is_led_to_another_site() {
    let app = App::spawn().await;
    let browser = Browser::new(&app);
    for next in [
        "//evil.example",
        "https://evil.example/",
        "/\\evil.example",
        "/\t/evil.example",
        "evil",
    ] {
        let fields = [
            ("email", &*app.email),
            ("password", &*app.password),
            ("next", next),
        ];
        let signed_in = Browser::new(&app).submit("/login", &fields).await;
        assert_eq!(leads_to(&signed_in), "/", "{next:?}");
        let form = page(&browser, &format!("/login?next={next}")).await;
        assert!(!form.contains("evil"), "{form}");
    }
    app.finish().await;
}

#[actix::test]
async fn who_tries_too_often_is_told_when_to_come_back() {
    let app = App::spawn().await;
    let browser = Browser::new(&app);
    let fields = [("email", &*app.email), ("password", "wrong")];
    for _ in 0..10 {
        assert_eq!(browser.submit("/login", &fields).await.status, 401);
    }
    let refused = browser.submit("/login", &fields).await;
    is_page(&refused, 429);
    assert!(
        refused.text.contains("Try again in 900 seconds"),
        "{}",
        refused.text
    );
    app.finish().await;
}

#[actix::test]
async fn a_second_factor_is_asked_for_on_a_page_of_its_own() {
    let app = App::spawn().await;
    let (_, phone, codes) = set_up(&app).await;
    for backup in [false, true] {
        let browser = Browser::new(&app);
        let fields = [
            ("email", &*app.email),
            ("password", &*app.password),
            ("remember", "on"),
            ("next", "/a?b=c"),
        ];
        let waits = browser.submit("/login", &fields).await;
        assert_eq!(leads_to(&waits), "/login/code?next=%2Fa%3Fb%3Dc");
        assert_eq!(
            browser.current_session().await,
            Value::Null,
            "a password is not enough"
        );
        assert_eq!(leads_to(&browser.get("/").await), "/login");
        let asked = page(&browser, leads_to(&waits)).await;
        assert!(asked.contains("one-time-code"), "{asked}");
        let wrong = [("code", "000000"), ("next", "/a?b=c")];
        let wrong = browser.submit("/login/code", &wrong).await;
        is_page(&wrong, 401);
        assert!(wrong.text.contains("The code is wrong"), "{}", wrong.text);
        let shown = phone.shows(&app, 0);
        let code = if backup { &codes[0] } else { &shown };
        let mut right = vec![("code", code.as_str()), ("next", "/a?b=c")];
        if backup {
            right.push(("backup", "1"));
        }
        let signed_in = browser.submit("/login/code", &right).await;
        assert_eq!(leads_to(&signed_in), "/a?b=c");
        assert_eq!(
            browser.current_session().await["user"]["email"],
            json!(app.email)
        );
    }
    let late = Browser::new(&app)
        .submit("/login/code", &[("code", "000000")])
        .await;
    is_page(&late, 401);
    assert!(late.text.contains("Sign in again"), "{}", late.text);
    app.finish().await;
}

#[actix::test]
async fn a_forgotten_password_is_replaced_with_a_mailed_link() {
    let post = Post::open().await;
    let app = with_mail(&post).await;
    let eve = Browser::signed_up(&app, "eve").await;
    let browser = Browser::new(&app);
    page(&browser, "/reset").await;
    for email in ["eve@example.com", "nobody@example.com"] {
        let asked = browser.submit("/reset", &[("email", email)]).await;
        is_page(&asked, 200);
        assert!(
            asked
                .text
                .contains("has an account, a reset link is on its way"),
            "{}",
            asked.text
        );
    }
    let email = post.wait_for(1).await.remove(0);
    let path = format!("/reset/{}", link(&email));
    page(&browser, &path).await;
    let send = async |first: &str, again: &str| {
        browser
            .submit(&path, &[("password", first), ("again", again)])
            .await
    };
    let differ = send("something else entirely", "something else").await;
    is_page(&differ, 400);
    assert!(
        differ.text.contains("The passwords don't match"),
        "{}",
        differ.text
    );
    let short = send("short", "short").await;
    is_page(&short, 400);
    let done = send("something else entirely", "something else entirely").await;
    assert_eq!(leads_to(&done), "/login?done=password");
    assert_eq!(
        eve.current_session().await,
        Value::Null,
        "what was open is over"
    );
    let fields = [
        ("email", "eve@example.com"),
        ("password", "something else entirely"),
    ];
    assert_eq!(leads_to(&browser.submit("/login", &fields).await), "/");
    let again = send("something else entirely", "something else entirely").await;
    assert!(
        (400..500).contains(&again.status),
        "a link is good once: {}",
        again.status
    );
    is_page(&again, again.status);
    app.finish().await;
}

#[actix::test]
async fn without_mail_a_forgotten_password_is_the_operators() {
    let app = App::spawn().await;
    let asked = Browser::new(&app)
        .submit("/reset", &[("email", &app.email)])
        .await;
    is_page(&asked, 400);
    assert!(
        asked.text.contains("pharos user reset-password"),
        "{}",
        asked.text
    );
    app.finish().await;
}

#[actix::test]
async fn an_invitation_makes_an_account_or_is_accepted_with_one() {
    let app = App::with(OPEN).await;
    let owner = Browser::owner(&app).await;
    let first = token(&invite(&app, &owner, "new@example.com", "viewer").await);
    let path = format!("/invite/{first}");
    let browser = Browser::new(&app);
    let seen = page(&browser, &path).await;
    assert!(
        seen.contains("Join Default") && seen.contains("new@example.com"),
        "{seen}"
    );
    let short = [
        ("name", "<b>New"),
        ("password", "short"),
        ("again", "short"),
    ];
    let short = browser.submit(&path, &short).await;
    is_page(&short, 400);
    assert!(
        short.text.contains("value=\"&lt;b&gt;New\""),
        "what was typed stays: {}",
        short.text
    );
    let whole = [("name", "New"), ("password", PASSWORD), ("again", PASSWORD)];
    assert_eq!(leads_to(&browser.submit(&path, &whole).await), "/");
    assert!(
        page(&browser, "/").await.contains("localhost"),
        "the website is there"
    );

    let second = token(&invite(&app, &owner, "eve@example.com", "member").await);
    let path = format!("/invite/{second}");
    let eve = Browser::signed_up(&app, "eve").await;
    assert!(
        page(&eve, &path).await.contains("You are signed in as"),
        "{path}"
    );
    let wrong = browser.submit(&path, &[]).await;
    assert!(
        (400..500).contains(&wrong.status),
        "it is not for them: {}",
        wrong.status
    );
    assert_eq!(leads_to(&eve.submit(&path, &[]).await), "/");
    assert!(page(&eve, "/").await.contains("localhost"));

    let used = eve.get(&path).await;
    is_page(&used, 404);
    let third = token(&invite(&app, &owner, "late@example.com", "member").await);
    app.clock.advance(Duration::from_hours(24 * 8));
    for gone in [&*third, "nonsense", "..%2f..", "%3Cscript%3E"] {
        let answer = Browser::new(&app).get(&format!("/invite/{gone}")).await;
        is_page(&answer, 404);
    }
    app.finish().await;
}
