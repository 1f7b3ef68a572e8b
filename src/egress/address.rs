//! Which addresses and ports may be reached.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use serde::{Deserialize, Serialize};

use super::{Class, Failure};

const fn v4(a: u8, b: u8, c: u8, d: u8, length: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), length)
}

const fn v6(a: u16, b: u16, c: u16, length: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0), length)
}

/// What of IPv4 is not public: the registry of special addresses, multicast, the reserved end, and a cloud's way inside.
const SPECIAL_V4: [Ipv4Net; 16] = [
    v4(0, 0, 0, 0, 8),
    v4(10, 0, 0, 0, 8),
    v4(100, 64, 0, 0, 10),
    v4(127, 0, 0, 0, 8),
    v4(169, 254, 0, 0, 16),
    v4(172, 16, 0, 0, 12),
    v4(192, 0, 0, 0, 24),
    v4(192, 0, 2, 0, 24),
    v4(192, 88, 99, 0, 24),
    v4(192, 168, 0, 0, 16),
    v4(198, 18, 0, 0, 15),
    v4(198, 51, 100, 0, 24),
    v4(203, 0, 113, 0, 24),
    v4(224, 0, 0, 0, 4),
    v4(240, 0, 0, 0, 4),
    v4(168, 63, 129, 16, 32),
];

/// The part of IPv6 that is handed out.
const GLOBAL_V6: Ipv6Net = v6(0x2000, 0, 0, 3);
/// What of it is not public: protocols with IPv4 inside, documentation.
const SPECIAL_V6: [Ipv6Net; 4] = [
    v6(0x2001, 0, 0, 23),
    v6(0x2001, 0xdb8, 0, 32),
    v6(0x2002, 0, 0, 16),
    v6(0x3fff, 0, 0, 20),
];

/// Whether an address belongs to the public internet.
pub fn is_public(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => !SPECIAL_V4.iter().any(|net| net.contains(&ip)),
        IpAddr::V6(ip) => {
            GLOBAL_V6.contains(&ip) && !SPECIAL_V6.iter().any(|net| net.contains(&ip))
        }
    }
}

/// What may be reached (`[egress]` of the configuration). Reloadable.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Networks that may be reached although they are not public.
    pub allow: Vec<IpNet>,
    /// Ports that never are.
    pub blocked_ports: Vec<u16>,
    /// Name servers that are asked; empty = those of the machine. Read at start.
    pub name_servers: Vec<SocketAddr>,
    /// The RDAP service that knows when domains expire, with its path; empty = `https://rdap.org/`.
    pub rdap_url: String,
    /// The debugging address of Chromium, such as `http://127.0.0.1:9222`, which opens pages for monitors; empty = none does.
    pub browser_url: String,
    /// Our own listeners, which are not either unless they are in `allow`; no setting.
    #[serde(skip)]
    pub own: Vec<SocketAddr>,
}

impl Policy {
    /// May this port be reached?
    ///
    /// # Errors
    /// It may not.
    pub fn port(&self, port: u16) -> Result<(), Failure> {
        if port == 0 || self.blocked_ports.contains(&port) {
            let message =
                format!("port {port} may not be reached from here (egress.blocked_ports)");
            return Err(Failure::new(Class::BlockedPort, message));
        }
        Ok(())
    }

    /// May this address be reached? The message does not repeat it, because it may reveal a network inside.
    ///
    /// # Errors
    /// It may not.
    pub fn address(&self, ip: IpAddr, port: u16) -> Result<(), Failure> {
        let ip = ip.to_canonical();
        let is_allowed = self.allow.iter().any(|net| net.contains(&ip));
        let ours = |own: &SocketAddr| own.ip().to_canonical() == ip && own.port() == port;
        if !is_allowed && (!is_public(ip) || self.own.iter().any(ours)) {
            let message = "the target is not a public address (egress.allow lists exceptions)";
            return Err(Failure::new(Class::BlockedAddress, message));
        }
        // No exception opens it. Where there is none, this would reveal where the browser is.
        if self.is_browser(ip, port) {
            return Err(browser());
        }
        Ok(())
    }

    /// Refuses hosts that are private by their spelling, before anybody is asked what they mean.
    ///
    /// # Errors
    /// The host is an address that may not be reached, or a name for machines nearby.
    pub fn spelling(&self, host: &url::Host<&str>, port: u16) -> Result<(), Failure> {
        self.port(port)?;
        let name = match host {
            url::Host::Ipv4(ip) => return self.address(IpAddr::V4(*ip), port),
            url::Host::Ipv6(ip) => return self.address(IpAddr::V6(*ip), port),
            url::Host::Domain(name) => name,
        };
        self.name(name)?;
        if is_local_name(name) && self.is_browser(Ipv4Addr::LOCALHOST.into(), port) {
            return Err(browser());
        }
        Ok(())
    }

    /// Whether this is the debugging port of Chromium, which obeys every program that reaches it.
    fn is_browser(&self, ip: IpAddr, port: u16) -> bool {
        let Ok(url) = url::Url::parse(&self.browser_url) else {
            return false;
        };
        let browser = match url.host() {
            Some(url::Host::Ipv4(ip)) => IpAddr::V4(ip),
            Some(url::Host::Ipv6(ip)) => IpAddr::V6(ip).to_canonical(),
            Some(url::Host::Domain(name)) if is_local_name(name) => Ipv4Addr::LOCALHOST.into(),
            _ => return false,
        };
        // A connection to the unspecified address leads to this machine as well.
        let is_near = |ip: IpAddr| ip.is_loopback() || ip.is_unspecified();
        let is_same = ip == browser || (is_near(ip) && is_near(browser));
        is_same && url.port_or_known_default() == Some(port)
    }

    /// Refuses names for machines nearby, before anybody is asked what they mean.
    ///
    /// # Errors
    /// The name is one.
    pub fn name(&self, name: &str) -> Result<(), Failure> {
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        let below = |zone: &str| name == zone || name.ends_with(&format!(".{zone}"));
        // Who opens networks inside may call machines there by their names.
        let nearby = ["localhost", "local", "internal"].into_iter().any(below);
        if name.is_empty() || (nearby && self.allow.is_empty()) {
            let message = "the target is a name for machines nearby, which are not public (egress.allow lists exceptions)";
            return Err(Failure::new(Class::BlockedAddress, message));
        }
        Ok(())
    }
}

fn is_local_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

fn browser() -> Failure {
    let message = "the target is the browser of the checks (egress.browser_url)";
    Failure::new(Class::BlockedAddress, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public(text: &str) -> bool {
        is_public(text.parse().unwrap())
    }

    #[test]
    fn both_sides_of_every_border_of_ipv4() {
        for net in SPECIAL_V4 {
            assert!(!is_public(IpAddr::V4(net.network())), "{net}");
            assert!(!is_public(IpAddr::V4(net.broadcast())), "{net}");
        }
        for outside in [
            "1.0.0.0",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "191.255.255.255",
            "192.0.1.0",
            "192.0.3.0",
            "192.88.98.255",
            "192.88.100.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "198.51.99.255",
            "198.51.101.0",
            "203.0.112.255",
            "203.0.114.0",
            "223.255.255.255",
            "168.63.129.15",
            "168.63.129.17",
        ] {
            assert!(public(outside), "{outside}");
        }
    }

    #[test]
    fn ipv6_is_public_only_where_it_is_handed_out() {
        for inside in [
            "::",
            "::1",
            "::7f00:1",
            "::ffff:10.0.0.1",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "1fff:ffff::1",
            "2001::1",
            "2001:1ff:ffff::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "3fff:fff::1",
            "4000::1",
            "5f00::1",
            "fc00::1",
            "fdff::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!public(inside), "{inside}");
        }
        for outside in [
            "2000::1",
            "2001:200::1",
            "2606:4700:4700::1111",
            "2a00::1",
            "3fff:1000::1",
            "::ffff:8.8.8.8",
        ] {
            assert!(public(outside), "{outside}");
        }
    }

    #[test]
    fn no_exception_opens_the_browser_of_the_checks() {
        let all = || vec![Ipv4Net::default().into(), Ipv6Net::default().into()];
        for (browser_url, refused) in [
            (
                "http://127.0.0.1:9222",
                "127.0.0.1 127.0.0.2 ::1 ::ffff:127.0.0.1 0.0.0.0 ::",
            ),
            ("http://localhost:9222/", "127.0.0.1 ::1"),
            ("http://[::1]:9222", "127.0.0.1 ::1"),
            ("http://10.0.0.5:9222", "10.0.0.5 ::ffff:10.0.0.5"),
        ] {
            let policy = Policy {
                allow: all(),
                browser_url: browser_url.to_owned(),
                ..Policy::default()
            };
            for ip in refused.split(' ') {
                let ip = ip.parse().unwrap();
                let failure = policy.address(ip, 9222).unwrap_err();
                assert_eq!(failure.class, Class::BlockedAddress, "{browser_url} {ip}");
                assert!(policy.address(ip, 9223).is_ok(), "{browser_url} {ip}");
            }
            assert!(policy.address("10.0.0.6".parse().unwrap(), 9222).is_ok());
            let closed = Policy {
                allow: Vec::new(),
                ..policy.clone()
            };
            let refused = closed.address("10.0.0.5".parse().unwrap(), 9222);
            assert!(refused.unwrap_err().message.contains("not a public"));
            let is_near = !browser_url.contains("10.0.0.5");
            for name in ["localhost", "LocalHost.", "a.localhost"] {
                let spelled = policy.spelling(&url::Host::Domain(name), 9222);
                assert_eq!(spelled.is_err(), is_near, "{browser_url} {name}");
                assert!(policy.spelling(&url::Host::Domain(name), 80).is_ok());
            }
        }
    }

    #[test]
    fn exceptions_are_for_addresses_not_for_ports() {
        let policy = Policy {
            allow: vec!["127.0.0.0/8".parse().unwrap()],
            blocked_ports: vec![22],
            own: vec!["8.8.8.8:80".parse().unwrap()],
            ..Policy::default()
        };
        let address = |text: &str, port| policy.address(text.parse().unwrap(), port).is_ok();
        assert!(address("127.0.0.1", 80) && address("::ffff:127.0.0.1", 80));
        assert!(!address("10.0.0.1", 80));
        assert!(!address("8.8.8.8", 80), "our own");
        assert!(address("8.8.8.8", 443));
        assert_eq!(policy.port(22).unwrap_err().class, Class::BlockedPort);
        assert!(policy.port(0).is_err() && policy.port(443).is_ok());
        assert!(policy.spelling(&url::Host::Domain("localhost"), 80).is_ok());
        assert!(
            Policy::default()
                .spelling(&url::Host::Domain("Db.Internal."), 80)
                .is_err()
        );
        assert!(
            Policy::default()
                .spelling(&url::Host::Domain("internal.example"), 80)
                .is_ok()
        );
    }
}
