//! Checks a monitor. All traffic goes through [`Egress`].

use std::time::Duration;

use base64::Engine as _;
use bytes::Bytes;
use futures_util::FutureExt as _;
use hyper::{
    Method as HttpMethod, StatusCode,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};
use tokio::time::Instant;
use url::Url;

use super::{
    Auth, CheckResult, Expectations, Kind, Method, Monitor, RequestFields,
    checks::{self, Probe},
    expect, health, target,
};
use crate::egress::{Ask, Bounds, Certificate, Class, Egress, Failure, Trace};

/// The default timeout, milliseconds.
const TIMEOUT: u32 = 30_000;
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

/// Checks a monitor. `now_ms` is when it begins, Unix milliseconds.
pub(super) async fn probe(egress: Egress, monitor: &Monitor, now_ms: i64) -> CheckResult {
    let mut result = CheckResult::new(now_ms, Trace::begin());
    let nothing = Expectations::default();
    let expect = monitor.fields.expect.as_ref().unwrap_or(&nothing);
    let limit = Duration::from_millis(monitor.fields.timeout.unwrap_or(TIMEOUT).into());
    let probe = Probe {
        egress: &egress,
        monitor,
        expect,
        limit,
        deadline: Instant::now() + limit,
    };
    // A panic while reading a foreign answer fails the check, not the program.
    let checking = std::panic::AssertUnwindSafe(probe.check(&mut result));
    let outcome = checking.catch_unwind().await;
    let outcome =
        outcome.unwrap_or_else(|_| Err(Failure::new(Class::Other, "the check itself failed")));
    result.trace.end();
    let took = result.trace.total();
    let outcome = outcome
        .and_then(|()| certificate(expect, result.trace.certificate, result.at_ms))
        .and_then(|()| expect::time(expect, took));
    result.failure = outcome.err().map(|failure| in_time(failure, limit));
    result.slow = monitor.is_slow(took);
    result
}

/// Adds the limit to the message of a timeout.
fn in_time(failure: Failure, limit: Duration) -> Failure {
    use Class::{ConnectTimeout, FirstByteTimeout, NameTimeout, TlsTimeout, TransferTimeout};
    match failure.class {
        ConnectTimeout | FirstByteTimeout | NameTimeout | TlsTimeout | TransferTimeout => {
            let message = format!("Timeout after {}ms: {}", limit.as_millis(), failure.message);
            Failure::new(failure.class, message)
        }
        _ => failure,
    }
}

impl Probe<'_> {
    async fn check(&self, result: &mut CheckResult) -> Result<(), Failure> {
        let (egress, deadline) = (self.egress, self.deadline);
        match self.monitor.kind {
            Kind::Http => self.ask_http(result).await,
            Kind::Dns => self.look_up(result).await,
            Kind::Push => Err(Failure::new(Class::Silent, "no heartbeat arrived in time")),
            Kind::Smtp => checks::smtp::check(self, result).await,
            Kind::Imap => checks::imap::check(self, result).await,
            Kind::Pop3 => checks::pop3::check(self, result).await,
            Kind::Ssh => checks::ssh::check(self, result).await,
            Kind::Mqtt => checks::mqtt::check(self, result).await,
            Kind::Redis => checks::redis::check(self, result).await,
            Kind::Postgresql => checks::postgresql::check(self, result).await,
            Kind::Mysql => checks::mysql::check(self, result).await,
            Kind::Mongodb => checks::mongodb::check(self, result).await,
            Kind::Rabbitmq => checks::rabbitmq::check(self, result).await,
            Kind::Kafka => checks::kafka::check(self, result).await,
            kind @ (Kind::Tcp | Kind::Tls | Kind::Ping) => {
                let url = target::parse_authority(&self.monitor.url);
                let authority = url
                    .as_ref()
                    .and_then(|url| url.host().zip(url.port_or_known_default()));
                let Some((host, port)) = authority else {
                    return Err(Failure::new(Class::Other, "the target names no host"));
                };
                let trace = &mut result.trace;
                if kind == Kind::Ping {
                    return egress.ping(host, deadline, trace).await;
                }
                let stream = egress.connect(host.clone(), port, deadline, trace).await?;
                if kind == Kind::Tls {
                    egress
                        .handshake(stream, host, true, deadline, trace)
                        .await?;
                }
                Ok(())
            }
        }
    }

    async fn ask_http(&self, result: &mut CheckResult) -> Result<(), Failure> {
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
        Ok(Ask {
            url,
            method: method(request.method),
            headers: headers(request)?,
            body: Bytes::from(request.body.clone().unwrap_or_default()),
            strict: request.verify_tls != Some(false),
            stay: request.follow_redirects == Some(false),
            bounds: Bounds {
                time: self.limit,
                body: MAX_BODY,
                text,
                // Health answers are optional: one that is too large fails nothing.
                whole,
                redirects: MAX_REDIRECTS,
            },
        })
    }

    async fn look_up(&self, result: &mut CheckResult) -> Result<(), Failure> {
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

fn headers(request: &RequestFields) -> Result<HeaderMap, Failure> {
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
