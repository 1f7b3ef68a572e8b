//! Certificates by ACME (RFC 8555): the account at an authority, orders, challenges, renewal information, revocation.
//!
//! Invariants:
//! - Every answer of the authority has a bound and a deadline, and its redirects aren't followed.
//! - A certificate counts only with the key that it was ordered with, and with a validity period.
//! - No account, key or token is part of a [`Failure`].
//!
//! `src/actors/certificates/` keeps what comes of it, and decides what is ordered when.

mod authority;
mod certificate;
mod challenge;
mod client;
mod failure;
mod options;
mod order;

pub use authority::{Authority, RenewalWindow, Session};
pub use certificate::{IssuedCertificate, read_validity};
pub use challenge::{ALPN_PROTOCOL, Challenge, ChallengeKind, Solver, alpn_certificate};
pub use failure::{Failure, FailureKind};
pub use options::{AuthorityOptions, ExternalAccount};
