//! The DevTools protocol of Chromium: calls with their answers, and events in between.

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{Instant, timeout_at},
};

use super::{super::websocket::Connection, page::Page};
use crate::egress::{Class, Failure};

/// Bytes of a message. The text of a page is the longest.
pub(super) const MAX_MESSAGE: usize = 8 << 20;
/// Messages of a page, and bytes of all of them.
const MAX_MESSAGES: usize = 50_000;
const MAX_BYTES: u64 = 64 << 20;

/// A connection to a browser.
pub(super) struct Devtools<'t, S> {
    connection: Connection<'t, S>,
    /// The session of the page, once there is one.
    session: Option<String>,
    calls: u64,
    messages: usize,
}

/// An answer, or an event.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message {
    /// The number of the call that it answers.
    id: Option<u64>,
    method: String,
    params: Value,
    result: Value,
    error: Value,
}

impl<'t, S: AsyncRead + AsyncWrite + Unpin> Devtools<'t, S> {
    pub(super) fn new(connection: Connection<'t, S>) -> Self {
        Self {
            connection,
            session: None,
            calls: 0,
            messages: 0,
        }
    }

    /// Further calls are about the page that this session is of.
    pub(super) fn set_session(&mut self, session: String) {
        self.session = Some(session);
    }

    /// Calls a method, and waits for its answer.
    pub(super) async fn call(
        &mut self,
        method: &str,
        params: Value,
        page: &mut Page,
    ) -> Result<Value, Failure> {
        let answer = self.ask(method, params, page).await?;
        answer.ok_or_else(|| {
            let message = format!("the browser refuses `{method}`");
            Failure::new(Class::Protocol, message)
        })
    }

    /// The same; nothing if the browser refuses.
    pub(super) async fn ask(
        &mut self,
        method: &str,
        params: Value,
        page: &mut Page,
    ) -> Result<Option<Value>, Failure> {
        let id = self.send(method, &params).await?;
        loop {
            let bytes = self.connection.receive().await.map_err(lost)?;
            let message = self.read(bytes, page).await?;
            if message.id != Some(id) {
                continue;
            }
            let is_done = message.error.is_null();
            return Ok(is_done.then_some(message.result));
        }
    }

    /// Reads events until a condition holds, which is the answer, or until a moment.
    pub(super) async fn wait(
        &mut self,
        page: &mut Page,
        until: Instant,
        holds: impl Fn(&Page) -> bool,
    ) -> Result<bool, Failure> {
        while !holds(page) {
            let Ok(received) = timeout_at(until, self.connection.receive()).await else {
                return Ok(false);
            };
            self.read(received.map_err(lost)?, page).await?;
        }
        Ok(true)
    }

    pub(super) async fn close(&mut self) {
        self.connection.close().await;
    }

    async fn send(&mut self, method: &str, params: &Value) -> Result<u64, Failure> {
        self.calls += 1;
        let mut call = json!({ "id": self.calls, "method": method, "params": params });
        if let Some(session) = &self.session {
            call["sessionId"] = json!(session);
        }
        let sent = self.connection.send_text(&call.to_string()).await;
        sent.map_err(lost)?;
        Ok(self.calls)
    }

    /// Reads a message. The page takes note of events.
    async fn read(&mut self, bytes: Option<Vec<u8>>, page: &mut Page) -> Result<Message, Failure> {
        let closed = || Failure::new(Class::Other, "the browser closed the connection");
        let bytes = bytes.ok_or_else(closed)?;
        self.messages += 1;
        if self.messages > MAX_MESSAGES || self.connection.received() > MAX_BYTES {
            let message = "the page does more than what is followed";
            return Err(Failure::new(Class::BodyTooLarge, message));
        }
        let message: Message = serde_json::from_slice(&bytes).map_err(|_| broken())?;
        if message.id.is_some() {
            return Ok(message);
        }
        if page.note(&message.method, &message.params) {
            // A dialog stops the page until it is answered.
            self.send("Page.handleJavaScriptDialog", &json!({ "accept": false }))
                .await?;
        }
        match page.failure.clone() {
            Some(failure) => Err(failure),
            None => Ok(message),
        }
    }
}

/// That the browser has gone, which says nothing about the target.
fn lost(failure: Failure) -> Failure {
    match failure.class {
        Class::Reset => Failure::new(Class::Other, "the connection to the browser was cut"),
        _ => failure,
    }
}

pub(super) fn broken() -> Failure {
    Failure::new(Class::Protocol, "the browser's answer isn't DevTools")
}
