//! The client's address: the socket's, unless a proxy that the operator trusts says better.
//!
//! `X-Forwarded-For` is walked from the right and believed only as far as trusted proxies wrote it: no client
//! can make up an address (threat T41). A CDN's own header counts before it, where one is set. Addresses never reach
//! disk or logs.

use std::{
    net::{IpAddr, Ipv6Addr, SocketAddr},
    sync::atomic::{AtomicBool, Ordering},
};

use actix_web::{
    dev::ServiceRequest,
    http::header::{HeaderMap, HeaderName},
};
use ipnet::IpNet;

use crate::store::limits::Identity;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Where a request came from, IPv4-mapped addresses as IPv4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// The identity that anonymous limits count: IPv6 by /64, and nothing that can be turned back.
    pub fn identity(self, secret: &[u8; 32], kind: &str) -> Identity {
        let (bytes, length) = self.network();
        Identity::keyed(secret, kind, &bytes[..length])
    }

    /// The same, for one website and address together.
    pub fn identity_with(self, secret: &[u8; 32], kind: &str, subject: &str) -> Identity {
        let (bytes, length) = self.network();
        let mut name = Vec::with_capacity(length + 1 + subject.len());
        name.extend_from_slice(&bytes[..length]);
        name.push(0);
        name.extend_from_slice(subject.as_bytes());
        Identity::keyed(secret, kind, &name)
    }

    /// [`Self::identity_with`] of the whole network that one customer of a provider has at most: an IPv6 /48, or an IPv4 address.
    pub fn network_identity_with(self, secret: &[u8; 32], kind: &str, subject: &str) -> Identity {
        let network = match self.0 {
            IpAddr::V4(_) => self,
            IpAddr::V6(address) => {
                let mut octets = [0; 16];
                octets[..6].copy_from_slice(&address.octets()[..6]);
                Self(IpAddr::from(octets))
            }
        };
        network.identity_with(secret, kind, subject)
    }

    /// The network that counts as one client: an IPv4 address, the /64 of an IPv6 address.
    pub(in crate::http) fn network_only(self) -> Self {
        match self.0 {
            IpAddr::V4(_) => self,
            IpAddr::V6(address) => {
                let network = address.to_bits() & (u128::MAX << 64);
                Self(Ipv6Addr::from_bits(network).into())
            }
        }
    }

    fn network(self) -> ([u8; 8], usize) {
        let mut bytes = [0; 8];
        match self.0 {
            IpAddr::V4(address) => {
                bytes[..4].copy_from_slice(&address.octets());
                (bytes, 4)
            }
            IpAddr::V6(address) => {
                bytes.copy_from_slice(&address.octets()[..8]);
                (bytes, 8)
            }
        }
    }
}

/// Which proxies are believed, and where they write the client's address.
#[derive(Debug, Clone, Default)]
pub struct Proxies {
    /// Networks of trusted proxies (`server.trusted_proxies`).
    pub trusted: Vec<IpNet>,
    /// A header with the client's address alone (`server.client_ip_header`).
    pub client_ip_header: Option<HeaderName>,
}

impl Proxies {
    /// The address of the client behind a request.
    pub fn client(&self, request: &ServiceRequest) -> ClientAddress {
        self.client_at(request.peer_addr(), request.headers())
    }

    /// The address of the client at the other end of a connection that sent these headers.
    pub fn client_at(&self, peer: Option<SocketAddr>, headers: &HeaderMap) -> ClientAddress {
        let socket = peer.map_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED), |peer| peer.ip());
        ClientAddress(self.resolve(socket.to_canonical(), headers))
    }

    fn resolve(&self, socket: IpAddr, headers: &HeaderMap) -> IpAddr {
        if !self.trusts(socket) {
            hint(socket, headers);
            return socket;
        }
        let own = self.client_ip_header.as_ref();
        let own = own.filter(|name| **name != FORWARDED_FOR);
        // A proxy appends to what it was sent.
        let named = own.and_then(|name| entries(headers, name).pop());
        if let Some(address) = named.and_then(parse) {
            return address;
        }
        let mut client = socket;
        for entry in entries(headers, &FORWARDED_FOR).into_iter().rev() {
            let Some(address) = parse(entry) else { break };
            client = address;
            if !self.trusts(address) {
                break;
            }
        }
        client
    }

    /// Whether the other end of a connection is a trusted proxy, whose headers about the client count.
    pub fn trusts_peer(&self, peer: Option<SocketAddr>) -> bool {
        peer.is_some_and(|peer| self.trusts(peer.ip().to_canonical()))
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.trusted
            .iter()
            .any(|network| network.contains(&address))
    }
}

/// The entries of a list header, over all of its lines.
fn entries<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Vec<&'h str> {
    let lines = headers
        .get_all(name)
        .map(|value| value.to_str().unwrap_or_default());
    lines.flat_map(|line| line.split(',')).collect()
}

/// Logs once that a proxy of our own seems to be in front and is not trusted: every visitor has its address then.
fn hint(socket: IpAddr, headers: &HeaderMap) {
    static SAID: AtomicBool = AtomicBool::new(false);
    let is_near = match socket {
        IpAddr::V4(address) => address.is_private() || address.is_loopback(),
        IpAddr::V6(address) => address.is_unique_local() || address.is_loopback(),
    };
    if is_near
        && !SAID.load(Ordering::Relaxed)
        && headers.contains_key(FORWARDED_FOR)
        && !SAID.swap(true, Ordering::Relaxed)
    {
        tracing::warn!(
            "requests come through a proxy that is not in `server.trusted_proxies`: its address counts as every \
             visitor's, for limits, countries and address rules"
        );
    }
}

/// An address, alone or with a port, brackets allowed.
fn parse(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let alone = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(text);
    let address = alone.parse().ok().or_else(|| {
        text.parse()
            .ok()
            .map(|socket: std::net::SocketAddr| socket.ip())
    });
    address.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn client(proxies: &Proxies, socket: &str, forwarded: &[&str]) -> String {
        let mut request = TestRequest::get().peer_addr(socket.parse().unwrap());
        for line in forwarded {
            request = request.append_header(("x-forwarded-for", *line));
        }
        proxies.client(&request.to_srv_request()).0.to_string()
    }

    fn behind(network: &str) -> Proxies {
        Proxies {
            trusted: vec![network.parse().unwrap()],
            client_ip_header: None,
        }
    }

    #[test]
    fn nobody_is_believed_by_default() {
        assert_eq!(
            client(&Proxies::default(), "192.0.2.1:1", &["203.0.113.9"]),
            "192.0.2.1"
        );
        assert_eq!(
            client(&Proxies::default(), "[::ffff:192.0.2.1]:1", &[]),
            "192.0.2.1"
        );
    }

    #[test]
    fn the_list_is_walked_from_the_right_and_only_through_trusted_proxies() {
        let proxies = behind("10.0.0.0/8");
        for (forwarded, expected) in [
            (&["203.0.113.9"][..], "203.0.113.9"),
            (&["1.1.1.1, 203.0.113.9"], "203.0.113.9"),
            (&["1.1.1.1, 203.0.113.9, 10.0.0.7"], "203.0.113.9"),
            (&["1.1.1.1", "203.0.113.9"], "203.0.113.9"),
            (&["203.0.113.9:4711"], "203.0.113.9"),
            (&["[2001:db8::1]:80"], "2001:db8::1"),
            (&["::ffff:203.0.113.9"], "203.0.113.9"),
            (&["nonsense"], "10.0.0.1"),
            (&["203.0.113.9, nonsense, 10.0.0.7"], "10.0.0.7"),
            (&["10.0.0.9, 10.0.0.8"], "10.0.0.9"),
            (&[""], "10.0.0.1"),
            (&[], "10.0.0.1"),
        ] {
            assert_eq!(
                client(&proxies, "10.0.0.1:1", forwarded),
                expected,
                "{forwarded:?}"
            );
        }
        assert_eq!(
            client(&proxies, "192.0.2.1:1", &["203.0.113.9"]),
            "192.0.2.1",
            "not a trusted socket"
        );
    }

    #[test]
    fn the_operators_header_counts_from_trusted_proxies_only() {
        let header = Some(HeaderName::from_static("cf-connecting-ip"));
        let proxies = Proxies {
            client_ip_header: header,
            ..behind("10.0.0.0/8")
        };
        let ask = |socket: &str| {
            let request = TestRequest::get()
                .peer_addr(socket.parse().unwrap())
                .insert_header(("cf-connecting-ip", "203.0.113.5"))
                .insert_header(("x-forwarded-for", "198.51.100.1"));
            proxies.client(&request.to_srv_request()).0.to_string()
        };
        assert_eq!(ask("10.0.0.1:1"), "203.0.113.5");
        assert_eq!(ask("192.0.2.1:1"), "192.0.2.1");
    }

    #[test]
    fn what_the_cdn_wrote_counts_and_not_what_it_was_sent() {
        let named = |name: &'static str, lines: &[&str]| {
            let proxies = Proxies {
                client_ip_header: Some(HeaderName::from_static(name)),
                ..behind("10.0.0.0/8")
            };
            let mut request = TestRequest::get().peer_addr("10.0.0.1:1".parse().unwrap());
            for line in lines {
                request = request.append_header((name, *line));
            }
            let request = if name == "x-forwarded-for" {
                request
            } else {
                request.append_header(("x-forwarded-for", "198.51.100.1"))
            };
            proxies.client(&request.to_srv_request()).0.to_string()
        };
        for (lines, expected) in [
            (&["1.1.1.1", "203.0.113.5"][..], "203.0.113.5"),
            (&["1.1.1.1, 203.0.113.5"], "203.0.113.5"),
            (&["2001:db8::7"], "2001:db8::7"),
            (&["[2001:db8::7]:443"], "2001:db8::7"),
            (&["unknown"], "198.51.100.1"),
            (&["fe80::1%eth0"], "198.51.100.1"),
            (&[""], "198.51.100.1"),
            (&[], "198.51.100.1"),
        ] {
            assert_eq!(named("true-client-ip", lines), expected, "{lines:?}");
        }
        assert_eq!(
            named("x-forwarded-for", &["203.0.113.5, 10.0.0.9"]),
            "203.0.113.5",
            "the list is walked all the same"
        );
    }

    #[test]
    fn an_ipv6_network_is_one_identity() {
        let identity =
            |text: &str| ClientAddress(text.parse().unwrap()).identity(&[7; 32], "address");
        assert_eq!(
            identity("2001:db8:1:2::1"),
            identity("2001:db8:1:2:ffff::9")
        );
        assert_ne!(identity("2001:db8:1:2::1"), identity("2001:db8:1:3::1"));
        assert_ne!(identity("192.0.2.1"), identity("192.0.2.2"));
        let other = ClientAddress("192.0.2.1".parse().unwrap()).identity(&[8; 32], "address");
        assert_ne!(identity("192.0.2.1"), other, "the secret matters");
    }
}
