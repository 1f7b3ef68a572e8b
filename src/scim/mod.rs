//! SCIM 2.0 without HTTP and without storage (RFC 7643, RFC 7644): attribute paths, filters, patches, and what a resource
//! looks like.
//!
//! Resources are JSON objects with the attributes of [`Kind`], under the names that the specification gives them
//! ([`Kind::read`]). What else a client sends is dropped there, once. Names are compared without regard to case.

mod attributes;
mod error;
mod evaluate;
mod filter;
mod group;
mod lexer;
mod patch;
mod path;
mod project;
pub mod schemas;
#[cfg(test)]
mod tests;
mod text;
mod user;

pub use attributes::Kind;
pub use error::ScimError;
pub use evaluate::matches;
pub use filter::{Filter, Operator};
pub use group::GroupAttributes;
pub use patch::Patch;
pub use path::AttributePath;
pub use project::Projection;
pub use user::{Email, Name, UserAttributes};
