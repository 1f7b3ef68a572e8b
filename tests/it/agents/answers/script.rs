//! A model in a test's hands: a server on loopback that says what its script says, and keeps what it was asked.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinHandle,
};

/// What is done for one request, in order. At the end the connection is closed.
#[derive(Debug, Clone)]
pub enum Act {
    /// A status and no more.
    Status(u16),
    /// Sends text as it is.
    Raw(String),
    /// Says words.
    Say(&'static str),
    /// Wants a tool to be called.
    Call(&'static str, Value),
    /// Says that this is all.
    Finish,
    /// Waits until it is let go on.
    Wait,
    /// Says nothing any more, and keeps the connection.
    Hang,
}

/// The server.
pub struct Script {
    pub base: String,
    acts: Arc<Mutex<VecDeque<Vec<Act>>>>,
    asked: Arc<Mutex<Vec<Value>>>,
    gate: Arc<Semaphore>,
    server: JoinHandle<()>,
}

impl Drop for Script {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Script {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let acts: Arc<Mutex<VecDeque<Vec<Act>>>> = Arc::default();
        let asked: Arc<Mutex<Vec<Value>>> = Arc::default();
        let gate = Arc::new(Semaphore::new(0));
        let (script, heard, opened) = (Arc::clone(&acts), Arc::clone(&asked), Arc::clone(&gate));
        let server = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (script, heard, gate) =
                    (Arc::clone(&script), Arc::clone(&heard), Arc::clone(&opened));
                tokio::spawn(async move {
                    // A client that hangs up in the middle is no error.
                    let _ = serve(stream, &script, &heard, &gate).await;
                });
            }
        });
        Self {
            base,
            acts,
            asked,
            gate,
            server,
        }
    }

    /// Settings under which it is the model.
    pub fn settings(&self) -> String {
        format!(
            "agent.base_url = \"{}\"\nagent.model = \"scripted\"\nagent.api_key = \"a-secret\"\n",
            self.base
        )
    }

    /// What it does for the next request that has no script yet.
    pub fn then(&self, acts: impl IntoIterator<Item = Act>) -> &Self {
        self.acts
            .lock()
            .unwrap()
            .push_back(acts.into_iter().collect());
        self
    }

    /// Releases all waiting requests.
    pub fn go_on(&self) {
        self.gate.add_permits(1);
    }

    /// What it was asked, request by request: the body, with the head in `head`.
    pub fn requests(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }
}

async fn serve(
    mut stream: TcpStream,
    script: &Mutex<VecDeque<Vec<Act>>>,
    heard: &Mutex<Vec<Value>>,
    gate: &Semaphore,
) -> std::io::Result<()> {
    let body = request(&mut stream).await?;
    heard.lock().unwrap().push(body);
    let acts = script.lock().unwrap().pop_front();
    let acts = acts.unwrap_or_else(|| vec![Act::Status(418)]);
    if !matches!(acts[0], Act::Status(_) | Act::Raw(_)) {
        stream.write_all(HEAD.as_bytes()).await?;
    }
    let mut calls = 0;
    for act in acts {
        match act {
            Act::Status(status) => {
                let text = format!("HTTP/1.1 {status} No\r\ncontent-length: 6\r\n\r\nsecret");
                stream.write_all(text.as_bytes()).await?;
            }
            Act::Raw(text) => stream.write_all(text.as_bytes()).await?,
            Act::Say(text) => say(&mut stream, &json!({ "content": text })).await?,
            Act::Call(name, arguments) => {
                // In two pieces, as models do.
                let text = arguments.to_string();
                let (first, second) = text.split_at(text.len() / 2);
                let function = json!({ "name": name, "arguments": first });
                let first = json!([{ "index": calls, "id": "call", "type": "function", "function": function }]);
                say(&mut stream, &json!({ "tool_calls": first })).await?;
                let second = json!([{ "index": calls, "function": { "arguments": second } }]);
                say(&mut stream, &json!({ "tool_calls": second })).await?;
                calls += 1;
            }
            Act::Finish => {
                let end = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
                let text = format!("data: {end}\n\ndata: [DONE]\n\n");
                stream.write_all(text.as_bytes()).await?;
            }
            Act::Wait => gate.acquire().await.unwrap().forget(),
            Act::Hang => std::future::pending().await,
        }
    }
    stream.shutdown().await
}

/// The head of an answer that streams.
pub const HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

async fn say(stream: &mut TcpStream, delta: &Value) -> std::io::Result<()> {
    let chunk = json!({ "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] });
    let text = format!("data: {chunk}\n\n");
    stream.write_all(text.as_bytes()).await
}

async fn request(stream: &mut TcpStream) -> std::io::Result<Value> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8(head).unwrap();
    let length = head.lines().find_map(|line| {
        let line = line.to_ascii_lowercase();
        line.strip_prefix("content-length: ")?.parse::<usize>().ok()
    });
    let mut body = vec![0; length.unwrap()];
    stream.read_exact(&mut body).await?;
    let mut body: Value = serde_json::from_slice(&body).unwrap();
    body["head"] = json!(head);
    Ok(body)
}
