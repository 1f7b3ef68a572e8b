//! Emails through a real SMTP server, read by its standard parser (`tests/mail/server.py`).
//!
//! `scripts/test` installs it (`scripts/mailserver`); where it cannot be had it says so and sets `PHAROS_NO_MAILSERVER`.

use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    app::{Answer, App, until},
    status_pages::call_ok,
    subscribers::{ask, form_url, link, mailing},
};

/// A server in a process of its own, which ends with this.
struct Mailserver {
    child: Child,
    url: String,
    emails: Arc<Mutex<Vec<Value>>>,
}

impl Mailserver {
    /// The server; nothing where `scripts/test` says that it cannot be had.
    fn start() -> Option<Self> {
        if std::env::var_os("PHAROS_NO_MAILSERVER").is_some() {
            return None;
        }
        let home = Path::new(env!("CARGO_MANIFEST_DIR"));
        let said = Command::new(home.join("scripts/mailserver"))
            .arg("--where")
            .output();
        let said = String::from_utf8(said.unwrap().stdout).unwrap();
        let python = PathBuf::from(said.trim());
        assert!(
            python.exists(),
            "{} is not there: run scripts/mailserver, which installs it",
            python.display()
        );
        let mut child = Command::new(python)
            .arg(home.join("tests/mail/server.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        let emails = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&emails);
        std::thread::spawn(move || {
            while let Some(Ok(line)) = lines.next() {
                kept.lock()
                    .unwrap()
                    .push(serde_json::from_str(&line).unwrap());
            }
        });
        Some(Self {
            child,
            url: format!("smtp://127.0.0.1:{}", first["port"]),
            emails,
        })
    }

    /// The emails to an address whose subject ends like this, once there are so many.
    async fn wait_for(&self, to: &str, subject: &str, count: usize) -> Vec<Value> {
        let found = || {
            let mut all = self.emails.lock().unwrap().clone();
            all.retain(|one| one["to"] == json!([to]) && header(one, "subject").ends_with(subject));
            all
        };
        until("the emails came", async || found().len() >= count).await;
        found()
    }
}

impl Drop for Mailserver {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

fn header<'l>(email: &'l Value, name: &str) -> &'l str {
    email["headers"][name].as_str().unwrap_or_default()
}

fn text(email: &Value) -> &str {
    email["text"].as_str().unwrap()
}

async fn created(app: &App, page: &Value, title: &str) -> Value {
    let tell = json!({ "statusPageId": page, "title": title, "message": "Wir schauen **nach** – bald mehr." });
    call_ok(app, "createIncident", tell).await["id"].clone()
}

#[actix::test]
async fn emails_to_subscribers_are_one_thread_an_incident_and_end_with_one_click() {
    let Some(server) = Mailserver::start() else {
        return;
    };
    let app = mailing(&server.url).await;
    let made = json!({ "name": "Grüße & Co", "slug": "example" });
    let page = call_ok(&app, "create", made).await["id"].clone();
    let reader = "ada@example.com";
    assert_eq!(
        ask(&app, &form_url(&app), &[("address", reader)])
            .await
            .status,
        200
    );
    let question = server
        .wait_for(reader, "confirm your subscription", 1)
        .await
        .remove(0);
    assert_eq!(
        header(&question, "list-unsubscribe"),
        "",
        "there is nothing to leave yet"
    );
    let confirm = link(&app, text(&question), "/subscriptions/", "/confirm");
    assert_eq!(Answer::send(app.http.post(confirm)).await.status, 200);

    let first = created(&app, &page, "Langsam").await;
    created(&app, &page, "Kaputt").await;
    for status in ["identified", "resolved"] {
        app.clock.advance(Duration::from_mins(1));
        let say = json!({ "incidentId": first, "status": status, "message": "Mehr." });
        call_ok(&app, "updateIncident", say).await;
    }
    let about = server.wait_for(reader, "Grüße & Co: Langsam", 3).await;
    let other = server
        .wait_for(reader, "Grüße & Co: Kaputt", 1)
        .await
        .remove(0);
    let all = |name: &str| -> Vec<&str> { about.iter().map(|one| header(one, name)).collect() };
    for name in ["references", "in-reply-to"] {
        let threads = all(name);
        assert!(
            threads[0].starts_with('<') && threads[0].ends_with("@example.com>"),
            "{threads:?}"
        );
        assert!(
            threads.iter().all(|one| *one == threads[0]),
            "one thread: {threads:?}"
        );
        assert_ne!(header(&other, name), threads[0], "another one");
    }
    let mut ids = all("message-id");
    ids.push(header(&other, "message-id"));
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 4, "{ids:?}");
    for one in about.iter().chain([&other]) {
        assert_eq!(header(one, "from"), "pharos@example.com");
        assert_eq!(header(one, "auto-submitted"), "auto-generated");
        assert_eq!(
            header(one, "list-unsubscribe-post"),
            "List-Unsubscribe=One-Click"
        );
        assert!(
            header(one, "content-type").starts_with("text/plain; charset=\"utf-8\""),
            "{one}"
        );
        let lines = one["raw"].as_str().unwrap().lines();
        assert!(lines.map(str::len).all(|length| length <= 998), "RFC 5322");
    }
    // Emails are sent in parallel, in no guaranteed order.
    let says = |what: &str| about.iter().filter(|one| text(one).contains(what)).count();
    assert_eq!(says("Wir schauen **nach** – bald mehr."), 1, "{about:?}");
    assert_eq!(says("Mehr."), 2, "{about:?}");

    // What a mail program does when its reader presses the button.
    let leave = header(&about[2], "list-unsubscribe");
    assert!(leave.starts_with('<') && leave.ends_with('>'), "{leave}");
    let leave = link(&app, leave, "/subscriptions/", "");
    assert!(text(&about[2]).contains(&leave[leave.find("/subscriptions/").unwrap()..]));
    let click = app
        .http
        .post(leave)
        .header("content-type", "application/x-www-form-urlencoded")
        .body("List-Unsubscribe=One-Click");
    assert_eq!(Answer::send(click).await.status, 200);
    let left = call_ok(&app, "listSubscribers", json!({ "statusPageId": page })).await;
    assert_eq!(left, json!([]));
    app.finish().await;
}

#[actix::test]
async fn emails_of_an_alarm_are_one_thread_for_each_thing() {
    let Some(server) = Mailserver::start() else {
        return;
    };
    let app = mailing(&server.url).await;
    let reader = "oncall@example.com";
    let alarm = json!({ "name": "Prod", "triggerType": "uptime",
        "destinations": [{ "type": "email", "identifier": reader }] });
    let made = app
        .post(format!("{}/alarms/create", app.base), &alarm)
        .await;
    assert_eq!(made.status, 200, "{}", made.text);
    let mut pushes = Vec::new();
    for name in ["Web", "Jobs"] {
        let fields = json!({ "kind": "push", "granularity": "hour", "name": name, "retries": 0 });
        let made = app
            .post(format!("{}/uptime/createSchedule", app.base), &fields)
            .await;
        let url = made.body["pushUrl"].as_str().unwrap();
        pushes.push(format!(
            "{}{}",
            app.base,
            &url[url.find("/push/").unwrap()..]
        ));
    }
    // One after the other, because what happens at one moment is one email.
    for (push, name) in pushes.iter().zip(["Web", "Jobs"]) {
        Answer::send(app.http.post(push)).await;
        Answer::send(app.http.post(format!("{push}/fail"))).await;
        server
            .wait_for(reader, &format!("Firing: Prod: {name}"), 1)
            .await;
    }
    app.clock.advance(Duration::from_mins(1));
    Answer::send(app.http.post(&pushes[0])).await;
    let over = server
        .wait_for(reader, "Resolved: Prod: Web", 1)
        .await
        .remove(0);
    let fired = server
        .wait_for(reader, "Firing: Prod: Web", 1)
        .await
        .remove(0);
    let other = server
        .wait_for(reader, "Firing: Prod: Jobs", 1)
        .await
        .remove(0);
    for name in ["references", "in-reply-to"] {
        assert!(header(&fired, name).ends_with("@example.com>"), "{fired}");
        assert_eq!(header(&fired, name), header(&over, name));
        assert_ne!(header(&fired, name), header(&other, name));
    }
    assert_ne!(header(&fired, "message-id"), header(&over, "message-id"));
    assert_eq!(header(&fired, "auto-submitted"), "auto-generated");
    app.finish().await;
}
