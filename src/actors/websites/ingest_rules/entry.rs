//! Entries of a website's lists as they are stored: each checked, and spelled in one way.

use super::pattern::HostPort;
use crate::{actors::networks, analytics::catalogue::country_code};

/// Characters of an excluded path.
const MAX_PATH: usize = 512;
/// Labels, dots and a star.
const MAX_HOST: usize = 253;

/// An entry of `allowedIps` or `excludedIps`.
pub(in crate::actors::websites) fn address(text: &str) -> Result<String, &'static str> {
    let network = networks::network(text);
    let network = network.ok_or("must be an address or a network such as `203.0.113.0/24`")?;
    Ok(networks::spell(&network))
}

/// An entry of `allowedOrigins` or `ignoredTrackingOrigins`, as it was written.
pub(in crate::actors::websites) fn origin(text: &str) -> Result<String, &'static str> {
    const WANTED: &str = "must be an origin or a host such as `https://example.com`, `*.example.com` or `localhost:3000`";
    let place = HostPort::from_entry(text).ok_or(WANTED)?;
    if is_host(&place.host) {
        Ok(text.to_ascii_lowercase())
    } else {
        Err(WANTED)
    }
}

/// An entry of `excludedHosts`.
pub(in crate::actors::websites) fn site(text: &str) -> Result<String, &'static str> {
    let host = text.to_lowercase();
    if is_host(&host) && host != "*" {
        Ok(host)
    } else {
        Err("must be a host such as `staging.example.com` or `*.example.com`")
    }
}

/// An entry of `excludedCountries`: a code, or the English name.
pub(in crate::actors::websites) fn country(text: &str) -> Result<String, &'static str> {
    country_code(text)
        .map(str::to_owned)
        .ok_or("must be a country such as `DE` or `Germany`")
}

/// An entry of `excludedPaths`.
pub(in crate::actors::websites) fn path(text: &str) -> Result<String, &'static str> {
    let fits = text.starts_with(['/', '*'])
        && text.chars().count() <= MAX_PATH
        && !text.contains(['?', '#'])
        && !text.chars().any(char::is_control);
    if fits {
        Ok(text.to_owned())
    } else {
        Err("must be a path such as `/admin` or `/preview/*`, without query")
    }
}

/// A host name, an address, `*.` before a host name, or `*`.
fn is_host(text: &str) -> bool {
    if text == "*" {
        return true;
    }
    let bracketed = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    if let Some(address) = bracketed {
        return address.parse::<std::net::Ipv6Addr>().is_ok();
    }
    let host = text.strip_prefix("*.").unwrap_or(text);
    text.len() <= MAX_HOST
        && host.split('.').all(|label| {
            !label.is_empty()
                && label
                    .chars()
                    .all(|c| c.is_alphanumeric() || c == '-' || c == '_')
        })
}
