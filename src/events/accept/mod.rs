//! From wire objects to accepted events: one file per kind of body.
//!
//! Every body is read in two steps: *read* takes the JSON apart (so a website id can be found in it before
//! anybody is authorized), *accept* checks every rule and enriches. Nothing is kept of a body with a mistake, but
//! for `/batch`, whose items are handled one by one. Fields that we do not know or do not keep are ignored; `null`
//! counts as absent; of a key that comes twice, the last counts (as in JavaScript).
//!
//! Limits are counted in characters. Over-long messages, stacks and file names are cut, and so are the texts of tool
//! calls; everything else that is too long is refused. Texts lose control characters and surrounding white space, nothing else: characters that are
//! special in HTML stay, because the output escapes them.

pub mod agent;
pub mod batch;
pub mod call;
pub mod custom;
pub mod engagement;
pub mod error;
pub mod identify;
pub mod legacy;
pub mod page;
pub mod pixel;
pub mod protocols;
pub mod vital;

mod clean;
mod count;
mod field;
mod location;
mod members;
mod properties;
mod spans;
mod time;
mod wire;

#[cfg(test)]
mod test_fixture;

pub use count::count;
pub use pixel::IMAGE;

use super::enrich::{SenderContext, bot::Rules};
use crate::{
    access::IngestAccess,
    fault::{Fault, Issue, Kind},
};

/// Whose events these are. Made from a proof, so nothing is accepted without authorization.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Proof that events may be stored.
    pub access: IngestAccess,
    /// The website's domain, empty without a website; its own pages are no referrers.
    pub domain: &'a str,
    /// What becomes of bots on it.
    pub bots: Rules<'a>,
}

/// What a body is judged against.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub visit: &'a SenderContext,
    pub target: Target<'a>,
}

/// Issues listed in one answer; more would not help.
const MAX_ISSUES: usize = 20;

/// A body that broke a rule (400 `Invalid request body`).
pub(crate) fn invalid(mut issues: Vec<Issue>) -> Fault {
    issues.truncate(MAX_ISSUES);
    Fault::issues("Invalid request body", issues).with_code("INVALID_REQUEST_BODY")
}

/// A body or its properties over the limit (413 `Payload too large`).
pub fn too_large() -> Fault {
    Fault::new(Kind::TooLarge, "Payload too large").with_code("PAYLOAD_TOO_LARGE")
}
