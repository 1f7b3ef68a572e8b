//! The only way from a page to anywhere: a proxy for one check, which judges every address as other checks do.

use std::{
    collections::HashMap,
    io::{self, ErrorKind},
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::{Instant, timeout_at},
};
use url::Url;

use super::{
    super::place,
    socks::{Reply, read_target, write_reply},
};
use crate::egress::{Class, Egress, Failure, Phase, Trace};

/// Connections of a page, and bytes of all of them in both directions.
const MAX_CONNECTIONS: usize = 500;
const MAX_BYTES: u64 = 64 << 20;
const CHUNK: usize = 16 << 10;

pub(super) struct Proxy {
    egress: Egress,
    /// The browser, which no page reaches. Every program at its address may use the proxy while the check takes: SOCKS in
    /// Chromium has no sign-in. It reaches what monitors may reach.
    browser: SocketAddr,
    deadline: Instant,
    routes: Mutex<HashMap<String, Route>>,
    /// Bytes of answers, and all bytes.
    received: AtomicU64,
    relayed: AtomicU64,
}

/// The first connection to a place.
#[derive(Debug, Clone, Default)]
pub(super) struct Route {
    pub(super) address: Option<IpAddr>,
    pub(super) dns: Duration,
    pub(super) tcp: Duration,
    /// Why there is none.
    pub(super) failure: Option<Failure>,
}

impl Proxy {
    pub(super) fn new(egress: Egress, browser: SocketAddr, deadline: Instant) -> Self {
        Self {
            egress,
            browser,
            deadline,
            routes: Mutex::default(),
            received: AtomicU64::new(0),
            relayed: AtomicU64::new(0),
        }
    }

    /// Bytes of answers.
    pub(super) fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// The first connection to where a URL leads, once it has come about or failed.
    pub(super) fn route(&self, url: &Url) -> Option<Route> {
        let routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        routes.get(&key(url)?).cloned()
    }

    /// Takes connections of the browser until that fails. Dropping it ends all of them.
    pub(super) async fn serve(self: &Arc<Self>, listener: TcpListener) -> io::Error {
        let mut relays = JoinSet::new();
        let mut count = 0;
        loop {
            tokio::select! {
                accepted = listener.accept() => {
                    let (stream, from) = match accepted {
                        Ok(accepted) => accepted,
                        // By the browser, before it was taken.
                        Err(error) if error.kind() == ErrorKind::ConnectionAborted => continue,
                        Err(error) => return error,
                    };
                    let is_browser = from.ip() == self.browser.ip();
                    if is_browser && count < MAX_CONNECTIONS {
                        count += 1;
                        relays.spawn(Arc::clone(self).relay(stream));
                    }
                }
                Some(_) = relays.join_next() => {}
            }
        }
    }

    async fn relay(self: Arc<Self>, near: TcpStream) {
        // The browser notices what goes wrong, and routes have the reason.
        let _ = timeout_at(self.deadline, self.connect_and_copy(near)).await;
    }

    async fn connect_and_copy(&self, mut near: TcpStream) -> io::Result<()> {
        let target = read_target(&mut near).await?;
        match self.connect(&target).await {
            Ok(far) => {
                write_reply(&mut near, Reply::Connected).await?;
                self.copy(near, far).await
            }
            Err(failure) => {
                let reply = match failure.class {
                    Class::BlockedAddress | Class::BlockedPort => Reply::NotAllowed,
                    _ => Reply::Failed,
                };
                write_reply(&mut near, reply).await
            }
        }
    }

    async fn connect(&self, target: &Url) -> Result<TcpStream, Failure> {
        let mut trace = Trace::begin();
        let (host, port) = place(target)?;
        let connecting = self.egress.connect(host, port, self.deadline, &mut trace);
        let connected = connecting.await.and_then(|far| self.check(far));
        trace.end();
        let route = Route {
            address: trace.address,
            dns: trace.phase(Phase::Dns),
            tcp: trace.phase(Phase::Tcp),
            failure: connected.as_ref().err().cloned(),
        };
        if let Some(key) = key(target) {
            let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
            routes.entry(key).or_insert(route);
        }
        connected
    }

    /// Refuses a connection to the browser itself, which obeys every program that reaches it.
    fn check(&self, far: TcpStream) -> Result<TcpStream, Failure> {
        let address = far.peer_addr().ok();
        let is_near = |ip: IpAddr| ip.is_loopback() && self.browser.ip().is_loopback();
        let is_browser = address.is_some_and(|address| {
            let is_same = address.ip() == self.browser.ip() || is_near(address.ip());
            is_same && address.port() == self.browser.port()
        });
        if is_browser {
            let message = "the target is the browser of the checks";
            return Err(Failure::new(Class::BlockedAddress, message));
        }
        Ok(far)
    }

    async fn copy(&self, mut near: TcpStream, mut far: TcpStream) -> io::Result<()> {
        let (near_read, near_write) = near.split();
        let (far_read, far_write) = far.split();
        let asking = self.pump(near_read, far_write, None);
        let answering = self.pump(far_read, near_write, Some(&self.received));
        tokio::try_join!(asking, answering)?;
        Ok(())
    }

    async fn pump(
        &self,
        mut from: impl AsyncRead + Unpin,
        mut to: impl AsyncWrite + Unpin,
        counter: Option<&AtomicU64>,
    ) -> io::Result<()> {
        let mut chunk = vec![0; CHUNK];
        loop {
            let length = from.read(&mut chunk).await?;
            if length == 0 {
                return to.shutdown().await;
            }
            let bytes = length as u64;
            if self.relayed.fetch_add(bytes, Ordering::Relaxed) > MAX_BYTES {
                return Err(ErrorKind::FileTooLarge.into());
            }
            if let Some(counter) = counter {
                counter.fetch_add(bytes, Ordering::Relaxed);
            }
            to.write_all(chunk.get(..length).unwrap_or_default())
                .await?;
        }
    }
}

/// The host and the port of a URL, as text.
fn key(url: &Url) -> Option<String> {
    let port = url.port_or_known_default()?;
    Some(format!("{}:{port}", url.host()?))
}

#[cfg(test)]
mod tests;
