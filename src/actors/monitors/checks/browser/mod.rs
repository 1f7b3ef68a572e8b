//! A page in a real browser: an external Chromium opens it, and the check examines what it shows.
//!
//! Invariants:
//! - The browser reaches nothing by itself. All connections of a page, its redirects, frames, scripts and WebSocket included, go
//!   through [`Proxy`] and with it through [`Egress`](crate::egress::Egress), which judges every address.
//! - A page has a browser context of its own, without cookies. It ends with the connection to the browser, so a check that is
//!   dropped leaves nothing behind.
//! - What comes from the browser is bounded: bytes of a message, messages, all bytes, and time.

mod devtools;
mod endpoint;
mod errors;
mod page;
mod prepare;
mod proxy;
mod socks;
mod visit;

use std::{
    net::SocketAddr,
    sync::{Arc, LazyLock},
    time::Duration,
};

use tokio::{
    net::TcpListener,
    time::{Instant, timeout, timeout_at},
};

use self::{devtools::Devtools, endpoint::Endpoint, page::Page, proxy::Proxy};
use super::{
    super::CheckResult,
    Probe,
    limiter::{Limiter, Permit},
    websocket::{self, Connection},
};
use crate::{
    egress::{Class, Failure, Trace},
    ids::OrganizationId,
};

/// Pages that the program has open at a time, each a process of the browser, and those of one organization.
const MAX_PAGES: usize = 8;
const MAX_OWN_PAGES: usize = 2;
static PAGES: LazyLock<Limiter> = LazyLock::new(|| Limiter::new(MAX_PAGES, MAX_OWN_PAGES));
/// How long a check waits for a page.
const MAX_WAIT: Duration = Duration::from_mins(2);

/// Waits until a page may be opened; nothing if others are open for too long.
pub(super) async fn wait_for_page(organization: &OrganizationId) -> Option<Permit> {
    let waited = timeout(MAX_WAIT, PAGES.acquire(organization)).await;
    waited.ok().flatten()
}

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let url = probe.egress.policy().browser_url.clone();
    if url.is_empty() {
        let message = "no browser is configured here: set `egress.browser_url`";
        return Err(Failure::new(Class::NotPermitted, message));
    }
    let finding = Box::pin(Endpoint::find(probe.egress, &url, probe.deadline));
    let endpoint = finding.await.map_err(unusable)?;
    let listener = TcpListener::bind((endpoint.near, 0)).await;
    let listener = listener.map_err(|error| Failure::from_socket(&error, "for the browser"))?;
    let address = listener.local_addr();
    let address = address.map_err(|error| Failure::from_socket(&error, "for the browser"))?;
    let proxy = Proxy::new(probe.egress.clone(), endpoint.browser, probe.deadline);
    let (proxy, mut page) = (Arc::new(proxy), Page::default());
    let opening = Box::pin(open(probe, endpoint, address, &mut page));
    let outcome = tokio::select! {
        opened = timeout_at(probe.deadline, opening) => opened.ok(),
        error = proxy.serve(listener) => {
            // As when too many files are open, which says nothing about the target.
            tracing::warn!(%error, "the proxy of a page takes no connections");
            result.is_skipped = true;
            let message = format!("the proxy for the browser takes no connections: {error}");
            Some(Err(Failure::new(Class::Other, message)))
        }
    };
    let outcome = outcome.unwrap_or_else(|| Err(page.late(&proxy)));
    let outcome = outcome.and_then(|()| page.judge(probe.expect, &proxy));
    result.http_code = page.status.unwrap_or_default();
    result.trace = page.trace(&proxy);
    outcome
}

/// Opens the page of a monitor, until it has what is expected or everything that it will have.
async fn open(
    probe: &Probe<'_>,
    endpoint: Endpoint,
    proxy: SocketAddr,
    page: &mut Page,
) -> Result<(), Failure> {
    // Of the browser, not of the page.
    let mut trace = Trace::begin();
    let connecting = websocket::connect(&endpoint.egress, endpoint.url, probe.deadline, &mut trace);
    let stream = Box::pin(connecting).await.map_err(unusable)?;
    let connection = Connection::new(stream, &mut trace, devtools::MAX_MESSAGE);
    let mut devtools = Devtools::new(connection);
    let prepared = prepare::prepare(&mut devtools, page, proxy).await;
    prepared.map_err(unusable)?;
    page.began = Some(Instant::now());
    visit::visit(&mut devtools, page, probe).await?;
    devtools.close().await;
    Ok(())
}

/// That the browser itself fails, not what it opens.
fn unusable(failure: Failure) -> Failure {
    let message = format!(
        "the browser at `egress.browser_url` can't be used: {}",
        failure.message
    );
    Failure::new(Class::Other, message)
}

#[cfg(test)]
mod tests;
