//! What the table of monitor types says about each of them.

use super::Kind;

/// A monitor type.
#[derive(Debug, Clone, Copy)]
pub struct KindInfo {
    pub kind: Kind,
    /// The name for people.
    pub label: &'static str,
    /// What a check does, as the guide says it.
    pub checks: &'static str,
    pub(super) target: TargetForm,
    /// The fields that not every type has.
    pub(super) fields: &'static [Field],
}

/// How a target is written.
#[derive(Debug, Clone, Copy)]
pub(super) enum TargetForm {
    /// A URL with one of these schemes, the default first.
    Url(&'static [&'static str]),
    /// A host and a port, and the default port.
    HostAndPort(Option<u16>),
    Host,
    /// A DNS name.
    Name,
    /// A DNS name. Its registered domain is meant.
    Domain,
    /// Nothing: it calls us.
    Nothing,
    /// A host of a protocol with schemes of its own, the default first, and what the path names.
    Service(&'static [Scheme], PathForm),
}

/// A scheme with its default port, if it has one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scheme {
    pub(super) name: &'static str,
    pub(super) port: Option<u16>,
    /// Whether connections start with TLS.
    pub(super) is_tls: bool,
}

/// What the path of a target names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathForm {
    None,
    /// One segment: a database or a virtual host.
    Segment,
    /// The number of a database.
    Number,
    /// A service of gRPC.
    Service,
    /// An object of SNMP.
    Object,
}

/// A field that not every monitor type has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// `url`, `timeout` and `expect.responseTime`: everything that pharos checks itself.
    Target,
    /// Method, redirects, the way around caches.
    Http,
    /// Accepted statuses.
    Status,
    Steps,
    /// Headers of a protocol that begins with HTTP, and credentials in them.
    Headers,
    Auth,
    Body,
    VerifyTls,
    Tls,
    /// The community and the version of SNMP.
    Community,
    /// Assertions about text.
    Text,
    /// Assertions about text that may be JSON.
    Json,
    /// Assertions about the certificate.
    Certificate,
    RecordType,
    Records,
    DomainDays,
    Offset,
    Grace,
}

impl Scheme {
    pub(super) const fn plain(name: &'static str, port: u16) -> Self {
        Self {
            name,
            port: Some(port),
            is_tls: false,
        }
    }

    pub(super) const fn tls(name: &'static str, port: u16) -> Self {
        Self {
            name,
            port: Some(port),
            is_tls: true,
        }
    }
}

impl KindInfo {
    pub const fn has(&self, field: Field) -> bool {
        if field as u8 == Field::Target as u8 {
            return !matches!(self.target, TargetForm::Nothing);
        }
        // Const functions have no iterators.
        let mut at = 0;
        while at < self.fields.len() {
            if self.fields[at] as u8 == field as u8 {
                return true;
            }
            at += 1;
        }
        false
    }

    /// How its target is written, as the guide says it.
    pub fn example(&self) -> String {
        match self.target {
            TargetForm::Url([usual, ..]) => {
                format!("A URL; `{usual}://` is added if the scheme is missing")
            }
            TargetForm::Url([]) | TargetForm::Nothing => "none".to_owned(),
            TargetForm::HostAndPort(None) => "`host:port`".to_owned(),
            TargetForm::HostAndPort(Some(_)) => "`host` or `host:port`".to_owned(),
            TargetForm::Host => "A host".to_owned(),
            TargetForm::Name => "A name".to_owned(),
            TargetForm::Domain => "A name; the registered domain above it is checked".to_owned(),
            TargetForm::Service(schemes, path) => {
                let path = self.path_example(path);
                let one = |one: &Scheme| {
                    let port = one.port.map(|port| port.to_string());
                    let port = port.as_deref().unwrap_or("port");
                    format!("`{}://host:{port}{path}`", one.name)
                };
                schemes.iter().map(one).collect::<Vec<_>>().join(", ")
            }
        }
    }

    fn path_example(&self, path: PathForm) -> &'static str {
        match path {
            PathForm::None => "",
            PathForm::Segment if self.kind == Kind::Rabbitmq => "/vhost",
            PathForm::Segment => "/database",
            PathForm::Number => "/0",
            PathForm::Service => "/service",
            PathForm::Object => "/1.3.6.1.2.1.1.3.0",
        }
    }
}
