//! What checks have in common, and the kinds that need no more. All traffic goes through [`Egress`].

use std::time::Duration;

use base64::Engine as _;
use bytes::Bytes;
use hyper::{
    Method as HttpMethod, StatusCode,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};
use tokio::time::Instant;
use url::Url;

use super::{
    Auth, CheckResult, Expectations, Kind, Method, Monitor, RequestFields, expect, health, target,
};
use crate::egress::{Ask, Bounds, Certificate, Class, Egress, Failure, Trace};

/// The default timeout, milliseconds.
pub(super) const TIMEOUT: u32 = 30_000;
const DAY_MS: i64 = 86_400_000;
/// Bytes of a body that are read, and bytes that are examined.
const MAX_BODY: u64 = 10 << 20;
const MAX_TEXT: usize = 1 << 20;
/// Bytes of a health answer that are examined.
const MAX_HEALTH: usize = 256 << 10;
const MAX_REDIRECTS: u32 = 10;
/// Some websites answer browsers only.
const USER_AGENT: &str =
    "Mozilla/5.0 (compatible; Pharos-Monitor/1.0; +https://pharos.dev/monitors)";

/// A check that runs.
pub(super) struct Probe<'p> {
    pub(super) egress: &'p Egress,
    pub(super) monitor: &'p Monitor,
    pub(super) expect: &'p Expectations,
    pub(super) limit: Duration,
    pub(super) deadline: Instant,
}

impl Probe<'_> {
    /// Connects, as the kinds without a protocol of their own do.
    pub(super) async fn connect(&self, result: &mut CheckResult) -> Result<(), Failure> {
        let (egress, deadline) = (self.egress, self.deadline);
        let url = self.authority()?;
        let (host, port) = place(&url)?;
        let trace = &mut result.trace;
        if self.monitor.kind == Kind::Ping {
            return egress.ping(host, deadline, trace).await;
        }
        let stream = egress.connect(host.clone(), port, deadline, trace).await?;
        if self.monitor.kind == Kind::Tls {
            egress
                .handshake(stream, host, true, deadline, trace)
                .await?;
        }
        Ok(())
    }

    /// The target as a URL, for its host, port and path.
    pub(super) fn authority(&self) -> Result<Url, Failure> {
        let url = target::parse_authority(&self.monitor.url);
        url.ok_or_else(|| Failure::new(Class::Other, "the target names no host"))
    }

    pub(super) async fn request(&self, result: &mut CheckResult) -> Result<(), Failure> {
        let wants_text = expect::wants_text(self.expect);
        let config = self.monitor.fields.json_parsing_config;
        let wants_health = config.is_none_or(|config| config.enabled);
        let text = match (wants_text, wants_health) {
            (true, _) => MAX_TEXT,
            (false, true) => MAX_HEALTH,
            (false, false) => 0,
        };
        let ask = self.ask((text, wants_text), result.at_ms)?;
        let answer = self.egress.ask(ask, &mut result.trace).await?;
        result.http_code = answer.status.as_u16();
        status(self.expect, answer.status)?;
        if wants_health && answer.media.contains("json") {
            result.parts = health::parts(&answer.text);
        }
        expect::text(self.expect, &answer.text)
    }

    fn ask(&self, (text, whole): (usize, bool), now_ms: i64) -> Result<Ask, Failure> {
        let usual = RequestFields::default();
        let fields = &self.monitor.fields;
        let request = fields.request.as_ref().unwrap_or(&usual);
        let mut url = Url::parse(&self.monitor.url).map_err(|error| {
            Failure::new(Class::Other, format!("the target is no address: {error}"))
        })?;
        if fields.cache_bust == Some(true) {
            url.query_pairs_mut()
                .append_pair("_cb", &now_ms.to_string());
        }
        let mut ask = build_ask(request, url, self.limit, whole)?;
        // Health answers are optional: one that is too large fails nothing.
        ask.bounds.text = text;
        Ok(ask)
    }

    pub(super) async fn look_up(&self, result: &mut CheckResult) -> Result<(), Failure> {
        let url = &self.monitor.url;
        let name = url.strip_prefix("dns://").unwrap_or(url);
        let kind = self.monitor.fields.record_type.unwrap_or_default();
        let asking = tokio::time::timeout(self.limit, self.egress.records(name, kind)).await;
        let found = asking
            .map_err(|_| Failure::new(Class::NameTimeout, "no name server answered in time"))??;
        result.trace.end();
        if found.is_empty() {
            return Err(Failure::new(
                Class::NameNotFound,
                "the name has no such record",
            ));
        }
        expect::records(self.expect, &found)
    }
}

/// A request with these settings. `wants_text` keeps its answer, which has to fit then.
pub(super) fn build_ask(
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

/// The host and the port of a target.
pub(super) fn place(url: &Url) -> Result<(url::Host<&str>, u16), Failure> {
    let place = url.host().zip(url.port_or_known_default());
    place.ok_or_else(|| Failure::new(Class::Other, "the target names no host"))
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

/// The request of a monitor whose request has no settings. Its whole text is kept, unless it is longer than what is examined.
pub(super) fn plain_request(url: Url, strict: bool, time: Duration) -> Result<Ask, Failure> {
    Ok(Ask {
        url,
        method: HttpMethod::GET,
        headers: headers(&RequestFields::default())?,
        body: Bytes::new(),
        strict,
        stay: false,
        bounds: Bounds {
            time,
            body: MAX_BODY,
            text: MAX_TEXT,
            whole: false,
            redirects: MAX_REDIRECTS,
        },
    })
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
            let both =
                base64::engine::general_purpose::STANDARD.encode(format!("{username}:{password}"));
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
pub(super) fn status(expect: &Expectations, status: StatusCode) -> Result<(), Failure> {
    if expect::status(expect, status.as_u16()) {
        return Ok(());
    }
    let reason = status.canonical_reason().unwrap_or("unexpected status");
    let message = format!("HTTP {}: {reason}", status.as_u16());
    Err(Failure::new(Class::Status, message))
}

/// Whether the certificate has the issuer and the chain that are wanted. Without TLS there is none.
pub(super) fn issuer(expect: &Expectations, trace: &Trace) -> Result<(), Failure> {
    let failed = |message: String| Err(Failure::new(Class::Assertion, message));
    if let Some(wanted) = &expect.certificate_issuer {
        let issuer = trace.issuer.as_deref().unwrap_or_default();
        if !issuer.to_lowercase().contains(&wanted.to_lowercase()) {
            return failed(format!("the certificate isn't issued by `{wanted}`"));
        }
    }
    let sent = trace.certificate.map_or(0, |_| trace.intermediates + 1);
    match expect.certificate_chain {
        Some(least) if sent < least => failed(format!(
            "the server sends {sent} certificates, fewer than {least}"
        )),
        _ => Ok(()),
    }
}

/// Whether the certificate is valid for long enough. `now_ms` is Unix milliseconds.
pub(super) fn certificate(
    expect: &Expectations,
    seen: Option<Certificate>,
    now_ms: i64,
) -> Result<(), Failure> {
    let (Some(days), Some(seen)) = (expect.certificate_days, seen) else {
        return Ok(());
    };
    let left = (seen.ends_ms - now_ms).div_euclid(DAY_MS);
    if left >= i64::from(days) {
        return Ok(());
    }
    let message = format!("the certificate ends in {left} days, sooner than {days}");
    Err(Failure::new(Class::TlsExpiring, message))
}
