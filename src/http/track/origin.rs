//! From which pages and addresses a website takes events without a key (wire.md 1.8).

use std::net::IpAddr;

use actix_web::http::header::{HeaderMap, ORIGIN};
use ipnet::IpNet;

use crate::fault::Fault;

/// Checks origin, then address.
pub(super) fn check(
    domain: &str,
    allowed_origins: &[String],
    allowed_ips: &[String],
    headers: &HeaderMap,
    address: Option<IpAddr>,
) -> Result<(), Fault> {
    let origin = headers
        .get(ORIGIN)
        .map(|value| value.to_str().unwrap_or_default());
    if !origin_fits(domain, allowed_origins, origin) {
        return Err(Fault::forbidden("Origin not authorized").with_code("ORIGIN_NOT_AUTHORIZED"));
    }
    if !address_fits(allowed_ips, address) {
        return Err(Fault::forbidden("IP address not authorized").with_code("IP_NOT_AUTHORIZED"));
    }
    Ok(())
}

/// Without an origin only a website that lists origins refuses; with one it must be the website's own or a listed one.
fn origin_fits(domain: &str, allowed: &[String], origin: Option<&str>) -> bool {
    let Some(origin) = origin else {
        return allowed.is_empty();
    };
    let Some(host) = host(origin) else {
        return false;
    };
    let own = without_www(without_port(domain));
    let bare = without_www(&host);
    if !own.is_empty() && (bare.eq_ignore_ascii_case(own) || is_below(&host, own)) {
        return true;
    }
    allowed.iter().any(|entry| listed(entry.trim(), &host))
}

fn listed(entry: &str, host: &str) -> bool {
    let entry = entry.split_once("://").map_or(entry, |(_, rest)| rest);
    let entry = without_port(entry.trim_end_matches('/'));
    match entry.strip_prefix("*.") {
        _ if entry == "*" => true,
        Some(parent) => is_below(host, parent),
        None => host.eq_ignore_ascii_case(entry),
    }
}

/// `a.example.com` is below `example.com`; `badexample.com` is not.
fn is_below(host: &str, parent: &str) -> bool {
    let Some(at) = host.len().checked_sub(parent.len() + 1) else {
        return false;
    };
    !parent.is_empty()
        && host.as_bytes()[at] == b'.'
        && host.as_bytes()[at + 1..].eq_ignore_ascii_case(parent.as_bytes())
}

/// The host of an origin, lower case; none for `null` and the like.
fn host(origin: &str) -> Option<String> {
    let (_, authority) = origin.split_once("://")?;
    let host = without_port(authority);
    (!host.is_empty()).then(|| host.to_ascii_lowercase())
}

fn without_port(authority: &str) -> &str {
    match authority.rfind(']') {
        Some(end) => &authority[..=end],
        None => authority.split(':').next().unwrap_or_default(),
    }
}

fn without_www(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

fn address_fits(allowed: &[String], address: Option<IpAddr>) -> bool {
    if allowed.is_empty() {
        return true;
    }
    let Some(address) = address.map(|address| address.to_canonical()) else {
        return false;
    };
    allowed.iter().any(|entry| {
        let entry = entry.trim();
        let exact = entry.parse::<IpAddr>().map(|exact| exact.to_canonical());
        exact.is_ok_and(|exact| exact == address)
            || entry
                .parse::<IpNet>()
                .is_ok_and(|network| network.contains(&address))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entries: &[&str]) -> Vec<String> {
        entries.iter().map(|entry| (*entry).to_owned()).collect()
    }

    #[test]
    fn a_website_takes_its_own_pages() {
        let fits = |origin| origin_fits("www.example.com", &[], origin);
        for own in [
            "https://example.com",
            "http://www.example.com:8080",
            "https://shop.EXAMPLE.com",
        ] {
            assert!(fits(Some(own)), "{own}");
        }
        for foreign in [
            "https://badexample.com",
            "https://example.com.evil.net",
            "null",
            "https://",
            "example.com",
            "",
        ] {
            assert!(!fits(Some(foreign)), "{foreign}");
        }
        assert!(fits(None));
        assert!(origin_fits("localhost", &[], Some("http://localhost:3000")));
        assert!(!origin_fits("", &[], Some("http://x.example")));
    }

    #[test]
    fn listed_origins_are_taken_too_and_make_an_origin_necessary() {
        let allowed = list(&[
            "https://partner.example/",
            "*.preview.dev",
            "localhost:3000",
        ]);
        let fits = |origin| origin_fits("example.com", &allowed, origin);
        for good in [
            "https://example.com",
            "https://partner.example",
            "https://a.b.preview.dev",
            "http://localhost:9",
        ] {
            assert!(fits(Some(good)), "{good}");
        }
        for bad in [
            "https://x.partner.example",
            "https://preview.dev",
            "https://evilpreview.dev",
        ] {
            assert!(!fits(Some(bad)), "{bad}");
        }
        assert!(!fits(None));
        assert!(origin_fits(
            "example.com",
            &list(&["*"]),
            Some("https://anyone.example")
        ));
    }

    #[test]
    fn addresses_are_compared_alone_or_as_networks() {
        let allowed = list(&["192.0.2.7", "10.0.0.0/8", "2001:db8::/32"]);
        let fits = |address: &str| address_fits(&allowed, Some(address.parse().unwrap()));
        for good in ["192.0.2.7", "::ffff:192.0.2.7", "10.255.0.1", "2001:db8::1"] {
            assert!(fits(good), "{good}");
        }
        for bad in ["192.0.2.8", "11.0.0.1", "2001:db9::1"] {
            assert!(!fits(bad), "{bad}");
        }
        assert!(!address_fits(&allowed, None));
        assert!(address_fits(&[], None));
    }
}
