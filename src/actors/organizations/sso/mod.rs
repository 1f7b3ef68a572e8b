//! Single sign-on of an organization: its domains, and the providers that it adds by itself.
//!
//! Invariants:
//! - A provider signs in only people whose address is in a domain that its organization has verified. The provider has to
//!   say that the address is verified, and the account's own address has to be in such a domain, too, at every sign-in. So an
//!   organization opens no account that it could not open by the email of its domain.
//! - An email does not open a second factor. Such a sign-in waits for it.
//! - A provider joins people to its own organization, and gives roles only there. Links hold its ID, so providers with the
//!   same issuer share none.
//! - A domain is verified for one organization at a time. It is lost when its record was missing for days; that name servers
//!   do not answer says nothing.
//! - Nothing of it is kept in memory: rows are read in the transaction of what relies on them. What a domain or a provider
//!   opened ends in the transaction that ends it.

mod active;
mod domains;
mod ended;
mod fields;
mod judge;
mod providers;

pub(super) use active::ActiveProvider;
pub(super) use ended::end_sessions;
