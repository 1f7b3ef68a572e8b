//! Certificates of verified hosts: what is ordered when, what is stored of it, and what handshakes find.
//!
//! Owns the tables `acme_accounts`, `acme_certificates`, `acme_orders` and `acme_challenges`. Start at `service.rs`; pure decisions
//! are in `rules.rs`.
//!
//! Invariants:
//! - An order is made for verified hosts only, by the leader, and is stored before the authority hears of it. A crash in the middle
//!   counts as a failed attempt, so restarts don't use up the authority's patience.
//! - Keys of certificates and accounts are sealed, bound to their host or authority (threat T13).
//! - Memory holds a few kilobytes for each host. Certificates are read for a handshake, and chains are shared.
//!
//! There is no actor: each process reads the table anew by its versions, and a write transaction is the only one of its table.

mod accounts;
mod agenda;
mod challenges;
mod error;
mod hosts;
mod import;
mod issue;
mod memory;
mod orders;
mod packed;
mod renew;
mod rules;
mod run;
mod service;
mod states;
mod store;

pub use error::CertificateError;
pub use hosts::{NamedHosts, VerifiedHost, VerifiedHosts};
pub use memory::{CertificateStatus, StoredCertificate, Summary};
pub use service::{Certificates, CertificatesEnv};
pub use states::{HostState, read_states};
