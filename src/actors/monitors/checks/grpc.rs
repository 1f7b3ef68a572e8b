//! gRPC health checks (`grpc.health.v1.Health/Check`): whether a service says that it is serving.

use bytes::Bytes;
use hyper::{
    Method, StatusCode,
    header::{self, HeaderMap, HeaderValue},
};
use url::Url;

use super::{
    super::{CheckResult, Expectations, RequestFields},
    Probe, check_status, http, no_host, place, plain_request,
};
use crate::egress::{Ask, Class, Failure, Http2Answer};

const PATH: &str = "/grpc.health.v1.Health/Check";
/// Bytes of an answer. A health answer has seven.
const MAX_BODY: u64 = 64 << 10;
/// Bytes before a message: whether it is compressed, and its length.
const PREFIX: usize = 5;
const SERVING: u64 = 1;
const UNAUTHENTICATED: usize = 16;

/// The names of statuses by their numbers.
const STATUSES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let ask = ask(probe)?;
    let answer = probe.egress.ask_http2(&ask, &mut result.trace).await?;
    result.http_code = answer.status.as_u16();
    judge(&answer)
}

fn ask(probe: &Probe<'_>) -> Result<Ask, Failure> {
    let usual = RequestFields::default();
    let request = probe.request().unwrap_or(&usual);
    let mut headers = http::headers(request)?;
    headers.remove(header::ACCEPT);
    headers.remove(header::ACCEPT_ENCODING);
    let media = HeaderValue::from_static("application/grpc");
    headers.insert(header::CONTENT_TYPE, media);
    headers.insert(header::TE, HeaderValue::from_static("trailers"));
    let mut ask = plain_request(url(probe)?, probe.verifies(), probe.limit)?;
    ask.method = Method::POST;
    ask.headers = headers;
    ask.body = Bytes::from(question(&probe.segment().unwrap_or_default()));
    ask.bounds.body = MAX_BODY;
    Ok(ask)
}

/// The URL of the question, with the port of the target.
fn url(probe: &Probe<'_>) -> Result<Url, Failure> {
    let target = probe.target()?;
    let (host, port) = place(&target)?;
    let scheme = if probe.starts_with_tls() {
        "https"
    } else {
        "http"
    };
    Url::parse(&format!("{scheme}://{host}:{port}{PATH}")).map_err(|_| no_host())
}

/// The message with the name of a service in its first field; empty for all of the server.
fn question(service: &str) -> Vec<u8> {
    let mut message = Vec::new();
    if !service.is_empty() {
        message.push(0x0a);
        let mut length = service.len();
        while length > 0x7f {
            message.push(0x80 | (length & 0x7f) as u8);
            length >>= 7;
        }
        message.push(length as u8);
        message.extend_from_slice(service.as_bytes());
    }
    let mut framed = vec![0];
    framed.extend_from_slice(&(message.len() as u32).to_be_bytes());
    framed.extend_from_slice(&message);
    framed
}

pub(super) fn judge(answer: &Http2Answer) -> Result<(), Failure> {
    if answer.status != StatusCode::OK {
        return check_status(&Expectations::default(), answer.status);
    }
    // Without a message the status is among the headers.
    let status = grpc_status(&answer.trailers).or_else(|| grpc_status(&answer.headers));
    let Some(status) = status else {
        let message = "the answer is no gRPC: it has no `grpc-status`";
        return Err(Failure::new(Class::Protocol, message));
    };
    if status != 0 {
        let name = STATUSES.get(status).unwrap_or(&"unknown");
        let message = format!("gRPC status {status}: {name}");
        let class = match status {
            UNAUTHENTICATED => Class::Credentials,
            _ => Class::Status,
        };
        return Err(Failure::new(class, message));
    }
    match read(&answer.body) {
        Some(SERVING) => Ok(()),
        Some(state) => {
            let name = match state {
                2 => "NOT_SERVING",
                3 => "SERVICE_UNKNOWN",
                _ => "UNKNOWN",
            };
            let message = format!("the service says {name}");
            Err(Failure::new(Class::Status, message))
        }
        None => Err(Failure::new(
            Class::Protocol,
            "the answer is no health answer of gRPC",
        )),
    }
}

fn grpc_status(headers: &HeaderMap) -> Option<usize> {
    headers.get("grpc-status")?.to_str().ok()?.parse().ok()
}

/// The state in an answer: its first field, 0 without one.
fn read(body: &[u8]) -> Option<u64> {
    let (prefix, mut message) = body.split_at_checked(PREFIX)?;
    let length = u32::from_be_bytes(*prefix.last_chunk()?);
    if prefix[0] != 0 || message.len() as u64 != u64::from(length) {
        return None;
    }
    let mut state = 0;
    while !message.is_empty() {
        let key = take_number(&mut message)?;
        match (key >> 3, key & 0b111) {
            (1, 0) => state = take_number(&mut message)?,
            (_, 0) => {
                take_number(&mut message)?;
            }
            (_, 1) => message = message.get(8..)?,
            (_, 2) => {
                let length = usize::try_from(take_number(&mut message)?).ok()?;
                message = message.get(length..)?;
            }
            (_, 5) => message = message.get(4..)?,
            _ => return None,
        }
    }
    Some(state)
}

/// Takes a number of seven bits a byte.
fn take_number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: &str, body: &[u8]) -> Http2Answer {
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", HeaderValue::try_from(status).unwrap());
        Http2Answer {
            status: StatusCode::OK,
            headers: HeaderMap::new(),
            body: body.to_vec(),
            trailers,
        }
    }

    #[test]
    fn a_question_names_its_service() {
        assert_eq!(question(""), [0, 0, 0, 0, 0]);
        assert_eq!(question("db"), b"\0\0\0\0\x04\x0a\x02db");
        let long = question(&"a".repeat(200));
        assert_eq!(long[..8], [0, 0, 0, 0, 203, 0x0a, 0xc8, 1]);
    }

    #[test]
    fn only_a_service_that_serves_is_up() {
        assert_eq!(judge(&answer("0", b"\0\0\0\0\x02\x08\x01")), Ok(()));
        // A field that is unknown here comes first.
        let more = b"\0\0\0\0\x06\x12\x02hi\x08\x01";
        assert_eq!(judge(&answer("0", more)), Ok(()));
        for (status, body, said) in [
            ("0", &b"\0\0\0\0\x02\x08\x02"[..], "NOT_SERVING"),
            ("0", b"\0\0\0\0\0", "UNKNOWN"),
            ("5", b"", "gRPC status 5: NOT_FOUND"),
            ("99", b"", "gRPC status 99: unknown"),
        ] {
            let failure = judge(&answer(status, body)).unwrap_err();
            assert_eq!(failure.class, Class::Status);
            assert!(failure.message.contains(said), "{failure}");
        }
        let failure = judge(&answer("16", b"")).unwrap_err();
        assert_eq!(failure.class, Class::Credentials);
        assert!(failure.message.contains("UNAUTHENTICATED"), "{failure}");
    }

    #[test]
    fn answers_that_are_no_grpc_are_told_apart() {
        for body in [
            &b""[..],
            b"\0\0\0\0",
            b"\x01\0\0\0\x02\x08\x01",
            b"\0\0\0\0\x03\x08\x01",
            b"\0\xff\xff\xff\xff\x08\x01",
            b"\0\0\0\0\x02\x12\x7f",
            b"\0\0\0\0\x0c\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
            b"\0\0\0\0\x01\x0b",
        ] {
            let failure = judge(&answer("0", body)).unwrap_err();
            assert_eq!(failure.class, Class::Protocol, "{body:?}");
        }
        let mut bare = answer("0", b"");
        bare.trailers.clear();
        assert_eq!(judge(&bare).unwrap_err().class, Class::Protocol);
        bare.status = StatusCode::BAD_GATEWAY;
        assert_eq!(judge(&bare).unwrap_err().class, Class::Status);
    }
}
