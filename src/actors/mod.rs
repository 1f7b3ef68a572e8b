//! The domains: one folder each, one actor each, one writer per table.
//!
//! A domain's folder reads in this order: `messages.rs` (all that can be asked), `view.rs` (what anyone may read),
//! `rules.rs` (pure decisions), `actor.rs` (admit → commit → adopt), `repo.rs` (its tables), `error.rs`. Other code
//! uses what the folder's `mod.rs` exports and nothing else.
//!
//! The roster, in start order; a domain asks earlier ones only, and drain runs backwards:
//!
//! | domain | owns |
//! |---|---|
//! | `keys` | API keys |
//! | `organizations` | organizations, people, memberships, sessions |
//! | `websites` | websites |
//! | `hosts` | hosts that organizations bring |
//! | `links` | short links and their folders |
//! | `flags` | feature flags, target groups, their history and plans |
//! | `monitors` | monitors, what changed about them, and their days |
//! | `status_pages` | status pages, with their monitors, incidents and subscribers |
//! | `alarms` | alarms, their destinations and their state |
//! | `ingest` | the manifest of event segments, salts |
//! | `imports` | imports of events, and what of a file is done |
//! | `profiles` | identified people, and their visitors |
//! | `chats` | conversations of people with an agent |
//! | `delivery` | what leaves the program: the outbox, which others fill |
//!
//! A moment in a field or parameter `…_ms` is in Unix milliseconds.
//!
//! Beside them, [`definitions`] (goals, funnels, annotations, segments), [`boards`], [`certificates`] (of verified hosts), [`shares`] (share links), [`oauth`] (apps that act for people), [`scim`] (tokens of
//! identity providers),
//! [`scheduled_reports`] (their recipients), [`feedback`] and [`preferences`], which keep nothing in memory; [`audit`]: a table that one function
//! fills in the transaction of the acting domain; [`erasure`], [`domain_checks`]
//! and [`reports`], which look at all of them from time to time; [`provisioned`], where declarations
//! remember what they did.
//!
//! To add a domain: a folder here, its `pub mod`, and its entry in the table of `roster.rs`.

pub mod alarms;
pub mod audit;
pub mod boards;
pub mod certificates;
pub mod change;
pub mod chats;
pub mod dashboard;
pub mod definitions;
pub mod delivery;
mod digest;
mod dns_proof;
pub mod domain_checks;
pub mod erasure;
pub mod error;
pub mod error_statuses;
pub mod feedback;
pub mod flags;
pub mod fresh;
mod hex;
pub mod hosts;
pub mod imports;
pub mod ingest;
mod issues;
pub mod keys;
pub mod kit;
pub mod links;
pub mod monitors;
pub mod networks;
pub mod oauth;
pub mod organizations;
pub mod page_access;
mod password;
mod patch;
pub mod preferences;
pub mod profiles;
pub mod provisioned;
mod random;
pub mod reports;
mod roster;
pub mod scheduled_reports;
pub mod scim;
mod seal;
pub mod sealed_tokens;
pub mod setup;
pub mod shares;
mod slug;
pub mod state_env;
pub mod status_pages;
mod subscription_links;
#[cfg(test)]
mod tests;
mod text_enum;
pub mod unlocking;
mod validation;
pub mod websites;

pub use roster::{Domains, DomainsEnv};
