//! `pharos healthcheck`: what Docker, and whatever else starts a command, asks a running program.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    time::Duration,
};

use anyhow::{Context as _, bail};

use crate::{config::Settings, platform::offline::block_on};

/// Longer than a busy program takes, and shorter than an orchestrator waits.
const PATIENCE: Duration = Duration::from_secs(4);

/// Asks the program that these settings started whether it is ready.
///
/// # Errors
/// Nothing answers, or what answers is not ready.
pub fn healthcheck(settings: &Settings) -> anyhow::Result<()> {
    let mut listener = settings.server.api_listen;
    // "All addresses" is none to connect to.
    if listener.ip().is_unspecified() {
        listener.set_ip(match listener.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    let scheme = if settings.server.tls_certificate.is_empty() {
        "http"
    } else {
        "https"
    };
    let url = format!("{scheme}://{listener}/health/ready");
    block_on(async {
        let client = reqwest::Client::builder()
            .timeout(PATIENCE)
            .no_proxy()
            // The certificate names the public host, not this address.
            .tls_danger_accept_invalid_certs(true)
            .build()?;
        let answer = client.get(&url).send().await;
        let answer = answer.with_context(|| format!("nothing answers at {url}"))?;
        if !answer.status().is_success() {
            let text = answer.text().await.unwrap_or_default();
            bail!("{url} is not ready: {text}");
        }
        Ok(())
    })
}
