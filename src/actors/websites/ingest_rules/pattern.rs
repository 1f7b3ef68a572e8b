//! What entries of a website's lists match.

/// Host names: one, one with everything below it, or all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Hosts {
    #[default]
    None,
    One(String),
    /// What lies below this one.
    Below(String),
    /// This one, `www.` or not, and what lies below it.
    Family(String),
    /// The machine itself, however it is spelled.
    Local,
    Any,
}

impl Hosts {
    /// The hosts of a website's domain.
    pub(super) fn for_website(domain: &str) -> Self {
        match without_www(split_port(domain).0) {
            "" => Self::None,
            "localhost" => Self::Local,
            host => Self::Family(plain(host)),
        }
    }

    /// The hosts of an entry: `example.com`, `*.example.com`, `localhost` or `*`.
    pub(super) fn from_entry(entry: &str) -> Self {
        match entry {
            "*" => Self::Any,
            "localhost" => Self::Local,
            _ => match entry.strip_prefix("*.") {
                Some(parent) => Self::Below(plain(parent)),
                None => Self::One(plain(entry)),
            },
        }
    }

    /// Whether a host, lower case, is one of them.
    pub(super) fn contain(&self, host: &str) -> bool {
        match self {
            Self::None => false,
            Self::One(one) => host == one,
            Self::Below(parent) => is_below(host, parent),
            Self::Family(parent) => without_www(host) == parent || is_below(host, parent),
            Self::Local => {
                ["localhost", "127.0.0.1", "[::1]"].contains(&host) || is_below(host, "localhost")
            }
            Self::Any => true,
        }
    }
}

/// A host with an optional port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::actors::websites) struct HostPort {
    /// Lower case.
    pub(in crate::actors::websites) host: String,
    hosts: Hosts,
    port: Option<u16>,
}

impl HostPort {
    /// Reads an entry of `allowedOrigins`: a scheme and a final slash do not count, a port does.
    pub(in crate::actors::websites) fn from_entry(entry: &str) -> Option<Self> {
        let text = entry.split_once("://").map_or(entry, |(_, rest)| rest);
        let (host, port) = split_port(text.trim_end_matches('/'));
        let port = match port {
            Some(port) => Some(port.parse().ok()?),
            None => None,
        };
        let host = host.to_ascii_lowercase();
        let hosts = Hosts::from_entry(&host);
        Some(Self { host, hosts, port })
    }

    /// Reads an `Origin` header; none for `null` and the like.
    pub(in crate::actors::websites) fn from_origin(origin: &str) -> Option<Self> {
        let (scheme, authority) = origin.split_once("://")?;
        let (host, port) = split_port(authority);
        if host.is_empty() {
            return None;
        }
        let usual = match scheme {
            "https" => Some(443),
            "http" => Some(80),
            _ => None,
        };
        let port = match port {
            Some(port) => Some(port.parse().ok()?),
            None => usual,
        };
        Some(Self {
            host: host.to_ascii_lowercase(),
            hosts: Hosts::None,
            port,
        })
    }

    /// Whether an origin is what this entry means.
    pub(in crate::actors::websites) fn matches(&self, origin: &Self) -> bool {
        self.hosts.contain(&origin.host) && (self.port.is_none() || self.port == origin.port)
    }
}

/// A path in which `*` matches anything. `/docs/*` means `/docs` too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Glob {
    pieces: Vec<String>,
    /// What a pattern that ends in `/*` means besides.
    itself: Option<String>,
}

impl Glob {
    pub(super) fn new(pattern: &str) -> Self {
        let plain = match pattern.trim_end_matches('/') {
            "" => "/",
            plain => plain,
        };
        Self {
            pieces: plain.split('*').map(str::to_owned).collect(),
            itself: plain
                .strip_suffix("/*")
                .filter(|parent| !parent.contains('*') && !parent.is_empty())
                .map(str::to_owned),
        }
    }

    /// Whether the pattern means this path. Time is linear in the path's length, whatever the pattern is.
    pub(super) fn matches(&self, path: &str) -> bool {
        if self.itself.as_deref() == Some(path) {
            return true;
        }
        let [first, inner @ .., last] = self.pieces.as_slice() else {
            // No star: one piece.
            return self.pieces.first().is_some_and(|whole| whole == path);
        };
        let Some(mut rest) = path.strip_prefix(first.as_str()) else {
            return false;
        };
        for piece in inner {
            let Some(at) = rest.find(piece.as_str()) else {
                return false;
            };
            rest = &rest[at + piece.len()..];
        }
        rest.ends_with(last.as_str())
    }
}

/// `a.example.com` is below `example.com`; `badexample.com` is not.
fn is_below(host: &str, parent: &str) -> bool {
    !parent.is_empty()
        && host
            .strip_suffix(parent)
            .is_some_and(|rest| rest.ends_with('.'))
}

/// Host and port; the colons of a bracketed address divide nothing.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    let from = authority.rfind(']').map_or(0, |end| end + 1);
    match authority[from..].split_once(':') {
        Some((host, port)) => (&authority[..from + host.len()], Some(port)),
        None => (authority, None),
    }
}

/// A name as browsers write it: other scripts in their ASCII form.
fn plain(host: &str) -> String {
    if host.is_ascii() {
        return host.to_ascii_lowercase();
    }
    url::Host::parse(host).map_or_else(|_| host.to_lowercase(), |host| host.to_string())
}

fn without_www(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}
