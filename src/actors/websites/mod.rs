//! Websites: who owns them, how they are called and who may send events for them.
//!
//! Owns the tables `websites` and `website_protocols`. Start at `messages.rs`.
//!
//! It is an actor, because ingestion and queries find every website in its memory, with compiled rules.
//!
//! Invariants:
//! - A domain is stored normalised (host and port only, lower case) and is unique among the live websites of its
//!   organization; a deleted website does not hold it.
//! - The number in event rows is drawn at random once and never changes or comes back.
//! - Settings are stored checked and spelled in one way; the view holds them compiled ([`ingest_rules`]).
//! - A website of a deleted organization is not in the view: it stopped working with its owner.

mod actor;
mod claims;
mod compatibility;
mod env;
mod error;
pub mod ingest_rules;
mod lifecycle;
mod messages;
mod repo;
mod rules;
mod settings;
mod stored_settings;
#[cfg(test)]
mod tests;
mod tracking_issue;
mod transfer;
mod transferred;
mod view;

pub use actor::Websites;
pub use compatibility::{Compatibility, CompatibilityInput};
pub use env::WebsitesEnv;
pub use error::WebsiteError;
pub use ingest_rules::IngestRules;
pub use messages::{
    CreateWebsite, DeleteWebsite, DueForErasure, DueWebsite, EraseOwner, EraseWebsites,
    FindDeleted, Refresh, RestoreWebsite, RotateTracking, TogglePublic, TransferWebsite,
    UpdateSettings, UpdateWebsite,
};
pub use rules::check;
pub use settings::{RetentionDays, SettingsChange};
pub use stored_settings::WebsiteSettings;
pub use tracking_issue::{Blocked, TrackingIssue, find_tracking_issue};
pub use view::{Website, WebsiteStatus, WebsitesView};

/// What the domain decides about a message.
type Decision<T> = super::kit::Decision<Websites, T, WebsiteError>;
