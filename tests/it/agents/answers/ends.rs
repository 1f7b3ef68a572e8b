//! How answers end: broken models, stops, people who go away, and the end of the program.

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{
    Stage, line,
    listener::{Listener, end, request, words},
    saying,
    script::{Act, HEAD, Script},
    spoken,
};
use crate::{
    app::{Answer, until},
    process::{pharos, set_up, start},
};

#[actix::test]
async fn a_model_that_fails_leaves_what_it_said_and_why_there_is_no_more() {
    // Long enough for a busy machine; only those that hang wait for it.
    let stage = Stage::with("agent.timeout_seconds = 5").await;
    let raw = |body: &str| Act::Raw(format!("{HEAD}{body}"));
    let chunk = r#"data: {"choices":[{"delta":{"content":"Half"}}]}"#;
    let cases = [
        ("MODEL_FAILED", "", vec![Act::Status(500)]),
        (
            "MODEL_FAILED",
            "",
            vec![Act::Raw(
                "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}".to_owned(),
            )],
        ),
        (
            "MODEL_UNREACHABLE",
            "",
            vec![Act::Raw("nonsense\r\n\r\n".to_owned())],
        ),
        (
            "MODEL_FAILED",
            "Half",
            vec![raw(&format!("{chunk}\n\ndata: {{\"choices\":\n\n"))],
        ),
        (
            "MODEL_FAILED",
            "Half",
            vec![raw(&format!(
                "{chunk}\n\ndata: {{\"error\":{{\"message\":\"secret\"}}}}\n\n"
            ))],
        ),
        ("MODEL_UNREACHABLE", "Half", vec![Act::Say("Half")]),
        (
            "MODEL_UNREACHABLE",
            "Half",
            vec![Act::Raw(format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 999\r\n\r\n{chunk}\n\n"
            ))],
        ),
        ("MODEL_TIMEOUT", "Half", vec![Act::Say("Half"), Act::Hang]),
        (
            "MODEL_TIMEOUT",
            "",
            vec![Act::Raw(String::new()), Act::Hang],
        ),
    ];
    for (code, said, acts) in cases {
        let place = format!("{acts:?}");
        stage.script.then(acts);
        let heard = stage.say("Well?").await.rest().await;
        assert_eq!(end(&heard), "failed", "{place}");
        let error = &heard[heard.len() - 2];
        assert_eq!(
            (error.event.as_str(), &error.data["code"]),
            ("error", &json!(code)),
            "{place}: {heard:?}"
        );
        let stored = stage.stored().await;
        assert_eq!(stored["activeStreamId"], Value::Null, "{place}");
        assert!(!stored.to_string().contains("secret"), "{stored}");
        let last = stored["messages"].as_array().unwrap().last().unwrap();
        assert_eq!(
            spoken(&stored).pop().unwrap(),
            line("assistant", "failed", said),
            "{place}"
        );
        let why = last["parts"].as_array().unwrap().last().unwrap();
        assert_eq!(
            (&why["type"], &why["code"]),
            (&json!("error"), &json!(code)),
            "{place}"
        );
    }
    stage.script.then(saying("At last."));
    let heard = stage.say("And now?").await.rest().await;
    assert_eq!(
        (end(&heard), words(&heard).as_str()),
        (&json!("complete"), "At last.")
    );
    stage.app.finish().await;
}

#[actix::test]
async fn who_goes_away_stops_nothing_and_who_comes_again_hears_all() {
    let stage = Stage::set().await;
    let app = &stage.app;
    stage
        .script
        .then([Act::Say("One "), Act::Wait, Act::Say("two."), Act::Finish]);
    let mut first = stage.say("Count").await;
    let before = first.until("text").await;
    drop(first);
    let stored = stage.stored().await;
    let stream = stored["activeStreamId"].clone();
    assert_eq!(stream, before[0].data["streamId"]);
    let last = stored["messages"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .clone();
    assert_eq!(
        (&last["status"], &last["parts"][0]["text"]),
        (&json!("streaming"), &json!("One "))
    );
    let ask = |path: &str, body: Value| request(&app.http, &app.base, &app.key, path).json(&body);
    let busy = Answer::send(ask("send", json!({ "id": stage.chat, "message": "more" }))).await;
    assert_eq!((busy.status, &busy.body["code"]), (409, &json!("CONFLICT")));
    let other = ask("resume", json!({ "id": stage.chat, "streamId": "other" }));
    assert_eq!(Answer::send(other).await.status, 204);
    let whole = ask("resume", json!({ "id": stage.chat, "streamId": stream }));
    let mut whole = Listener::open(whole).await;
    assert_eq!(
        whole.until("text").await,
        before,
        "told again from the beginning"
    );
    let number = before.last().unwrap().id;
    let later = ask("resume", json!({ "id": stage.chat })).header("last-event-id", number);
    let later = Listener::open(later).await;
    stage.script.go_on();
    let (whole, later) = (whole.rest().await, later.rest().await);
    assert_eq!(whole, later);
    assert_eq!((words(&later).as_str(), later[0].id), ("two.", number + 1));
    assert_eq!(end(&later), "complete");
    let expected = [
        line("user", "complete", "Count"),
        line("assistant", "complete", "One two."),
    ];
    assert_eq!(stage.spoken().await, expected);
    // No client listens.
    stage
        .script
        .then([Act::Say("Three."), Act::Wait, Act::Finish]);
    drop(stage.say("Go on").await);
    stage.script.go_on();
    until("it is stored", async || {
        stage.stored().await["activeStreamId"] == Value::Null
    })
    .await;
    let last = stage.spoken().await.pop().unwrap();
    assert_eq!(last, line("assistant", "complete", "Three."));
    let after = Answer::send(ask("resume", json!({ "id": stage.chat }))).await;
    assert_eq!(after.status, 204);
    stage.app.finish().await;
}

#[actix::test]
async fn an_answer_is_stopped_and_goes_with_its_chat() {
    let stage = Stage::set().await;
    let app = &stage.app;
    stage.script.then([Act::Say("Once upon"), Act::Hang]);
    let mut heard = stage.say("A story").await;
    heard.until("text").await;
    let id = json!({ "id": stage.chat });
    let ask = |path: &str| request(&app.http, &app.base, &app.key, path).json(&id);
    assert_eq!(
        Answer::send(ask("stop")).await.body,
        json!({ "success": true })
    );
    let expected = [
        line("user", "complete", "A story"),
        line("assistant", "stopped", "Once upon"),
    ];
    assert_eq!(stage.spoken().await, expected);
    assert_eq!(end(&heard.rest().await), "stopped");
    assert_eq!(
        Answer::send(ask("stop")).await.status,
        200,
        "there is nothing to stop"
    );
    stage.script.then([Act::Say("Once more"), Act::Hang]);
    let mut heard = stage.say("Another").await;
    heard.until("text").await;
    assert_eq!(Answer::send(ask("delete")).await.status, 200);
    assert_eq!(heard.rest().await.last().unwrap().event, "end");
    assert_eq!(stage.stored().await, Value::Null);
    stage.app.finish().await;
}

#[actix::test]
async fn a_stop_of_the_program_ends_answers_first() {
    let mut stage = Stage::set().await;
    stage.script.then([Act::Say("Half of"), Act::Hang]);
    let mut heard = stage.say("Well?").await;
    heard.until("text").await;
    let (stopped, rest) = tokio::join!(stage.app.restart(), heard.rest());
    let () = stopped;
    assert_eq!(end(&rest), "interrupted");
    let expected = [
        line("user", "complete", "Well?"),
        line("assistant", "interrupted", "Half of"),
    ];
    assert_eq!(stage.spoken().await, expected);
    stage.script.then(saying("Here again."));
    let heard = stage.say("Again").await.rest().await;
    assert_eq!(words(&heard), "Here again.");
    stage.app.finish().await;
}

#[actix::test]
async fn a_kill_in_mid_stream_leaves_a_chat_that_can_be_read_and_gone_on_with() {
    let directory = tempfile::tempdir().unwrap();
    let made = set_up(directory.path());
    let script = Script::start().await;
    script.then([Act::Say("Half of"), Act::Hang]);
    let command = || {
        let mut command = pharos(directory.path());
        command
            .env("PHAROS__AGENT__BASE_URL", &script.base)
            .env("PHAROS__AGENT__MODEL", "scripted");
        command
    };
    let process = start(command()).await;
    let http = crate::web::client();
    let ask =
        |base: &str, path: &str, body: Value| request(&http, base, &made.key, path).json(&body);
    let chat = Answer::send(ask(&process.base, "create", json!({})))
        .await
        .body["id"]
        .clone();
    let said = json!({ "id": chat, "message": "Well?" });
    let mut heard = Listener::open(ask(&process.base, "send", said)).await;
    heard.until("text").await;
    process.signal(Signal::KILL);
    drop(process);
    let process = start(command()).await;
    let stored = Answer::send(ask(&process.base, "get", json!({ "id": chat })))
        .await
        .body;
    assert_eq!(stored["activeStreamId"], Value::Null, "{stored}");
    let expected = [
        line("user", "complete", "Well?"),
        line("assistant", "interrupted", "Half of"),
    ];
    assert_eq!(spoken(&stored), expected);
    script.then(saying("the truth."));
    let said = json!({ "id": chat, "message": "Go on" });
    let heard = Listener::open(ask(&process.base, "send", said))
        .await
        .rest()
        .await;
    assert_eq!(words(&heard), "the truth.");
    process.stop();
}
