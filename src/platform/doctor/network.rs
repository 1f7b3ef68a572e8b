//! Listeners, public addresses, name servers, the certificate, mail.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use hyper::{Method, header::HeaderMap};
use tokio::{net::TcpStream, time::timeout};
use url::Url;

use super::Finding;
use crate::{
    clock::Clock,
    config::Settings,
    egress::{Ask, Bounds, Egress, Names, Policy, Resolve, Trace},
    platform::listeners,
};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// A certificate should be renewed by then.
const SOON_MS: i64 = 14 * 86_400_000;

pub(super) async fn all(settings: &Settings) -> Vec<Finding> {
    let server = &settings.server;
    let mut findings = Vec::new();
    let mut running = true;
    for (what, address) in [
        ("API listener", server.api_listen),
        ("tracking listener", server.track_listen),
        ("short-link listener", server.links_listen),
    ] {
        let (up, finding) = check_listener(what, address).await;
        running &= up;
        findings.push(finding);
    }
    let names = Names::new(&settings.egress.name_servers);
    findings.push(match &names {
        Ok(_) => Finding::good("name servers", "the system names some"),
        Err(error) => Finding::bad(
            "name servers",
            error.to_string(),
            "monitors and webhooks need them: see /etc/resolv.conf",
        ),
    });
    if let (true, Ok(names)) = (running, names) {
        findings.extend(public(settings, Arc::new(names)).await);
    }
    findings.push(proxies(settings));
    findings.extend(certificate(settings));
    findings.push(if settings.mail.smtp_url.is_empty() {
        let fix =
            "set `mail.smtp_url` and `mail.from`; until then `pharos user reset-password` helps";
        Finding::doubtful("mail", "none is sent", fix)
    } else {
        Finding::good("mail", format!("sent as {}", settings.mail.from))
    });
    findings
}

/// Whether a server answers there, and what to say about it.
pub(super) async fn check_listener(what: &'static str, address: SocketAddr) -> (bool, Finding) {
    if address.port() == 0 {
        return (false, Finding::good(what, "any free port"));
    }
    if matches!(
        timeout(PATIENCE, TcpStream::connect(reachable(address))).await,
        Ok(Ok(_))
    ) {
        return (true, Finding::good(what, format!("{address} answers")));
    }
    match std::net::TcpListener::bind(address) {
        Ok(_) => (
            false,
            Finding::good(what, format!("{address} is free; no server runs")),
        ),
        Err(error) => (
            false,
            Finding::bad(
                what,
                format!("{address} cannot be used: {error}"),
                "another address, or the right to use it (CAP_NET_BIND_SERVICE for ports below 1024)",
            ),
        ),
    }
}

/// An address under which a listener on every address is met.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

/// Whether the running server is met where people are sent.
async fn public(settings: &Settings, names: Arc<dyn Resolve>) -> Vec<Finding> {
    let urls = settings.server.urls();
    let everywhere = ["0.0.0.0/0", "::/0"]
        .iter()
        .filter_map(|net| net.parse().ok());
    let policy = Policy {
        allow: everywhere.collect(),
        ..Policy::default()
    };
    let Ok(egress) = Egress::new(policy, names) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    for (what, url) in [
        ("base_url", &urls.base),
        ("track_url", &urls.track),
        ("links_url", &urls.links),
    ] {
        let seen = health(&egress, url).await;
        findings.push(match seen {
            Ok(()) => Finding::good(what, format!("{url} leads to a server")),
            Err(why) => Finding::bad(
                what,
                format!("{url}: {why}"),
                "the proxy in front, the name's address, or the setting is wrong; a firewall may also keep this machine \
                 from reaching itself by its public name",
            ),
        });
    }
    findings
}

async fn health(egress: &Egress, url: &str) -> Result<(), String> {
    let url: Url = format!("{url}/health")
        .parse()
        .map_err(|_| "it is no address".to_owned())?;
    let ask = Ask {
        url,
        method: Method::GET,
        headers: HeaderMap::new(),
        body: Bytes::new(),
        strict: true,
        stay: true,
        bounds: Bounds {
            time: PATIENCE,
            body: 1_000,
            text: 1_000,
            whole: false,
            redirects: 0,
        },
    };
    let answer = egress.ask(ask, &mut Trace::begin()).await;
    let answer = answer.map_err(|failure| failure.message)?;
    let ours = answer.text.starts_with(br#"{"status":"ok""#);
    if answer.status.is_success() && ours {
        return Ok(());
    }
    Err(format!(
        "something else answers, with status {}",
        answer.status
    ))
}

/// Whether the addresses of visitors can be right.
fn proxies(settings: &Settings) -> Finding {
    let server = &settings.server;
    let urls = server.urls();
    let here = |address: &SocketAddr| address.ip().is_loopback();
    let elsewhere = [&urls.base, &urls.track, &urls.links]
        .into_iter()
        .any(|url| {
            let host = Url::parse(url)
                .ok()
                .and_then(|url| url.host_str().map(str::to_owned));
            host.is_some_and(|host| {
                host != "localhost" && !host.starts_with("127.") && host != "[::1]"
            })
        });
    let behind = [server.api_listen, server.track_listen, server.links_listen]
        .iter()
        .all(here);
    let is_direct = server.https_address().is_some();
    if elsewhere && behind && !is_direct && server.trusted_proxies.is_empty() {
        return Finding::bad(
            "proxies",
            "requests come through a proxy on this machine that is not trusted: every visitor has its address",
            "set `server.trusted_proxies = [\"127.0.0.1/32\", \"::1/128\"]`",
        );
    }
    let wide = server
        .trusted_proxies
        .iter()
        .any(|net| net.prefix_len() == 0);
    if wide {
        return Finding::bad(
            "proxies",
            "all networks are trusted: any client can choose its address with `X-Forwarded-For`",
            "name your proxies' own networks in `server.trusted_proxies`",
        );
    }
    let count = server.trusted_proxies.len();
    Finding::good("proxies", format!("{count} networks are trusted"))
}

fn certificate(settings: &Settings) -> Option<Finding> {
    let what = "certificate";
    let tls = match listeners::tls(&settings.server) {
        Ok(None) => return None,
        Ok(Some(tls)) => tls,
        Err(refusal) => return Some(Finding::bad(what, refusal.what, refusal.hint)),
    };
    let Some(ends_ms) = tls.ends_ms() else {
        return Some(Finding::good(what, "it does not say when it ends"));
    };
    let seen = format!("it ends on {}", crate::clock::iso_ms(ends_ms));
    let left = ends_ms - Clock::system().now_ms();
    Some(if left < 0 {
        Finding::bad(what, seen, "renew it; the server picks it up automatically")
    } else if left < SOON_MS {
        Finding::doubtful(what, seen, "renew it; the server picks it up automatically")
    } else {
        Finding::good(what, seen)
    })
}
