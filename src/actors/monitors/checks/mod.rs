//! Runs checks, with a file for each protocol. A check gets its [`Probe`] and notes what it sees in the result.
//!
//! All traffic goes through [`Egress`]. What servers send is bounded in size and by the deadline, and an error repeats
//! nothing of it but codes.

mod browser;
mod bson;
mod certificate;
mod connect;
mod dns;
mod dnssec;
mod domain;
mod game;
mod grpc;
mod http;
mod imap;
mod kafka;
mod limiter;
mod mail;
mod mongodb;
mod mqtt;
mod mysql;
mod ntp;
mod pop3;
mod postgresql;
mod rabbitmq;
mod reader;
mod recordings;
mod redis;
mod scram;
mod smtp;
mod snmp;
mod ssh;
mod steps;
mod template;
mod text;
mod websocket;
mod wire;

use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::Value;
use tokio::{net::TcpStream, time::Instant};
use tokio_rustls::client::TlsStream;
use url::{Host, Url};

pub use self::recordings::{REPLAY_PROTOCOLS, replay_check};
pub(super) use self::{
    certificate::check_days,
    http::{check_status, plain_request},
    template::{Source, is_name, join, names},
};
use self::{
    text::{Text, Worker},
    wire::{Stream, Wire},
};
use super::{Auth, CheckResult, Expectations, Kind, Monitor, RequestFields, expect, target};
use crate::{
    actors::random,
    egress::{Class, Datagrams, Egress, Failure, Trace},
};

/// The default timeout, milliseconds.
const TIMEOUT: u32 = 30_000;

/// Checks a monitor. `now_ms` is this moment, Unix milliseconds.
pub(super) async fn run_check(egress: Egress, monitor: &Monitor, now_ms: i64) -> CheckResult {
    if monitor.kind != Kind::Browser {
        return Box::pin(check_at(egress, monitor, now_ms)).await;
    }
    // The time of the target begins when there is a page for it.
    let asked = Instant::now();
    let Some(_page) = browser::wait_for_page(&monitor.organization).await else {
        return CheckResult::skipped(now_ms);
    };
    let waited_ms = asked.elapsed().as_millis() as i64;
    Box::pin(check_at(egress, monitor, now_ms + waited_ms)).await
}

/// `now_ms` is when the check begins, Unix milliseconds.
async fn check_at(egress: Egress, monitor: &Monitor, now_ms: i64) -> CheckResult {
    let mut result = CheckResult::new(now_ms, Trace::begin());
    let nothing = Expectations::default();
    let expect = monitor.fields.expect.as_ref().unwrap_or(&nothing);
    let limit = Duration::from_millis(monitor.fields.timeout.unwrap_or(TIMEOUT).into());
    let deadline = Instant::now() + limit;
    let probe = Probe {
        egress: &egress,
        monitor,
        expect,
        limit,
        deadline,
        worker: Worker::new(monitor.organization.clone(), deadline),
    };
    // A panic while reading a foreign answer fails the check, not the program.
    let checking = std::panic::AssertUnwindSafe(check(&probe, &mut result));
    let outcome = checking.catch_unwind().await;
    let outcome =
        outcome.unwrap_or_else(|_| Err(Failure::new(Class::Other, "the check itself failed")));
    result.trace.end();
    if monitor.kind != Kind::Browser {
        // The time of a page ends when it has loaded.
        result.trace.deduct(probe.worker.waited());
    }
    let took = result.trace.total();
    let outcome = outcome
        .and_then(|()| check_days(expect, result.trace.certificate, result.at_ms))
        .and_then(|()| certificate::check_chain(expect, &result.trace))
        .and_then(|()| expect::time(expect, took));
    result.failure = outcome.err().map(|failure| in_time(failure, limit));
    result.is_skipped |= result.failure.is_some() && probe.worker.was_busy();
    result.slow = monitor.is_slow(took);
    result
}

async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    match probe.monitor.kind {
        Kind::Http if probe.monitor.fields.steps.is_some() => steps::check(probe, result).await,
        Kind::Http => http::check(probe, result).await,
        Kind::Browser => Box::pin(browser::check(probe, result)).await,
        Kind::Websocket => websocket::check(probe, result).await,
        Kind::Grpc => grpc::check(probe, result).await,
        Kind::Tcp | Kind::Tls | Kind::Ping => connect::check(probe, result).await,
        Kind::Dns => dns::check(probe, result).await,
        Kind::Dnssec => dnssec::check(probe, result).await,
        Kind::Domain => domain::check(probe, result).await,
        Kind::Ntp => ntp::check(probe, result).await,
        Kind::Snmp => snmp::check(probe, result).await,
        Kind::Smtp => smtp::check(probe, result).await,
        Kind::Imap => imap::check(probe, result).await,
        Kind::Pop3 => pop3::check(probe, result).await,
        Kind::Ssh => ssh::check(probe, result).await,
        Kind::Mqtt => mqtt::check(probe, result).await,
        Kind::Redis => redis::check(probe, result).await,
        Kind::Postgresql => postgresql::check(probe, result).await,
        Kind::Mysql => mysql::check(probe, result).await,
        Kind::Mongodb => mongodb::check(probe, result).await,
        Kind::Rabbitmq => rabbitmq::check(probe, result).await,
        Kind::Kafka => kafka::check(probe, result).await,
        Kind::Game => game::check(probe, result).await,
        Kind::Push => Err(Failure::new(Class::Silent, "no heartbeat arrived in time")),
    }
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

/// A check in progress.
struct Probe<'p> {
    egress: &'p Egress,
    monitor: &'p Monitor,
    expect: &'p Expectations,
    limit: Duration,
    deadline: Instant,
    worker: Worker,
}

/// A user name and a password.
#[derive(Clone, Copy)]
struct Credentials<'p> {
    username: &'p str,
    password: &'p str,
}

impl<'p> Probe<'p> {
    fn request(&self) -> Option<&'p RequestFields> {
        self.monitor.fields.request.as_ref()
    }

    /// The credentials, if there are any.
    fn credentials(&self) -> Option<Credentials<'p>> {
        match self.request()?.auth.as_ref()? {
            Auth::Basic { username, password } => Some(Credentials { username, password }),
            Auth::Bearer { .. } => None,
        }
    }

    /// The statement or command to run, if there is one.
    fn statement(&self) -> Option<&'p str> {
        let body = self.request()?.body.as_deref();
        body.filter(|body| !body.trim().is_empty())
    }

    /// The database or virtual host that the target names.
    fn segment(&self) -> Option<String> {
        target::segment(&self.monitor.url)
    }

    /// Whether the scheme says that connections start with TLS.
    fn starts_with_tls(&self) -> bool {
        let scheme = target::find_scheme(self.monitor.kind, &self.monitor.url);
        scheme.is_some_and(|scheme| scheme.is_tls)
    }

    /// Whether `request.tls` asks for TLS that the scheme does not bring.
    fn asks_for_tls(&self) -> bool {
        let asks = self.request().and_then(|request| request.tls) == Some(true);
        asks && !self.starts_with_tls()
    }

    /// Whether the certificate has to be trusted.
    fn verifies(&self) -> bool {
        self.request().and_then(|request| request.verify_tls) != Some(false)
    }

    /// The target as a URL, for its host, port and path.
    fn target(&self) -> Result<Url, Failure> {
        target::parse_authority(&self.monitor.url).ok_or_else(no_host)
    }

    /// Connects to the target.
    async fn connect(&self, trace: &mut Trace) -> Result<TcpStream, Failure> {
        let url = self.target()?;
        let (host, port) = place(&url)?;
        self.egress.connect(host, port, self.deadline, trace).await
    }

    /// Datagrams to and from the target.
    async fn datagrams(&self, trace: &mut Trace) -> Result<Datagrams, Failure> {
        let url = self.target()?;
        let (host, port) = place(&url)?;
        self.egress.udp(host, port, self.deadline, trace).await
    }

    /// Changes a connection to TLS.
    async fn secure(
        &self,
        stream: TcpStream,
        trace: &mut Trace,
    ) -> Result<TlsStream<TcpStream>, Failure> {
        let url = self.target()?;
        let (host, _) = place(&url)?;
        self.egress
            .handshake_for(stream, host, (self.verifies(), &[]), self.deadline, trace)
            .await
    }

    /// Connects to the target, to speak in the clear until [`Self::upgrade`].
    async fn open_plain<'t>(&self, trace: &'t mut Trace) -> Result<Wire<'t, TcpStream>, Failure> {
        let stream = self.connect(trace).await?;
        Ok(Wire::new(stream, self.deadline, trace))
    }

    /// Connects to the target, with TLS if `tls`.
    async fn open<'t>(
        &self,
        tls: bool,
        trace: &'t mut Trace,
    ) -> Result<Wire<'t, Box<dyn Stream>>, Failure> {
        let stream = self.connect(trace).await?;
        let stream: Box<dyn Stream> = if tls {
            Box::new(self.secure(stream, trace).await?)
        } else {
            Box::new(stream)
        };
        Ok(Wire::new(stream, self.deadline, trace))
    }

    /// Changes a connection that has spoken in the clear to TLS.
    async fn upgrade<'t>(
        &self,
        stream: TcpStream,
        trace: &'t mut Trace,
    ) -> Result<Wire<'t, Box<dyn Stream>>, Failure> {
        let stream: Box<dyn Stream> = Box::new(self.secure(stream, trace).await?);
        Ok(Wire::resumed(stream, self.deadline, trace))
    }

    /// The assertions about text.
    fn text(&self) -> Text {
        Text::new(self.expect, &self.worker)
    }

    /// Compares a text with the assertions.
    async fn assert_text(&self, text: impl AsRef<[u8]>) -> Result<(), Failure> {
        self.text().check(text.as_ref()).await
    }

    /// Compares what a protocol says, as JSON, with the assertions about text.
    async fn assert_document(&self, document: &Value) -> Result<(), Failure> {
        self.assert_text(document.to_string()).await
    }
}

/// The host and the port of a target.
fn place(url: &Url) -> Result<(Host<&str>, u16), Failure> {
    let place = url.host().zip(url.port_or_known_default());
    place.ok_or_else(no_host)
}

/// Bytes that another side can't foresee.
fn random_bytes<const N: usize>() -> Result<[u8; N], Failure> {
    random::bytes().map_err(|error| Failure::new(Class::Other, error.to_string()))
}

fn no_host() -> Failure {
    Failure::new(Class::Other, "the target names no host")
}

fn refused_credentials() -> Failure {
    Failure::new(Class::Credentials, "the server refused the credentials")
}

fn no_credentials() -> Failure {
    Failure::new(
        Class::Credentials,
        "the server wants a user name and a password",
    )
}

/// What a server means that hangs up on a sign-in instead of answering.
fn if_closed(failure: Failure, meaning: fn() -> Failure) -> Failure {
    if failure.class == Class::Closed {
        meaning()
    } else {
        failure
    }
}

/// An error that the server says, by its code.
fn server_error(code: impl std::fmt::Display) -> Failure {
    let message = format!("the server answered with the error {code}");
    Failure::new(Class::ServerError, message)
}

fn no_tls() -> Failure {
    Failure::new(Class::TlsFailed, "the server offers no TLS")
}
