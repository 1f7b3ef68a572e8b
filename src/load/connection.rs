//! One connection that is kept alive, and opened again when the server closes it.

use std::{io, sync::Arc};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Request, Uri, body::Incoming, client::conn::http1::SendRequest, header::HOST};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::shape::Call;

/// Where a server listens.
#[derive(Debug, Clone)]
pub struct Address {
    host: String,
    port: u16,
    secure: bool,
    /// In front of every path.
    prefix: String,
}

/// Why an address is none.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no address like http://127.0.0.1:8081")]
pub struct NoAddress(String);

impl std::str::FromStr for Address {
    type Err = NoAddress;

    fn from_str(text: &str) -> Result<Self, NoAddress> {
        let none = || NoAddress(text.to_owned());
        let uri: Uri = text.parse().map_err(|_| none())?;
        let secure = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(none()),
        };
        Ok(Self {
            host: uri.host().ok_or_else(none)?.to_owned(),
            port: uri.port_u16().unwrap_or(if secure { 443 } else { 80 }),
            secure,
            prefix: uri.path().trim_end_matches('/').to_owned(),
        })
    }
}

impl Address {
    fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

/// A connection; requests on it follow each other.
pub(super) struct Connection {
    sender: SendRequest<Full<Bytes>>,
}

impl Connection {
    /// Connects, with TLS where the address says so.
    pub(super) async fn open(address: &Address) -> io::Result<Self> {
        let bare = address.host.trim_start_matches('[').trim_end_matches(']');
        let stream = TcpStream::connect((bare, address.port)).await?;
        stream.set_nodelay(true)?;
        if !address.secure {
            return Self::over(TokioIo::new(stream)).await;
        }
        let roots = webpki_roots::TLS_SERVER_ROOTS.to_vec();
        let config = rustls::ClientConfig::builder_with_provider(Arc::new(
            rustls::crypto::ring::default_provider(),
        ))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(rustls::RootCertStore { roots })
        .with_no_client_auth();
        let name = ServerName::try_from(bare.to_owned()).map_err(io::Error::other)?;
        let stream = TlsConnector::from(Arc::new(config)).connect(name, stream);
        Self::over(TokioIo::new(stream.await?)).await
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the task ends with its connection"
    )]
    async fn over<T>(stream: T) -> io::Result<Self>
    where
        T: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
    {
        let shaken = hyper::client::conn::http1::handshake(stream).await;
        let (sender, connection) = shaken.map_err(io::Error::other)?;
        tokio::spawn(connection);
        Ok(Self { sender })
    }

    /// Sends a request and reads its answer to the end; gives back the status.
    pub(super) async fn send(&mut self, address: &Address, call: Call) -> io::Result<u16> {
        let mut request = Request::builder()
            .method(call.method)
            .uri(format!("{}{}", address.prefix, call.path))
            .header(HOST, address.authority());
        for (name, value) in call.headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(Bytes::from(call.body)));
        let request = request.map_err(io::Error::other)?;
        let answer = self.sender.send_request(request).await;
        let answer = answer.map_err(io::Error::other)?;
        let status = answer.status().as_u16();
        drained(answer.into_body()).await?;
        Ok(status)
    }

    /// Whether the next request can go over it.
    pub(super) async fn ready(&mut self) -> bool {
        self.sender.ready().await.is_ok()
    }
}

async fn drained(mut body: Incoming) -> io::Result<()> {
    while let Some(frame) = body.frame().await {
        frame.map_err(io::Error::other)?;
    }
    Ok(())
}
