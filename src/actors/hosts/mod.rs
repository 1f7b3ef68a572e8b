//! Hosts that organizations bring: `go.acme.com` for short links, `status.acme.com` for a status page.
//!
//! An actor, because every request looks up its `Host` header in memory. Owns the tables `hosts` and `former_hosts`. Start
//! at `messages.rs`.
//!
//! Invariants:
//! - A host is served once its DNS has proved that it is the organization's, and one organization has it at a time.
//! - DNS that leads here proves it only while no other organization claims the host. Then a text record decides.
//! - Below a domain of the installation's own, only the text record proves it: a wildcard record there leads every name here.
//! - Silence of name servers changes nothing. A host is lost after days without proof.

mod actor;
mod checking;
mod error;
mod messages;
mod model;
mod repo;
mod rules;
mod view;

pub use actor::{Hosts, HostsEnv};
pub use error::HostError;
pub use messages::{AddHost, CheckHost, ForgetOwner, RemoveHost, UpdateHost};
pub use model::{CustomHost, DnsFindings, HostFields, HostUse, Pointing, Proof};
pub use view::{HostsPlace, HostsView};

/// What the domain decides about a message.
type Decision<T> = super::kit::Decision<Hosts, T, HostError>;
