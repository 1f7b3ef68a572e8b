//! The name of a request: the client's if it is a sane one, else ours.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use actix_web::{
    HttpMessage,
    dev::ServiceRequest,
    http::header::{HeaderMap, HeaderValue},
};

/// Identifies one request in its answer and in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// The id as written in `X-Request-ID`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id that the edge left on the request; `unknown` where there is no edge.
    pub fn from_request(request: &impl HttpMessage) -> Self {
        request
            .extensions()
            .get()
            .cloned()
            .unwrap_or_else(Self::unknown)
    }

    /// Used where no edge has named the request.
    pub fn unknown() -> Self {
        Self("unknown".into())
    }

    /// The client's id, when it is safe to repeat: `[A-Za-z0-9_-]{1,64}`.
    fn parse(header: &HeaderValue) -> Option<Self> {
        let text = header.to_str().ok()?;
        let sane = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        ((1..=64).contains(&text.len()) && text.bytes().all(sane)).then(|| Self(text.into()))
    }

    #[cfg(test)]
    pub(in crate::http) fn from_static(text: &'static str) -> Self {
        Self(text.into())
    }
}

/// Makes request ids: a random start that no other process shares, and a count.
#[derive(Debug)]
pub struct RequestIds {
    prefix: u64,
    next: AtomicU64,
}

impl RequestIds {
    /// Starts counting.
    #[expect(
        clippy::new_without_default,
        reason = "a default would hide that every one differs"
    )]
    pub fn new() -> Self {
        let (prefix, _) = uuid::Uuid::new_v4().as_u64_pair();
        Self {
            prefix,
            next: AtomicU64::new(0),
        }
    }

    /// The client's id if it is sane, else the next of ours.
    pub(super) fn name(&self, request: &ServiceRequest) -> RequestId {
        self.read(request.headers())
    }

    /// The same, of a request's headers.
    pub fn read(&self, headers: &HeaderMap) -> RequestId {
        let given = headers.get("x-request-id").and_then(RequestId::parse);
        given.unwrap_or_else(|| {
            let count = self.next.fetch_add(1, Ordering::Relaxed);
            RequestId(format!("{:016x}-{count:x}", self.prefix).into())
        })
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn a_sane_id_is_kept_and_any_other_replaced() {
        let ids = RequestIds::new();
        let name = |value: &[u8]| {
            let value = HeaderValue::from_bytes(value).unwrap();
            ids.name(
                &TestRequest::get()
                    .insert_header(("x-request-id", value))
                    .to_srv_request(),
            )
        };
        assert_eq!(name(b"abc_DEF-123").as_str(), "abc_DEF-123");
        for bad in [
            &b""[..],
            b"a b",
            b"a\tb",
            b"a;b",
            "\u{e9}".as_bytes(),
            &[b'x'; 65],
        ] {
            let ours = name(bad);
            assert!(ours.as_str().len() >= 18 && ours.as_str() != String::from_utf8_lossy(bad));
        }
        assert_ne!(name(b""), name(b""));
    }
}
