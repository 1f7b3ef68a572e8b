//! Subscribers of status pages: requested, confirmed by the address, notified once, and removed with one click.

use std::{path::Path, time::Duration};

use sea_orm::{ConnectionTrait as _, Statement};
use serde_json::{Value, json};

use crate::{
    app::{Answer, App, until},
    database,
    people::post::Post,
    receiver::Receiver,
    status_pages::{call, call_ok, door, page},
};

/// An app that sends mail and may reach this machine.
pub async fn mailing(url: &str) -> App {
    let toml = format!(
        "egress.allow = ['127.0.0.0/8']\nmail.smtp_url = '{url}'\nmail.from = 'pharos@example.com'\n"
    );
    App::with(&toml).await
}

/// A request as browsers send forms.
fn filled(request: reqwest::RequestBuilder, form: &[(&str, &str)]) -> reqwest::RequestBuilder {
    let mut body = url::form_urlencoded::Serializer::new(String::new());
    body.extend_pairs(form);
    request
        .header("content-type", "application/x-www-form-urlencoded")
        .body(body.finish())
}

/// Sends the form of a page.
pub async fn ask(app: &App, url: &str, form: &[(&str, &str)]) -> Answer {
    Answer::send(filled(app.http.post(url), form)).await
}

/// Where the form of the page is sent to.
pub fn form_url(app: &App) -> String {
    format!("{}/status/example/subscribe", app.base)
}

/// The address in a text that goes on like this behind `{base_url}`, on the port where we listen.
pub fn link(app: &App, text: &str, begins: &str, ends: &str) -> String {
    let words = text.split([' ', '\r', '\n', '<', '>', '"']);
    let mut found = words.filter(|word| word.contains(begins) && word.ends_with(ends));
    let found = found
        .next()
        .unwrap_or_else(|| panic!("no {begins} in {text}"));
    let at = found.find(begins).unwrap();
    format!("{}{}", app.base, &found[at..])
}

/// Follows the page with an address, and confirms it.
pub async fn follow(app: &App, post: &Post, form: &[(&str, &str)]) {
    let before = post.emails().len();
    assert_eq!(ask(app, &form_url(app), form).await.status, 200);
    let email = post.wait_for(before + 1).await.remove(before);
    let confirm = link(app, &email, "/subscriptions/", "/confirm");
    let confirmed = Answer::send(app.http.post(confirm)).await;
    assert_eq!(confirmed.status, 200, "{}", confirmed.text);
}

async fn subscribers(app: &App, page: &str) -> Vec<Value> {
    let listed = call_ok(app, "listSubscribers", json!({ "statusPageId": page })).await;
    listed.as_array().unwrap().clone()
}

async fn tell(app: &App, page: &str, title: &str, affected: Value) -> String {
    let tell = json!({ "statusPageId": page, "title": title, "message": "We **look**.", "affectedMonitors": affected });
    let told = call_ok(app, "createIncident", tell).await;
    told["id"].as_str().unwrap().to_owned()
}

#[actix::test]
async fn nobody_is_told_before_who_reads_the_address_says_so_nor_after_saying_no() {
    let post = Post::open().await;
    let mut app = mailing(&post.url).await;
    let (page, ..) = page(&app).await;
    let form = door(&app, "", &[]).await;
    assert!(form.text.contains("action=\""), "{}", form.text);
    let policy = form.header("content-security-policy").to_owned();
    assert!(policy.contains("form-action http"), "{policy}");

    let first = ask(&app, &form_url(&app), &[("address", "Ada@Example.com")]).await;
    assert_eq!(first.status, 200, "{}", first.text);
    let email = post.wait_for(1).await.remove(0);
    assert!(email.contains("To: ada@example.com"), "{email}");
    assert!(
        !email.contains("List-Unsubscribe"),
        "there is nothing to leave"
    );
    assert_eq!(subscribers(&app, &page).await[0]["status"], "waiting");
    tell(&app, &page, "Unheard", json!([])).await;

    // Looking changes nothing; the button does.
    let confirm = link(&app, &email, "/subscriptions/", "/confirm");
    let shown = Answer::send(app.http.get(&confirm)).await;
    assert!(
        shown.text.contains("<form method=\"post\""),
        "{}",
        shown.text
    );
    assert_eq!(subscribers(&app, &page).await[0]["status"], "waiting");
    assert_eq!(Answer::send(app.http.post(&confirm)).await.status, 200);
    let all = subscribers(&app, &page).await;
    assert_eq!(
        (all.len(), &all[0]["address"]),
        (1, &json!("ada@example.com"))
    );
    assert_eq!(all[0]["status"], "active");

    app.clock.advance(Duration::from_secs(1));
    // Who asks again is answered the same, and gets the same email with another link.
    let again = ask(&app, &form_url(&app), &[("address", "ada@example.com")]).await;
    assert_eq!((again.status, &again.text), (200, &first.text));
    post.wait_for(2).await;
    assert_eq!(subscribers(&app, &page).await[0]["status"], "active");

    let incident = tell(&app, &page, "Slow", json!([])).await;
    let told = post.wait_for(3).await.remove(2);
    assert!(told.contains("Subject: Example: Slow"), "{told}");
    assert!(told.contains("We **look**."), "{told}");
    assert!(
        told.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click"),
        "{told}"
    );
    noted(&app).await;
    app.restart().await;
    let say = json!({ "incidentId": incident, "status": "resolved", "message": "Fast." });
    call_ok(&app, "updateIncident", say).await;
    let told = post.wait_for(4).await.remove(3);
    assert!(
        told.contains("Fast.") && told.contains("Resolved at"),
        "{told}"
    );

    let leave = link(&app, &told, "/subscriptions/", "");
    let shown = Answer::send(app.http.get(&leave)).await;
    assert_eq!(shown.status, 200);
    assert_eq!(
        subscribers(&app, &page).await.len(),
        1,
        "looking is no leaving"
    );
    for _ in 0..2 {
        let left = app.http.post(&leave).body("List-Unsubscribe=One-Click");
        assert_eq!(Answer::send(left).await.status, 200);
        assert_eq!(subscribers(&app, &page).await, [] as [Value; 0]);
    }
    tell(&app, &page, "Unheard again", json!([])).await;
    // What would have been sent is in the outbox before the answer.
    assert_eq!(waiting(&app).await, 0);
    assert_eq!(post.emails().len(), 4);
    app.finish().await;
}

/// Waits until all that was confirmed is noted as well: what is not comes again after a restart, under the same id.
pub async fn noted(app: &App) {
    until("it is noted", async || waiting(app).await == 0).await;
}

/// Rows of the outbox that are to be sent, and rows of a table.
async fn waiting(app: &App) -> i64 {
    count(app, "SELECT count(*) FROM outbox WHERE state = 'waiting'").await
}

async fn count(app: &App, sql: &str) -> i64 {
    count_in(app.directory(), sql).await
}

/// What a question to the state database in a directory counts.
pub async fn count_in(directory: &Path, sql: &str) -> i64 {
    let state = database::open(directory).await;
    let db = state.reader();
    let statement = Statement::from_string(db.get_database_backend(), sql);
    let row = db.query_one_raw(statement).await.unwrap().unwrap();
    let count = row.try_get_by_index(0).unwrap();
    state.close().await.unwrap();
    count
}

#[actix::test]
async fn who_follows_one_system_hears_of_it_and_of_what_is_about_everything() {
    let post = Post::open().await;
    let app = mailing(&post.url).await;
    let (page, job, _) = page(&app).await;
    let fields = json!({ "kind": "push", "granularity": "hour", "name": "Other" });
    let url = format!("{}/uptime/createSchedule", app.base);
    let other = app.post(url, &fields).await.body;
    let add = json!({ "statusPageId": page, "uptimeScheduleId": other["scheduleId"] });
    let other = call_ok(&app, "addMonitor", add).await["id"].clone();
    let form = [
        ("address", "ada@example.com"),
        ("component", &job),
        ("component", "made-up"),
    ];
    follow(&app, &post, &form).await;
    assert_eq!(
        subscribers(&app, &page).await[0]["components"],
        json!([job])
    );
    let hit = |id: &Value| json!([{ "statusPageMonitorId": id, "impact": "down" }]);
    tell(&app, &page, "Of others", hit(&other)).await;
    tell(&app, &page, "Of mine", hit(&json!(job))).await;
    tell(&app, &page, "Of all", json!([])).await;
    let emails = post.wait_for(3).await;
    until("all is sent", async || waiting(&app).await == 0).await;
    let subjects: Vec<bool> = ["Of others", "Of mine", "Of all"]
        .iter()
        .map(|title| emails.iter().any(|one| one.contains(title)))
        .collect();
    assert_eq!(
        (subjects, post.emails().len()),
        (vec![false, true, true], 3)
    );
    // Emails are sent in parallel, in no guaranteed order.
    let mine = emails.iter().find(|one| one.contains("Of mine")).unwrap();
    assert!(mine.contains("Affected: Job (down)"), "{mine}");
    app.finish().await;
}

#[actix::test]
async fn a_webhook_confirms_itself_and_is_told_with_signatures_until_it_is_gone() {
    let app = App::with("egress.allow = ['127.0.0.0/8']\n").await;
    let (page, job, _) = page(&app).await;
    let receiver = Receiver::start().await;
    let wish = json!({ "address": format!("{}/hook", receiver.url), "components": [job] });
    let url = format!("{}/status/example/subscribe", app.base);
    let asked = app.post_anonymously(url, &wish).await;
    assert_eq!(
        (asked.status, asked.body),
        (200, json!({ "success": true }))
    );
    let question = receiver.wait_for(1).await.remove(0);
    let said = question.json();
    assert_eq!(said["type"], "subscription.confirm");
    let secret = said["data"]["secret"].as_str().unwrap().to_owned();
    assert!(question.is_signed(&secret), "{question:?}");
    tell(&app, &page, "Unheard", json!([])).await;
    let confirm = link(
        &app,
        said["data"]["confirmUrl"].as_str().unwrap(),
        "/subscriptions/",
        "/confirm",
    );
    assert_eq!(Answer::send(app.http.post(confirm)).await.status, 200);
    receiver.answer(&["500 Broken", "204 No Content", "410 Gone"]);
    let hit = json!([{ "statusPageMonitorId": job, "impact": "degraded" }]);
    let incident = tell(&app, &page, "Slow", hit).await;
    receiver.wait_for(2).await;
    until("the failure is known", async || {
        count(
            &app,
            "SELECT count(*) FROM outbox WHERE state = 'waiting' AND attempts = 1",
        )
        .await
            == 1
    })
    .await;
    app.clock.advance(Duration::from_secs(6));
    let got = receiver.wait_for(3).await;
    assert_eq!(got[1].header("webhook-id"), got[2].header("webhook-id"));
    assert!(got[2].is_signed(&secret));
    let told = got[2].json();
    assert_eq!(told["type"], "incident.created");
    assert_eq!(told["data"]["incident"]["id"], json!(incident));
    assert_eq!(told["data"]["incident"]["affected"][0]["name"], "Job");
    assert_eq!(told["data"]["page"]["name"], "Example");
    let say = json!({ "incidentId": incident, "status": "resolved", "message": "Fast." });
    call_ok(&app, "updateIncident", say).await;
    assert_eq!(
        receiver.wait_for(4).await[3].json()["type"],
        "incident.resolved"
    );
    until("who is gone is no subscriber", async || {
        subscribers(&app, &page).await.is_empty()
    })
    .await;
    app.finish().await;
}

#[actix::test]
async fn links_are_good_for_a_day_and_for_nobody_else() {
    let post = Post::open().await;
    let app = mailing(&post.url).await;
    let (page, ..) = page(&app).await;
    ask(&app, &form_url(&app), &[("address", "ada@example.com")]).await;
    let first = post.wait_for(1).await.remove(0);
    let first = link(&app, &first, "/subscriptions/", "/confirm");
    app.clock.advance(Duration::from_secs(1));
    ask(&app, &form_url(&app), &[("address", "ada@example.com")]).await;
    let second = post.wait_for(2).await.remove(1);
    let second = link(&app, &second, "/subscriptions/", "/confirm");
    let leaving = second.trim_end_matches("/confirm").to_owned();
    for url in [&first, &leaving, &second.replace("/confirm", "0/confirm")] {
        for request in [app.http.get(url), app.http.post(url)] {
            let answer = Answer::send(request).await;
            assert_eq!(answer.status, 400, "{url}: {}", answer.text);
            assert!(answer.header("content-type").starts_with("text/html"));
        }
    }
    app.clock.advance(Duration::from_hours(24));
    assert_eq!(Answer::send(app.http.post(&second)).await.status, 400);
    assert_eq!(subscribers(&app, &page).await[0]["status"], "waiting");
    // Unconfirmed subscriptions are deleted within the hour.
    app.clock.advance(Duration::from_hours(1));
    until("it is forgotten", async || {
        subscribers(&app, &page).await.is_empty()
    })
    .await;
    app.finish().await;
}

#[actix::test]
async fn strangers_may_ask_for_a_little_and_are_told_what_is_wrong() {
    let post = Post::open().await;
    let app = mailing(&post.url).await;
    page(&app).await;
    for wrong in [
        "",
        "nobody",
        "a@b@c",
        "ftp://a.example/",
        "http://10.0.0.1/hook",
        "a@b.c\r\nBcc: x@y.z",
    ] {
        let answer = ask(&app, &form_url(&app), &[("address", wrong)]).await;
        assert_eq!(answer.status, 400, "{wrong}: {}", answer.text);
        assert!(answer.text.contains("role=\"alert\""), "{}", answer.text);
    }
    let unknown = app
        .http
        .post(format!("{}/status/nobody/subscribe", app.base));
    assert_eq!(
        Answer::send(filled(unknown, &[("address", "a@b.example")]))
            .await
            .status,
        404
    );
    // The sixth email to one address is not sent, and the answer does not show it.
    let mut texts = Vec::new();
    for _ in 0..6 {
        app.clock.advance(Duration::from_secs(2));
        texts.push(
            ask(&app, &form_url(&app), &[("address", "ada@example.com")])
                .await
                .text,
        );
    }
    assert!(texts.windows(2).all(|pair| pair[0] == pair[1]));
    until("all is sent", async || waiting(&app).await == 0).await;
    assert_eq!(post.emails().len(), 5);
    for _ in 0..4 {
        ask(&app, &form_url(&app), &[("address", "bob@example.com")]).await;
    }
    let refused = ask(&app, &form_url(&app), &[("address", "eve@example.com")]).await;
    assert_eq!(refused.status, 429, "{}", refused.text);
    assert!(!refused.header("retry-after").is_empty());
    app.finish().await;
}

/// No address is on the disk as it is.
fn no_address_on_disk(app: &App) {
    let bytes = ["state.db", "state.db-wal"]
        .map(|name| std::fs::read(app.directory().join(name)).unwrap_or_default());
    let found = |word: &[u8]| {
        bytes
            .iter()
            .any(|file| file.windows(word.len()).any(|own| own == word))
    };
    assert!(found(b"Example"), "the page itself is there");
    assert!(!found(b"bob@example.com"));
}

#[actix::test]
async fn owners_see_and_remove_who_follows_and_a_deleted_page_leaves_nothing() {
    let post = Post::open().await;
    let app = mailing(&post.url).await;
    let (page, ..) = page(&app).await;
    for address in ["ada@example.com", "bob@example.com"] {
        follow(&app, &post, &[("address", address)]).await;
    }
    let all = subscribers(&app, &page).await;
    assert_eq!(all.len(), 2);
    assert_eq!(
        (&all[0]["type"], &all[0]["components"]),
        (&json!("email"), &Value::Null)
    );
    let gone = json!({ "statusPageId": page, "subscriberId": all[0]["id"] });
    call_ok(&app, "removeSubscriber", gone).await;
    assert_eq!(subscribers(&app, &page).await.len(), 1);
    let nobody = app
        .post_anonymously(
            format!("{}/statusPage/listSubscribers", app.base),
            &json!({ "statusPageId": page }),
        )
        .await;
    assert_eq!(nobody.status, 401);
    if !database::is_shared() {
        no_address_on_disk(&app);
    }

    post.refuse("451 later");
    tell(&app, &page, "Slow", json!([])).await;
    until("it is tried", async || {
        count(
            &app,
            "SELECT count(*) FROM outbox WHERE attempts = 1 AND state = 'waiting'",
        )
        .await
            == 1
    })
    .await;
    call_ok(&app, "delete", json!({ "statusPageId": page })).await;
    for sql in [
        "SELECT count(*) FROM status_pages",
        "SELECT count(*) FROM status_page_subscribers",
        "SELECT count(*) FROM outbox WHERE key LIKE 'page:%'",
    ] {
        assert_eq!(count(&app, sql).await, 0, "{sql}");
    }
    assert_eq!(
        call(&app, "listSubscribers", json!({ "statusPageId": page }))
            .await
            .status,
        404
    );
    app.finish().await;
}
