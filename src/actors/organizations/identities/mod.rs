//! Accounts of people at providers, and what signing in there means here.
//!
//! Invariants:
//! - A link is found by provider, issuer and subject. An address alone finds an account only if the provider says that it is
//!   verified, the operator trusts the provider for its domain, and the account's owner has proven it, too. So no
//!   stranger comes in by naming an address, and none waits in an account made with somebody else's.
//! - Groups change only memberships of organizations that the operator's rules name. A membership that groups gave ends with
//!   them; one that a person gave stays until groups give one. The last owner stays owner.
//! - A link that is the last way in stays.

mod accounts;
mod links;
mod logout;
mod proxy;
mod required;
mod roles;
mod sign_in;
mod sso;

pub(super) use accounts::insert_account;
