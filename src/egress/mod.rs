//! The only way out of the program to addresses that customers choose: targets of monitors, webhooks.
//!
//! Invariants:
//! - A name is resolved here and nowhere else, every address of the answer is judged, and an answer with one address that may
//!   not be reached is refused as a whole. The connection goes to the address that was judged: a name that changes
//!   its mind in between (rebinding) changes nothing. Every redirect goes through all of it again.
//! - What may be reached is public, or listed in `egress.allow`; ports in `egress.blocked_ports` never are, nor is the browser at
//!   `egress.browser_url`.
//! - Every step has a deadline, everything that is read has a bound, and nothing that comes back can panic.
//! - Times are monotonic, and the phases of a [`Trace`] add up to its whole time.

mod address;
mod body;
mod bounds;
mod broken;
mod certificate;
mod client;
mod dial;
#[cfg(test)]
mod dnssec_tests;
mod failure;
mod http2;
mod names;
mod ping;
#[cfg(test)]
mod record_tests;
mod sct;
#[cfg(test)]
mod spellings;
mod stream;
#[cfg(test)]
pub mod testing;
#[cfg(test)]
mod tests;
mod text_record;
mod tls;
mod trace;
mod udp;
mod upgrade;

use std::{net::IpAddr, sync::Arc};

use arc_swap::ArcSwap;

pub use address::{Policy, is_public};
pub use bounds::Bounds;
pub use certificate::{Certificate, certificate_end_ms};
pub use client::{Answer, Ask};
pub use failure::{Class, Failure};
pub use http2::Http2Answer;
pub use names::{Chain, Names, NoNameServers, RecordKind, Resolve};
pub use stream::Streaming;
pub use text_record::TextRecord;
pub use trace::{Phase, Trace};
pub use udp::Datagrams;
pub use upgrade::{Upgrade, UpgradedStream};

/// The way out; cheap to clone.
#[derive(Clone)]
pub struct Egress(Arc<Inner>);

struct Inner {
    policy: ArcSwap<Policy>,
    names: Arc<dyn Resolve>,
    tls: tls::Tls,
}

impl std::fmt::Debug for Egress {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Egress({:?})", self.0.policy.load())
    }
}

impl Egress {
    /// A way out that trusts the public certificate authorities.
    ///
    /// # Errors
    /// The authorities cannot be read, which is a bug.
    pub fn new(policy: Policy, names: Arc<dyn Resolve>) -> Result<Self, Failure> {
        Self::trusting(policy, names, tls::public_roots())
    }

    /// A way out that trusts these certificate authorities and no other.
    ///
    /// # Errors
    /// As [`Egress::new`].
    pub fn trusting(
        policy: Policy,
        names: Arc<dyn Resolve>,
        roots: rustls::RootCertStore,
    ) -> Result<Self, Failure> {
        Ok(Self(Arc::new(Inner {
            policy: ArcSwap::from_pointee(policy),
            names,
            tls: tls::Tls::new(roots)?,
        })))
    }

    /// The same for addresses that only the operator can choose: nothing is refused.
    pub fn for_operator(&self) -> Self {
        let policy = Policy {
            allow: vec![
                ipnet::Ipv4Net::default().into(),
                ipnet::Ipv6Net::default().into(),
            ],
            ..Policy::default()
        };
        Self(Arc::new(Inner {
            policy: ArcSwap::from_pointee(policy),
            names: Arc::clone(&self.0.names),
            tls: self.0.tls.clone(),
        }))
    }

    /// What may be reached at this moment.
    pub fn policy(&self) -> Arc<Policy> {
        self.0.policy.load_full()
    }

    /// Takes over other rules; open connections are not cut.
    pub fn set_policy(&self, policy: Policy) {
        self.0.policy.store(Arc::new(policy));
    }

    /// What a name's records of one kind say, as text. The name and every address among them are judged like the target of
    /// a connection, so records reveal no more of the networks inside than a connection would.
    ///
    /// # Errors
    /// There are none, there is no answer, or the name or an address may not be reached.
    pub async fn records(&self, name: &str, kind: RecordKind) -> Result<Vec<String>, Failure> {
        let policy = self.0.policy.load_full();
        policy.name(name)?;
        let found = self.0.names.records(name, kind).await?;
        for record in &found {
            // Texts may hold addresses that no connection is made to.
            if let (RecordKind::A | RecordKind::Aaaa, Ok(ip)) = (kind, record.parse()) {
                policy.address(ip, 0)?;
            }
        }
        Ok(found)
    }

    /// Whether the records of a name are signed, up to the root of DNS.
    ///
    /// # Errors
    /// They can't be validated, there is no answer, or the name may not be reached.
    pub async fn validate(&self, name: &str, kind: RecordKind) -> Result<Chain, Failure> {
        self.0.policy.load_full().name(name)?;
        self.0.names.validate(name, kind).await
    }

    /// Every address of a name, judged; the first is the one to go to.
    async fn addresses(&self, host: url::Host<&str>, port: u16) -> Result<IpAddr, Failure> {
        let policy = self.0.policy.load_full();
        policy.port(port)?;
        let mut all = match host {
            url::Host::Ipv4(ip) => vec![IpAddr::V4(ip)],
            url::Host::Ipv6(ip) => vec![IpAddr::V6(ip)],
            url::Host::Domain(name) => self.0.names.addresses(name).await?,
        };
        for ip in &mut all {
            *ip = ip.to_canonical();
            policy.address(*ip, port)?;
        }
        // Only one family is tried, to notice half a network that is down; IPv4 where there is one.
        all.sort_by_key(IpAddr::is_ipv6);
        all.first()
            .copied()
            .ok_or_else(|| Failure::new(Class::NameNotFound, "the name has no address"))
    }
}
