//! Listeners and servers. Listeners are bound first: the public addresses are known before anything starts
//! (port 0 works).

use std::{
    io,
    net::{SocketAddr, TcpListener},
    sync::Arc,
    time::Duration,
};

use actix_web::{App, HttpServer, dev::ServerHandle, web::ServiceConfig};
use rustls::ServerConfig;
use tokio::task::JoinSet;

use super::{Shared, Tls, sni::Sni};

/// Keep-alive connections without a request are closed after this long.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// A client has this long to send a request's head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// A client has this long to go away after an answer that closes the connection.
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Connections that may wait to be accepted.
const BACKLOG: i32 = 1_024;
/// Requests that run when the program stops have this long; the domains need some of the time after it.
const SHUTDOWN_SECONDS: u64 = 6;

/// Where to listen.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// `{base_url}`.
    pub api: SocketAddr,
    /// `{track_url}`.
    pub track: SocketAddr,
    /// `{links_url}`.
    pub links: SocketAddr,
    /// All hosts, each with its own certificate.
    pub https: Option<SocketAddr>,
    /// The same hosts in the clear, which leads to `https`.
    pub http: Option<SocketAddr>,
    pub workers: usize,
    /// Connections per listener at the same time; further ones wait.
    pub connections: usize,
    /// How long a client may take nothing of an answer.
    pub write_patience: Duration,
    /// The certificate, unless requests come in the clear.
    pub tls: Option<Tls>,
}

/// Addresses that were bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Addresses {
    /// `{base_url}`.
    pub api: SocketAddr,
    /// `{track_url}`.
    pub track: SocketAddr,
    /// `{links_url}`.
    pub links: SocketAddr,
    /// All hosts, each with its own certificate.
    pub https: Option<SocketAddr>,
    /// The same hosts in the clear.
    pub http: Option<SocketAddr>,
}

/// Bound, but not yet answering.
#[derive(Debug)]
pub struct Listeners {
    api: TcpListener,
    track: TcpListener,
    links: TcpListener,
    https: Option<TcpListener>,
    http: Option<TcpListener>,
    addresses: Addresses,
    workers: usize,
    connections: usize,
    tls: Option<Tls>,
}

impl Listeners {
    /// Binds all of them; the error names the address that is taken.
    pub fn bind(options: &ServeOptions) -> io::Result<Self> {
        let bind = |address: SocketAddr| {
            let bound = TcpListener::bind(address).and_then(|bound| {
                rustix::net::listen(&bound, BACKLOG)?;
                give_up_stalled(&bound, options.write_patience)?;
                Ok(bound)
            });
            bound.map_err(|error| {
                io::Error::new(error.kind(), format!("cannot listen on {address}: {error}"))
            })
        };
        let (api, track, links) = (
            bind(options.api)?,
            bind(options.track)?,
            bind(options.links)?,
        );
        let https = options.https.map(bind).transpose()?;
        let http = options.http.map(bind).transpose()?;
        let address = |listener: &TcpListener| listener.local_addr();
        let addresses = Addresses {
            api: api.local_addr()?,
            track: track.local_addr()?,
            links: links.local_addr()?,
            https: https.as_ref().map(address).transpose()?,
            http: http.as_ref().map(address).transpose()?,
        };
        Ok(Self {
            api,
            track,
            links,
            https,
            http,
            addresses,
            workers: options.workers.max(1),
            connections: options.connections,
            tls: options.tls.clone(),
        })
    }

    pub fn addresses(&self) -> Addresses {
        self.addresses
    }

    pub fn serve(self, shared: &Arc<Shared>) -> io::Result<Serving> {
        let mut serving = Serving {
            handles: Vec::new(),
            running: JoinSet::new(),
            workers: self.workers,
            connections: self.connections,
            tls: self.tls,
        };
        let (api, track, links) = (self.api, self.track, self.links);
        let (stop, finish) = (OnDisconnect::Stop, OnDisconnect::Finish);
        serving.start(api, shared, super::api, stop, serving.encryption()?)?;
        serving.start(track, shared, super::track, finish, serving.encryption()?)?;
        serving.start(links, shared, super::links, finish, serving.encryption()?)?;
        if let (Some(https), Some(certificates)) = (self.https, &shared.certificates) {
            let sni = Sni::new(certificates.clone(), serving.tls.clone());
            let config = sni.into_config().map_err(io::Error::other)?;
            serving.start(https, shared, super::everywhere, finish, Some(config))?;
        }
        if let Some(http) = self.http {
            let file = serving.tls.clone();
            let configure = move |config: &mut ServiceConfig, shared: &Arc<Shared>| {
                super::plain::plain(config, shared, file.as_ref());
            };
            serving.start(http, shared, configure, stop, None)?;
        }
        Ok(serving)
    }
}

/// Makes the kernel end connections whose client takes nothing of what was sent for this long; accepted sockets inherit it.
#[cfg(target_os = "linux")]
fn give_up_stalled(listener: &TcpListener, patience: Duration) -> io::Result<()> {
    let millis = u32::try_from(patience.as_millis()).unwrap_or(u32::MAX);
    Ok(rustix::net::sockopt::set_tcp_user_timeout(
        listener, millis,
    )?)
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "as on Linux")]
fn give_up_stalled(_: &TcpListener, _: Duration) -> io::Result<()> {
    Ok(())
}

/// What becomes of a request whose client closes its side of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnDisconnect {
    /// It is answered: who has sent an event may say by this that nothing more comes.
    Finish,
    /// It is dropped: no client waits for the rows of a query. What a domain was asked to do is done.
    Stop,
}

#[derive(Debug)]
pub struct Serving {
    handles: Vec<ServerHandle>,
    running: JoinSet<io::Result<()>>,
    workers: usize,
    connections: usize,
    tls: Option<Tls>,
}

impl Serving {
    fn start(
        &mut self,
        listener: TcpListener,
        shared: &Arc<Shared>,
        configure: impl Fn(&mut ServiceConfig, &Arc<Shared>) + Clone + Send + 'static,
        gone: OnDisconnect,
        encryption: Option<ServerConfig>,
    ) -> io::Result<()> {
        let shared = Arc::clone(shared);
        let server =
            HttpServer::new(move || App::new().configure(|config| configure(config, &shared)))
                .workers(self.workers)
                .max_connections((self.connections / self.workers).max(1))
                .keep_alive(KEEP_ALIVE)
                .client_request_timeout(HEAD_TIMEOUT)
                .client_disconnect_timeout(DISCONNECT_TIMEOUT)
                .shutdown_timeout(SHUTDOWN_SECONDS)
                .h1_allow_half_closed(gone == OnDisconnect::Finish)
                .tcp_nodelay(true)
                .disable_signals();
        let server = match encryption {
            Some(config) => server.listen_rustls_0_23(listener, config)?.run(),
            None => server.listen(listener)?.run(),
        };
        self.handles.push(server.handle());
        self.running.spawn(server);
        Ok(())
    }

    /// What a listener with the certificate of the settings needs.
    fn encryption(&self) -> io::Result<Option<ServerConfig>> {
        let config = self.tls.as_ref().map(Tls::config).transpose();
        config.map_err(io::Error::other)
    }

    /// The certificate in use.
    pub fn tls(&self) -> Option<&Tls> {
        self.tls.as_ref()
    }

    /// Resolves when a server has ended by itself, which it never should.
    pub async fn ended(&mut self) -> io::Result<()> {
        match self.running.join_next().await {
            Some(Ok(outcome)) => outcome,
            Some(Err(error)) => Err(io::Error::other(error)),
            None => Ok(()),
        }
    }

    /// Takes no more requests and finishes those that run.
    pub async fn stop(mut self) {
        futures_util::future::join_all(self.handles.iter().map(|handle| handle.stop(true))).await;
        while self.running.join_next().await.is_some() {}
    }
}
