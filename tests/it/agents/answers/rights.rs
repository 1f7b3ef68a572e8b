//! Rights of answers: only your own, with your rights, and only while you have them (threats T6, T11).

use pharos::{
    access::Scope,
    actors::keys::{Manager, RevokeKey},
    ids::KeyId,
};
use serde_json::{Value, json};

use super::{
    Stage, line,
    listener::{Listener, call_ok, end, request},
    saying,
    script::Act,
};
use crate::{
    app::Answer,
    people::{OPEN, browser::Browser, team::Team},
};

/// A key of the founder with these scopes: its id and its secret.
async fn key(stage: &Stage, scopes: &[&str]) -> (KeyId, String) {
    let owner = Browser::owner(&stage.app).await;
    let body = json!({ "name": "k", "organizationId": stage.app.organization, "scopes": scopes });
    let made = owner.post("/apikeys/create", &body).await;
    assert_eq!(made.status, 200, "{}", made.text);
    let text = |name: &str| made.body[name].as_str().unwrap();
    (text("id").into(), text("secret").to_owned())
}

#[actix::test]
async fn a_revoked_key_ends_its_answers_and_what_it_listens_to() {
    let stage = Stage::set().await;
    let app = &stage.app;
    let (id, secret) = key(&stage, &["read:data", "manage:config"]).await;
    stage.script.then([Act::Say("Half of"), Act::Hang]);
    let body = json!({ "id": stage.chat, "message": "Well?" });
    let mut heard =
        Listener::open(request(&app.http, &app.base, &secret, "send").json(&body)).await;
    heard.until("text").await;
    let (listening, reader) = key(&stage, &["read:data"]).await;
    let body = json!({ "id": stage.chat });
    let other = request(&app.http, &app.base, &reader, "resume").json(&body);
    let other = Listener::open(other).await;
    let keys = &app.platform.as_ref().unwrap().domains().keys;
    let revoke = async |id: KeyId| {
        let by = Manager::SYSTEM;
        keys.ask(RevokeKey { by, id }).await.unwrap();
    };
    revoke(listening).await;
    let left = other.rest().await;
    assert!(
        left.iter().all(|heard| heard.event != "end"),
        "cut off: {left:?}"
    );
    assert_ne!(
        stage.stored().await["activeStreamId"],
        Value::Null,
        "it goes on"
    );
    revoke(id).await;
    heard.rest().await;
    crate::app::until("the answer ends", async || {
        stage.stored().await["activeStreamId"] == Value::Null
    })
    .await;
    let last = stage.spoken().await.pop().unwrap();
    assert_eq!(last, line("assistant", "stopped", "Half of"));
    stage.app.finish().await;
}

#[actix::test]
async fn the_model_can_do_what_the_caller_can_do_and_no_more() {
    let stage = Stage::set().await;
    let app = &stage.app;
    let (_, secret) = key(&stage, &["read:data", "manage:config"]).await;
    let link = json!({ "name": "n", "targetUrl": "https://example.com/" });
    stage
        .script
        .then([
            Act::Call("create_link", link),
            Act::Call("list_links", json!({})),
            Act::Call("list_websites", json!({})),
            Act::Finish,
        ])
        .then(saying("No."));
    let body = json!({ "id": stage.chat, "message": "Make a link" });
    let heard = Listener::open(request(&app.http, &app.base, &secret, "send").json(&body)).await;
    let heard = heard.rest().await;
    assert_eq!(end(&heard), "complete");
    let results: Vec<_> = heard
        .iter()
        .filter(|heard| heard.event == "tool-result")
        .collect();
    let codes = results
        .iter()
        .map(|heard| (&heard.data["isError"], &heard.data["output"]["code"]));
    let (yes, no, code) = (json!(true), json!(false), json!("FORBIDDEN"));
    let expected = [(&yes, &code), (&yes, &code), (&no, &Value::Null)];
    assert_eq!(codes.collect::<Vec<_>>(), expected);
    let offered = stage.script.requests()[0]["tools"].to_string();
    assert!(offered.contains("\"list_websites\""), "{offered}");
    assert!(!offered.contains("\"create_link\"") && !offered.contains("\"list_links\""));
    stage.app.finish().await;
}

#[actix::test]
async fn nobody_speaks_in_hears_or_stops_the_chats_of_somebody_else() {
    let stage = Stage::with(OPEN).await;
    let app = &stage.app;
    let team = Team::invite(app).await;
    stage
        .script
        .then([Act::Say("secret plans"), Act::Wait, Act::Finish]);
    let mut heard = stage.say("What are our plans?").await;
    heard.until("text").await;
    for (name, somebody) in team.all() {
        if name == "owner" {
            continue;
        }
        for path in ["send", "resume", "stop"] {
            let ask = async |id: &str| {
                let body = json!({ "id": id, "message": "hello" });
                let refused = somebody.post(&format!("/agent-chats/{path}"), &body).await;
                assert_eq!(refused.status, 404, "{name} {path}: {}", refused.text);
                refused.text.replace(id, "ID")
            };
            assert_eq!(
                ask(&stage.chat).await,
                ask("unknown").await,
                "{name} {path}"
            );
        }
    }
    let others = app.key_with(&[Scope::ReadData, Scope::ManageConfig]).await;
    for (path, key, status) in [
        ("send", others.as_str(), 403),
        ("resume", &others, 403),
        ("send", "", 401),
        ("resume", "", 401),
    ] {
        let body = json!({ "id": stage.chat, "message": "hello" });
        let request = app.http.post(format!("{}/agent-chats/{path}", app.base));
        let request = if key.is_empty() {
            request
        } else {
            request.header("x-api-key", key)
        };
        let refused = Answer::send(request.json(&body)).await;
        assert_eq!(refused.status, status, "{path}: {}", refused.text);
    }
    stage.script.go_on();
    assert_eq!(end(&heard.rest().await), "complete");
    assert_eq!(
        stage.script.requests().len(),
        1,
        "the model was asked by nobody else"
    );
    // The owner at a browser is the same person as the key's maker.
    let owner = call_ok(app, &app.key, "get", json!({ "id": stage.chat })).await;
    let same = team
        .owner
        .post("/agent-chats/get", &json!({ "id": stage.chat }))
        .await;
    assert_eq!(same.body, owner);
    stage.app.finish().await;
}
