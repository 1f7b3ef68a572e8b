//! Short links: targets, targeting and limits.
//!
//! An actor, because redirects read packed records from memory, and one writer keeps them equal to storage.
//! Owns the tables `links`, `link_folders` and `deleted_links`. Start at `messages.rs`.
//!
//! Invariants:
//! - A slug is unique on its host, on the usual one among all organizations. A deleted link frees it at once.
//! - Targets are stored in canonical form, `http` or `https` only, never on a host of short links.
//! - The view holds what redirects need, packed ([`Record`]), and nothing else: a redirect asks no database. Everything
//!   else is read from storage by [`LinksView`]'s other half.
//! - A message changes all of its links or none.

mod actor;
mod app;
mod env;
mod erasure;
mod error;
mod fields;
mod folders;
mod messages;
mod model;
mod owner;
mod passwords;
mod record;
mod repo;
mod rules;
mod shards;
mod slug;
mod uses;
mod view;
mod watched_targets;

pub use app::DeepLinkApp;
pub use env::{Links, LinksEnv};
pub use error::LinkError;
pub use fields::{LinkFields, QueryForwarding, Variant};
pub use folders::Folder;
pub use messages::{
    CreateFolder, CreateLinks, DeleteFolder, DeleteLinks, Draft, DueForErasure, ErasedLink,
    FollowOwner, LinkPatch, ReceiptForLinks, UpdateFolder, UpdateLinks,
};
pub use model::Link;
#[cfg(test)]
pub use record::testing;
pub use record::{Record, RecordOptions};
pub use repo::{Folders, Kind, LinkFilter, Page, Sort};
pub use rules::{LinkRules, MAX_AT_ONCE, check};
pub use slug::SlugRule;
pub use view::LinksView;
pub use watched_targets::WatchedTarget;

/// What the domain decides about a message.
type Decision<T> = super::kit::Decision<Links, T, LinkError>;
