//! Answers in chats, by a scripted model: what is streamed, what is stored, and what is left when something breaks.

mod ends;
mod listener;
mod rights;
pub mod script;
mod talk;

use serde_json::{Value, json};

use self::{
    listener::{Listener, call_ok, request},
    script::{Act, Script},
};
use crate::app::App;

/// A program with a scripted model, and a chat of the founder.
struct Stage {
    app: App,
    script: Script,
    chat: String,
}

impl Stage {
    async fn set() -> Self {
        Self::with("").await
    }

    async fn with(toml: &str) -> Self {
        let script = Script::start().await;
        let app = App::with(&format!("{}{toml}", script.settings())).await;
        let body = json!({ "websiteId": app.website, "title": "talk" });
        let chat = call_ok(&app, &app.key, "create", body).await;
        let chat = chat["id"].as_str().unwrap().to_owned();
        Self { app, script, chat }
    }

    /// Says something and listens.
    async fn say(&self, message: &str) -> Listener {
        let body = json!({ "id": self.chat, "message": message });
        let app = &self.app;
        Listener::open(request(&app.http, &app.base, &app.key, "send").json(&body)).await
    }

    /// What the chat is by now.
    async fn stored(&self) -> Value {
        let id = json!({ "id": self.chat });
        call_ok(&self.app, &self.app.key, "get", id).await
    }

    /// Its messages, each as role, status and words.
    async fn spoken(&self) -> Vec<(String, String, String)> {
        let stored = self.stored().await;
        assert_eq!(stored["activeStreamId"], Value::Null, "{stored}");
        spoken(&stored)
    }
}

fn spoken(chat: &Value) -> Vec<(String, String, String)> {
    let messages = chat["messages"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let words = |message: &Value| {
        let parts = message["parts"].as_array().unwrap().iter();
        let texts = parts.filter_map(|part| part["text"].as_str());
        texts.collect::<String>()
    };
    messages
        .iter()
        .map(|message| {
            (
                text(&message["role"]),
                text(&message["status"]),
                words(message),
            )
        })
        .collect()
}

fn line(role: &str, status: &str, words: &str) -> (String, String, String) {
    (role.to_owned(), status.to_owned(), words.to_owned())
}

/// Says all of it and is done.
fn saying(text: &'static str) -> [Act; 2] {
    [Act::Say(text), Act::Finish]
}
