//! Handshakes of new connections, without resumption.

use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use rustls::{ClientConfig, RootCertStore, client::Resumption, pki_types::ServerName};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::{authority::Authority, filled_domains::host_name, machine};

/// Hosts are taken in steps of this prime, so that neighbours in storage aren't neighbours here.
const STEP: usize = 7_919;

/// Handshakes of so many hosts: each once cold and once more warm.
pub(crate) async fn measure(
    address: SocketAddr,
    authority: &Authority,
    hosts: usize,
) -> anyhow::Result<()> {
    let mut roots = RootCertStore::empty();
    roots.add(authority.root().der().clone())?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.resumption = Resumption::disabled();
    let connector = TlsConnector::from(Arc::new(config));
    // Both sides have done it before.
    for _ in 0..50 {
        shake(&connector, address, 0).await?;
    }
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    for nth in 1..hosts {
        let number = nth * STEP % hosts;
        cold.push(shake(&connector, address, number).await?);
        warm.push(shake(&connector, address, number).await?);
    }
    for (name, took) in [("cold", &mut cold), ("warm", &mut warm)] {
        took.sort_unstable();
        let ms = |share| machine::share(took, share).as_secs_f64() * 1e3;
        println!(
            "handshake with a {name} certificate: p50 {:.2} ms, p99 {:.2} ms ({} of them)",
            ms(0.5),
            ms(0.99),
            took.len()
        );
    }
    Ok(())
}

/// From the connection to the end of the handshake, the client's work included.
async fn shake(
    connector: &TlsConnector,
    address: SocketAddr,
    number: usize,
) -> anyhow::Result<Duration> {
    let name = ServerName::try_from(host_name(number))?;
    let began = Instant::now();
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let stream = connector.connect(name, stream).await?;
    let took = began.elapsed();
    drop(stream);
    Ok(took)
}
