//! Who may do what: one principal, one authorizer.
//!
//! Authentication (in `http`) leaves one [`Principal`] per request. The functions of [`authorize`] turn
//! (principal, action, resource) into a *proof*, a value that cannot be made anywhere else. Whatever touches
//! tenant data takes the proof as an argument, so an unchecked path does not compile.

pub mod authorize;
pub mod keys;
pub mod plans;
mod principal;
pub mod proven;
mod roles;
mod scope;
#[cfg(test)]
mod tests;

pub use authorize::{IngestAccess, OrganizationAccess, ReadAccess};
pub use principal::{KeyGrant, Member, Principal, Represented, SessionGrant};
pub use roles::{Permission, Role};
pub use scope::Scope;
