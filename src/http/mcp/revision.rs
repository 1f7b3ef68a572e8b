//! The revisions of the protocol, and what each asks of a request.
//!
//! Until 2025-11-25 a client says hello (`initialize`) and names the agreed revision in a header from then on; we keep nothing of
//! it. From 2026-07-28 on there is no hello: every request says its revision in a header and in `_meta`, and its method and the
//! name in it in headers, for proxies.

use actix_web::http::{StatusCode, header::HeaderMap};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::message::{Message, Request, RpcError};

/// What we speak, oldest first.
pub(super) const SUPPORTED: [&str; 4] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
/// What `initialize` with an unknown revision is answered with.
const USUAL: &str = "2025-11-25";

const VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";
/// What every request of the last revision carries in `_meta`.
const METADATA: [&str; 3] = [
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/clientCapabilities",
];
/// How long lists may be kept, in milliseconds: what a caller sees changes with its rights.
const KEPT: u64 = 60_000;

/// How a request is to be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Revision {
    /// There was a hello.
    WithHello,
    /// Every request is complete by itself.
    ByRequest,
}

/// The revision of a message, if it is what its headers say.
pub(super) fn negotiate(headers: &HeaderMap, message: &Message) -> Result<Revision, RpcError> {
    let header = text(headers, VERSION)?;
    let Message::Request(asked) = message else {
        if let (Some(version), Some(method)) = (header, message.method()) {
            check_version(version)?;
            if version == SUPPORTED[3] {
                standard(headers, method, None)?;
            }
        }
        return Ok(Revision::WithHello);
    };
    if asked.method == "initialize" {
        hello(headers, header, asked)?;
        return Ok(Revision::WithHello);
    }
    let meta = asked.params.get("_meta");
    let said = meta.and_then(|meta| meta.get(METADATA[0])?.as_str());
    match (header, said) {
        (Some(header), Some(said)) if header != said => {
            let why = format!("the header says `{header}` and `_meta` says `{said}`");
            return Err(RpcError::headers(why));
        }
        (None, Some(said)) => {
            let why = format!("`_meta` says `{said}` and there is no header MCP-Protocol-Version");
            return Err(RpcError::headers(why));
        }
        _ => {}
    }
    if let Some(version) = header {
        check_version(version)?;
    }
    if header != Some(SUPPORTED[3]) && asked.method != "server/discover" {
        return Ok(Revision::WithHello);
    }
    let lacks = |name: &&str| meta.is_none_or(|meta| meta.get(*name).is_none());
    let missing: Vec<&str> = METADATA.into_iter().filter(lacks).collect();
    if !missing.is_empty() {
        let why = format!("`_meta` of the request lacks {}", missing.join(", "));
        return Err(RpcError::metadata(why));
    }
    let name = match asked.method.as_str() {
        "tools/call" | "prompts/get" => asked.text("name"),
        "resources/read" => asked.text("uri"),
        _ => None,
    };
    standard(headers, &asked.method, name)?;
    Ok(Revision::ByRequest)
}

/// Whether a client may send several messages at once: only those of the first revision, which may also say nothing.
pub(super) fn takes_batches(headers: &HeaderMap) -> bool {
    headers
        .get(VERSION)
        .is_none_or(|version| version == SUPPORTED[0])
}

/// Which revision a hello is answered with.
pub(super) fn agreed(requested: &str) -> &'static str {
    let with_hello = SUPPORTED[..3].iter();
    with_hello
        .copied()
        .find(|version| *version == requested)
        .unwrap_or(USUAL)
}

fn check_version(version: &str) -> Result<(), RpcError> {
    if SUPPORTED.contains(&version) {
        return Ok(());
    }
    Err(RpcError::version(version, &SUPPORTED))
}

/// A hello may come with headers, but not with others than its body says.
fn hello(headers: &HeaderMap, header: Option<&str>, asked: &Request) -> Result<(), RpcError> {
    let said = asked.text("protocolVersion").unwrap_or_default();
    if header.is_some_and(|header| header != said) {
        let why = "the header MCP-Protocol-Version is not the `protocolVersion` of the request";
        return Err(RpcError::request(why));
    }
    if text(headers, METHOD)?.is_some_and(|method| method != asked.method) {
        return Err(RpcError::headers(
            "the header Mcp-Method is not the method of the request",
        ));
    }
    Ok(())
}

/// The headers that repeat the body.
fn standard(headers: &HeaderMap, method: &str, name: Option<&str>) -> Result<(), RpcError> {
    match text(headers, METHOD)? {
        None => return Err(RpcError::headers("the header Mcp-Method is required")),
        Some(said) if said != method => {
            let why = format!("the header Mcp-Method says `{said}` and the body says `{method}`");
            return Err(RpcError::headers(why));
        }
        Some(_) => {}
    }
    let Some(name) = name else {
        return Ok(());
    };
    match text(headers, NAME)?.map(decoded) {
        None => Err(RpcError::headers("the header Mcp-Name is required")),
        Some(said) if said.as_deref() != Some(name) => Err(RpcError::headers(
            "the header Mcp-Name is not the name in the body",
        )),
        Some(_) => Ok(()),
    }
}

/// A header that is there at most once, and text.
fn text<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, RpcError> {
    let mut all = headers.get_all(name);
    let Some(first) = all.next() else {
        return Ok(None);
    };
    let one = first.to_str().ok().filter(|_| all.next().is_none());
    one.map(Some)
        .ok_or_else(|| RpcError::headers(format!("the header {name} is not one text")))
}

/// A value that may be wrapped because a header cannot carry it.
fn decoded(value: &str) -> Option<String> {
    let wrapped = value
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="));
    match wrapped {
        None => Some(value.to_owned()),
        Some(inner) => String::from_utf8(STANDARD.decode(inner).ok()?).ok(),
    }
}

impl Revision {
    /// The status of an unknown method.
    pub(super) const fn unknown_method(self) -> StatusCode {
        match self {
            Self::WithHello => StatusCode::OK,
            Self::ByRequest => StatusCode::NOT_FOUND,
        }
    }

    /// A result with what the revision wants beside it.
    pub(super) fn finished(self, method: &str, mut result: Value) -> Value {
        if self == Self::WithHello {
            return result;
        }
        result["resultType"] = json!("complete");
        result["_meta"]["io.modelcontextprotocol/serverInfo"] = server();
        let is_kept = matches!(
            method,
            "tools/list"
                | "prompts/list"
                | "resources/list"
                | "resources/templates/list"
                | "resources/read"
                | "server/discover"
        );
        if is_kept {
            result["ttlMs"] = json!(KEPT);
            result["cacheScope"] = json!("private");
        }
        result
    }
}

/// Who we are.
pub(super) fn server() -> Value {
    json!({ "name": "pharos", "title": "pharos", "version": env!("CARGO_PKG_VERSION") })
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::{super::message, *};

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            let value = HeaderValue::from_str(value).unwrap();
            headers.append(HeaderName::from_static(name), value);
        }
        headers
    }

    fn build_request(method: &str, mut params: Value, version: Option<&str>) -> Message {
        if let Some(version) = version {
            params["_meta"] = json!({ METADATA[0]: version, METADATA[1]: {}, METADATA[2]: {} });
        }
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        message::read(body).unwrap()
    }

    fn status(headers: &HeaderMap, message: &Message) -> Result<Revision, i64> {
        negotiate(headers, message).map_err(|refusal| {
            refusal.body(&Value::Null)["error"]["code"]
                .as_i64()
                .unwrap()
        })
    }

    #[test]
    fn older_revisions_need_a_known_version_or_none() {
        let list = build_request("tools/list", json!({}), None);
        for version in &SUPPORTED[..3] {
            let headers = headers(&[("mcp-protocol-version", version)]);
            assert_eq!(status(&headers, &list), Ok(Revision::WithHello));
        }
        assert_eq!(status(&headers(&[]), &list), Ok(Revision::WithHello));
        for version in ["2024-11-05", "2025-07-01", "", "nonsense"] {
            let headers = headers(&[("mcp-protocol-version", version)]);
            assert_eq!(status(&headers, &list), Err(-32_022), "{version}");
        }
    }

    #[test]
    fn the_last_revision_wants_its_headers_to_be_its_body() {
        let last = SUPPORTED[3];
        let call = build_request("tools/call", json!({ "name": "list_flags" }), Some(last));
        let version = ("mcp-protocol-version", last);
        let method = ("mcp-method", "tools/call");
        let name = ("mcp-name", "list_flags");
        for (pairs, expected) in [
            (&[version, method, name][..], Ok(Revision::ByRequest)),
            (
                &[version, method, ("mcp-name", "=?base64?bGlzdF9mbGFncw==?=")],
                Ok(Revision::ByRequest),
            ),
            (&[version, method], Err(-32_020)),
            (&[version, name], Err(-32_020)),
            (&[method, name], Err(-32_020)),
            (&[version, ("mcp-method", "tools/list"), name], Err(-32_020)),
            (
                &[version, method, ("mcp-name", "create_flag")],
                Err(-32_020),
            ),
            (&[version, method, name, name], Err(-32_020)),
            (
                &[("mcp-protocol-version", "2025-11-25"), method, name],
                Err(-32_020),
            ),
        ] {
            assert_eq!(status(&headers(pairs), &call), expected, "{pairs:?}");
        }
        let bare = build_request("tools/list", json!({}), None);
        let pairs = [version, ("mcp-method", "tools/list")];
        assert_eq!(status(&headers(&pairs), &bare), Err(-32_602));
        let later = build_request("tools/list", json!({}), Some("2027-01-01"));
        let pairs = [
            ("mcp-protocol-version", "2027-01-01"),
            ("mcp-method", "tools/list"),
        ];
        assert_eq!(status(&headers(&pairs), &later), Err(-32_022));
    }

    #[test]
    fn a_hello_is_answered_with_a_revision_that_has_one() {
        for (requested, answered) in [
            ("2025-03-26", "2025-03-26"),
            ("2025-06-18", "2025-06-18"),
            ("2025-11-25", "2025-11-25"),
            ("2026-07-28", "2025-11-25"),
            ("1999-01-01", "2025-11-25"),
        ] {
            assert_eq!(agreed(requested), answered);
            let hello = build_request("initialize", json!({ "protocolVersion": requested }), None);
            let same = headers(&[("mcp-protocol-version", requested)]);
            assert_eq!(status(&same, &hello), Ok(Revision::WithHello));
            let other = headers(&[("mcp-protocol-version", "2025-01-01")]);
            assert_eq!(status(&other, &hello), Err(-32_600));
        }
    }

    #[test]
    fn only_the_first_revision_has_batches() {
        assert!(takes_batches(&headers(&[])));
        for (version, takes) in [
            (SUPPORTED[0], true),
            (SUPPORTED[1], false),
            (SUPPORTED[3], false),
        ] {
            assert_eq!(
                takes_batches(&headers(&[("mcp-protocol-version", version)])),
                takes
            );
        }
    }
}
