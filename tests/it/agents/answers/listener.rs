//! A client of a stream: server-sent events, one after another.

use serde_json::Value;

use crate::app::{Answer, App};

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    pub id: usize,
    pub event: String,
    pub data: Value,
}

/// An answer that is being heard.
pub struct Listener {
    response: reqwest::Response,
    text: String,
}

/// Posts something that is answered with a stream.
pub fn request(
    http: &reqwest::Client,
    base: &str,
    key: &str,
    path: &str,
) -> reqwest::RequestBuilder {
    let request = http.post(format!("{base}/agent-chats/{path}"));
    request.header("x-api-key", key)
}

impl Listener {
    /// What a request is answered with, which has to be a stream.
    pub async fn open(request: reqwest::RequestBuilder) -> Self {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self {
            response,
            text: String::new(),
        }
    }

    /// The next event; nothing at the end.
    pub async fn next(&mut self) -> Option<Heard> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.text = rest;
                if event.starts_with(':') {
                    continue;
                }
                return Some(heard(&event));
            }
            let bytes = self.response.chunk().await.unwrap()?;
            self.text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }

    /// Events up to the first of a kind.
    pub async fn until(&mut self, kind: &str) -> Vec<Heard> {
        let mut all = Vec::new();
        loop {
            let next = self.next().await;
            let next = next.unwrap_or_else(|| panic!("no {kind}: {all:?}"));
            let is_last = next.event == kind;
            all.push(next);
            if is_last {
                return all;
            }
        }
    }

    /// All that is left.
    pub async fn rest(mut self) -> Vec<Heard> {
        let mut all = Vec::new();
        while let Some(next) = self.next().await {
            all.push(next);
        }
        all
    }
}

fn heard(event: &str) -> Heard {
    let field = |name: &str| {
        let found = event.lines().find_map(|line| line.strip_prefix(name));
        found.unwrap_or_else(|| panic!("{event}")).to_owned()
    };
    Heard {
        id: field("id: ").parse().unwrap(),
        event: field("event: "),
        data: serde_json::from_str(&field("data: ")).unwrap(),
    }
}

/// The words of events.
pub fn words(heard: &[Heard]) -> String {
    let texts = heard.iter().filter(|heard| heard.event == "text");
    texts
        .map(|heard| heard.data["text"].as_str().unwrap())
        .collect()
}

/// How an answer ended.
pub fn end(heard: &[Heard]) -> &Value {
    let last = heard.last().unwrap();
    assert_eq!(last.event, "end", "{heard:?}");
    &last.data["status"]
}

/// Calls a procedure of chats that has to work.
pub async fn call_ok(app: &App, key: &str, name: &str, body: Value) -> Value {
    let answer = Answer::send(request(&app.http, &app.base, key, name).json(&body)).await;
    assert_eq!(answer.status, 200, "{name} {body}: {}", answer.text);
    answer.body
}
