//! Targets of monitors in canonical form.

use url::{Host, Url};

use super::Kind;
use crate::egress::Policy;

const MAX: usize = 2_048;

/// The stored form of a target: a URL with its scheme. Refuses private addresses by their spelling.
/// An error is to be put behind the field's name.
pub(super) fn canonical(kind: Kind, text: &str, policy: &Policy) -> Result<String, String> {
    let text = text.trim();
    if kind == Kind::Push {
        return if text.is_empty() {
            Ok(String::new())
        } else {
            Err("is nothing for a push monitor: what is watched calls us".to_owned())
        };
    }
    if text.is_empty() {
        return Err("is required".to_owned());
    }
    if text.chars().count() > MAX || text.chars().any(char::is_control) {
        return Err(format!(
            "has at most {MAX} characters, and none that control"
        ));
    }
    match kind {
        Kind::Http => http(text, policy),
        Kind::Tcp => host_and_port(kind, text, None, policy),
        Kind::Tls => host_and_port(kind, text, Some(443), policy),
        Kind::Ping => {
            let host = host_only(kind, text, policy)?;
            Ok(format!("ping://{host}"))
        }
        Kind::Dns | Kind::Dnssec => name(kind, text, policy),
        Kind::Push => Ok(String::new()),
        Kind::Websocket => websocket(text, policy),
        Kind::Grpc => grpc(text, policy),
        Kind::Domain => domain(text, policy),
        Kind::Ntp => host_and_port(kind, text, Some(123), policy),
        Kind::Snmp => snmp(text, policy),
        Kind::Game => host_and_port(kind, text, Some(27_015), policy),
    }
}

/// The scheme of stored targets.
const fn scheme(kind: Kind) -> &'static str {
    match kind {
        Kind::Game => "a2s",
        kind => kind.as_str(),
    }
}

fn http(text: &str, policy: &Policy) -> Result<String, String> {
    let has_scheme = text.split_once("://").is_some_and(|(scheme, _)| {
        scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    });
    let whole = if has_scheme {
        text.to_owned()
    } else {
        format!("https://{text}")
    };
    let url = Url::parse(&whole).map_err(|error| format!("is no address: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(
            "is an http or https address; other kinds of monitors have a `kind` of their own"
                .to_owned(),
        );
    }
    finish_url(url, policy)
}

fn websocket(text: &str, policy: &Policy) -> Result<String, String> {
    let whole = if text.contains("://") {
        text.to_owned()
    } else {
        format!("wss://{text}")
    };
    let url = Url::parse(&whole).map_err(|error| format!("is no address: {error}"))?;
    if !matches!(url.scheme(), "ws" | "wss") {
        return Err("is a ws or wss address".to_owned());
    }
    finish_url(url, policy)
}

fn finish_url(mut url: Url, policy: &Policy) -> Result<String, String> {
    if !url.username().is_empty() || url.password().is_some() {
        return Err("holds no name and no password: `request.auth` is for them".to_owned());
    }
    url.set_fragment(None);
    vet(&url, policy)?;
    Ok(url.into())
}

/// A server, and the service behind it; without one the server speaks for all of them.
fn grpc(text: &str, policy: &Policy) -> Result<String, String> {
    let (scheme, rest, usual) = match text.strip_prefix("grpc://") {
        Some(rest) => ("grpc", rest, None),
        None => {
            let rest = text.strip_prefix("grpcs://").unwrap_or(text);
            ("grpcs", rest, Some(443))
        }
    };
    let (authority, service) = rest.split_once('/').unwrap_or((rest, ""));
    let service = service.trim_end_matches('/');
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte);
    if !service.bytes().all(plain) {
        return Err("names a service such as `orders.v1.Orders` behind the host".to_owned());
    }
    let place = place(Kind::Grpc, authority, usual, policy)?;
    let slash = if service.is_empty() { "" } else { "/" };
    Ok(format!("{scheme}://{place}{slash}{service}"))
}

/// A host, and the object that it is asked for.
fn snmp(text: &str, policy: &Policy) -> Result<String, String> {
    let rest = authority_text(Kind::Snmp, text);
    let (authority, object) = rest.split_once('/').unwrap_or((rest, ""));
    let object = object.trim_start_matches('.');
    let arcs = object.split('.').filter(|arc| arc.parse::<u32>().is_ok());
    let count = arcs.count();
    let is_object = (2..=128).contains(&count) && count == object.split('.').count();
    if !object.is_empty() && !is_object {
        return Err("names an object such as `1.3.6.1.2.1.1.3.0` behind the host".to_owned());
    }
    let place = place(Kind::Snmp, authority, Some(161), policy)?;
    let slash = if object.is_empty() { "" } else { "/" };
    Ok(format!("snmp://{place}{slash}{object}"))
}

/// The registered domain of a name: what a registrar sells, also where others hand out names below it.
fn domain(text: &str, policy: &Policy) -> Result<String, String> {
    let stored = name(Kind::Domain, text, policy)?;
    let name = stored.trim_start_matches("domain://");
    let ends = name.rmatch_indices('.').map(|(at, _)| &name[at + 1..]);
    let is_suffix = |name: &str| {
        let suffix = psl::suffix(name.as_bytes());
        let is_own = suffix.is_some_and(|suffix| {
            suffix.as_bytes() == name.as_bytes() && suffix.typ() == Some(psl::Type::Icann)
        });
        is_own || !name.contains('.')
    };
    let registered = ends.chain([name]).find(|&name| !is_suffix(name));
    let registered = registered.ok_or("is a public suffix, below which domains are registered")?;
    Ok(format!("domain://{registered}"))
}

fn host_and_port(
    kind: Kind,
    text: &str,
    usual: Option<u16>,
    policy: &Policy,
) -> Result<String, String> {
    let place = place(kind, text, usual, policy)?;
    Ok(format!("{}://{place}", scheme(kind)))
}

/// `host:port`
fn place(kind: Kind, text: &str, usual: Option<u16>, policy: &Policy) -> Result<String, String> {
    let url = authority(kind, text)?;
    let has_port = url.port().is_some() || authority_text(kind, text).ends_with(":80");
    let port = match (has_port, usual) {
        (true, _) => url.port_or_known_default(),
        (false, usual) => usual,
    };
    let Some(port) = port else {
        return Err("names a host and a port, such as `db.example.com:5433`".to_owned());
    };
    let host = url.host().ok_or("names no host")?;
    policy
        .spelling(&host, port)
        .map_err(|failure| format!("is refused: {failure}"))?;
    Ok(format!("{}:{port}", url.host_str().unwrap_or_default()))
}

fn host_only(kind: Kind, text: &str, policy: &Policy) -> Result<String, String> {
    let url = authority(kind, text)?;
    if url.port().is_some() {
        return Err("names a host without a port".to_owned());
    }
    vet(&url, policy)?;
    Ok(url.host_str().unwrap_or_default().to_owned())
}

/// A DNS name. Names of records may have underscores, unlike those of hosts.
fn name(kind: Kind, text: &str, policy: &Policy) -> Result<String, String> {
    let name = authority_text(kind, text)
        .trim_end_matches('.')
        .to_ascii_lowercase();
    let plain = name.replace('_', "x");
    let url = authority(kind, &plain)?;
    if url.port().is_some() || !matches!(url.host(), Some(Host::Domain(_))) {
        return Err("is a name, neither an address nor a port".to_owned());
    }
    let host = url.host_str().unwrap_or_default();
    let spelled = if host.is_ascii() && host.len() == name.len() {
        name.as_str()
    } else {
        host
    };
    let labels = spelled.split('.');
    if spelled.len() > 253
        || labels
            .into_iter()
            .any(|label| label.is_empty() || label.len() > 63)
    {
        return Err("is no name".to_owned());
    }
    policy
        .spelling(&Host::Domain(spelled), 53)
        .map_err(|failure| format!("is refused: {failure}"))?;
    Ok(format!("{}://{spelled}", kind.as_str()))
}

/// The part after our scheme.
fn authority_text(kind: Kind, text: &str) -> &str {
    let own = text
        .strip_prefix(scheme(kind))
        .and_then(|rest| rest.strip_prefix("://"));
    let web = own.is_none() && kind == Kind::Tls;
    let rest = own
        .or_else(|| text.strip_prefix("https://").filter(|_| web))
        .unwrap_or(text);
    rest.strip_suffix('/').unwrap_or(rest)
}

fn authority(kind: Kind, text: &str) -> Result<Url, String> {
    let rest = authority_text(kind, text);
    if rest
        .bytes()
        .any(|byte| matches!(byte, b'/' | b'\\' | b'?' | b'#' | b'@'))
    {
        return Err("names a host, and nothing else".to_owned());
    }
    // Parsed like a web address: spellings of addresses are the same everywhere.
    Url::parse(&format!("http://{rest}/")).map_err(|error| format!("names no host: {error}"))
}

fn vet(url: &Url, policy: &Policy) -> Result<(), String> {
    let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
        return Err("names no host".to_owned());
    };
    policy
        .spelling(&host, port)
        .map_err(|failure| format!("is refused: {failure}"))
}

/// A stored target as an HTTP URL, for its host and port.
pub(super) fn parse_authority(target: &str) -> Option<Url> {
    let (_, rest) = target.split_once("://")?;
    Url::parse(&format!("http://{rest}/")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy() -> Policy {
        Policy {
            blocked_ports: vec![22],
            ..Policy::default()
        }
    }

    #[test]
    fn targets_are_stored_in_one_form() {
        for (kind, text, stored) in [
            (Kind::Http, "example.com", "https://example.com/"),
            (
                Kind::Http,
                " HTTP://Example.com:80/a?b#c ",
                "http://example.com/a?b",
            ),
            (
                Kind::Http,
                "example.com:8443/x",
                "https://example.com:8443/x",
            ),
            (
                Kind::Http,
                "https://münchen.example/",
                "https://xn--mnchen-3ya.example/",
            ),
            (
                Kind::Tcp,
                "db.example.com:5433",
                "tcp://db.example.com:5433",
            ),
            (Kind::Tcp, "tcp://example.com:80", "tcp://example.com:80"),
            (
                Kind::Tcp,
                "[2606:4700::1111]:80",
                "tcp://[2606:4700::1111]:80",
            ),
            (Kind::Tls, "example.com", "tls://example.com:443"),
            (
                Kind::Tls,
                "https://example.com:8443/",
                "tls://example.com:8443",
            ),
            (Kind::Dns, "_dmarc.Example.com.", "dns://_dmarc.example.com"),
            (Kind::Ping, "example.com", "ping://example.com"),
            (Kind::Push, "", ""),
        ] {
            assert_eq!(
                canonical(kind, text, &policy()),
                Ok(stored.to_owned()),
                "{text}"
            );
        }
    }

    #[test]
    fn targets_with_a_scheme_of_their_own_have_their_usual_port() {
        for (kind, text, stored) in [
            (
                Kind::Websocket,
                "example.com/live",
                "wss://example.com/live",
            ),
            (
                Kind::Websocket,
                "ws://example.com:80#a",
                "ws://example.com/",
            ),
            (Kind::Grpc, "example.com", "grpcs://example.com:443"),
            (
                Kind::Grpc,
                "grpc://Example.com:50051/a.v1.B/",
                "grpc://example.com:50051/a.v1.B",
            ),
            (
                Kind::Grpc,
                "[2606:4700::1111]:80",
                "grpcs://[2606:4700::1111]:80",
            ),
            (Kind::Domain, "www.Example.co.uk", "domain://example.co.uk"),
            (Kind::Domain, "domain://example.com", "domain://example.com"),
            (Kind::Domain, "shop.github.io", "domain://github.io"),
            (Kind::Dnssec, "www.example.com.", "dnssec://www.example.com"),
            (Kind::Ntp, "time.example.com", "ntp://time.example.com:123"),
            (Kind::Snmp, "example.com", "snmp://example.com:161"),
            (
                Kind::Snmp,
                "snmp://example.com:1161/.1.3.6.1",
                "snmp://example.com:1161/1.3.6.1",
            ),
            (Kind::Game, "example.com", "a2s://example.com:27015"),
            (Kind::Game, "a2s://example.com:1", "a2s://example.com:1"),
        ] {
            for text in [text, stored] {
                let made = canonical(kind, text, &policy());
                assert_eq!(made, Ok(stored.to_owned()), "{text}");
            }
        }
    }

    #[test]
    fn what_is_no_target_is_refused() {
        for (kind, text) in [
            (Kind::Http, ""),
            (Kind::Http, "ftp://example.com"),
            (Kind::Http, "file:///etc/passwd"),
            (Kind::Http, "https://user:secret@example.com/"),
            (Kind::Http, "https://example.com:22/"),
            (Kind::Http, "http://127.1/"),
            (Kind::Http, "http://2130706433/"),
            (Kind::Http, "http://[::1]/"),
            (Kind::Http, "localhost:3000"),
            (Kind::Http, "https://nas.local/"),
            (Kind::Tcp, "example.com"),
            (Kind::Tcp, "10.0.0.1:80"),
            (Kind::Tcp, "0x7f000001:80"),
            (Kind::Tcp, "example.com:80/x"),
            (Kind::Tcp, "a@example.com:80"),
            (Kind::Tls, "example.com:0"),
            (Kind::Dns, "8.8.8.8"),
            (Kind::Dns, "a..example.com"),
            (Kind::Dns, "db.internal"),
            (Kind::Ping, "example.com:80001"),
            (Kind::Ping, "example.com:8080"),
            (Kind::Push, "https://example.com"),
            (Kind::Websocket, "https://example.com/"),
            (Kind::Websocket, "wss://user@example.com/"),
            (Kind::Websocket, "ws://127.0.0.1/"),
            (Kind::Grpc, "grpc://example.com"),
            (Kind::Grpc, "example.com/a b"),
            (Kind::Grpc, "example.com:22"),
            (Kind::Domain, "co.uk"),
            (Kind::Domain, "8.8.8.8"),
            (Kind::Dnssec, "10.0.0.1"),
            (Kind::Snmp, "example.com/sysUpTime"),
            (Kind::Snmp, "example.com/1"),
            (Kind::Snmp, "10.0.0.1"),
            (Kind::Ntp, "example.com/a"),
            (Kind::Game, "127.0.0.1"),
        ] {
            assert!(canonical(kind, text, &policy()).is_err(), "{text}");
        }
    }

    #[test]
    fn stored_targets_read_back() {
        let url = parse_authority("tcp://example.com:80").unwrap();
        assert_eq!(url.host_str(), Some("example.com"));
        assert_eq!(url.port_or_known_default(), Some(80));
    }
}
