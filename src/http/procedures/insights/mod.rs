//! `/insights/*`: questions as agents ask them: one website, few rows, everything explained.
//!
//! The same types, filters and rights as `/v1/query`, whose functions these handlers call; what is added is the form: a target
//! by id, a period by preset or two dates, rows that fit into a conversation.

pub mod catalogue;
pub mod data;
pub mod periods;
pub mod statistics;
pub mod target;

use super::Group;

/// Every procedure of insights is in it.
const GROUP: Group = Group::new("insights", "Websites");

procedures! { GROUP + catalogue + data + statistics; }
