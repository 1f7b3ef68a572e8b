//! Short links: where they lead, for whom, and until when.
//!
//! Owns the tables `links`, `link_folders` and `deleted_links`. Start at `messages.rs`.
//!
//! Invariants:
//! - A slug is unique among all organizations. A deleted link frees it at once.
//! - Targets are stored in canonical form, `http` or `https` only, never on the links' own host.
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
mod lock;
mod messages;
mod model;
mod owner;
mod record;
mod repo;
mod rules;
mod shards;
mod unlock;
mod uses;
mod view;
mod watched;

pub use app::DeepLinkApp;
pub use env::{Links, LinksEnv};
pub use error::LinkError;
pub use fields::Password;
pub use fields::{LinkFields, Variant};
pub use folders::Folder;
pub use lock::{Draft, Lock, Pass};
pub use messages::{
    CreateFolder, CreateLinks, DeleteFolder, DeleteLinks, DueForErasure, ErasedLink, FollowOwner,
    LinkPatch, ReceiptForLinks, UpdateFolder, UpdateLinks,
};
pub use model::Link;
#[cfg(test)]
pub use record::testing;
pub use record::{More, Record};
pub use repo::{Folders, Kind, LinkFilter, Page, Sort};
pub use rules::{MAX_AT_ONCE, check};
pub use view::LinksView;
pub use watched::Watched;

/// What the domain decides about a message.
type Decision<T> = super::kit::Decision<Links, T, LinkError>;
