//! One HTTP request over a fresh connection, redirects followed, every step timed and bounded.

use std::{
    pin::Pin,
    sync::{Arc, OnceLock},
};

use bytes::Bytes;
use http_body_util::Full;
use hyper::{
    Method, Request, StatusCode,
    client::conn::http1::Builder,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};
use hyper_util::rt::TokioIo;
use tokio::{
    net::TcpStream,
    time::{Instant, timeout_at},
};
use tokio_rustls::client::TlsStream;
use tokio_util::{either::Either, io::InspectReader};
use url::Url;

use super::{
    Class, Egress, Failure, Phase, Trace,
    body::read,
    bounds::Bounds,
    broken::{Missing, failed, too_large},
    tls::HTTP1,
};

/// Bytes of an answer's head, and fields in it.
pub(super) const MAX_HEAD: usize = 64 << 10;
const MAX_FIELDS: usize = 100;

#[derive(Debug, Clone)]
pub struct Ask {
    pub url: Url,
    pub method: Method,
    /// Fields beside `Host`, which follows the address. Another origin than the first gets `Accept` and `User-Agent` alone.
    pub headers: HeaderMap,
    pub body: Bytes,
    /// Whether certificates have to be trusted.
    pub strict: bool,
    /// Whether a redirect is an answer like any other.
    pub stay: bool,
    pub bounds: Bounds,
}

#[derive(Debug)]
pub struct Answer {
    /// Where it came from, redirects followed.
    pub url: Url,
    pub status: StatusCode,
    /// Its `Content-Type`, if it is text.
    pub media: String,
    /// Its `Retry-After`, if it is text.
    pub retry_after: Option<String>,
    pub headers: HeaderMap,
    /// Its body, unpacked; empty when none is kept.
    pub text: Vec<u8>,
}

impl Egress {
    /// Asks, and follows redirects; each of them is judged like the first address.
    ///
    /// # Errors
    /// There is no whole answer within the bounds. The trace says how far it went.
    pub async fn ask(&self, mut ask: Ask, trace: &mut Trace) -> Result<Answer, Failure> {
        let deadline = Instant::now() + ask.bounds.time;
        let origin = ask.url.origin();
        let outcome = loop {
            match self.hop(&ask, deadline, trace).await {
                Err(failure) => break Err(failure),
                Ok(Hop::End(answer)) => break Ok(*answer),
                Ok(Hop::On(status, location)) => {
                    if trace.redirects >= ask.bounds.redirects {
                        let most = ask.bounds.redirects;
                        let message = format!("more than {most} redirects");
                        break Err(Failure::new(Class::TooManyRedirects, message));
                    }
                    trace.redirects += 1;
                    if let Err(failure) = follow(&mut ask, status, &location, &origin) {
                        break Err(failure);
                    }
                }
            }
        };
        trace.end();
        outcome
    }

    async fn hop(&self, ask: &Ask, deadline: Instant, trace: &mut Trace) -> Result<Hop, Failure> {
        if !matches!(ask.url.scheme(), "http" | "https") {
            return Err(Failure::new(Class::BadRedirect, "neither http nor https"));
        }
        let stream = self.open(ask, HTTP1, deadline, trace).await?;
        exchange(stream, ask, deadline, trace).await
    }

    /// A connection to where a request goes, with TLS for these protocols (ALPN) where its scheme says so.
    pub(super) async fn open(
        &self,
        ask: &Ask,
        protocols: &[&[u8]],
        deadline: Instant,
        trace: &mut Trace,
    ) -> Result<Connected, Failure> {
        let place = ask.url.host().zip(ask.url.port_or_known_default());
        let Some((host, port)) = place else {
            return Err(Failure::new(Class::BadRedirect, "neither http nor https"));
        };
        let stream = self.connect(host.clone(), port, deadline, trace).await?;
        if ask.url.scheme() != "https" {
            return Ok(Connected::Left(stream));
        }
        let settings = (ask.strict, protocols);
        let stream = self
            .handshake_for(stream, host, settings, deadline, trace)
            .await?;
        Ok(Connected::Right(stream))
    }
}

/// A connection, without TLS or with it.
pub(super) type Connected = Either<TcpStream, TlsStream<TcpStream>>;

/// What an answer means for the way.
enum Hop {
    End(Box<Answer>),
    On(StatusCode, HeaderValue),
}

/// Turns a request to where a redirect leads.
fn follow(
    ask: &mut Ask,
    status: StatusCode,
    location: &HeaderValue,
    origin: &url::Origin,
) -> Result<(), Failure> {
    let text = std::str::from_utf8(location.as_bytes()).ok();
    let target = text.and_then(|text| ask.url.join(text).ok());
    let target = target.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let Some(target) = target else {
        return Err(Failure::new(
            Class::BadRedirect,
            "a redirect leads to no http or https address",
        ));
    };
    if !target.username().is_empty() || target.password().is_some() {
        return Err(Failure::new(
            Class::BadRedirect,
            "a redirect leads to an address with a user name or a password, which is not followed",
        ));
    }
    ask.url = target;
    let was_post = ask.method == Method::POST;
    if (status == StatusCode::SEE_OTHER && ask.method != Method::HEAD)
        || (was_post && matches!(status.as_u16(), 301 | 302))
    {
        ask.method = Method::GET;
        ask.body = Bytes::new();
        for name in [header::CONTENT_TYPE, header::CONTENT_LENGTH] {
            ask.headers.remove(name);
        }
    }
    if ask.url.origin() != *origin {
        // Secrets are for the origin they were meant for; once gone they stay gone.
        let kept = |name: &HeaderName| matches!(*name, header::ACCEPT | header::USER_AGENT);
        let headers = std::mem::take(&mut ask.headers);
        let named = headers
            .into_iter()
            .filter_map(|(name, value)| Some((name?, value)));
        ask.headers = named.filter(|(name, _)| kept(name)).collect();
        ask.body = Bytes::new();
    }
    Ok(())
}

/// Refuses a large head. The client's own bound is one of reads, and lets a head pass that comes in a single one.
pub(super) fn check_size(headers: &HeaderMap) -> Result<(), Failure> {
    let fields = headers.iter();
    let bytes: usize = fields
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum();
    if bytes > MAX_HEAD {
        return Err(too_large());
    }
    Ok(())
}

/// A client of HTTP/1.1 that takes heads up to their bounds.
pub(super) fn http1() -> Builder {
    let mut builder = Builder::new();
    builder.max_headers(MAX_FIELDS).max_buf_size(MAX_HEAD);
    builder
}

async fn exchange(
    stream: Connected,
    ask: &Ask,
    deadline: Instant,
    trace: &mut Trace,
) -> Result<Hop, Failure> {
    trace.enter(Phase::Ttfb);
    // When the first byte of the answer came in.
    let first = Arc::new(OnceLock::new());
    let begun = Arc::clone(&first);
    let stream = InspectReader::new(stream, move |bytes: &[u8]| {
        if !bytes.is_empty() {
            begun.get_or_init(Instant::now);
        }
    });
    let (mut sender, connection) = http1()
        .handshake(TokioIo::new(stream))
        .await
        .map_err(|error| failed(&error, Missing::Answer))?;
    let request = request(ask)?;
    let mut connection = std::pin::pin!(connection);
    let mut is_open = true;
    let mut asking = std::pin::pin!(sender.send_request(request));
    let asking = drive(connection.as_mut(), &mut is_open, asking.as_mut());
    let answered = timeout_at(deadline, asking).await;
    if let Some(at) = first.get() {
        trace.enter_at(Phase::Transfer, *at);
    }
    let late = || Failure::late(first.get().is_some());
    let missing = match first.get() {
        None => Missing::Answer,
        Some(_) => Missing::Rest,
    };
    let response = answered
        .map_err(|_| late())?
        .map_err(|error| failed(&error, missing))?;
    let (head, mut body) = response.into_parts();
    check_size(&head.headers)?;
    let text = {
        let mut reading = std::pin::pin!(read(&mut body, &head.headers, &ask.bounds, trace));
        let read = drive(connection.as_mut(), &mut is_open, reading.as_mut());
        timeout_at(deadline, read).await.map_err(|_| late())??
    };
    let redirects = matches!(head.status.as_u16(), 301 | 302 | 303 | 307 | 308);
    match head.headers.get(header::LOCATION) {
        Some(location) if redirects && !ask.stay => Ok(Hop::On(head.status, location.clone())),
        _ => Ok(Hop::End(Box::new(Answer {
            url: ask.url.clone(),
            status: head.status,
            media: media(&head.headers),
            retry_after: header_text(&head.headers, header::RETRY_AFTER),
            headers: head.headers,
            text,
        }))),
    }
}

/// Does a piece of work while the connection is kept going.
pub(super) async fn drive<C, W>(
    mut connection: Pin<&mut C>,
    is_open: &mut bool,
    mut work: Pin<&mut W>,
) -> W::Output
where
    C: Future + ?Sized,
    W: Future + ?Sized,
{
    loop {
        tokio::select! {
            biased;
            done = work.as_mut() => return done,
            // What went wrong comes out of the work.
            _ = connection.as_mut(), if *is_open => *is_open = false,
        }
    }
}

pub(super) fn request(ask: &Ask) -> Result<Request<Full<Bytes>>, Failure> {
    let url = &ask.url;
    let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
    let built = Request::builder()
        .method(ask.method.clone())
        .uri(if target.is_empty() { "/" } else { target })
        .header(header::HOST, host)
        .header(header::CONNECTION, "close")
        .body(Full::new(ask.body.clone()));
    let mut request = built.map_err(|error| Failure::new(Class::Protocol, error.to_string()))?;
    for (name, value) in &ask.headers {
        if !matches!(
            *name,
            header::HOST | header::CONNECTION | header::CONTENT_LENGTH
        ) {
            request.headers_mut().append(name, value.clone());
        }
    }
    Ok(request)
}

pub(super) fn media(headers: &HeaderMap) -> String {
    let text = header_text(headers, header::CONTENT_TYPE);
    text.unwrap_or_default().to_ascii_lowercase()
}

fn header_text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let text = headers.get(name)?.to_str().ok()?;
    Some(text.to_owned())
}
