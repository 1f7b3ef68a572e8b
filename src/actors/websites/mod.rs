//! Websites: who owns them, how they are called and who may send events for them.
//!
//! Owns the table `websites`. Start at `messages.rs`.
//!
//! Invariants:
//! - A domain is stored normalised (host and port only, lower case) and is unique among the live websites of its
//!   organization; a deleted website does not hold it.
//! - The number in event rows is drawn at random once and never changes or comes back.
//! - A website of a deleted organization is not in the view: it stopped working with its owner.

mod actor;
mod error;
mod messages;
mod repo;
mod rules;
#[cfg(test)]
mod tests;
mod view;

pub use actor::{Websites, WebsitesEnv};
pub use error::WebsiteError;
pub use messages::{CreateWebsite, TogglePublic, UpdateWebsite};
pub use rules::check;
pub use view::{Website, WebsiteSettings, WebsiteStatus, WebsitesView};
