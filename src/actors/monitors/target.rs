//! Targets of monitors in canonical form.

use url::{Host, Url};

use super::{
    Kind,
    kinds::{self, PathForm, Scheme, TargetForm},
};
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
    match kinds::find(kind).target {
        TargetForm::Url => http(text, policy),
        TargetForm::HostAndPort(usual) => host_and_port(kind, text, usual, policy),
        TargetForm::Host => {
            let host = host_only(kind, text, policy)?;
            Ok(format!("{}://{host}", kind.as_str()))
        }
        TargetForm::Name => name(kind, text, policy),
        TargetForm::Nothing => Ok(String::new()),
        TargetForm::Service(schemes, path) => service(text, schemes, path, policy),
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

/// A host of a protocol with schemes of its own. Other spellings of a scheme become the first one.
fn service(
    text: &str,
    schemes: &'static [Scheme],
    path: PathForm,
    policy: &Policy,
) -> Result<String, String> {
    let (name, rest) = text.split_once("://").unwrap_or(("", text));
    let found = schemes
        .iter()
        .find(|one| name.is_empty() || one.name.eq_ignore_ascii_case(name));
    let Some(found) = found else {
        let names: Vec<String> = schemes
            .iter()
            .map(|one| format!("{}://", one.name))
            .collect();
        return Err(format!("begins with {}", names.join(" or ")));
    };
    let (host, segment) = rest.split_once('/').unwrap_or((rest, ""));
    if host.contains('@') {
        return Err("holds no name and no password: `request.auth` is for them".to_owned());
    }
    if rest.bytes().any(|byte| matches!(byte, b'\\' | b'?' | b'#')) {
        return Err("has no parameters: fields of `request` are for them".to_owned());
    }
    let segment = segment.strip_suffix('/').unwrap_or(segment);
    check_segment(path, segment)?;
    // Parsed like a web address: spellings of addresses are the same everywhere.
    let url = Url::parse(&format!("http://{host}/"));
    let url = url.map_err(|error| format!("names no host: {error}"))?;
    let port = if host.ends_with(":80") {
        80
    } else {
        url.port().unwrap_or(found.port)
    };
    let host = url.host().ok_or("names no host")?;
    policy
        .spelling(&host, port)
        .map_err(|failure| format!("is refused: {failure}"))?;
    let first = schemes.iter().find(|one| one.is_tls == found.is_tls);
    let scheme = first.unwrap_or(found).name;
    let slash = if segment.is_empty() { "" } else { "/" };
    Ok(format!("{scheme}://{host}:{port}{slash}{segment}"))
}

fn check_segment(path: PathForm, segment: &str) -> Result<(), String> {
    match path {
        PathForm::None if !segment.is_empty() => Err("has no path".to_owned()),
        PathForm::Number if segment.len() > 5 || !segment.bytes().all(|b| b.is_ascii_digit()) => {
            Err("ends with the number of a database, such as `/0`".to_owned())
        }
        PathForm::Segment
            if segment.len() > 255
                || segment.contains('/')
                || !segment.bytes().all(|byte| byte.is_ascii_graphic()) =>
        {
            Err(
                "ends with one name of at most 255 characters, such as `/shop`, percent-encoded"
                    .to_owned(),
            )
        }
        _ => Ok(()),
    }
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

/// The scheme of a stored target, if its type has schemes of its own.
pub(super) fn find_scheme(kind: Kind, target: &str) -> Option<Scheme> {
    let TargetForm::Service(schemes, _) = kinds::find(kind).target else {
        return None;
    };
    let (name, _) = target.split_once("://")?;
    schemes.iter().find(|one| one.name == name).copied()
}

/// What the path of a stored target names, decoded: a database or a virtual host.
pub(super) fn segment(target: &str) -> Option<String> {
    let (_, rest) = target.split_once("://")?;
    let (_, segment) = rest.split_once('/')?;
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).filter(|_| *first == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
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
            (Kind::Redis, "example.com", "redis://example.com:6379"),
            (
                Kind::Redis,
                "REDISS://Example.com:7000/3",
                "rediss://example.com:7000/3",
            ),
            (
                Kind::Postgresql,
                "postgres://db.example.com/shop/",
                "postgresql://db.example.com:5432/shop",
            ),
            (Kind::Mysql, "example.com:80", "mysql://example.com:80"),
            (Kind::Smtp, "smtps://example.com", "smtps://example.com:465"),
            (
                Kind::Rabbitmq,
                "amqps://[2606:4700::1111]/%2f",
                "amqps://[2606:4700::1111]:5671/%2f",
            ),
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
            (Kind::Redis, "https://example.com"),
            (Kind::Redis, "redis://example.com/a"),
            (Kind::Redis, "redis://10.0.0.1"),
            (Kind::Mysql, "mysql://ada:secret@example.com"),
            (Kind::Mysql, "mysql://example.com/a/b"),
            (Kind::Postgresql, "postgresql://example.com/a?sslmode=off"),
            (Kind::Kafka, "kafka://example.com/topic"),
            (Kind::Ssh, "example.com"),
            (Kind::Mqtt, "mqtt://0x7f000001"),
        ] {
            assert!(canonical(kind, text, &policy()).is_err(), "{text}");
        }
    }

    #[test]
    fn stored_targets_read_back() {
        let url = parse_authority("tcp://example.com:80").unwrap();
        assert_eq!(url.host_str(), Some("example.com"));
        assert_eq!(url.port_or_known_default(), Some(80));
        let url = parse_authority("mysql://example.com:3306/shop").unwrap();
        assert_eq!(
            (url.host_str(), url.port()),
            (Some("example.com"), Some(3306))
        );
        assert_eq!(
            segment("amqp://example.com:5672/a%2Fb%2"),
            Some("a/b%2".to_owned())
        );
        assert_eq!(segment("amqp://example.com:5672"), None);
        let scheme = find_scheme(Kind::Redis, "rediss://example.com:1");
        assert!(scheme.is_some_and(|scheme| scheme.is_tls));
        assert!(find_scheme(Kind::Tcp, "tcp://example.com:1").is_none());
    }
}
