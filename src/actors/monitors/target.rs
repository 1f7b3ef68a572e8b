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
        Kind::Dns => name(text, policy),
        Kind::Push => Ok(String::new()),
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
    let mut url = Url::parse(&whole).map_err(|error| format!("is no address: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(
            "is an http or https address; other kinds of monitors have a `kind` of their own"
                .to_owned(),
        );
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("holds no name and no password: `request.auth` is for them".to_owned());
    }
    url.set_fragment(None);
    vet(&url, policy)?;
    Ok(url.into())
}

fn host_and_port(
    kind: Kind,
    text: &str,
    usual: Option<u16>,
    policy: &Policy,
) -> Result<String, String> {
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
    Ok(format!(
        "{}://{}:{port}",
        kind.as_str(),
        url.host_str().unwrap_or_default()
    ))
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
fn name(text: &str, policy: &Policy) -> Result<String, String> {
    let name = authority_text(Kind::Dns, text)
        .trim_end_matches('.')
        .to_ascii_lowercase();
    let plain = name.replace('_', "x");
    let url = authority(Kind::Dns, &plain)?;
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
    Ok(format!("dns://{spelled}"))
}

/// The part after our scheme.
fn authority_text(kind: Kind, text: &str) -> &str {
    let own = text
        .strip_prefix(kind.as_str())
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
