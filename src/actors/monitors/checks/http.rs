//! HTTP, and the requests of the protocols that begin with it.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use hyper::{
    Method as HttpMethod, StatusCode,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};
use url::Url;

use super::{
    super::{Auth, CheckResult, Expectations, Method, RequestFields, expect, health},
    Probe,
};
use crate::egress::{Ask, Bounds, Class, Failure};

/// Bytes of a body that are read, and bytes that are examined.
const MAX_BODY: u64 = 10 << 20;
const MAX_TEXT: usize = 1 << 20;
/// Bytes of a health answer that are examined.
const MAX_HEALTH: usize = 256 << 10;
const MAX_REDIRECTS: u32 = 10;
/// Some websites answer browsers only.
const USER_AGENT: &str =
    "Mozilla/5.0 (compatible; Pharos-Monitor/1.0; +https://pharos.dev/monitors)";

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let wants_text = expect::wants_text(probe.expect);
    let config = probe.monitor.fields.json_parsing_config;
    let wants_health = config.is_none_or(|config| config.enabled);
    let text = match (wants_text, wants_health) {
        (true, _) => MAX_TEXT,
        (false, true) => MAX_HEALTH,
        (false, false) => 0,
    };
    let ask = ask(probe, (text, wants_text), result.at_ms)?;
    let answer = probe.egress.ask(ask, &mut result.trace).await?;
    result.http_code = answer.status.as_u16();
    check_status(probe.expect, answer.status)?;
    if wants_health && answer.media.contains("json") {
        result.parts = health::parts(&answer.text);
    }
    probe.assert_text(&answer.text).await
}

fn ask(probe: &Probe<'_>, (text, whole): (usize, bool), now_ms: i64) -> Result<Ask, Failure> {
    let usual = RequestFields::default();
    let request = probe.request().unwrap_or(&usual);
    let mut url = Url::parse(&probe.monitor.url).map_err(|error| {
        Failure::new(Class::Other, format!("the target is no address: {error}"))
    })?;
    if probe.monitor.fields.cache_bust == Some(true) {
        url.query_pairs_mut()
            .append_pair("_cb", &now_ms.to_string());
    }
    let mut ask = build_request(request, url, probe.limit, whole)?;
    // Health answers are optional: one that is too large fails nothing.
    ask.bounds.text = text;
    Ok(ask)
}

/// A request with these settings. `wants_text` keeps its answer, which has to fit then.
pub(super) fn build_request(
    request: &RequestFields,
    url: Url,
    time: Duration,
    wants_text: bool,
) -> Result<Ask, Failure> {
    Ok(Ask {
        url,
        method: method(request.method),
        headers: headers(request)?,
        body: Bytes::from(request.body.clone().unwrap_or_default()),
        strict: request.verify_tls != Some(false),
        stay: request.follow_redirects == Some(false),
        bounds: Bounds {
            time,
            body: MAX_BODY,
            text: if wants_text { MAX_TEXT } else { 0 },
            whole: wants_text,
            redirects: MAX_REDIRECTS,
        },
    })
}

/// The request of a monitor whose request has no settings. Its whole text is kept, unless it is longer than what is examined.
pub(in crate::actors::monitors) fn plain_request(
    url: Url,
    strict: bool,
    time: Duration,
) -> Result<Ask, Failure> {
    let usual = RequestFields {
        verify_tls: Some(strict),
        ..RequestFields::default()
    };
    let mut ask = build_request(&usual, url, time, true)?;
    ask.bounds.whole = false;
    Ok(ask)
}

fn method(method: Option<Method>) -> HttpMethod {
    match method {
        None | Some(Method::Get) => HttpMethod::GET,
        Some(Method::Head) => HttpMethod::HEAD,
        Some(Method::Post) => HttpMethod::POST,
        Some(Method::Put) => HttpMethod::PUT,
        Some(Method::Patch) => HttpMethod::PATCH,
        Some(Method::Delete) => HttpMethod::DELETE,
        Some(Method::Options) => HttpMethod::OPTIONS,
    }
}

pub(super) fn headers(request: &RequestFields) -> Result<HeaderMap, Failure> {
    let wrong = || Failure::new(Class::Other, "a field of the request cannot be sent");
    let mut headers = HeaderMap::new();
    headers.insert(header::ACCEPT, HeaderValue::from_static("*/*"));
    headers.insert(
        header::ACCEPT_ENCODING,
        HeaderValue::from_static("gzip, deflate"),
    );
    headers.insert(header::USER_AGENT, HeaderValue::from_static(USER_AGENT));
    for (name, value) in request.headers.iter().flatten() {
        let name = HeaderName::try_from(name).map_err(|_| wrong())?;
        headers.insert(name, HeaderValue::try_from(value).map_err(|_| wrong())?);
    }
    let own = match &request.auth {
        Some(Auth::Basic { username, password }) => {
            let both = STANDARD.encode(format!("{username}:{password}"));
            Some(format!("Basic {both}"))
        }
        Some(Auth::Bearer { token }) => Some(format!("Bearer {token}")),
        None => None,
    };
    if let Some(own) = own {
        let mut value = HeaderValue::try_from(own).map_err(|_| wrong())?;
        value.set_sensitive(true);
        headers.insert(header::AUTHORIZATION, value);
    }
    Ok(headers)
}

/// Whether the status is accepted.
pub(in crate::actors::monitors) fn check_status(
    expect: &Expectations,
    status: StatusCode,
) -> Result<(), Failure> {
    if expect::status(expect, status.as_u16()) {
        return Ok(());
    }
    let reason = status.canonical_reason().unwrap_or("unexpected status");
    let message = format!("HTTP {}: {reason}", status.as_u16());
    Err(Failure::new(Class::Status, message))
}
