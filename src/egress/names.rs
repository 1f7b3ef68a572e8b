//! From names to addresses and records, without a cache: a check asks anew every time.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use futures_util::{FutureExt as _, future::BoxFuture};
use hickory_resolver::{
    TokioResolver,
    config::{LookupIpStrategy, NameServerConfig, ResolverConfig},
    net::{DnsError, NetError, runtime::TokioRuntimeProvider},
    proto::{
        dnssec::{DnssecSummary, Proof, TrustAnchors},
        op::ResponseCode,
        rr,
    },
};
use serde::{Deserialize, Serialize};

use super::{Class, Failure};

/// DNS record types.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(rename = "DnsRecordType")]
pub enum RecordKind {
    /// IPv4 addresses.
    #[default]
    A,
    /// IPv6 addresses.
    Aaaa,
    /// The name behind a name.
    Cname,
    /// Mail servers.
    Mx,
    /// Name servers.
    Ns,
    /// Text.
    Txt,
    /// The zone's own record.
    Soa,
    /// Services.
    Srv,
    /// Who may issue certificates.
    Caa,
}

impl From<RecordKind> for rr::RecordType {
    fn from(kind: RecordKind) -> Self {
        match kind {
            RecordKind::A => Self::A,
            RecordKind::Aaaa => Self::AAAA,
            RecordKind::Cname => Self::CNAME,
            RecordKind::Mx => Self::MX,
            RecordKind::Ns => Self::NS,
            RecordKind::Txt => Self::TXT,
            RecordKind::Soa => Self::SOA,
            RecordKind::Srv => Self::SRV,
            RecordKind::Caa => Self::CAA,
        }
    }
}

/// Whether the records of a name are signed, up to the root of DNS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chain {
    /// Every signature holds, also of the proof that there are no such records.
    Signed,
    /// A zone above the records isn't signed, or its parent doesn't say with which key.
    Unsigned,
}

/// Knows what names mean.
pub trait Resolve: Send + Sync {
    /// Every address of a name, of both families.
    fn addresses<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, Failure>>;

    /// Records of a name, as text.
    fn records<'a>(
        &'a self,
        name: &'a str,
        kind: RecordKind,
    ) -> BoxFuture<'a, Result<Vec<String>, Failure>>;

    /// Whether records of a name are signed.
    fn validate<'a>(&'a self, _: &'a str, _: RecordKind) -> BoxFuture<'a, Result<Chain, Failure>> {
        async { Err(Failure::new(Class::NameFailed, "no name servers are known")) }.boxed()
    }
}

#[derive(Debug, Clone, Copy)]
pub struct NoNameServers;

impl Resolve for NoNameServers {
    fn addresses<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, Failure>> {
        async { Err(Failure::new(Class::NameFailed, "no name servers are known")) }.boxed()
    }

    fn records<'a>(
        &'a self,
        _: &'a str,
        _: RecordKind,
    ) -> BoxFuture<'a, Result<Vec<String>, Failure>> {
        async { Err(Failure::new(Class::NameFailed, "no name servers are known")) }.boxed()
    }
}

/// The name servers that the operator names, or those that the machine is set up with.
pub struct Names {
    resolver: TokioResolver,
    /// The same servers, with every signature checked.
    validating: TokioResolver,
}

impl std::fmt::Debug for Names {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Names(…)")
    }
}

impl Names {
    /// Asks these servers, or without any those of the machine's settings.
    ///
    /// # Errors
    /// There are none that can be read.
    pub fn new(servers: &[SocketAddr]) -> Result<Self, Failure> {
        Self::trusting(servers, TrustAnchors::default())
    }

    /// Asks these servers, and believes signatures up to these keys of the root.
    pub(super) fn trusting(servers: &[SocketAddr], anchors: TrustAnchors) -> Result<Self, Failure> {
        Ok(Self {
            resolver: resolver(servers, None)?,
            validating: resolver(servers, Some(anchors))?,
        })
    }
}

fn resolver(
    servers: &[SocketAddr],
    anchors: Option<TrustAnchors>,
) -> Result<TokioResolver, Failure> {
    let mut builder = if servers.is_empty() {
        TokioResolver::builder_tokio().map_err(|error| failed(&error))?
    } else {
        let servers = servers.iter().copied().map(server);
        let config = ResolverConfig::from_name_servers(servers.collect());
        TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
    };
    let options = builder.options_mut();
    options.cache_size = 0;
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    if let Some(anchors) = anchors {
        builder = builder.with_trust_anchor(Arc::new(anchors));
    }
    builder.build().map_err(|error| failed(&error))
}

impl Resolve for Names {
    fn addresses<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, Failure>> {
        async move {
            let found = self.resolver.lookup_ip(whole(name)).await;
            Ok(found.map_err(|error| failed(&error))?.iter().collect())
        }
        .boxed()
    }

    fn records<'a>(
        &'a self,
        name: &'a str,
        kind: RecordKind,
    ) -> BoxFuture<'a, Result<Vec<String>, Failure>> {
        async move {
            let wanted = rr::RecordType::from(kind);
            rr::Name::from_utf8(name)
                .map_err(|_| Failure::new(Class::NameNotFound, "this is no name"))?;
            let found = self.resolver.lookup(whole(name), wanted).await;
            let found = found.map_err(|error| match error {
                // The name is one, so the answer is none.
                NetError::Proto(_) => {
                    Failure::new(Class::NameFailed, "the name servers gave no answer")
                }
                error => failed(&error),
            })?;
            let answers = found.answers().iter();
            let of_kind = answers.filter(|record| record.record_type() == wanted);
            Ok(of_kind.map(|record| record.data.to_string()).collect())
        }
        .boxed()
    }

    fn validate<'a>(
        &'a self,
        name: &'a str,
        kind: RecordKind,
    ) -> BoxFuture<'a, Result<Chain, Failure>> {
        async move {
            let wanted = rr::RecordType::from(kind);
            match self.validating.lookup(whole(name), wanted).await {
                Ok(found) => Ok(match DnssecSummary::from_records(found.answers().iter()) {
                    DnssecSummary::Secure => Chain::Signed,
                    DnssecSummary::Insecure => Chain::Unsigned,
                    DnssecSummary::Bogus => return Err(bogus()),
                }),
                Err(error) => judge_denial(&error),
            }
        }
        .boxed()
    }
}

/// What it means that a validating resolver found no records. That there are none has a signature as well.
fn judge_denial(error: &NetError) -> Result<Chain, Failure> {
    match error {
        NetError::Dns(DnsError::DnssecBogus) => Err(bogus()),
        NetError::Dns(DnsError::Nsec {
            response, proof, ..
        }) => match proof {
            Proof::Bogus | Proof::Indeterminate => Err(bogus()),
            _ if response.response_code == ResponseCode::NXDomain => {
                Err(Failure::new(Class::NameNotFound, "the name does not exist"))
            }
            Proof::Secure => Ok(Chain::Signed),
            Proof::Insecure => Ok(Chain::Unsigned),
        },
        error if error.is_no_records_found() && !error.is_nx_domain() => Ok(Chain::Unsigned),
        error => Err(failed(error)),
    }
}

fn bogus() -> Failure {
    let message = "the signatures of the name's records don't hold";
    Failure::new(Class::Bogus, message)
}

fn server(address: SocketAddr) -> NameServerConfig {
    let mut server = NameServerConfig::udp_and_tcp(address.ip());
    for connection in &mut server.connections {
        connection.port = address.port();
    }
    server
}

/// A name with a dot in it is not looked for below our own domain.
fn whole(name: &str) -> String {
    if name.contains('.') && !name.ends_with('.') {
        format!("{name}.")
    } else {
        name.to_owned()
    }
}

fn failed(error: &NetError) -> Failure {
    if error.is_nx_domain() {
        return Failure::new(Class::NameNotFound, "the name does not exist");
    }
    if error.is_no_records_found() {
        return Failure::new(Class::NameNotFound, "the name has no such record");
    }
    match error {
        NetError::Timeout => Failure::new(Class::NameTimeout, "no name server answered in time"),
        NetError::Proto(_) => Failure::new(Class::NameNotFound, "this is no name"),
        _ => Failure::new(Class::NameFailed, "the name servers gave no answer"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_are_asked_for() {
        assert_eq!(whole("a.example"), "a.example.");
        assert_eq!(whole("a.example."), "a.example.");
        assert_eq!(whole("web"), "web");
    }
}
