//! API keys: who may call, with what rights and how often.
//!
//! Owns the table `api_keys`. Start at `messages.rs`.
//!
//! It is an actor, because authentication finds every key in its memory.
//!
//! Invariants:
//! - A secret is shown once and stored as SHA-256 only; a look-up is one hash of the whole secret in the view.
//! - A revoked key never works again; a rotated one works with its new secret only, at once.
//! - Every change of a key is one transaction with its entry in the audit log.
//! - A person cannot make a key, or get the secret of a key, that may do more than their own role. The transaction that
//!   stores the key checks it again.
//! - A key belongs to the person who got its secret: the one who made it, or who rotated it last. When that person loses
//!   rights, the key loses them too, unless an owner keeps it; see `makers.rs`.
//! - The time of the last use is written at most every 300 seconds per key, and once per turn for all keys.

mod actor;
mod draft;
mod erasure;
mod error;
mod live_key;
mod makers;
mod messages;
mod repo;
mod rights;
mod rules;
pub mod secret;
#[cfg(test)]
mod tests;
mod usage;
mod view;

pub use actor::Keys;
pub use error::{KeyError, KeyRejection};
pub use live_key::LiveKey;
pub use live_key::{KeyKind, KeyQuota};
pub use makers::{AffectedKey, KeyOutcome, LostRights, MakerKeys};
pub use messages::{
    CreateKey, DeleteKey, KeyChange, KeyUsed, Manager, NewSecret, QuotaChange, RevokeKey,
    RotateKey, UpdateKey,
};
pub use messages::{EraseMaker, EraseOwner, RereadKeys};
pub use rights::Resources;
pub use view::KeysView;

/// What the domain decides about a message.
type Decision<T> = super::kit::Decision<Keys, T, KeyError>;
