//! Targets of monitors in canonical form.

use url::{Host, Url};

use super::{
    Kind,
    kind_info::{PathForm, Scheme, TargetForm},
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
    match kind.info().target {
        TargetForm::Url(schemes) => url(text, schemes, policy),
        TargetForm::HostAndPort(usual) => host_and_port(kind, text, usual, policy),
        TargetForm::Host => {
            let host = host_only(kind, text, policy)?;
            Ok(format!("{}://{host}", kind.as_str()))
        }
        TargetForm::Name => Ok(format!("{}://{}", kind.as_str(), name(kind, text, policy)?)),
        TargetForm::Domain => domain(kind, text, policy),
        TargetForm::Nothing => Ok(String::new()),
        TargetForm::Service(schemes, path) => service(text, schemes, path, policy),
    }
}

/// A URL with one of these schemes; the first one is added where none is.
fn url(text: &str, schemes: &[&str], policy: &Policy) -> Result<String, String> {
    let has_scheme = text.split_once("://").is_some_and(|(scheme, _)| {
        scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    });
    let whole = if has_scheme {
        text.to_owned()
    } else {
        format!("{}://{text}", schemes.first().unwrap_or(&"https"))
    };
    let mut url = Url::parse(&whole).map_err(|error| format!("is no address: {error}"))?;
    if !schemes.contains(&url.scheme()) {
        let mut names: Vec<&str> = schemes.to_vec();
        names.sort_unstable();
        return Err(format!(
            "is an {} address; other kinds of monitors have a `kind` of their own",
            names.join(" or ")
        ));
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

/// The registered domain of a name: what a registrar sells, also where others hand out names below it.
fn domain(kind: Kind, text: &str, policy: &Policy) -> Result<String, String> {
    let name = name(kind, text, policy)?;
    let ends = name.rmatch_indices('.').map(|(at, _)| &name[at + 1..]);
    let is_suffix = |name: &str| {
        let suffix = psl::suffix(name.as_bytes());
        let is_own = suffix.is_some_and(|suffix| {
            suffix.as_bytes() == name.as_bytes() && suffix.typ() == Some(psl::Type::Icann)
        });
        is_own || !name.contains('.')
    };
    let registered = ends.chain([name.as_str()]).find(|&name| !is_suffix(name));
    let registered = registered.ok_or("is a public suffix, below which domains are registered")?;
    Ok(format!("{}://{registered}", kind.as_str()))
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
    Ok(spelled.to_owned())
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
    let segment = path_segment(path, segment)?;
    // Parsed like a web address: spellings of addresses are the same everywhere.
    let url = Url::parse(&format!("http://{host}/"));
    let url = url.map_err(|error| format!("names no host: {error}"))?;
    let own = if host.ends_with(":80") {
        Some(80)
    } else {
        url.port()
    };
    let Some(port) = own.or(found.port) else {
        return Err(format!(
            "names a host and a port, such as `{}://example.com:50051`",
            found.name
        ));
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

/// The path in its stored form, if it has the form.
fn path_segment(path: PathForm, segment: &str) -> Result<&str, &'static str> {
    if segment.is_empty() {
        return Ok(segment);
    }
    let is_short = |length| segment.len() <= length;
    let (segment, holds, message) = match path {
        PathForm::None => (segment, false, "has no path"),
        PathForm::Number => (
            segment,
            is_short(5) && segment.bytes().all(|byte| byte.is_ascii_digit()),
            "ends with the number of a database, such as `/0`",
        ),
        PathForm::Segment => (
            segment,
            is_short(255) && segment.bytes().all(|b| b.is_ascii_graphic() && b != b'/'),
            "ends with one name of at most 255 characters, such as `/shop`, percent-encoded",
        ),
        PathForm::Service => {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte);
            let message = "names a service such as `orders.v1.Orders` behind the host";
            (segment, segment.bytes().all(plain), message)
        }
        PathForm::Object => {
            let object = segment.trim_start_matches('.');
            let message = "names an object such as `1.3.6.1.2.1.1.3.0` behind the host";
            (object, is_object(object), message)
        }
    };
    if holds { Ok(segment) } else { Err(message) }
}

/// Whether it is a name of SNMP: 2 to 128 numbers.
fn is_object(text: &str) -> bool {
    let mut arcs = text.split('.');
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    is_plain
        && (2..=128).contains(&arcs.clone().count())
        && arcs.all(|arc| arc.parse::<u32>().is_ok())
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
    let TargetForm::Service(schemes, _) = kind.info().target else {
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
mod tests;
