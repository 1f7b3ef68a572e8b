//! WebSocket (RFC 6455): the upgrade, a message, and an answer that meets the assertions.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hyper::{
    StatusCode,
    header::{self, HeaderMap, HeaderValue},
};
use sha1::{Digest as _, Sha1};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    time::timeout_at,
};
use url::Url;

use super::{
    super::{CheckResult, Expectations, RequestFields, expect},
    Probe, http, plain_request, random_bytes, wire,
};
use crate::egress::{Ask, Class, Failure, Trace, Upgrade, UpgradedStream};

/// What RFC 6455 appends to the key.
const SUFFIX: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// Bytes of a message, and messages that are read until one meets the assertions.
const MAX_MESSAGE: usize = 1 << 20;
const MAX_MESSAGES: usize = 100;
/// Frames of a message, with the pings in between.
const MAX_FRAMES: usize = 1_000;

const CONTINUATION: u8 = 0;
const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let usual = RequestFields::default();
    let request = probe.request().unwrap_or(&usual);
    let key = STANDARD.encode(random_bytes::<16>()?);
    let ask = ask(probe, request, &key)?;
    let upgrade = probe
        .egress
        .upgrade(&ask, probe.deadline, &mut result.trace);
    let upgrade = upgrade.await?;
    result.http_code = upgrade.status.as_u16();
    let stream = accept(upgrade, &key)?;
    let mut connection = Connection {
        stream,
        buffer: Vec::new(),
        trace: &mut result.trace,
    };
    let mut unmet = None;
    let talking = connection.talk(request.body.as_deref(), probe.expect, &mut unmet);
    let talked = timeout_at(probe.deadline, talking).await;
    talked.unwrap_or_else(|_| {
        let late = || Failure::new(Class::TransferTimeout, "no message came in time");
        Err(unmet.unwrap_or_else(late))
    })
}

fn ask(probe: &Probe<'_>, request: &RequestFields, key: &str) -> Result<Ask, Failure> {
    // The client speaks HTTP until the upgrade: `ws` is `http`, and `wss` is `https`.
    let url = format!("http{}", probe.monitor.url.trim_start_matches("ws"));
    let url = Url::parse(&url).map_err(|_| Failure::new(Class::Other, "the target is no URL"))?;
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
    let mut ask = plain_request(url, probe.verifies(), probe.limit)?;
    ask.headers = headers;
    Ok(ask)
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
    let mut connection = Connection {
        stream,
        buffer: Vec::new(),
        trace: &mut Trace::begin(),
    };
    connection.talk(Some("hi"), expect, &mut None).await
}

struct Connection<'t, S> {
    stream: S,
    /// Bytes that no frame was made of yet.
    buffer: Vec<u8>,
    trace: &'t mut Trace,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<'_, S> {
    /// Sends a message, and waits for one that meets the assertions if there are any. `unmet` is why the last one did not.
    async fn talk(
        &mut self,
        message: Option<&str>,
        expect: &Expectations,
        unmet: &mut Option<Failure>,
    ) -> Result<(), Failure> {
        if let Some(message) = message {
            self.send(TEXT, message.as_bytes()).await?;
        }
        if !expect::wants_text(expect) {
            return self.close().await;
        }
        for _ in 0..MAX_MESSAGES {
            let Some(message) = self.receive().await? else {
                let closed = || Failure::new(Class::Closed, "the server closed the connection");
                return Err(unmet.take().unwrap_or_else(closed));
            };
            match expect::text(expect, &message) {
                Ok(()) => return self.close().await,
                Err(failure) => *unmet = Some(failure),
            }
        }
        let many = || Failure::new(Class::Assertion, "no message met the assertions");
        Err(unmet.take().unwrap_or_else(many))
    }

    /// Says goodbye. The server may be gone already, which fails nothing.
    async fn close(&mut self) -> Result<(), Failure> {
        let _ = self.send(CLOSE, &1_000_u16.to_be_bytes()).await;
        Ok(())
    }

    async fn send(&mut self, opcode: u8, payload: &[u8]) -> Result<(), Failure> {
        let frame = frame(opcode, payload, random_bytes()?);
        let lost = |_| Failure::new(Class::Reset, "the server closed the connection");
        self.stream.write_all(&frame).await.map_err(lost)?;
        self.stream.flush().await.map_err(lost)
    }

    /// The next message; nothing if the server closes the connection.
    async fn receive(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let mut message: Option<Vec<u8>> = None;
        for _ in 0..MAX_FRAMES {
            let Some(frame) = self.next().await? else {
                return Ok(None);
            };
            match (frame.opcode, &mut message) {
                (CLOSE, _) => return Ok(None),
                (PING, _) => self.send(PONG, &frame.payload).await?,
                (PONG, _) => {}
                (TEXT | BINARY, None) => message = Some(frame.payload),
                (CONTINUATION, Some(begun)) => begun.extend_from_slice(&frame.payload),
                _ => return broken("the server sends frames out of order"),
            }
            let length = message.as_ref().map_or(0, Vec::len);
            if length > MAX_MESSAGE {
                return too_large();
            }
            if frame.is_final && frame.opcode < CLOSE {
                return Ok(message);
            }
        }
        broken("the server sends too many frames")
    }

    async fn next(&mut self) -> Result<Option<Frame>, Failure> {
        loop {
            if let Some((frame, length)) = read_frame(&self.buffer)? {
                self.buffer.drain(..length);
                return Ok(Some(frame));
            }
            let mut chunk = [0; 4_096];
            let read = self.stream.read(&mut chunk).await;
            let lost = |_| Failure::new(Class::Reset, "the connection was cut");
            let length = read.map_err(lost)?;
            if length == 0 {
                return Ok(None);
            }
            self.trace.bytes += length as u64;
            let chunk = chunk.get(..length).unwrap_or_default();
            self.buffer.extend_from_slice(chunk);
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Frame {
    is_final: bool,
    opcode: u8,
    payload: Vec<u8>,
}

/// The frame at the beginning of these bytes, and how many bytes it has; nothing if there are more to come.
fn read_frame(bytes: &[u8]) -> Result<Option<(Frame, usize)>, Failure> {
    let [first, second, rest @ ..] = bytes else {
        return Ok(None);
    };
    let (is_final, opcode) = (first & 0x80 != 0, first & 0x0f);
    let is_known = matches!(opcode, CONTINUATION | TEXT | BINARY | CLOSE | PING | PONG);
    if first & 0x70 != 0 || second & 0x80 != 0 || !is_known {
        return broken("the server sends frames that aren't WebSocket");
    }
    let short = usize::from(second & 0x7f);
    let (length, begin) = match short {
        126 => (
            rest.first_chunk()
                .map(|two| u16::from_be_bytes(*two).into()),
            4,
        ),
        127 => (
            rest.first_chunk().map(|eight| u64::from_be_bytes(*eight)),
            10,
        ),
        short => (Some(short as u64), 2),
    };
    let Some(length) = length else {
        return Ok(None);
    };
    if opcode >= CLOSE && (short > 125 || !is_final) {
        return broken("the server sends a control frame that is too long");
    }
    if length > MAX_MESSAGE as u64 {
        return too_large();
    }
    let end = begin + length as usize;
    let Some(payload) = bytes.get(begin..end) else {
        return Ok(None);
    };
    let frame = Frame {
        is_final,
        opcode,
        payload: payload.to_vec(),
    };
    Ok(Some((frame, end)))
}

/// A whole frame of a client, which is always masked.
fn frame(opcode: u8, payload: &[u8], mask: [u8; 4]) -> Vec<u8> {
    let mut frame = vec![0x80 | opcode];
    match payload.len() {
        length @ 0..126 => frame.push(0x80 | length as u8),
        length @ 126..=0xffff => {
            frame.push(0x80 | 0x7e);
            frame.extend_from_slice(&(length as u16).to_be_bytes());
        }
        length => {
            frame.push(0x80 | 0x7f);
            frame.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    frame.extend_from_slice(&mask);
    let masked = payload.iter().zip(mask.iter().cycle());
    frame.extend(masked.map(|(byte, mask)| byte ^ mask));
    frame
}

fn broken<T>(message: &str) -> Result<T, Failure> {
    Err(Failure::new(Class::Protocol, message))
}

fn too_large<T>() -> Result<T, Failure> {
    let message = format!("a message has more than {MAX_MESSAGE} bytes");
    Err(Failure::new(Class::BodyTooLarge, message))
}

#[cfg(test)]
mod tests;
