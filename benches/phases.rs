//! A drill: delays of known length are put into every phase of a request, and what the probe measures is printed beside them. Fails
//! when a phase is off by more than five milliseconds.
#![expect(clippy::print_stdout, reason = "figures go to standard output")]

#[path = "support/args.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod args;
#[path = "support/machine.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod machine;

use std::{net::IpAddr, sync::Arc, time::Duration};

use anyhow::{Context, ensure};
use bytes::Bytes;
use futures_util::{FutureExt as _, future::BoxFuture};
use hyper::{Method, header::HeaderMap};
use pharos::egress::{Ask, Bounds, Egress, Failure, Phase, Policy, RecordKind, Resolve, Trace};
use rustls::{RootCertStore, ServerConfig, pki_types::PrivateKeyDer};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};
use tokio_rustls::TlsAcceptor;

use self::args::Args;

const HOST: &str = "drill.example";
/// How far off a phase may be.
const TOLERANCE: Duration = Duration::from_millis(5);

/// What is put in, in milliseconds.
#[derive(Debug, Clone, Copy)]
struct Delays {
    dns: u64,
    tls: u64,
    ttfb: u64,
    transfer: u64,
}

const DRILLS: [Delays; 6] = [
    delays(0, 0, 0, 0),
    delays(40, 0, 0, 0),
    delays(0, 50, 0, 0),
    delays(0, 0, 60, 0),
    delays(0, 0, 0, 70),
    delays(25, 35, 45, 55),
];

const fn delays(dns: u64, tls: u64, ttfb: u64, transfer: u64) -> Delays {
    Delays {
        dns,
        tls,
        ttfb,
        transfer,
    }
}

impl Delays {
    /// What a phase should take; connecting on this machine takes nothing.
    fn of(self, phase: Phase) -> Duration {
        Duration::from_millis(match phase {
            Phase::Dns => self.dns,
            Phase::Tcp => 0,
            Phase::Tls => self.tls,
            Phase::Ttfb => self.ttfb,
            Phase::Transfer => self.transfer,
        })
    }
}

fn main() -> anyhow::Result<()> {
    let args = Args::read(&["rounds"])?;
    let rounds = args.number("rounds", 10)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    runtime.block_on(drill(rounds))
}

async fn drill(rounds: usize) -> anyhow::Result<()> {
    println!("machine: {}", machine::describe());
    for delays in DRILLS {
        let mut worst = Duration::ZERO;
        let mut sums = [Duration::ZERO; 5];
        for _ in 0..rounds {
            let trace = round(delays).await?;
            for (sum, phase) in sums.iter_mut().zip(Phase::ALL) {
                *sum += trace.phase(phase);
                worst = worst.max(trace.phase(phase).abs_diff(delays.of(phase)));
            }
        }
        let told: Vec<String> = Phase::ALL
            .iter()
            .zip(sums)
            .map(|(phase, sum)| {
                let mean = sum.as_secs_f64() * 1e3 / rounds as f64;
                format!(
                    "{} {mean:.1} of {}",
                    phase.as_str(),
                    delays.of(*phase).as_millis()
                )
            })
            .collect();
        println!(
            "{} ms; off by {:.1} ms at most",
            told.join(", "),
            worst.as_secs_f64() * 1e3
        );
        ensure!(
            worst <= TOLERANCE,
            "a phase is off by more than {TOLERANCE:?}"
        );
    }
    Ok(())
}

/// One request to a server that keeps these delays.
async fn round(delays: Delays) -> anyhow::Result<Trace> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let (acceptor, roots) = certificate()?;
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        if let Ok((stream, _)) = listener.accept().await {
            let _ = serve(stream, acceptor, delays).await;
        }
    });
    let policy = Policy {
        allow: vec!["127.0.0.0/8".parse()?],
        ..Policy::default()
    };
    let egress = Egress::trusting(policy, Arc::new(Slow(delays.dns)), roots)?;
    let ask = Ask {
        url: format!("https://{HOST}:{port}/").parse()?,
        method: Method::GET,
        headers: HeaderMap::new(),
        body: Bytes::new(),
        strict: true,
        stay: false,
        bounds: Bounds {
            time: Duration::from_secs(10),
            body: 1_000,
            text: 1_000,
            whole: true,
            redirects: 0,
        },
    };
    let mut trace = Trace::begin();
    egress
        .ask(ask, &mut trace)
        .await
        .context("the drill's server")?;
    Ok(trace)
}

fn certificate() -> anyhow::Result<(TlsAcceptor, RootCertStore)> {
    let made = rcgen::generate_simple_self_signed(vec![HOST.to_owned()])?;
    let key =
        PrivateKeyDer::try_from(made.signing_key.serialize_der()).map_err(anyhow::Error::msg)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)?;
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone())?;
    Ok((TlsAcceptor::from(Arc::new(config)), roots))
}

async fn serve(stream: TcpStream, acceptor: TlsAcceptor, delays: Delays) -> std::io::Result<()> {
    // Else the head waits until the client acknowledges the session tickets, which takes up to 40 ms.
    stream.set_nodelay(true)?;
    let wait = |ms| tokio::time::sleep(Duration::from_millis(ms));
    wait(delays.tls).await;
    let mut stream = acceptor.accept(stream).await?;
    let mut head = [0; 4096];
    let _ = stream.read(&mut head).await?;
    wait(delays.ttfb).await;
    stream
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\no")
        .await?;
    stream.flush().await?;
    wait(delays.transfer).await;
    stream.write_all(b"k").await?;
    stream.shutdown().await
}

/// Knows one name, slowly.
struct Slow(u64);

impl Resolve for Slow {
    fn addresses<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, Failure>> {
        async {
            tokio::time::sleep(Duration::from_millis(self.0)).await;
            Ok(vec![IpAddr::from([127, 0, 0, 1])])
        }
        .boxed()
    }

    fn records<'a>(
        &'a self,
        _: &'a str,
        _: RecordKind,
    ) -> BoxFuture<'a, Result<Vec<String>, Failure>> {
        async { Ok(Vec::new()) }.boxed()
    }
}
