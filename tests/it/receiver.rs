//! A server that is sent messages.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use crate::app::until;

/// What a receiver says that has a message.
const CONFIRMED: &str = "204 No Content";

/// A request as it came in.
#[derive(Debug, Clone)]
pub struct Got {
    pub head: String,
    pub body: String,
}

impl Got {
    pub fn header(&self, name: &str) -> String {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map_or_else(String::new, |(_, value)| value.to_owned())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The verdict of the reference library on the signature. The clock is stopped, so the time is not checked.
    pub fn is_signed(&self, secret: &str) -> bool {
        let webhook = standardwebhooks::Webhook::new(secret).unwrap();
        let seconds: i64 = self.header("webhook-timestamp").parse().unwrap();
        let id = self.header("webhook-id");
        let signature = webhook.sign(&id, seconds, self.body.as_bytes()).unwrap();
        let all = self.header("webhook-signature");
        all.split(' ').any(|one| one == signature)
    }
}

/// A server with configured answers that keeps its requests.
pub struct Receiver {
    pub url: String,
    got: Arc<Mutex<Vec<Got>>>,
    answers: Arc<Mutex<VecDeque<String>>>,
    held: Arc<Mutex<Vec<TcpStream>>>,
    _task: JoinSet<()>,
}

impl Receiver {
    pub async fn start() -> Self {
        Self::saying(CONFIRMED).await
    }

    /// One that says this unless told otherwise: a status, and after an empty line a body.
    pub async fn saying(usual: &str) -> Self {
        let usual = usual.to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let got = Arc::new(Mutex::new(Vec::new()));
        let answers = Arc::new(Mutex::new(VecDeque::new()));
        let held = Arc::new(Mutex::new(Vec::new()));
        let (keeps, says, holds) = (Arc::clone(&got), Arc::clone(&answers), Arc::clone(&held));
        let mut task = JoinSet::new();
        task.spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let Some(one) = read(&mut stream).await else {
                    continue;
                };
                let answer = says
                    .lock()
                    .unwrap()
                    .pop_front()
                    .unwrap_or_else(|| usual.clone());
                if answer == "hang" {
                    holds.lock().unwrap().push(stream);
                    keeps.lock().unwrap().push(one);
                    continue;
                }
                keeps.lock().unwrap().push(one);
                say(&mut stream, &answer).await;
            }
        });
        Self {
            url,
            got,
            answers,
            held,
            _task: task,
        }
    }

    pub fn answer(&self, answers: &[&str]) {
        let answers = answers.iter().map(|answer| (*answer).to_owned());
        self.answers.lock().unwrap().extend(answers);
    }

    /// Confirms what it was sent and has said nothing to.
    pub async fn confirm(&self) {
        let held = std::mem::take(&mut *self.held.lock().unwrap());
        for mut stream in held {
            say(&mut stream, CONFIRMED).await;
        }
    }

    pub fn got(&self) -> Vec<Got> {
        self.got.lock().unwrap().clone()
    }

    pub async fn wait_for(&self, count: usize) -> Vec<Got> {
        until("the messages came", async || self.got().len() >= count).await;
        self.got()
    }
}

async fn say(stream: &mut TcpStream, answer: &str) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer, ""));
    let length = body.len();
    let text = format!("HTTP/1.1 {head}\r\ncontent-length: {length}\r\n\r\n{body}");
    // A killed process does not listen.
    let _ = stream.write_all(text.as_bytes()).await;
}

/// Reads a request.
pub async fn read(stream: &mut TcpStream) -> Option<Got> {
    let mut bytes = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let count = stream.read(&mut piece).await.ok()?;
        bytes.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let one = Got {
                head: head.to_owned(),
                body: body.to_owned(),
            };
            let length: usize = one.header("content-length").parse().unwrap_or(0);
            if body.len() >= length {
                return Some(one);
            }
        }
        if count == 0 {
            return None;
        }
    }
}
