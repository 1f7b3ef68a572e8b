//! WebSocket (RFC 6455): the upgrade, a message, and an answer that meets the assertions.

mod connection;
mod frame;

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hyper::{
    StatusCode,
    header::{self, HeaderMap, HeaderValue},
};
use sha1::{Digest as _, Sha1};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{Instant, timeout_at},
};
use url::Url;

pub(super) use self::connection::Connection;
use self::frame::broken;
use super::{
    super::{CheckResult, Expectations, RequestFields},
    Probe, http, plain_request, random_bytes,
    text::{Text, Worker},
    wire,
};
use crate::{
    egress::{Class, Egress, Failure, Trace, Upgrade, UpgradedStream},
    ids::OrganizationId,
};

/// What RFC 6455 appends to the key.
const SUFFIX: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// Bytes of a message, and messages that are read until one meets the assertions.
const MAX_MESSAGE: usize = 1 << 20;
const MAX_MESSAGES: usize = 100;
/// How long a recording may take.
const REPLAY_TIME: Duration = Duration::from_secs(30);

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let usual = RequestFields::default();
    let request = probe.request().unwrap_or(&usual);
    let key = new_key()?;
    // The client speaks HTTP until the upgrade: `ws` is `http`, and `wss` is `https`.
    let url = format!("http{}", probe.monitor.url.trim_start_matches("ws"));
    let url = Url::parse(&url).map_err(|_| Failure::new(Class::Other, "the target is no URL"))?;
    let mut ask = plain_request(url, probe.verifies(), probe.limit)?;
    ask.headers = headers(request, &key)?;
    let upgrade = probe
        .egress
        .upgrade(&ask, probe.deadline, &mut result.trace);
    let upgrade = upgrade.await?;
    result.http_code = upgrade.status.as_u16();
    let stream = accept(upgrade, &key)?;
    let mut connection = Connection::new(stream, &mut result.trace, MAX_MESSAGE);
    let mut unmet = None;
    let message = request.body.as_deref();
    let text = probe.text();
    let talking = talk(&mut connection, message, &text, &mut unmet);
    let talked = timeout_at(probe.deadline, talking).await;
    talked.unwrap_or_else(|_| {
        let late = || Failure::new(Class::TransferTimeout, "no message came in time");
        Err(unmet.unwrap_or_else(late))
    })
}

/// A connection to the WebSocket at a URL, which begins with `http`.
pub(super) async fn connect(
    egress: &Egress,
    url: Url,
    deadline: Instant,
    trace: &mut Trace,
) -> Result<UpgradedStream, Failure> {
    let key = new_key()?;
    let time = deadline.saturating_duration_since(Instant::now());
    let mut ask = plain_request(url, true, time)?;
    ask.headers = headers(&RequestFields::default(), &key)?;
    accept(egress.upgrade(&ask, deadline, trace).await?, &key)
}

fn new_key() -> Result<String, Failure> {
    Ok(STANDARD.encode(random_bytes::<16>()?))
}

fn headers(request: &RequestFields, key: &str) -> Result<HeaderMap, Failure> {
    let mut headers = http::headers(request)?;
    headers.remove(header::ACCEPT_ENCODING);
    let wrong = |_| Failure::new(Class::Other, "the key can't be sent");
    for (name, value) in [
        (header::UPGRADE, HeaderValue::from_static("websocket")),
        (
            header::SEC_WEBSOCKET_VERSION,
            HeaderValue::from_static("13"),
        ),
        (
            header::SEC_WEBSOCKET_KEY,
            HeaderValue::try_from(key).map_err(wrong)?,
        ),
    ] {
        headers.insert(name, value);
    }
    Ok(headers)
}

/// The connection, if the server took the upgrade.
fn accept(upgrade: Upgrade, key: &str) -> Result<UpgradedStream, Failure> {
    let Some(stream) = upgrade.stream else {
        let status = upgrade.status;
        let reason = status.canonical_reason().unwrap_or("unexpected status");
        let wanted = StatusCode::SWITCHING_PROTOCOLS.as_u16();
        let message = format!("HTTP {}: {reason}, not {wanted}", status.as_u16());
        return Err(Failure::new(Class::Status, message));
    };
    check_key(&upgrade.headers, key)?;
    Ok(stream)
}

/// Whether the answer is one to this key.
fn check_key(headers: &HeaderMap, key: &str) -> Result<(), Failure> {
    let wanted = STANDARD.encode(Sha1::digest(format!("{key}{SUFFIX}")));
    let found = headers.get(header::SEC_WEBSOCKET_ACCEPT);
    if found.is_some_and(|found| found.as_bytes() == wanted.as_bytes()) {
        return Ok(());
    }
    broken("the server doesn't confirm the upgrade to WebSocket")
}

/// Talks to a server that sends these frames at once and then hangs up.
pub(super) async fn replay(bytes: &[u8], expect: &Expectations) -> Result<(), Failure> {
    let (stream, _server) = wire::recorded(bytes).await?;
    let mut trace = Trace::begin();
    let mut connection = Connection::new(stream, &mut trace, MAX_MESSAGE);
    let worker = Worker::new(OrganizationId::new(), Instant::now() + REPLAY_TIME);
    let text = Text::new(expect, &worker);
    talk(&mut connection, Some("hi"), &text, &mut None).await
}

/// Sends a message, and waits for one that meets the assertions if there are any. `unmet` is why the last one did not.
async fn talk<S: AsyncRead + AsyncWrite + Unpin>(
    connection: &mut Connection<'_, S>,
    message: Option<&str>,
    text: &Text,
    unmet: &mut Option<Failure>,
) -> Result<(), Failure> {
    if let Some(message) = message {
        connection.send_text(message).await?;
    }
    if !text.is_wanted() {
        connection.close().await;
        return Ok(());
    }
    for _ in 0..MAX_MESSAGES {
        let Some(message) = connection.receive().await? else {
            let closed = || Failure::new(Class::Closed, "the server closed the connection");
            return Err(unmet.take().unwrap_or_else(closed));
        };
        match text.check(&message).await {
            Ok(()) => {
                connection.close().await;
                return Ok(());
            }
            Err(failure) => *unmet = Some(failure),
        }
    }
    let many = || Failure::new(Class::Assertion, "no message met the assertions");
    Err(unmet.take().unwrap_or_else(many))
}

#[cfg(test)]
mod tests;
