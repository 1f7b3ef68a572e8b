//! The real binary under `kill -9` between the steps of a subscriber's message: requested, stored, sent, confirmed, noted.

use std::path::Path;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    app::{Answer, until},
    database,
    process::{Credentials, Process, pharos, set_up, start},
    receiver::{Got, Receiver},
    subscribers::count_in,
};

/// Times that each step is cut off.
const ROUNDS: usize = 2;

/// Where the kill comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// While the change is under way.
    Asked,
    /// When the change is answered.
    Stored,
    /// When the receiver has the message and says nothing.
    Sent,
    /// When the receiver confirms it.
    Confirmed,
    /// When it is noted that the receiver confirmed it.
    Noted,
}

async fn run(data: &Path) -> Process {
    let mut command = pharos(data);
    command
        .env("PHAROS__EGRESS__ALLOW", "127.0.0.0/8")
        .env("PHAROS__LIMITS__KEY_REQUESTS", "0");
    start(command).await
}

async fn call_ok(process: &Process, credentials: &Credentials, path: &str, body: Value) -> Value {
    let request = crate::web::client().post(format!("{}{path}", process.base));
    let answer = Answer::send(request.header("x-api-key", &credentials.key).json(&body)).await;
    assert_eq!(answer.status, 200, "{path} {body}: {}", answer.text);
    answer.body
}

/// A page that a webhook follows; its id.
async fn followed_page(process: &Process, credentials: &Credentials, receiver: &Receiver) -> Value {
    let page = json!({ "name": "Example", "slug": "example" });
    let page = call_ok(process, credentials, "/statusPage/create", page).await;
    let wish = json!({ "address": format!("{}/hook", receiver.url) });
    let url = format!("{}/status/example/subscribe", process.base);
    let asked = Answer::send(crate::web::client().post(url).json(&wish)).await;
    assert_eq!(asked.status, 200, "{}", asked.text);
    let said = receiver.wait_for(1).await.remove(0).json();
    let confirm = said["data"]["confirmUrl"].as_str().unwrap();
    let at = confirm.find("/subscriptions/").unwrap();
    let url = format!("{}{}", process.base, &confirm[at..]);
    assert_eq!(
        Answer::send(crate::web::client().post(url)).await.status,
        200
    );
    page["id"].clone()
}

/// The messages about an incident, by its title.
fn about(receiver: &Receiver, title: &str) -> Vec<Got> {
    let mut all = receiver.got();
    all.retain(|got| got.json()["data"]["incident"]["title"] == title);
    all
}

#[actix::test]
async fn killed_between_any_two_steps_of_a_delivery_it_loses_none_and_doubles_none_that_was_noted()
{
    let data = tempfile::tempdir().unwrap();
    let credentials = set_up(data.path());
    let receiver = Receiver::start().await;
    let mut process = run(data.path()).await;
    let page = followed_page(&process, &credentials, &receiver).await;
    let cuts = [
        Cut::Asked,
        Cut::Stored,
        Cut::Sent,
        Cut::Confirmed,
        Cut::Noted,
    ];
    let mut titles = Vec::new();
    for round in 0..ROUNDS {
        for cut in cuts {
            let title = format!("{cut:?} {round}");
            if cut == Cut::Sent {
                receiver.answer(&["hang"]);
            }
            let tell = json!({ "statusPageId": page, "title": title, "message": "We look." });
            let path = "/statusPage/createIncident";
            if cut == Cut::Asked {
                let request = crate::web::client().post(format!("{}{path}", process.base));
                let request = request
                    .header("x-api-key", &credentials.key)
                    .json(&tell)
                    .send();
                let asked = tokio::spawn(request);
                tokio::task::yield_now().await;
                process.signal(Signal::KILL);
                let _ = asked.await.unwrap();
            } else {
                call_ok(&process, &credentials, path, tell).await;
            }
            if matches!(cut, Cut::Sent | Cut::Confirmed) {
                until("it is sent", async || !about(&receiver, &title).is_empty()).await;
            }
            if cut == Cut::Noted {
                until("it is noted", async || waiting(data.path()).await == 0).await;
            }
            process.signal(Signal::KILL);
            drop(process);
            process = run(data.path()).await;
            until("all is noted", async || waiting(data.path()).await == 0).await;
            titles.push((cut, title));
        }
    }
    let listed = call_ok(
        &process,
        &credentials,
        "/statusPage/listIncidents",
        json!({ "statusPageId": page }),
    )
    .await;
    let listed: Vec<&Value> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["title"])
        .collect();
    for (cut, title) in titles {
        let sent = about(&receiver, &title);
        let is_there = listed.contains(&&json!(title));
        assert!(is_there || cut == Cut::Asked, "{title} was answered");
        assert_eq!(sent.is_empty(), !is_there, "{title}: told as it is stored");
        // By its id a receiver knows what it has.
        let ids: Vec<String> = sent.iter().map(|got| got.header("webhook-id")).collect();
        assert!(
            ids.windows(2).all(|pair| pair[0] == pair[1]),
            "{title}: {ids:?}"
        );
        match cut {
            Cut::Sent => assert_eq!(ids.len(), 2, "{title}: what nobody confirmed comes again"),
            Cut::Noted => assert_eq!(ids.len(), 1, "{title}: what was noted does not"),
            _ => assert!(ids.len() <= 2, "{title}: once more at most: {ids:?}"),
        }
    }
    process.stop();
    database::drop_database(data.path()).await;
}

#[actix::test]
async fn asked_to_stop_it_notes_what_is_confirmed_meanwhile_and_sends_what_is_not_again() {
    let data = tempfile::tempdir().unwrap();
    let credentials = set_up(data.path());
    let receiver = Receiver::start().await;
    let mut process = run(data.path()).await;
    let page = followed_page(&process, &credentials, &receiver).await;
    until("all is noted", async || waiting(data.path()).await == 0).await;
    for (title, is_confirmed) in [("Confirmed", true), ("Silent", false)] {
        receiver.answer(&["hang"]);
        let tell = json!({ "statusPageId": page, "title": title, "message": "We look." });
        call_ok(&process, &credentials, "/statusPage/createIncident", tell).await;
        until("it is sent", async || !about(&receiver, title).is_empty()).await;
        process.signal(Signal::TERM);
        until("it stops", async || process.count_log_lines("stopping") > 0).await;
        if is_confirmed {
            receiver.confirm().await;
        }
        process.stop();
        let left = i64::from(!is_confirmed);
        assert_eq!(waiting(data.path()).await, left, "{title}");
        process = run(data.path()).await;
        until("all is noted", async || waiting(data.path()).await == 0).await;
        let ids: Vec<String> = about(&receiver, title)
            .iter()
            .map(|got| got.header("webhook-id"))
            .collect();
        let sent = if is_confirmed { 1 } else { 2 };
        assert_eq!(ids, vec![ids[0].clone(); sent], "{title}");
    }
    process.stop();
    database::drop_database(data.path()).await;
}

/// Messages that are to be sent.
async fn waiting(data: &Path) -> i64 {
    count_in(data, "SELECT count(*) FROM outbox WHERE state = 'waiting'").await
}
