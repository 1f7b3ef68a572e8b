//! The storekeeper of events: seals, merges, deletes what is too old, notes what is damaged, keeps the manifest and the
//! daily salts.
//!
//! Events never pass through this mailbox: requests hand them to [`crate::events::store::EventStore`] directly. The
//! domain does what follows: when the tail is due it has it written as a segment (admit), commits segment and cursor
//! in one transaction (commit) and shows the new snapshot (adopt). Rebooting it at any moment is safe: boot adopts
//! whatever manifest was committed last.
//!
//! It is an actor, because seals, merges and deletions need one order, and enrichment finds the salts in its memory.

mod actor;
mod error;
mod manifest;
mod messages;
mod salts;
mod state;
#[cfg(test)]
mod tests;
mod upkeep;

pub use error::IngestError;
pub use manifest::{load as load_manifest, others as other_manifests, replace as replace_manifest};
use messages::Exchange;
pub use state::{Env, Ingest};

pub use messages::{
    Compact, CountExpired, CountPerson, EraseOwner, ErasePerson, EraseThings, ExpiredRows, Mend,
    Retain, RetentionOutcome, Seal, SealNext, Tick,
};
pub use salts::Salts;
