//! One file for each protocol that monitors speak. A check gets its [`Probe`] and notes what it sees in the result.
//!
//! What servers send is bounded in size and by the deadline (`wire.rs`), and an error repeats nothing of it but codes.

mod bson;
pub(super) mod imap;
pub(super) mod kafka;
pub(super) mod mongodb;
pub(super) mod mqtt;
pub(super) mod mysql;
pub(super) mod pop3;
pub(super) mod postgresql;
pub(super) mod rabbitmq;
mod reader;
pub(super) mod redis;
mod scram;
pub(super) mod smtp;
pub(super) mod ssh;
mod wire;

use std::time::Duration;

use tokio::{net::TcpStream, time::Instant};
use tokio_rustls::client::TlsStream;
use url::Url;

use self::wire::{Stream, Wire};
use super::{Auth, Expectations, Monitor, RequestFields, expect, target};
use crate::egress::{Class, Egress, Failure, Trace};

/// A check in progress.
pub(super) struct Probe<'p> {
    pub(super) egress: &'p Egress,
    pub(super) monitor: &'p Monitor,
    pub(super) expect: &'p Expectations,
    pub(super) limit: Duration,
    pub(super) deadline: Instant,
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

    fn target(&self) -> Result<(Url, u16), Failure> {
        let url = target::parse_authority(&self.monitor.url);
        url.and_then(|url| {
            let port = url.port_or_known_default()?;
            Some((url, port))
        })
        .ok_or_else(no_host)
    }

    /// Connects to the target.
    async fn connect(&self, trace: &mut Trace) -> Result<TcpStream, Failure> {
        let (url, port) = self.target()?;
        let host = url.host().ok_or_else(no_host)?;
        self.egress.connect(host, port, self.deadline, trace).await
    }

    /// Changes a connection to TLS.
    async fn secure(
        &self,
        stream: TcpStream,
        trace: &mut Trace,
    ) -> Result<TlsStream<TcpStream>, Failure> {
        let (url, _) = self.target()?;
        let host = url.host().ok_or_else(no_host)?;
        let verifies = self.request().and_then(|request| request.verify_tls) != Some(false);
        self.egress
            .handshake_for(stream, host, (verifies, &[]), self.deadline, trace)
            .await
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

    /// Compares a text with the assertions.
    fn assert_text(&self, text: &str) -> Result<(), Failure> {
        expect::text(self.expect, text.as_bytes())
    }
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

fn no_tls() -> Failure {
    Failure::new(Class::TlsFailed, "the server offers no TLS")
}
