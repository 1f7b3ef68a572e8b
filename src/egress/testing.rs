//! Ways out for tests, and servers that misbehave.
#![expect(clippy::missing_panics_doc, reason = "helpers of tests fail loudly")]

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures_util::{FutureExt as _, future::BoxFuture};
use rustls::{ServerConfig, pki_types::PrivateKeyDer};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};
use tokio_rustls::TlsAcceptor;

use super::{Class, Egress, Failure, NoNameServers, Policy, RecordKind, Resolve};

/// A way out that leads nowhere.
pub fn closed() -> Egress {
    Egress::new(Policy::default(), Arc::new(NoNameServers)).unwrap()
}

/// A policy that opens this machine.
pub fn this_machine() -> Policy {
    Policy {
        allow: vec!["127.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()],
        ..Policy::default()
    }
}

/// Takes TLS connections with a certificate.
pub fn acceptor(certificate: &rcgen::Certificate, key: &rcgen::KeyPair) -> TlsAcceptor {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// Names that mean what a test says: each question gets the next answer, the last one forever.
#[derive(Debug, Default)]
pub struct Book {
    answers: HashMap<String, Vec<Vec<IpAddr>>>,
    asked: Mutex<HashMap<String, usize>>,
}

impl Book {
    /// Adds what a name means the first time, the second, and so on.
    pub fn with(mut self, name: &str, answers: &[&[&str]]) -> Self {
        let parsed = answers
            .iter()
            .map(|all| all.iter().map(|ip| ip.parse().unwrap()).collect());
        self.answers.insert(name.to_owned(), parsed.collect());
        self
    }
}

impl Resolve for Book {
    fn addresses<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, Failure>> {
        async move {
            let known = self.answers.get(name);
            let answers = known
                .ok_or_else(|| Failure::new(Class::NameNotFound, "the name does not exist"))?;
            let mut asked = self.asked.lock().unwrap();
            let turn = asked.entry(name.to_owned()).or_default();
            let answer = answers.get(*turn).or(answers.last()).cloned().unwrap();
            *turn += 1;
            Ok(answer)
        }
        .boxed()
    }

    fn records<'a>(
        &'a self,
        name: &'a str,
        _: RecordKind,
    ) -> BoxFuture<'a, Result<Vec<String>, Failure>> {
        async move {
            let addresses = self.addresses(name).await?;
            Ok(addresses.iter().map(ToString::to_string).collect())
        }
        .boxed()
    }
}

/// A server on this machine that counts who comes.
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    hits: Arc<AtomicUsize>,
    _task: JoinSet<()>,
}

impl Server {
    /// Starts a server that does this with every connection.
    pub async fn start<F>(serve: impl Fn(TcpStream) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let hits = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&hits);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut serving = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                counter.fetch_add(1, Ordering::SeqCst);
                serving.spawn(serve(stream));
            }
        });
        Self {
            address,
            hits,
            _task: task,
        }
    }

    /// A server that reads a request and says this, whatever was asked.
    pub async fn saying(answer: impl Into<Vec<u8>>) -> Self {
        let answer = Arc::new(answer.into());
        Self::start(move |mut stream| {
            let answer = Arc::clone(&answer);
            async move {
                head(&mut stream).await;
                let _ = stream.write_all(&answer).await;
                let _ = stream.shutdown().await;
            }
        })
        .await
    }

    /// How many connections came.
    pub fn hits(&self) -> usize {
        self.hits.load(Ordering::SeqCst)
    }

    /// Its address as a URL.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

/// Reads a request up to the end of its head.
pub async fn head(stream: &mut (impl tokio::io::AsyncRead + Unpin)) -> String {
    let mut text = Vec::new();
    let mut byte = [0];
    while !text.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte).await {
            Ok(1) => text.push(byte[0]),
            _ => break,
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}
